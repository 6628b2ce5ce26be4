# Functions that declare tests. Each gives its test a label, a time limit, the
# sanitizers' environment, and an empty TMPDIR that has to be so afterwards.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The interpreter itself: what stands in the PATH may be a script of a version
# manager, which starts a shell first, several hundred times.
find_program(ASYNC_GPU_PYTHON_FOUND python3 REQUIRED)
execute_process(
  COMMAND ${ASYNC_GPU_PYTHON_FOUND} -c "import sys; print(sys.executable)"
  OUTPUT_VARIABLE ASYNC_GPU_PYTHON OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)

# Sanitizer builds are several times slower, and an error in them must fail
# the test. Running out of memory is not one: some tests ask for too much.
set(ASYNC_GPU_TEST_ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
# Limits are for tests that hang: a machine that does other things, too, takes
# several times as long for those that do not.
set(ASYNC_GPU_TIMEOUT_FACTOR 3)
# Of tests that link programs with the runtime.
set(ASYNC_GPU_LINK_ENVIRONMENT)
if(ASYNC_GPU_SANITIZE)
  set(ASYNC_GPU_LINK_ENVIRONMENT
    "CC=${CMAKE_C_COMPILER} -fsanitize=${ASYNC_GPU_SANITIZE}")
  set(ASYNC_GPU_TIMEOUT_FACTOR 10)
  set(ASYNC_GPU_SANITIZER_OPTIONS
    halt_on_error=1:allocator_may_return_null=1)
  # The sanitizers' dlopen does not look where the program's RUNPATH says.
  list(APPEND ASYNC_GPU_TEST_ENVIRONMENT
    "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib"
    "ASAN_OPTIONS=${ASYNC_GPU_SANITIZER_OPTIONS}"
    "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
    "TSAN_OPTIONS=${ASYNC_GPU_SANITIZER_OPTIONS}")
endif()

# Of tests that run programs under an MPI library.
set(ASYNC_GPU_MPI_ENVIRONMENT)
if(ASYNC_GPU_SANITIZE)
  # The libraries leave memory of theirs behind: a suppression would not find them, as
  # the modules that have allocated it are unloaded by then. The profiling layer is loaded
  # in front of a program, and so of its sanitizer. What happens inside the
  # libraries is not seen by the thread sanitizer, so that a message which one
  # thread has them write and another learns the end of looks like a race. Threads of
  # MPICH's have stacks for signals of their own, which a sanitizer would unmap. UCX below
  # it writes jumps over the first instructions of mmap and its like, which are a
  # sanitizer's: the process ends with signal 11.
  set(ASYNC_GPU_MPI_ENVIRONMENT
    "ASAN_OPTIONS=${ASYNC_GPU_SANITIZER_OPTIONS}:\
detect_leaks=0:verify_asan_link_order=0:use_sigaltstack=0"
    "TSAN_OPTIONS=${ASYNC_GPU_SANITIZER_OPTIONS}:ignore_noninstrumented_modules=1"
    "UCX_MEM_MMAP_HOOK_MODE=none")
endif()

# What runs programs of another machine, which is some ten times slower.
set(ASYNC_GPU_EMULATOR)
set(ASYNC_GPU_NOT_EMULATED)
if(CMAKE_CROSSCOMPILING)
  set(ASYNC_GPU_EMULATOR ${CMAKE_CROSSCOMPILING_EMULATOR})
  set(ASYNC_GPU_TIMEOUT_FACTOR 10)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/aarch64/not_under_qemu.txt
    ASYNC_GPU_NOT_EMULATED REGEX "^[^#]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/tests/aarch64/not_under_qemu.txt)
endif()

# async_gpu_test(NAME LABEL SECONDS COMMAND ... [ENVIRONMENT A=b ...])
# The common end of all functions here, and enough for a test that is a script. Of a
# build for another machine, programs run under the emulator; scripts, which would
# start such programs by themselves, are left out.
function(async_gpu_test name label seconds)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "COMMAND;ENVIRONMENT")
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program ${ASYNC_GPU_EMULATOR} $<TARGET_FILE:${program}>)
  elseif(CMAKE_CROSSCOMPILING)
    return()
  endif()
  foreach(line IN LISTS ASYNC_GPU_NOT_EMULATED)
    string(REGEX MATCH "^(.*): (.*)$" line "${line}")
    if(name MATCHES "^${CMAKE_MATCH_1}")
      set(program sh -c "echo \"skipped: $0\" && exit 77" "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND
    ${PROJECT_SOURCE_DIR}/tests/support/leaves_nothing.sh ${program}
    ${arg_COMMAND})
  math(EXPR seconds "${seconds} * ${ASYNC_GPU_TIMEOUT_FACTOR}")
  set_tests_properties(${name} PROPERTIES
    LABELS ${label}
    TIMEOUT ${seconds}
    SKIP_RETURN_CODE 77
    ENVIRONMENT "${ASYNC_GPU_TEST_ENVIRONMENT};${arg_ENVIRONMENT}")
endfunction()

# The runtime and, inside, the emulated device, so that a test reaches the internal
# symbols of both.
set(ASYNC_GPU_WITH_EMU
  async_gpu_runtime_objects async_gpu_emu_objects async_gpu_emu_inside)

# async_gpu_opens_emu(TARGET)
# The program finds the emulated device's library, which it opens at run time.
function(async_gpu_opens_emu target)
  set_property(TARGET ${target} APPEND PROPERTY
    BUILD_RPATH $<TARGET_FILE_DIR:async_gpu_emu>)
  add_dependencies(${target} async_gpu_emu)
endfunction()

# async_gpu_unit_test(NAME [SOURCES a.c ...] [LIBRARIES lib ...]
#                     [ENVIRONMENT A=b ...] [SECONDS n])
# A test program that exits with 0 when all is well. SOURCES is NAME.c unless
# given; LIBRARIES is the runtime with its internal symbols unless given.
function(async_gpu_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SECONDS"
    "SOURCES;LIBRARIES;ENVIRONMENT")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${name}.c)
  endif()
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES async_gpu_runtime_objects)
  endif()
  if(NOT arg_SECONDS)
    set(arg_SECONDS 60)
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/tests/unit
    ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "-" target "unit-${folder}-${name}")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE async_gpu_options ${arg_LIBRARIES})
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/tests/unit ${PROJECT_SOURCE_DIR}/runtime)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
  if("async_gpu_runtime_objects" IN_LIST arg_LIBRARIES)
    async_gpu_opens_emu(${target})
  endif()
  async_gpu_test(unit/${folder}/${name} unit ${arg_SECONDS}
    COMMAND ${target} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

# async_gpu_interleaved_tests(NAME ...)
# NAME_interleaved.c with tests/unit/interleave*.c, and nothing of the runtime
# but what it includes. Sanitizers do not know the contexts that the threads are
# there.
set(ASYNC_GPU_INTERLEAVE)
foreach(part IN ITEMS interleave interleave_locks interleave_runtime interleave_seen)
  list(APPEND ASYNC_GPU_INTERLEAVE ${PROJECT_SOURCE_DIR}/tests/unit/${part}.c)
endforeach()
function(async_gpu_interleaved_tests)
  if(ASYNC_GPU_SANITIZE)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    async_gpu_unit_test(${name}_interleaved
      SOURCES ${name}_interleaved.c ${ASYNC_GPU_INTERLEAVE}
      LIBRARIES Threads::Threads)
  endforeach()
endfunction()

# async_gpu_weak_tests(NAME ...)
# The same with memory as weak as C11 has it: the test, and what it includes, is
# compiled for thread sanitizer, in whose place tests/unit/weak_memory.c stands.
function(async_gpu_weak_tests)
  if(ASYNC_GPU_SANITIZE)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/tests/unit
      ${CMAKE_CURRENT_SOURCE_DIR})
    string(REPLACE "/" "-" tested "${folder}-${name}_weak")
    add_library(${tested} OBJECT ${name}_interleaved.c)
    target_compile_definitions(${tested} PRIVATE INTERLEAVE_WEAK)
    target_compile_options(${tested} PRIVATE -fsanitize=thread)
    target_link_libraries(${tested} PRIVATE async_gpu_options)
    target_include_directories(${tested} PRIVATE
      ${PROJECT_SOURCE_DIR}/tests/unit ${PROJECT_SOURCE_DIR}/runtime)
    set(sources $<TARGET_OBJECTS:${tested}> ${ASYNC_GPU_INTERLEAVE})
    foreach(source IN ITEMS weak_memory weak_calls)
      list(APPEND sources ${PROJECT_SOURCE_DIR}/tests/unit/${source}.c)
    endforeach()
    async_gpu_unit_test(${name}_weak SOURCES ${sources}
      LIBRARIES Threads::Threads SECONDS 240)
    target_compile_definitions("unit-${tested}" PRIVATE INTERLEAVE_WEAK)
  endforeach()
endfunction()
