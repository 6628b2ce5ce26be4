# What find_package(AsyncGpu) gives:
#
#   AsyncGpu::runtime         libasync_gpu_runtime.so
#   AsyncGpu::runtime_static  the same inside the program
#   AsyncGpu::emu_static      beside that, the emulated device inside, too;
#                             otherwise libasync_gpu_emu.so.0 is opened
#   AsyncGpu::mpi             libasync_gpu_mpi.so: what programs with messages
#                             between processes call; brings the runtime along
#   AsyncGpu::mpi_static      the same inside the program
#   AsyncGpu::utils           what programs print with, where there is no LLVM
#   AsyncGpu::compiler        libasync_gpu_compiler.so, which needs LLVM's and
#                             MLIR's libraries to run; brings the runtime along.
#                             Not there where the runtime was built alone
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include(CMakeFindDependencyMacro)
find_dependency(Threads)

# From PREFIX/lib/cmake/AsyncGpu, or PREFIX/lib/ARCHITECTURE/cmake/AsyncGpu. Where /lib
# is a link to /usr/lib, headers are in /usr/include.
get_filename_component(AsyncGpu_LIBRARIES "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
get_filename_component(AsyncGpu_PREFIX "${AsyncGpu_LIBRARIES}/.." ABSOLUTE)
if(NOT EXISTS "${AsyncGpu_PREFIX}/include/async_gpu")
  get_filename_component(AsyncGpu_PREFIX "${AsyncGpu_PREFIX}/.." ABSOLUTE)
endif()

function(_async_gpu_import name kind file)
  if(TARGET AsyncGpu::${name})
    return()
  endif()
  if(NOT EXISTS ${AsyncGpu_LIBRARIES}/${file})
    message(FATAL_ERROR "AsyncGpu: ${AsyncGpu_LIBRARIES}/${file} is missing")
  endif()
  add_library(AsyncGpu::${name} ${kind} IMPORTED)
  set_target_properties(AsyncGpu::${name} PROPERTIES
    IMPORTED_LOCATION ${AsyncGpu_LIBRARIES}/${file}
    INTERFACE_INCLUDE_DIRECTORIES ${AsyncGpu_PREFIX}/include
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

_async_gpu_import(runtime SHARED libasync_gpu_runtime.so)
_async_gpu_import(runtime_static STATIC libasync_gpu_runtime.a
  Threads::Threads ${CMAKE_DL_LIBS} m)
_async_gpu_import(emu_static STATIC libasync_gpu_emu.a AsyncGpu::runtime_static)
set_property(TARGET AsyncGpu::emu_static PROPERTY
  INTERFACE_LINK_OPTIONS -Wl,-u,agpu__emu_find)
_async_gpu_import(mpi SHARED libasync_gpu_mpi.so AsyncGpu::runtime)
_async_gpu_import(mpi_static STATIC libasync_gpu_mpi.a AsyncGpu::runtime_static)
_async_gpu_import(utils STATIC libasync_gpu_utils.a m)
if(EXISTS ${AsyncGpu_LIBRARIES}/libasync_gpu_compiler.so)
  _async_gpu_import(compiler SHARED libasync_gpu_compiler.so AsyncGpu::runtime)
endif()
