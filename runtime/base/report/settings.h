//===- settings.h - All settings, in one table ------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every environment variable ASYNC_GPU_* is a line of this table: reading it,
// the check when a program starts, async-gpu-info's list and the test of
// the table in docs/environment.md go by it. A new setting is a line here, a
// read by one of the functions below, and a heading there for what a line
// cannot say.
//
// When the runtime starts, all settings are checked
// (agpu_runtime_check_settings of include/async_gpu/runtime.h). An ASYNC_GPU_*
// variable that is none of them is a warning, once. A malformed one is an error
// of what was to be started: a status, or the end of the program where the call
// that starts it has none. A library that is only loaded ends nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_REPORT_SETTINGS_H
#define ASYNC_GPU_RUNTIME_BASE_REPORT_SETTINGS_H

#include "async_gpu/status.h"

#include "base/os/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Limits that others make arrays of.
#define AGPU__MAX_WORKERS 1024
#define AGPU__MAX_STREAMS 1024
#define AGPU__EMU_MAX_DEVICES 16
#define AGPU__EMU_MAX_THREADS 64

/// What an integer is that is not set and has no default of its own.
#define AGPU__SETTING_UNSET INT64_MIN

/// INTEGER(name, least, most, default, meaning)
///   default: AGPU__SETTING_UNSET where the reader finds it, and the meaning
///   tells how
/// SIZE(name, least, most, default, meaning)
///   the same in bytes, which may have a suffix: K, M, G or T, of 1024
/// WORD(name, meaning, words...)
///   one of the words; the first one is the default. 1 is on and 0 is off
/// WORDS(name, meaning, words...)
///   a comma-separated list of some of the words, by default of none
/// TEXT(name, allowed, meaning)
///   what only the reader can check: agpu__setting_refuse
/// SCRIPT(name, allowed, meaning)
///   what scripts and tests read, and programs do not
///
/// The order of words is the order of the reader's enumeration, or of its bits.
#define AGPU__SETTINGS(INTEGER, SIZE, WORD, WORDS, TEXT, SCRIPT)               \
  WORD(DEVICE, "the driver that GPU work goes to", "auto", "cuda", "emu")      \
  WORDS(LOG, "what is logged to standard error", "driver", "device", "exec",   \
        "async")                                                               \
  TEXT(TRACE, "FILE",                                                          \
       "where a trace of the program goes, a name that ends in .trace; %p in " \
       "it is the process's number")                                           \
  INTEGER(TRACE_EVENTS, 0, INT64_MAX, 65536,                                   \
          "events of a trace that each thread keeps, the newest; 0: all")      \
  WORD(TRACE_CLOCK, "how a trace learns when work of a device ran", "auto",    \
       "events", "nodes")                                                      \
  INTEGER(NUM_THREADS, 1, AGPU__MAX_WORKERS, AGPU__SETTING_UNSET,              \
          "threads that run tasks of the host; by default one for each CPU "   \
          "that may be used")                                                  \
  INTEGER(SEED, 0, INT64_MAX, AGPU__SETTING_UNSET,                             \
          "draws a schedule of the host's threads; by default there is none")  \
  WORD(WATCHDOG, "whether a standstill ends the program", "on", "off")         \
  INTEGER(STREAMS, 1, AGPU__MAX_STREAMS, 32, "streams of a device, at most")   \
  SIZE(KEEP_BYTES, 0, INT64_MAX, 268435456,                                    \
       "bytes of freed memory that a device keeps to use again")               \
  SIZE(HEAP_BYTES, 1, INT64_MAX, AGPU__SETTING_UNSET,                          \
       "bytes of the heap that kernels of a device allocate from; by default " \
       "what the driver gives it, 8 MiB")                                      \
  INTEGER(IDLE_MS, 0, 86400000, 10000,                                         \
          "milliseconds until unused streams, events and memory go back to "   \
          "the driver; 0: never")                                              \
  WORD(COMPLETION, "how the runtime learns that work has completed", "auto",   \
       "hostfunc", "poll", "spin")                                             \
  WORD(GRAPHS, "whether parts that repeat themselves become graphs",           \
       "compiled", "off", "on")                                                \
  WORD(MPI, "whose library is opened for messages between processes", "auto",  \
       "openmpi", "mpich")                                                     \
  SIZE(MPI_PIECE_BYTES, 0, (int64_t)1 << 30, AGPU__SETTING_UNSET,              \
       "bytes of the pieces that long messages of device memory go in; 0: "    \
       "they go as a whole; by default 1 MiB where the runtime alone uses "    \
       "the MPI library")                                                      \
  INTEGER(EMU_SEED, 0, INT64_MAX, AGPU__SETTING_UNSET,                         \
          "draws the emulated device's schedule; by default there are no "     \
          "pauses")                                                            \
  TEXT(EMU_MODEL, "NAME|FILE",                                                 \
       "whose time emulated devices keep, such as h100; by default their own") \
  WORD(EMU_BLOCKS,                                                             \
       "which blocks of kernels emulated devices run; with a model, those "    \
       "that it counts or few of these may do, and results are wrong then",    \
       "all", "counted", "few")                                                \
  INTEGER(EMU_THREADS, 1, AGPU__EMU_MAX_THREADS, AGPU__SETTING_UNSET,          \
          "threads that run the blocks of emulated kernels; by default one "   \
          "for each CPU that may be used")                                     \
  INTEGER(EMU_QUEUE, 0, 1 << 20, 1024,                                         \
          "entries of the queue of an emulated stream, of which a card has "   \
          "about 1024; a call that enqueues more waits; 0: without limit")     \
  INTEGER(EMU_MEMORY_POOLS, 0, 1, 1,                                           \
          "whether emulated devices have stream-ordered allocation; results "  \
          "are the same")                                                      \
  SIZE(EMU_MEMORY_BYTES, 1, INT64_MAX, AGPU__SETTING_UNSET,                    \
       "bytes of memory that an emulated device has; by default what the "     \
       "machine has, and no more than 80 GiB")                                 \
  INTEGER(EMU_DEVICES, 1, AGPU__EMU_MAX_DEVICES, 1,                            \
          "how many emulated devices there are")                               \
  INTEGER(EMU_KERNEL_SECONDS, 0, 1000000, 0,                                   \
          "how long a kernel may run on an emulated device; 0: without limit") \
  SIZE(EMU_PRINT_BYTES, 1, INT64_MAX, (int64_t)1 << 20,                        \
       "how much of what kernels print an emulated device keeps until the "    \
       "host synchronises")                                                    \
  WORDS(EMU_CHECK, "what the emulated device looks for", "races", "memory",    \
        "arithmetic", "lanes")                                                 \
  WORDS(EMU_TOLERATE, "what passes that PTX leaves undefined, and cards take", \
        "mbarriers", "masks")                                                  \
  WORD(EMU_MEMORY,                                                             \
       "whether emulated kernels reach host memory unknown to the driver",     \
       "auto", "discrete", "unified")                                          \
  WORD(EMU_MANAGED,                                                            \
       "whether the host may touch managed memory while a device works",       \
       "concurrent", "exclusive")                                              \
  WORDS(EMU_PAGEABLE, "what works with host memory unknown to the driver",     \
        "async")                                                               \
  TEXT(EMU_FAULT, "[FUNCTION:]N:CUDA_ERROR_X",                                 \
       "which call of the emulated device's driver fails, and how")            \
  SCRIPT(PRESET, "release, ci, debug, asan-ubsan or tsan",                     \
         "the CMake preset that the scripts build with; by default release")   \
  SCRIPT(BUILD_DIR, "a folder", "where the scripts build")                     \
  SCRIPT(TEST_DEVICE, "emu or cuda",                                           \
         "the device that the tests use; by default emu")

typedef enum agpu__setting {
#define NAME_IT(name, ...) AGPU__SETTING_##name,
  AGPU__SETTINGS(NAME_IT, NAME_IT, NAME_IT, NAME_IT, NAME_IT, NAME_IT)
#undef NAME_IT
      AGPU__SETTING_COUNT
} agpu__setting;

/// The value, or NULL where it is unset or empty. The string is the
/// environment's.
const char *agpu__setting_text(agpu__setting setting);

/// The file that a TEXT names, which the program writes, or NULL where it is
/// unset, empty or 0.
const char *agpu__setting_output(agpu__setting setting);

/// Reads an INTEGER or a SIZE. On INVALID_ARGUMENT `*out_value` is the default.
AGPU__SHARED agpu_status agpu__setting_integer(agpu__setting setting,
                                               int64_t *out_value);

/// Reads a WORD into `*out_index`, its index. On INVALID_ARGUMENT that is 0.
AGPU__SHARED agpu_status agpu__setting_word(agpu__setting setting,
                                            int *out_index);

/// Reads WORDS into `*out_mask`, bit i for word i. On INVALID_ARGUMENT the
/// words that are known are in the mask.
agpu_status agpu__setting_words(agpu__setting setting, uint32_t *out_mask);

/// The word at `index` of a WORD or of WORDS.
const char *agpu__setting_word_at(agpu__setting setting, int index);

/// Checks `setting` as far as the table tells.
agpu_status agpu__setting_check(agpu__setting setting);

/// For an entry "NAME=value" of the environment: an error if it begins with
/// ASYNC_GPU_, is not empty and is not a setting. ASYNC_GPU_ROOT, by which
/// builds of other projects find this one, is no mistake.
agpu_status agpu__setting_check_name(const char *entry);

/// Defined by a program that only shows settings: nothing that they ask for
/// begins when the runtime is loaded.
extern const bool agpu__settings_shown_by_program __attribute__((weak));

/// For the reader of a TEXT, while the runtime is loaded: the message of
/// `status`, which is consumed and may be OK, is part of the next
/// agpu_runtime_check_settings. Where there is none, it is written at the end
/// of the process, whose exit status then is not 0.
void agpu__setting_refuse(agpu_status status);

#endif // ASYNC_GPU_RUNTIME_BASE_REPORT_SETTINGS_H
