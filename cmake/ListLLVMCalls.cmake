# Writes the functions of LLVM's and MLIR's C APIs that sources name.
#
#   cmake -DCALLERS=FILE "-DHEADERS=FOLDER;..." "-DTARGETS=X86;..."
#     "-DPARSERS=X86;..." -DOUTPUT=STEM -P ListLLVMCalls.cmake
#
# FILE has a source file a line; the APIs are what the headers below each FOLDER declare.
# STEM.rsp has the linker look for each function, and STEM.map has it export them.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cmake_minimum_required(VERSION 3.25)
set(function "(mlir|LLVM)[A-Z][A-Za-z0-9_]*")

# Those that are in the headers alone are no symbols.
set(declared "")
foreach(folder IN LISTS HEADERS)
  file(GLOB_RECURSE headers ${folder}/*.h ${folder}/*.inc)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX REPLACE "(static inline|inline static) [^()]*\\(" "" text "${text}")
    string(REGEX MATCHALL "${function}\\(" names "${text}")
    list(APPEND declared ${names})
  endforeach()
endforeach()
list(TRANSFORM declared REPLACE "\\($" "")
list(REMOVE_DUPLICATES declared)

file(STRINGS ${CALLERS} callers)
set(calls "")
foreach(caller IN LISTS callers)
  file(READ ${caller} text)
  string(REGEX MATCHALL "${function}" names "${text}")
  list(APPEND calls ${names})
endforeach()
list(REMOVE_DUPLICATES calls)
foreach(call IN LISTS calls)
  # Casts of LLVM's are declared by a macro.
  if(call IN_LIST declared OR call MATCHES "^LLVMIsA[A-Z]")
    list(APPEND exported ${call})
  endif()
endforeach()
# Of each target that LLVM has, and each assembler: the sources name them by macros.
foreach(target IN LISTS TARGETS)
  foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter)
    list(APPEND exported LLVMInitialize${target}${part})
  endforeach()
endforeach()
foreach(target IN LISTS PARSERS)
  list(APPEND exported LLVMInitialize${target}AsmParser)
endforeach()
list(REMOVE_DUPLICATES exported)
list(SORT exported)

list(TRANSFORM exported PREPEND "-Wl,-u," OUTPUT_VARIABLE wanted)
list(JOIN wanted "\n" wanted)
list(TRANSFORM exported APPEND ";" OUTPUT_VARIABLE names)
string(REPLACE ";;" ";\n" names "${names}")
foreach(file IN ITEMS rsp map)
  set(new "${wanted}\n")
  if(file STREQUAL map)
    set(new "ASYNC_GPU_LLVM {\n  global:\n${names}\n  local: *;\n};\n")
  endif()
  file(WRITE ${OUTPUT}.new "${new}")
  file(COPY_FILE ${OUTPUT}.new ${OUTPUT}.${file})
  file(REMOVE ${OUTPUT}.new)
endforeach()
