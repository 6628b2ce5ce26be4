//===- runner_options.h - What async-gpu-runner is asked to do --*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_RUNNER_OPTIONS_H
#define ASYNC_GPU_TOOLS_RUNNER_OPTIONS_H

#include "command_line.h"

#include "async_gpu/runtime.h"

#include "terminal.h"

#include "lower/ir/text.h"
#include "lower/pass/pipeline.h"

#define AGPU_RUNNER_NAME "async-gpu-runner"

/// Arguments of the command line.
typedef struct agpu__strings {
  const char **data;
  size_t count;
} agpu__strings;

/// A function to call, and what --input and --output say behind its name.
typedef struct agpu__entry {
  const char *name; ///< NULL while it has not been named
  agpu__strings inputs, outputs;
} agpu__entry;

typedef struct agpu__runner_options {
  const char *input;    ///< a path, or "-"
  agpu__entry *entries; ///< at least one
  size_t entry_count;
  const char *result; ///< the result type that is expected; NULL: any
  const char *shard;  ///< the option `split` of async-gpu-shard; NULL: no
  const char *shard_interior; ///< and its option `interior`
  long shard_pieces;          ///< and its option `pieces`
  long shard_ranks;           ///< and its option `ranks`
  int repeat;                 ///< how often each is called, at least 1
  const char *profile;        ///< file, or "1": standard error; or NULL
  bool report;                ///< how long calls took, on stderr
  const char *report_file;    ///< or in this file; NULL: none
  bool print_signature;       ///< and no more
  agpu__text shared_libs;     ///< comma-separated
  agpu__text gpu_flags;       ///< as async-gpu-lower takes them
  agpu_device_kind device;
  bool has_device;        ///< --device was given
  const char *check;      ///< as ASYNC_GPU_EMU_CHECK; NULL: as that says
  const char *model;      ///< as ASYNC_GPU_EMU_MODEL; NULL: as that says
  const char *model_cpus; ///< as ASYNC_GPU_NUM_THREADS, of a model; or NULL
  int level;              ///< of optimisation, 0 to 3
  bool row_major;         ///< matrices of llvm.intr.matrix
  const char *trace;      ///< file that a trace goes to, or NULL
  bool remarks;           ///< on regions, streams, events and waits
  bool reuse_streams;     ///< the option of async-gpu-lower
  agpu__instruments instruments; ///< what of the compiler is shown
  agpu__colour colour;
} agpu__runner_options;

/// Reads the command line. False where nothing is left to do: after an error
/// message or what --help and --version print; `*out_status` is the exit
/// status then. The caller frees `*out_options` in any case.
bool agpu__runner_options_parse(int argc, char **argv,
                                agpu__runner_options *out_options,
                                int *out_status);

/// Of a value of --output, the file that an argument goes to and the number of
/// the argument: "arg12=FILE". NULL: it is a file for a result.
const char *agpu__argument_output(const char *output, size_t *out_index);

/// Reads the value of --shard, which may be NULL. False after a message.
bool agpu__runner_shard_parse(agpu__runner_options *options, const char *value);

void agpu__runner_options_free(agpu__runner_options *options);

#endif // ASYNC_GPU_TOOLS_RUNNER_OPTIONS_H
