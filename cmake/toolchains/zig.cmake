# Builds for any version of glibc on x86-64 or aarch64, by the C compiler of PyPI's
# `ziglang`, which brings their headers and symbols. scripts/wheel.sh uses it.
#
#   -DASYNC_GPU_ZIG=FILE             the program `zig` of that package
#   -DASYNC_GPU_ZIG_TARGET=x86_64-linux-gnu.2.28
#   -DASYNC_GPU_LIBSTDCXX="FILE;..." libstdc++.a and libgcc_s.so.1 of the architecture
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASYNC_GPU_ZIG ASYNC_GPU_ZIG_TARGET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${ASYNC_GPU_ZIG_TARGET})
cmake_host_system_information(RESULT host QUERY OS_PLATFORM)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL host)
  set(CMAKE_SYSTEM_NAME Linux)
endif()
set(CMAKE_C_COMPILER ${ASYNC_GPU_ZIG} cc)
set(CMAKE_C_COMPILER_TARGET ${ASYNC_GPU_ZIG_TARGET})
# Zig's own choices of what undefined behaviour does and which CPU is meant.
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -mcpu=baseline")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-z,defs")
# Those of the machine know its own object files alone.
find_program(CMAKE_AR NAMES llvm-ar-22 llvm-ar HINTS /usr/lib/llvm-22/bin REQUIRED)
find_program(CMAKE_RANLIB NAMES llvm-ranlib-22 llvm-ranlib HINTS /usr/lib/llvm-22/bin
  REQUIRED)
find_program(CMAKE_STRIP NAMES llvm-strip-22 llvm-strip HINTS /usr/lib/llvm-22/bin
  REQUIRED)
