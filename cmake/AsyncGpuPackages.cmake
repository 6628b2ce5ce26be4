# What cpack makes: Debian packages (`cpack -G DEB` in the build tree), one for each
# component of AsyncGpuInstall.cmake, and a source tarball (`cpack --config
# CPackSourceConfig.cmake`). cmake/packages has what packages hold beside that.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(ASYNC_GPU_PACKAGE_CONTACT "async-gpu maintainers <async-gpu@packages.example.org>"
  CACHE STRING "Who answers for the packages: a name and an address")

set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_PACKAGE_NAME async-gpu)
set(CPACK_PACKAGE_VENDOR async-gpu)
set(CPACK_PACKAGE_CONTACT "${ASYNC_GPU_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime compiler tools dev python doc)
# A cross compiler makes what programs link. Debian's names of machines are its own.
if(NOT ASYNC_GPU_COMPILER)
  set(CPACK_COMPONENTS_ALL runtime dev)
endif()
if(CMAKE_CROSSCOMPILING)
  string(REPLACE aarch64 arm64 CPACK_DEBIAN_PACKAGE_ARCHITECTURE
    "${CMAKE_SYSTEM_PROCESSOR}")
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_MULTIARCH "${CMAKE_LIBRARY_ARCHITECTURE}") # of finish.cmake
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# lintian wants folders that all may read, whatever the umask was.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LLVM_LIBRARY_DIR}
  ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packages/finish.cmake)

# async_gpu_package(COMPONENT NAME SECTION SUMMARY
#                   [DEPENDS text] [CROSS_DEPENDS text] [RECOMMENDS text] [SUGGESTS text] TEXT line ...
#                   [PROGRAMS] [LIBRARY] [ALL])
# PROGRAMS: what its programs and libraries need is found. CROSS_DEPENDS: what that is,
# beside the C library, where they are another machine's. LIBRARY: it has one that
# the loader has to know. ALL: it is the same for all architectures.
macro(async_gpu_package component name section summary)
  cmake_parse_arguments(arg "PROGRAMS;LIBRARY;ALL" "DEPENDS;CROSS_DEPENDS;RECOMMENDS;SUGGESTS" "TEXT" ${ARGN})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ${arg_PROGRAMS})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${arg_SUGGESTS}")
  if(arg_ALL)
    set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE all)
  endif()
  # dpkg-shlibdeps looks for packages of this machine.
  if(CMAKE_CROSSCOMPILING AND arg_PROGRAMS)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS OFF)
    set(needed ${arg_DEPENDS} "libc6 (>= 2.36)" ${arg_CROSS_DEPENDS})
    list(JOIN needed ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
  endif()
  # The trigger runs ldconfig. Scripts of cpack's would do so, too, and leave what
  # is removed in dpkg's list: it writes none where others are named, which need not
  # be there.
  if(arg_PROGRAMS)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA none/postinst none/postrm)
  endif()
  if(arg_LIBRARY)
    list(APPEND CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
      ${PROJECT_SOURCE_DIR}/cmake/packages/triggers)
  endif()
  list(JOIN arg_TEXT "\n" text)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
endmacro()

set(own "(= ${PROJECT_VERSION})")
set(with_compiler "")
set(llvm_libraries "libllvm${ASYNC_GPU_LLVM_RELEASE}"
  "libmlir-${ASYNC_GPU_LLVM_RELEASE} (>= 1:${LLVM_VERSION})" "libstdc++6 (>= 11)"
  "libgcc-s1 (>= 3.4)")
list(JOIN llvm_libraries ", " llvm_libraries)
if(ASYNC_GPU_COMPILER)
  set(with_compiler ", libasync-gpu-compiler0 ${own}")
endif()
set(about "async-gpu compiles and runs MLIR programs that mix the async and gpu"
  "dialects, on CUDA devices or on an emulated one.")
async_gpu_package(runtime libasync-gpu-runtime0 libs
  "runtime of programs that async-gpu has compiled" PROGRAMS LIBRARY
  TEXT ${about} "\nThis library runs the tasks, streams and kernels of compiled programs."
  "It needs the C library alone, and the CUDA driver where there is a GPU.")
async_gpu_package(compiler libasync-gpu-compiler0 libs
  "compiler for MLIR's async and gpu dialects, as a library" PROGRAMS LIBRARY
  DEPENDS "libasync-gpu-runtime0 ${own}" CROSS_DEPENDS "${llvm_libraries}"
  TEXT ${about} "\nThis library has the compiler, for programs that embed it.")
async_gpu_package(tools async-gpu devel
  "compiler and runner for MLIR's async and gpu dialects" PROGRAMS
  DEPENDS "libasync-gpu-dev ${own}" CROSS_DEPENDS "${llvm_libraries}" RECOMMENDS "gcc | c-compiler, libc6-dev"
  SUGGESTS "async-gpu-doc, graphviz"
  TEXT ${about} "\nThese are the tools: a pass driver with the habits of mlir-opt, a"
  "runner, and what shows what programs do. A C compiler links programs.")
async_gpu_package(dev libasync-gpu-dev libdevel
  "headers and static libraries of async-gpu"
  DEPENDS "libasync-gpu-runtime0 ${own}${with_compiler}, libc6-dev"
  TEXT ${about} "\nThis package has what C programs are compiled and linked with, and"
  "files for CMake and pkg-config.")
async_gpu_package(python python3-async-gpu python
  "compiling and calling MLIR programs from Python" ALL
  DEPENDS "python3, libasync-gpu-compiler0 (>= ${PROJECT_VERSION})" RECOMMENDS python3-numpy
  TEXT ${about} "\nThis package calls the compiler with arrays of Python's, and awaits"
  "what programs do on asyncio.")
async_gpu_package(doc async-gpu-doc doc
  "documentation and examples of async-gpu" ALL
  RECOMMENDS "libasync-gpu-dev"
  TEXT ${about} "\nThis package has the manual and examples.")

set(CPACK_SOURCE_GENERATOR TXZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME async-gpu-${PROJECT_VERSION})
# Names of folders above the source tree may look like these.
string(REGEX REPLACE "([][+.*?()^$|])" "\\\\\\1" top "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES
  "^${top}/\\.git/" "^${top}/\\.git$" "^${top}/\\.cache/" "^${top}/build(-[^/]*)?/"
  "^${top}/compile_commands\\.json$" "/__pycache__/" "\\.o$" "\\.pyc$"
  "^${PROJECT_BINARY_DIR}/")
include(CPack)
