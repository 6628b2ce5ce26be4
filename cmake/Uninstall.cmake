# Removes what the last `cmake --install` has installed, and the folders that are
# empty without it.
#
#   cmake -DMANIFEST=install_manifest.txt -P Uninstall.cmake
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is no ${MANIFEST}: nothing has been installed from "
    "this build tree.")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders "")
foreach(file IN LISTS files)
  set(file "$ENV{DESTDIR}${file}")
  if(EXISTS "${file}" OR IS_SYMLINK "${file}")
    file(REMOVE "${file}")
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
      message(FATAL_ERROR "${file} cannot be removed.")
    endif()
  endif()
  # Not those that other programs share: bin, lib, share and the like.
  get_filename_component(folder "${file}" DIRECTORY)
  while(folder MATCHES "async[-_]gpu|AsyncGpu")
    list(APPEND folders "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES folders)
# The longest first: what is inside goes before what holds it.
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
  file(GLOB left "${folder}/*" "${folder}/.*")
  if(IS_DIRECTORY "${folder}" AND NOT left)
    file(REMOVE_RECURSE "${folder}")
  endif()
endforeach()
list(LENGTH files count)
message(STATUS "Removed ${count} files")
