# Writes the names and descriptions of upstream's passes, a line each with a tab
# between them, as the headers have them that their definitions are made from. MLIR
# has no call that gives them.
#
#   cmake -DOUTPUT=upstream-passes.txt -DINCLUDE=/usr/lib/llvm-22/include
#     -P ListPasses.cmake
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

file(GLOB_RECURSE headers ${INCLUDE}/mlir/*Passes.h.inc)
set(lines "")
foreach(header IN LISTS headers)
  file(READ ${header} text)
  # Neither is a list of CMake's own.
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL
    "getArgument\\(\\) const override { return \"[^\"]+\"[^\n]*\n\n[^\n]*getDescription\\(\\)[^\n]*R\"PD\\([^\n]*\\)PD\""
    found "${text}")
  foreach(one IN LISTS found)
    string(REGEX REPLACE
      "^[^\"]*\"([^\"]+)\".*R\"PD\\(([^\n]*)\\)PD\"$" "\\1\t\\2" line "${one}")
    list(APPEND lines "${line}")
  endforeach()
endforeach()
list(REMOVE_DUPLICATES lines)
list(SORT lines)
list(JOIN lines "\n" text)
file(WRITE ${OUTPUT} "${text}\n")
