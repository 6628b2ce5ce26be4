# Compile options that all of async-gpu's own targets share.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

add_library(async_gpu_options INTERFACE)
target_compile_options(async_gpu_options INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wstrict-prototypes -Wmissing-prototypes>
  # What clang writes of its own accord, Debian 12's valgrind cannot read.
  $<$<C_COMPILER_ID:Clang>:-gdwarf-4>
  -fvisibility=hidden)
# Tables of addresses cannot be written once a library is loaded.
target_link_options(async_gpu_options INTERFACE -Wl,-z,relro,-z,now)
target_compile_definitions(async_gpu_options INTERFACE _GNU_SOURCE)
target_include_directories(async_gpu_options INTERFACE
  ${CMAKE_SOURCE_DIR}/include)
if(ASYNC_GPU_WERROR)
  target_compile_options(async_gpu_options INTERFACE -Werror)
endif()
if(ASYNC_GPU_SANITIZE)
  target_compile_options(async_gpu_options INTERFACE
    -fsanitize=${ASYNC_GPU_SANITIZE} -fno-omit-frame-pointer
    # GCC sees null pointers on the paths that its checks add.
    $<$<C_COMPILER_ID:GNU>:-Wno-format-overflow -Wno-format-truncation>)
  target_link_options(async_gpu_options INTERFACE
    -fsanitize=${ASYNC_GPU_SANITIZE})
endif()
