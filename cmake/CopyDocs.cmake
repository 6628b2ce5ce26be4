# Copies README.md, CHANGELOG.md, CONTRIBUTING.md, docs and examples, with links that
# lead somewhere: those to headers go to HEADERS (seen from OUTPUT), and the text alone
# stays of those to files of the source tree that are not copied.
#
#   cmake -DSOURCE=. -DOUTPUT=build/installed-docs -DHEADERS=../../../include
#     -P CopyDocs.cmake
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

file(REMOVE_RECURSE "${OUTPUT}")
file(COPY "${SOURCE}/docs" "${SOURCE}/examples" DESTINATION "${OUTPUT}"
  PATTERN "__pycache__" EXCLUDE PATTERN "docs/site" EXCLUDE)
file(GLOB pages RELATIVE "${SOURCE}" "${SOURCE}/docs/*.md")
foreach(page IN LISTS pages ITEMS README.md CHANGELOG.md CONTRIBUTING.md)
  file(READ "${SOURCE}/${page}" text)
  # Neither is a list of CMake's own, nor part of one.
  string(REPLACE ";" "@SEMICOLON@" text "${text}")
  string(REPLACE "[" "@OPEN@" text "${text}")
  string(REPLACE "]" "@CLOSE@" text "${text}")
  set(up "")
  if(page MATCHES "/")
    set(up "../")
  endif()
  string(REPLACE "@CLOSE@(${up}include/" "@CLOSE@(${up}${HEADERS}/" text "${text}")
  string(REGEX MATCHALL "@CLOSE@\\([^)#: ]+" links "${text}")
  list(REMOVE_DUPLICATES links)
  foreach(link IN LISTS links)
    string(REPLACE "@CLOSE@(" "" target "${link}")
    get_filename_component(file "${OUTPUT}/${page}/../${target}" ABSOLUTE)
    if(EXISTS "${file}" OR target MATCHES "^(\\.\\./)?(README|CHANGELOG|CONTRIBUTING)\\.md$"
        OR target MATCHES "include/async_gpu/")
      continue()
    endif()
    string(REPLACE "." "\\." expression "${target}")
    string(REGEX REPLACE "@OPEN@([^@]*)@CLOSE@\\(${expression}(#[^)]*)?\\)" "\\1"
      text "${text}")
  endforeach()
  string(REPLACE "@OPEN@" "[" text "${text}")
  string(REPLACE "@CLOSE@" "]" text "${text}")
  string(REPLACE "@SEMICOLON@" ";" text "${text}")
  file(WRITE "${OUTPUT}/${page}" "${text}")
endforeach()
