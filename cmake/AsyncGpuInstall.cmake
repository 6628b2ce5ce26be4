# What `cmake --install` puts where: PREFIX/bin, PREFIX/lib, PREFIX/include. The
# whole can be moved: everything finds the rest from where it is itself.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include(CMakePackageConfigHelpers)

# What is installed, for those who build nothing else. `cmake --install` builds it
# where that has not been done.
set(installed async_gpu_runtime async_gpu_runtime_static async_gpu_utils
  async_gpu_compiler_shared async-gpu-opt async-gpu-runner async-gpu-info
  async-gpu-report)
add_custom_target(installed DEPENDS ${installed})
set(files "")
foreach(target IN LISTS installed)
  string(APPEND files " \"$<TARGET_FILE:${target}>\"")
endforeach()
install(CODE "
  foreach(file IN ITEMS ${files})
    if(NOT EXISTS \"\${file}\")
      message(STATUS \"Building what is to be installed\")
      execute_process(COMMAND_ERROR_IS_FATAL ANY
        COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\"
          --target installed)
      break()
    endif()
  endforeach()")

install(TARGETS async_gpu_runtime async_gpu_runtime_static async_gpu_utils
    async_gpu_compiler_shared
  LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
install(TARGETS async-gpu-opt async-gpu-runner async-gpu-info async-gpu-report
  DESTINATION bin)
set_target_properties(async-gpu-opt async-gpu-runner async_gpu_compiler_shared
  PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${LLVM_LIBRARY_DIR}")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/async_gpu DESTINATION include
  FILES_MATCHING PATTERN "*.h")

write_basic_package_version_file(${PROJECT_BINARY_DIR}/AsyncGpuConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/AsyncGpuConfig.cmake
    ${PROJECT_BINARY_DIR}/AsyncGpuConfigVersion.cmake
  DESTINATION lib/cmake/AsyncGpu)
foreach(package async-gpu-runtime async-gpu-compiler)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION lib/pkgconfig)
endforeach()
install(FILES LICENSE README.md DESTINATION share/doc/async-gpu)
