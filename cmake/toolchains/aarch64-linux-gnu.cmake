# Builds for Linux on 64-bit ARM on another machine, by Debian's cross compiler
# (package gcc-aarch64-linux-gnu). Programs run there under QEMU (package qemu-user),
# where it is installed.
#
#   -DASYNC_GPU_SYSROOT=FOLDER   a root with the libraries of that machine, LLVM's among
#                                them (scripts/sysroot.sh). Without it there is the
#                                cross compiler's C library alone
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# The folder of its libraries in Debian's packages, and the names of its tools.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

find_program(ASYNC_GPU_CROSS_CC aarch64-linux-gnu-gcc)
if(NOT ASYNC_GPU_CROSS_CC)
  message(FATAL_ERROR "There is no aarch64-linux-gnu-gcc: install Debian's "
    "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross, or name a compiler with "
    "-DASYNC_GPU_CROSS_CC=FILE.")
endif()
set(CMAKE_C_COMPILER ${ASYNC_GPU_CROSS_CC})
find_program(ASYNC_GPU_CROSS_CXX aarch64-linux-gnu-g++)
if(ASYNC_GPU_CROSS_CXX)
  set(CMAKE_CXX_COMPILER ${ASYNC_GPU_CROSS_CXX})
endif()

# What is linked and included is the target's; what runs while building is not.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASYNC_GPU_SYSROOT)
set(loader_root /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
if(ASYNC_GPU_SYSROOT)
  file(REAL_PATH ${ASYNC_GPU_SYSROOT} CMAKE_SYSROOT)
  if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include/stdio.h)
    message(FATAL_ERROR "There is no C library in ${CMAKE_SYSROOT}: make it with "
      "scripts/sysroot.sh, or name another root with -DASYNC_GPU_SYSROOT=FOLDER.")
  endif()
  set(loader_root ${CMAKE_SYSROOT})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

find_program(ASYNC_GPU_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(ASYNC_GPU_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ASYNC_GPU_QEMU} -L ${loader_root})
endif()
