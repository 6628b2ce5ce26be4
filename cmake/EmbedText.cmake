# Writes a C file with the contents of text files, and a table of them.
#
#   cmake -DOUTPUT=embedded.c "-DFILES=a.mlir;b.md" -P EmbedText.cmake
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays
    "static const unsigned char text_${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}"
  "#include \"lower/ir/embedded.h\"\n\n${arrays}\n"
  "const agpu__embedded_file agpu__embedded_files[] = {\n${table}"
  "    {0, 0},\n};\n")
