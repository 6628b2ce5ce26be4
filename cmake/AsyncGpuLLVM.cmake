# Finds LLVM and MLIR 22 and offers them as the target `async_gpu::mlir`.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Debian installs each LLVM release under a prefix of its own.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR
    "async-gpu needs LLVM and MLIR 22, found ${LLVM_VERSION} in ${LLVM_DIR}. "
    "Set MLIR_DIR to the folder of MLIR 22's MLIRConfig.cmake.")
endif()

# The archives below are C++ inside. Linking them as C takes the run-time
# library by its file, so that no C++ compiler has to be installed.
execute_process(
  COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.so.6
  OUTPUT_VARIABLE ASYNC_GPU_LIBSTDCXX OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${ASYNC_GPU_LIBSTDCXX}")
  message(FATAL_ERROR "libstdc++.so.6, which LLVM needs, was not found.")
endif()
get_filename_component(ASYNC_GPU_LIBSTDCXX "${ASYNC_GPU_LIBSTDCXX}" ABSOLUTE)

# The C API's static archives over the shared libMLIR and libLLVM: the archives
# are thin wrappers, and one copy of MLIR is loaded.
file(GLOB ASYNC_GPU_MLIR_CAPI ${LLVM_LIBRARY_DIR}/libMLIRCAPI*.a)
add_library(async_gpu_mlir INTERFACE)
add_library(async_gpu::mlir ALIAS async_gpu_mlir)
target_include_directories(async_gpu_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(async_gpu_mlir INTERFACE
  -Wl,--start-group ${ASYNC_GPU_MLIR_CAPI} -Wl,--end-group
  ${LLVM_LIBRARY_DIR}/libMLIR.so ${LLVM_LIBRARY_DIR}/libLLVM-22.so
  ${ASYNC_GPU_LIBSTDCXX})
