# Finds LLVM and MLIR and offers them as the target `async_gpu::mlir`.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(tested_release 22)
set(ASYNC_GPU_LLVM_RELEASE ${tested_release} CACHE STRING
  "The release of LLVM and MLIR to build with; others than ${tested_release} at one's own risk")
option(ASYNC_GPU_STATIC_LLVM
  "Link LLVM's static archives, even where it has shared libraries" OFF)

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

# Archives of LLVM are C++ inside. Linking them as C takes the run-time library by its
# file, so that no C++ compiler has to be installed.
if(NOT ASYNC_GPU_LIBSTDCXX)
  execute_process(
    COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.so.6
    OUTPUT_VARIABLE ASYNC_GPU_LIBSTDCXX OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS "${ASYNC_GPU_LIBSTDCXX}")
    message(FATAL_ERROR "libstdc++.so.6, which LLVM needs, was not found.")
  endif()
  get_filename_component(ASYNC_GPU_LIBSTDCXX "${ASYNC_GPU_LIBSTDCXX}" ABSOLUTE)
endif()

add_library(async_gpu_mlir INTERFACE)
add_library(async_gpu::mlir ALIAS async_gpu_mlir)
target_include_directories(async_gpu_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
# Trees of LLVM differ in where MLIR's libraries are, and in which are shared.
find_library(ASYNC_GPU_LIBMLIR NAMES libMLIR.so NO_DEFAULT_PATH NO_CACHE
  PATHS ${LLVM_LIBRARY_DIR} ${MLIR_INSTALL_PREFIX}/lib)
find_library(ASYNC_GPU_LIBLLVM NAMES libLLVM.so NO_DEFAULT_PATH NO_CACHE
  PATHS ${LLVM_LIBRARY_DIR})
if(NOT (ASYNC_GPU_LIBMLIR AND ASYNC_GPU_LIBLLVM))
  set(ASYNC_GPU_STATIC_LLVM ON)
endif()
set(ASYNC_GPU_LLVM_RPATH)
if(ASYNC_GPU_STATIC_LLVM)
  include(AsyncGpuStaticLLVM)
else()
  # The C API's static archives over the shared libMLIR and libLLVM: the archives
  # are thin wrappers, and one copy of MLIR is loaded.
  get_filename_component(mlir_libraries ${ASYNC_GPU_LIBMLIR} DIRECTORY)
  file(GLOB ASYNC_GPU_MLIR_CAPI ${mlir_libraries}/libMLIRCAPI*.a)
  target_link_libraries(async_gpu_mlir INTERFACE
    -Wl,--start-group ${ASYNC_GPU_MLIR_CAPI} -Wl,--end-group
    ${ASYNC_GPU_LIBMLIR} ${ASYNC_GPU_LIBLLVM} ${ASYNC_GPU_LIBSTDCXX})
  set(ASYNC_GPU_LLVM_RPATH ${mlir_libraries} ${LLVM_LIBRARY_DIR})
  list(REMOVE_DUPLICATES ASYNC_GPU_LLVM_RPATH)
  # Where they are on the target's own system.
  string(REPLACE ";${CMAKE_SYSROOT}/" ";/" ASYNC_GPU_LLVM_RPATH ";${ASYNC_GPU_LLVM_RPATH}")
  list(REMOVE_ITEM ASYNC_GPU_LLVM_RPATH "")
endif()
