# Finds LLVM and MLIR and offers them as the target `async_gpu::mlir`.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(tested_release 22)
set(ASYNC_GPU_LLVM_RELEASE ${tested_release} CACHE STRING
  "The release of LLVM and MLIR to build with; others than ${tested_release} at one's own risk")

# Debian installs each LLVM release under a prefix of its own.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-${ASYNC_GPU_LLVM_RELEASE})
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL ASYNC_GPU_LLVM_RELEASE)
  message(FATAL_ERROR
    "async-gpu needs LLVM and MLIR ${ASYNC_GPU_LLVM_RELEASE}, found "
    "${LLVM_VERSION} in ${LLVM_DIR}. Set MLIR_DIR to the folder of that release's "
    "MLIRConfig.cmake, or ASYNC_GPU_LLVM_RELEASE to another release.")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL tested_release)
  message(WARNING
    "async-gpu is tested with LLVM and MLIR ${tested_release}; this is "
    "${LLVM_VERSION}. docs/installing.md says what is known of other releases.")
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
  ${LLVM_LIBRARY_DIR}/libMLIR.so ${LLVM_LIBRARY_DIR}/libLLVM.so
  ${ASYNC_GPU_LIBSTDCXX})
