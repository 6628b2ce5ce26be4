//===- pipelines.c - Named pipelines --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole way, `async-gpu-lower`, as the text of a pipeline with blanks for
// its options, which are those of its passes under longer names.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/abi.h"
#include "lower/pass/pass.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// async-gpu-plan
//===----------------------------------------------------------------------===//

/// What only sequential programs go through.
static const char place_part[] = "expand-realloc,func.func(lower-affine),"
                                 "async-gpu-place-data{noalias-arguments=%s "
                                 "memory=%s remarks=%s},";
static const char form_part[] =
    "async-gpu-form-regions{noalias-arguments=%s host-region-ops=%s "
    "device-region-ops=%s remarks=%s},";

// clang-format off
#define SEQUENTIAL_OPTIONS                                                     \
  {"sequential", AGPU_OPTION_BOOL, "false",                                    \
   "Place memory of the host that kernels are given, and form regions, of "    \
   "functions that have no token of their own."},                              \
  {"noalias-arguments", AGPU_OPTION_BOOL, "false",                             \
   "With sequential: take it that no two memref arguments of a function are "  \
   "the same memory, nor a global."},                                          \
  AGPU__MEMORY_OPTION,                                                         \
  {"host-region-ops", AGPU_OPTION_INT, "100000",                               \
   "With sequential: how many ops of the host a region has to hold to be "     \
   "worth one."},                                                              \
  {"device-region-ops", AGPU_OPTION_INT, "500000",                             \
   "With sequential: the same of a kernel, in ops of all its threads."}
// clang-format on

static const char plan_part[] =
    "async-gpu-bufferize,"
    "async-gpu-check-input,"
    "async-gpu-mpi{abi=%s remarks=%s},"
    "async-gpu-kernel-globals,"
    "%s"
    "async-gpu-host-memory,"
    "async-gpu-non-blocking{all=%s},"
    "gpu-kernel-outlining,"
    "async-gpu-merge-kernels,"
    "%s"
    "async-gpu-tensor-maps,"
    "%s"
    "async-gpu-kernel-facts,"
    "async-gpu-loops,"
    "async-gpu-token-chains,"
    "async-gpu-regions{reuse-streams=%s remarks=%s}";

static char *plan_expand(const agpu_pass_values *values) {
  char *form = agpu__format(
      form_part, agpu__pass_value_string(values, "noalias-arguments"),
      agpu__pass_value_string(values, "host-region-ops"),
      agpu__pass_value_string(values, "device-region-ops"),
      agpu__pass_value_string(values, "remarks"));
  char *place = agpu__format(
      place_part, agpu__pass_value_string(values, "noalias-arguments"),
      agpu__pass_value_string(values, "memory"),
      agpu__pass_value_string(values, "remarks"));
  bool sequential = agpu__pass_value_bool(values, "sequential");
  char *whole = agpu__format(
      plan_part, agpu__pass_value_string(values, "abi"),
      agpu__pass_value_string(values, "remarks"), sequential ? place : "",
      agpu__pass_value_string(values, "non-blocking"),
      agpu__pass_value_bool(values, "share-kernels")
          ? "async-gpu-share-kernels,"
          : "",
      sequential ? form : "", agpu__pass_value_string(values, "reuse-streams"),
      agpu__pass_value_string(values, "remarks"));
  free(place);
  free(form);
  return whole;
}

static const agpu_pass_option plan_options[] = {
    SEQUENTIAL_OPTIONS,
    AGPU__ABI_OPTION,
    {"non-blocking", AGPU_OPTION_BOOL, "false",
     "Make every function that awaits non-blocking, not only those with the "
     "attribute async_gpu.non_blocking."},
    {"reuse-streams", AGPU_OPTION_BOOL, "true",
     "Let a region that is the only successor of its only predecessor reuse "
     "its stream, without an event."},
    {"share-kernels", AGPU_OPTION_BOOL, "true",
     "Make one kernel of those that are alike."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit what was decided about each region, its stream, its dependencies "
     "and its waits, as remarks."},
};

const agpu_pipeline agpu__pipeline_plan = {
    .argument = "async-gpu-plan",
    .summary = "Lower async and gpu to regions with streams",
    .options = plan_options,
    .option_count = sizeof(plan_options) / sizeof(*plan_options),
    .expand = plan_expand,
};

//===----------------------------------------------------------------------===//
// async-gpu-lower
//===----------------------------------------------------------------------===//

/// From async and gpu to functions with branches, and from there to calls. The
/// blanks are for the options of async-gpu-kernels.
static const char own_part[] =
    "async-gpu-plan{sequential=%s noalias-arguments=%s memory=%s "
    "host-region-ops=%s "
    "device-region-ops=%s abi=%s "
    "non-blocking=%s reuse-streams=%s share-kernels=%s remarks=%s},"
    "async-gpu-failures{abi=%s},"
    "async-gpu-parallel{abi=%s remarks=%s},"
    "async-gpu-outline,"
    "async-gpu-devices,"
    "async-gpu-graphs{graphs=%s remarks=%s},"
    "async-gpu-kernels{chip=%s features=%s format=%s targets=%s opt-level=%s "
    "line-info=%s math=%s toolkit={%s} check-accesses=%s native-threads=%s "
    "bare-pointers=%s},"
    "async-gpu-memory-spaces,"
    "convert-scf-to-cf,"
    "async-gpu-box-unranked,"
    "async-gpu-starts{remarks=%s},"
    "async-gpu-coroutines,"
    "async-gpu-reference-counts,"
    "async-gpu-reference-counts-opt,"
    "async-gpu-stream-calls,"
    "async-gpu-runtime-calls{trace=%s},";

/// What is left when async and gpu are gone. The last blank is for
/// async-gpu-check-accesses, which looks at accesses that are in the LLVM
/// dialect and functions that are not.
static const char host_conversions[] = "async-gpu-check-sizes,"
                                       "async-gpu-expand-math,"
                                       "async-gpu-to-llvm,%s"
                                       "convert-func-to-llvm,"
                                       "reconcile-unrealized-casts,"
                                       "async-gpu-check-lowered";

static char *lower_expand(const agpu_pass_values *values) {
  // Kernels that are alike have places in the source of their own.
  bool has_places = agpu__pass_value_bool(values, "check-accesses") ||
                    agpu__pass_value_bool(values, "gpu-line-info");
  char *own = agpu__format(
      own_part, agpu__pass_value_string(values, "sequential"),
      agpu__pass_value_string(values, "noalias-arguments"),
      agpu__pass_value_string(values, "memory"),
      agpu__pass_value_string(values, "host-region-ops"),
      agpu__pass_value_string(values, "device-region-ops"),
      agpu__pass_value_string(values, "abi"),
      agpu__pass_value_string(values, "non-blocking"),
      agpu__pass_value_string(values, "reuse-streams"),
      has_places ? "false" : "true", agpu__pass_value_string(values, "remarks"),
      agpu__pass_value_string(values, "abi"),
      agpu__pass_value_string(values, "abi"),
      agpu__pass_value_string(values, "remarks"),
      agpu__pass_value_string(values, "graphs"),
      agpu__pass_value_string(values, "remarks"),
      agpu__pass_value_string(values, "gpu-chip"),
      agpu__pass_value_string(values, "gpu-features"),
      agpu__pass_value_string(values, "gpu-format"),
      agpu__pass_value_string(values, "gpu-targets"),
      agpu__pass_value_string(values, "gpu-opt-level"),
      agpu__pass_value_string(values, "gpu-line-info"),
      agpu__pass_value_string(values, "gpu-math"),
      agpu__pass_value_string(values, "gpu-toolkit"),
      agpu__pass_value_string(values, "check-accesses"),
      agpu__pass_value_string(values, "gpu-native-threads"),
      agpu__pass_value_string(values, "gpu-bare-pointers"),
      agpu__pass_value_string(values, "remarks"),
      agpu__pass_value_string(values, "trace"));
  char *host = agpu__format(host_conversions,
                            agpu__pass_value_bool(values, "check-accesses")
                                ? "async-gpu-check-accesses,"
                                : "");
  char *whole = agpu__format("%s%s", own, host);
  free(host);
  free(own);
  return whole;
}

static const agpu_pass_option lower_options[] = {
    {"gpu-chip", AGPU_OPTION_STRING, "sm_75",
     "Chips to make code for, as in sm_75,sm_90; PTX runs on later ones too."},
    {"gpu-features", AGPU_OPTION_STRING, "",
     "PTX version, as in +ptx80; empty for the lowest that chip and kernels "
     "allow."},
    {"gpu-format", AGPU_OPTION_STRING, "ptx",
     "What to embed for CUDA: ptx, cubin (needs ptxas), or both."},
    {"gpu-targets", AGPU_OPTION_STRING, "ptx,native",
     "What to make code for: ptx for CUDA, native for the emulated device."},
    {"gpu-opt-level", AGPU_OPTION_INT, "2",
     "How much LLVM optimises the PTX, 0 to 3."},
    {"gpu-line-info", AGPU_OPTION_BOOL, "false",
     "Keep the source's lines in the PTX, for profilers and sanitizers."},
    {"gpu-math", AGPU_OPTION_WORD, "libdevice|expand",
     "Math functions without an instruction: libdevice, or expand for "
     "expansions and the chip's approximations of f32."},
    {"gpu-toolkit", AGPU_OPTION_STRING, "",
     "The CUDA toolkit's folder; empty to search for one."},
    {"check-accesses", AGPU_OPTION_BOOL, "false",
     "Have the program report its memory accesses to the emulated device, for "
     "ASYNC_GPU_EMU_CHECK."},
    {"gpu-native-threads", AGPU_OPTION_WORD, "auto|coroutines",
     "How the emulated device runs threads that wait for each other: auto, "
     "which is loops where they all reach the same barriers, or coroutines "
     "always."},
    {"gpu-bare-pointers", AGPU_OPTION_BOOL, "false",
     "Pass memrefs to kernels as one pointer each instead of as descriptors; "
     "their sizes, strides and offset must be static."},
    SEQUENTIAL_OPTIONS,
    AGPU__ABI_OPTION,
    {"non-blocking", AGPU_OPTION_BOOL, "false",
     "Make every function that awaits non-blocking, not only those with the "
     "attribute async_gpu.non_blocking."},
    {"reuse-streams", AGPU_OPTION_BOOL, "true",
     "Let a region that is the only successor of its only predecessor reuse "
     "its stream, without an event."},
    {"graphs", AGPU_OPTION_STRING, "off",
     "Whether device work that repeats itself becomes CUDA graphs: off, on, or "
     "auto, where it pays."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit the plan of regions, streams and waits, where regions start and how "
     "parallel loops run, "
     "as remarks."},
    {"trace", AGPU_OPTION_BOOL, "false",
     "Have regions that run in place, and are no task, tell traces of it."},
};

const agpu_pipeline agpu__pipeline_lower = {
    .argument = "async-gpu-lower",
    .summary = "Lower async and gpu to the LLVM dialect",
    .options = lower_options,
    .option_count = sizeof(lower_options) / sizeof(*lower_options),
    .expand = lower_expand,
};
