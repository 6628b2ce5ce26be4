# What `cmake --install` puts where: PREFIX/bin, PREFIX/lib, PREFIX/include and
# PREFIX/share. The whole can be moved: everything finds the rest from where it is
# itself. The target `uninstall` takes it away again. Components are the packages
# of AsyncGpuPackages.cmake.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include(CMakePackageConfigHelpers)

set(tools async-gpu-info)
if(ASYNC_GPU_COMPILER)
  set(tools async-gpu-opt async-gpu-runner async-gpu-info async-gpu-report)
endif()
# What a cross compiler makes goes beside what the machine itself has, as in Debian.
set(libraries_folder lib)
if(CMAKE_CROSSCOMPILING)
  set(libraries_folder lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()

# Pages of the manual, as the tools print them; under the emulator, if they are another
# machine's.
set(manual "")
set(printing ${tools})
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(printing)
endif()
foreach(tool IN LISTS printing)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man/${tool}.1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND ${tool} --help=man > ${PROJECT_BINARY_DIR}/man/${tool}.1
    DEPENDS ${tool} VERBATIM)
  list(APPEND manual ${PROJECT_BINARY_DIR}/man/${tool}.1)
endforeach()
add_custom_target(manual DEPENDS ${manual})

# The documentation, with its links as they are where it is installed.
set(copy_docs ${PROJECT_SOURCE_DIR}/cmake/CopyDocs.cmake)
file(GLOB_RECURSE documents CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/docs/* ${PROJECT_SOURCE_DIR}/examples/*)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/installed-docs/README.md
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DOUTPUT=${PROJECT_BINARY_DIR}/installed-docs -DHEADERS=../../../include
    -P ${copy_docs}
  DEPENDS ${documents} ${copy_docs} ${PROJECT_SOURCE_DIR}/README.md
    ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  VERBATIM)
add_custom_target(installed-docs
  DEPENDS ${PROJECT_BINARY_DIR}/installed-docs/README.md)

# What is installed, for those who build nothing else. `cmake --install` builds it
# where that has not been done.
set(libraries async_gpu_runtime async_gpu_runtime_static async_gpu_emu
  async_gpu_schedule async_gpu_emu_static async_gpu_mpi async_gpu_mpi_static
  async_gpu_utils)
if(ASYNC_GPU_COMPILER)
  list(APPEND libraries async_gpu_compiler_shared)
endif()
add_custom_target(installed DEPENDS ${libraries} ${tools} manual installed-docs)
if(ASYNC_GPU_COMPILER)
  # What prints a page of the documentation keeps up with the passes.
  add_dependencies(installed async-gpu-docs)
endif()
if(TARGET async_gpu_plugin)
  set(upstream async_gpu_plugin async-gpu-lsp-server)
  add_dependencies(installed ${upstream})
endif()
set(files "")
foreach(target IN LISTS libraries tools upstream)
  string(APPEND files " \"$<TARGET_FILE:${target}>\"")
endforeach()
foreach(file IN LISTS manual ITEMS ${PROJECT_BINARY_DIR}/installed-docs/README.md)
  string(APPEND files " \"${file}\"")
endforeach()
# For each component, as cpack runs them one by one.
foreach(component IN ITEMS runtime compiler tools dev python doc)
  install(CODE "
    foreach(file IN ITEMS ${files})
      if(NOT EXISTS \"\${file}\")
        message(STATUS \"Building what is to be installed\")
        execute_process(COMMAND_ERROR_IS_FATAL ANY
          COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\"
            --target installed)
        break()
      endif()
    endforeach()" COMPONENT ${component})
endforeach()

install(TARGETS async_gpu_runtime async_gpu_mpi LIBRARY DESTINATION ${libraries_folder}
  COMPONENT runtime NAMELINK_COMPONENT dev)
# Opened at run time: nothing is linked with it.
install(TARGETS async_gpu_emu LIBRARY DESTINATION ${libraries_folder}
  COMPONENT runtime NAMELINK_SKIP)
install(TARGETS async_gpu_schedule LIBRARY DESTINATION ${libraries_folder}
  COMPONENT runtime)
install(TARGETS async_gpu_runtime_static async_gpu_emu_static async_gpu_mpi_static
  async_gpu_utils ARCHIVE DESTINATION ${libraries_folder} COMPONENT dev)
install(TARGETS ${tools} DESTINATION bin COMPONENT tools)
# Packages have libraries in the folder of their architecture.
set(beside "$ORIGIN/../lib")
if(CMAKE_LIBRARY_ARCHITECTURE)
  list(APPEND beside "$ORIGIN/../lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
# The same in the build tree, where libraries lie as they are installed: what CMake
# changes when it installs ends in an empty element before, the current folder.
if(ASYNC_GPU_COMPILER)
  install(TARGETS async_gpu_compiler_shared LIBRARY DESTINATION ${libraries_folder}
    COMPONENT compiler NAMELINK_COMPONENT dev)
  set_target_properties(async-gpu-opt async-gpu-runner async_gpu_compiler_shared
    PROPERTIES INSTALL_RPATH "${beside};${ASYNC_GPU_LLVM_RPATH}"
    BUILD_WITH_INSTALL_RPATH ON)
endif()
if(TARGET async_gpu_plugin)
  install(TARGETS async_gpu_plugin LIBRARY DESTINATION ${libraries_folder}/async-gpu
    COMPONENT tools)
  install(TARGETS async-gpu-lsp-server DESTINATION bin COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/plugin/async-gpu-lsp-server.1
    DESTINATION share/man/man1 COMPONENT tools)
  set_target_properties(async_gpu_plugin async-gpu-lsp-server
    PROPERTIES INSTALL_RPATH "${ASYNC_GPU_LLVM_RPATH}" BUILD_WITH_INSTALL_RPATH ON)
endif()
install(FILES ${manual} DESTINATION share/man/man1 COMPONENT tools)
set(completion ${PROJECT_SOURCE_DIR}/tools/completion)
foreach(tool IN LISTS tools)
  install(FILES ${completion}/async-gpu.bash RENAME ${tool}
    DESTINATION share/bash-completion/completions COMPONENT tools)
  install(FILES ${completion}/async-gpu.fish RENAME ${tool}.fish
    DESTINATION share/fish/vendor_completions.d COMPONENT tools)
endforeach()
install(FILES ${completion}/_async-gpu
  DESTINATION share/zsh/vendor-completions COMPONENT tools)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/async_gpu DESTINATION include
  COMPONENT dev FILES_MATCHING PATTERN "*.h")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AsyncGpuConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/AsyncGpuConfig.cmake
    ${PROJECT_BINARY_DIR}/AsyncGpuConfigVersion.cmake
  DESTINATION ${libraries_folder}/cmake/AsyncGpu COMPONENT dev)
# By the name of the headers' folder, too.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/async_gpuConfig.cmake
  DESTINATION ${libraries_folder}/cmake/async_gpu COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/AsyncGpuConfigVersion.cmake
  DESTINATION ${libraries_folder}/cmake/async_gpu
  RENAME async_gpuConfigVersion.cmake COMPONENT dev)
set(descriptions async-gpu-runtime)
if(ASYNC_GPU_COMPILER)
  list(APPEND descriptions async-gpu-compiler)
endif()
set(prefix_of_libraries ..)
if(CMAKE_CROSSCOMPILING)
  set(prefix_of_libraries ../..)
endif()
foreach(package IN LISTS descriptions)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
    DESTINATION ${libraries_folder}/pkgconfig COMPONENT dev)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/async_gpu
  DESTINATION lib/python3/dist-packages COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed-docs/
  DESTINATION share/doc/async-gpu COMPONENT doc)
# Packages have a file of their own that says the same.
install(FILES LICENSE DESTINATION share/doc/async-gpu COMPONENT license)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
  VERBATIM)
