# Where LLVM and MLIR are static archives alone: one shared library,
# libasync_gpu_llvm, holds what async-gpu calls of them. It exports those functions
# and nothing else, so another copy of LLVM in a process keeps to itself, and the
# linker leaves out what none of them reaches.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# MLIR's and LLVM's part of the C API, and what it generates code for.
get_property(capi GLOBAL PROPERTY MLIR_UPSTREAM_CAPI_LIBS)
set(targets X86 AArch64 NVPTX)
set(llvm "")
foreach(component IN ITEMS Analysis BitReader BitWriter Core Linker Object OrcJIT Passes
    Support Target)
  list(APPEND llvm LLVM${component})
endforeach()
foreach(target IN LISTS targets)
  foreach(part IN ITEMS AsmParser CodeGen Desc Info)
    if(TARGET LLVM${target}${part}) # NVPTX has no parser
      list(APPEND llvm LLVM${target}${part})
    endif()
  endforeach()
endforeach()

# The functions, as the sources name them. Both files change only when the list does.
set(llvm_exports ${PROJECT_BINARY_DIR}/llvm-exports)
set(list_calls ${PROJECT_SOURCE_DIR}/cmake/ListLLVMCalls.cmake)
file(GLOB_RECURSE callers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.[ch]
  ${PROJECT_SOURCE_DIR}/tools/*.[ch] ${PROJECT_SOURCE_DIR}/tests/unit/*.[ch])
list(JOIN callers "\n" caller_lines)
file(CONFIGURE OUTPUT ${llvm_exports}/callers.txt CONTENT "${caller_lines}\n" @ONLY)
set(headers ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
list(TRANSFORM headers APPEND "/llvm-c" OUTPUT_VARIABLE llvm_headers)
list(TRANSFORM headers APPEND "/mlir-c")
list(APPEND headers ${llvm_headers})
list(GET LLVM_INCLUDE_DIRS 0 llvm_include)
file(STRINGS ${llvm_include}/llvm/Config/AsmParsers.def parsers
  REGEX "^LLVM_ASM_PARSER")
list(TRANSFORM parsers REPLACE "LLVM_ASM_PARSER\\((.*)\\)" "\\1")
add_custom_command(OUTPUT ${llvm_exports}/calls.map
  BYPRODUCTS ${llvm_exports}/calls.rsp
  COMMAND ${CMAKE_COMMAND} -DCALLERS=${llvm_exports}/callers.txt
    "-DHEADERS=${headers}" "-DTARGETS=${LLVM_TARGETS_TO_BUILD}"
    "-DPARSERS=${parsers}" -DOUTPUT=${llvm_exports}/calls -P ${list_calls}
  DEPENDS ${callers} ${llvm_exports}/callers.txt ${list_calls} VERBATIM)
add_custom_target(async_gpu_llvm_calls DEPENDS ${llvm_exports}/calls.map)

# MLIR and the compiler initialise each target that the archives have. Those that are
# left out, for which no programs are compiled, do nothing then.
set(left_out_calls "")
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target IN_LIST targets)
    foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter AsmParser)
      string(APPEND left_out_calls "__attribute__((visibility(\"default\")))\n"
        "void LLVMInitialize${target}${part}(void);\n"
        "void LLVMInitialize${target}${part}(void) {}\n")
    endforeach()
  endif()
endforeach()
set(left_out ${llvm_exports}/left_out.c)
file(CONFIGURE OUTPUT ${left_out} CONTENT "@left_out_calls@" @ONLY)

add_library(async_gpu_llvm SHARED ${left_out}
  ${PROJECT_SOURCE_DIR}/cmake/llvm/older_libraries.c)
add_dependencies(async_gpu_llvm async_gpu_llvm_calls)
target_link_libraries(async_gpu_llvm PRIVATE async_gpu_options ${capi} ${llvm} ${ASYNC_GPU_LIBSTDCXX})
target_link_options(async_gpu_llvm PRIVATE @${llvm_exports}/calls.rsp
  -Wl,--version-script=${llvm_exports}/calls.map -Wl,--gc-sections -Wl,-Bsymbolic
  -Wl,-z,defs -Wl,-z,relro,-z,now)
set_target_properties(async_gpu_llvm PROPERTIES LINKER_LANGUAGE C
  LINK_DEPENDS ${llvm_exports}/calls.map
  BUILD_WITH_INSTALL_RPATH ON VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(async_gpu_mlir INTERFACE async_gpu_llvm)
# Such trees need not have upstream's runner utilities.
add_dependencies(async_gpu_llvm async_gpu_runner_utils)
