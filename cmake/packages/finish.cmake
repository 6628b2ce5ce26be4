# Adds to each package, before cpack packs it, what Debian's policy wants: the
# libraries in the folder of their architecture, the copyright and the changes beside
# the documentation, compressed pages of the manual, and the reasons for what lintian
# would object to.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return() # the source tarball is the source tree
endif()
# As SOURCE_DATE_EPOCH says, so that a package can be made again.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(packages ${CMAKE_CURRENT_LIST_DIR})
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  set(folder ${usr}/share/doc/${package})
  file(MAKE_DIRECTORY ${folder})
  configure_file(${packages}/copyright ${folder}/copyright COPYONLY)
  file(WRITE ${folder}/changelog
    "async-gpu (${CPACK_PACKAGE_VERSION}) bookworm; "
    "urgency=medium\n\n  * Packaged by cpack; CHANGELOG.md in async-gpu-doc has the "
    "changes.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB compressed ${usr}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${folder}/changelog ${compressed}
    COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${packages}/${package}.lintian)
    file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
    configure_file(${packages}/${package}.lintian
      ${usr}/share/lintian/overrides/${package} COPYONLY)
  endif()
  # From lib to lib/x86_64-linux-gnu, except Python's, which are of no architecture.
  set(lib ${usr}/lib/${CPACK_DEBIAN_MULTIARCH})
  file(GLOB moved RELATIVE ${usr}/lib ${usr}/lib/*.so* ${usr}/lib/*.a ${usr}/lib/cmake
    ${usr}/lib/pkgconfig ${usr}/lib/async-gpu)
  foreach(name IN LISTS moved)
    file(MAKE_DIRECTORY ${lib})
    file(RENAME ${usr}/lib/${name} ${lib}/${name})
  endforeach()
  # The loader looks there by itself.
  file(GLOB descriptions ${lib}/pkgconfig/*.pc)
  foreach(file IN LISTS descriptions)
    file(READ ${file} text)
    string(REPLACE " -Wl,-rpath,\${libdir}" "" text "${text}")
    if(CPACK_DEBIAN_MULTIARCH)
      string(REPLACE "prefix=\${libdir}/..\n" "prefix=\${libdir}/../..\n" text "${text}")
    endif()
    file(WRITE ${file} "${text}")
  endforeach()
  file(GLOB_RECURSE files LIST_DIRECTORIES FALSE ${usr}/share/*)
  file(CHMOD ${files} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(GLOB libraries ${lib}/*.so.*.*)
  if(libraries)
    file(CHMOD ${libraries} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
