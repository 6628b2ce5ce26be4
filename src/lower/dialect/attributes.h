//===- attributes.h - What passes and programs say of ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes through which code is known from pass to pass: their names
// here, and in the table of attribute_table.c where each may stand, what its
// values are and what it says, from which docs/passes.md has them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ATTRIBUTES_H
#define ASYNC_GPU_LOWER_ATTRIBUTES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>

//===----------------------------------------------------------------------===//
// What programs say
//===----------------------------------------------------------------------===//

#define AGPU__CAPTURE_ATTR "async_gpu.capture"
#define AGPU__CAPTURE_THREAD_LOCAL "thread_local"
#define AGPU__CAPTURE_RELAXED "relaxed"
#define AGPU__CAPTURE_NEVER "never"
#define AGPU__ENQUEUE_ATTR "async_gpu.enqueue"
#define AGPU__GRAPHS_ATTR "async_gpu.graphs"
#define AGPU__NON_BLOCKING "async_gpu.non_blocking"
#define AGPU__OBSERVES_ATTR "async_gpu.observes"
#define AGPU__DEVICE_ATTR "async_gpu.device"
#define AGPU__PRIORITY_ATTR "async_gpu.priority"

//===----------------------------------------------------------------------===//
// Of the module
//===----------------------------------------------------------------------===//

#define AGPU__ABI_ATTR "async_gpu.abi"
#define AGPU__ABI_OWN "async-gpu"
#define AGPU__ABI_UPSTREAM "upstream"
#define AGPU__EXPORTS_ATTR "async_gpu.exports"
#define AGPU__UNIFIED_ATTR "async_gpu.unified_memory"
#define AGPU__ALIKE_ATTR "async_gpu.alike_kernels"
#define AGPU__TRACE_ATTR "async_gpu.trace"

//===----------------------------------------------------------------------===//
// What the plan and later passes decide
//===----------------------------------------------------------------------===//

#define AGPU__KIND_ATTR "async_gpu.kind"
#define AGPU__KIND_HOST "host"
#define AGPU__KIND_DEVICE "device"
#define AGPU__KIND_MIXED "mixed"
#define AGPU__REGION_ATTR "async_gpu.region"
#define AGPU__STREAM_ATTR "async_gpu.stream"
#define AGPU__HOW_ATTR "how"
#define AGPU__WAIT_EVENT "event"
/// By reusing the other region's stream.
#define AGPU__WAIT_STREAM "stream"
/// The same, and nobody else ever waits for the object.
#define AGPU__WAIT_LAST "last"
/// It does already, as what it waits for besides depends on this.
#define AGPU__WAIT_NONE "none"
#define AGPU__START_ATTR "async_gpu.start"
#define AGPU__START_EXECUTOR "executor"
/// In its spawner: until it first suspends it does next to nothing.
#define AGPU__START_SPAWNER "spawner"
/// In its spawner, where that has spawned enough for the other threads.
#define AGPU__START_EITHER "either"
/// The same, of one that only awaits its operands, or a token last, and does
/// not spawn: if the first are READY it is no coroutine there. Does not leave
/// async-gpu-starts.
#define AGPU__START_READY "ready"
#define AGPU__GRAPH_ATTR "async_gpu.in_graph"
#define AGPU__FAILS_ATTR "async_gpu.fails"
#define AGPU__CHECKED_ATTR "async_gpu.checked"
#define AGPU__SHARD_OP_ATTR "async_gpu.shard"
#define AGPU__SHARD_NUMBERS_ATTR "async_gpu.numbers"
#define AGPU__SHARD_AXES_ATTR "async_gpu.axes"

//===----------------------------------------------------------------------===//
// What async-gpu-coroutines leaves
//===----------------------------------------------------------------------===//

#define AGPU__RESULT_ATTR "async_gpu.result"
#define AGPU__TASK_ATTR "async_gpu.task"
#define AGPU__RESULTS_ATTR "async_gpu.results"
#define AGPU__AWAITED_ATTR "async_gpu.awaited"
#define AGPU__SUSPENSION_ATTR "async_gpu.suspension"
#define AGPU__BRIEF_ATTR "brief"

//===----------------------------------------------------------------------===//
// Of kernels, from the device's passes
//===----------------------------------------------------------------------===//

#define AGPU__CONVENTION_ATTR "agpu.convention"
#define AGPU__CONVENTION_BARE "bare-pointers"
#define AGPU__CONVENTION_DESCRIPTORS "descriptors"
#define AGPU__FRESH_ATTR "agpu.fresh"
#define AGPU__SIZED_ATTR "agpu.sized"
#define AGPU__BYTES_ATTR "agpu.bytes"
#define AGPU__APART_ATTR "agpu.apart"
#define AGPU__ALIKE_TO "agpu.alike"
#define AGPU__ALIKE_CONSTANTS "agpu.constants"
#define AGPU__AS_WRITTEN_ATTR "agpu.as_written"
#define AGPU__WHOLE_SHUFFLE "agpu.whole_shuffle"
#define AGPU__TARGET "agpu.target"
#define AGPU__TARGET_PTX "ptx"
#define AGPU__TARGET_NATIVE "native"
#define AGPU__SOURCE_MODULE "agpu.module"
#define AGPU__KERNEL_NAME "agpu.name"
#define AGPU__IMAGE_NAME "agpu.image_name"
#define AGPU__KERNEL_POINTERS "agpu.pointers"
#define AGPU__CHIPS_ATTR "agpu.chips"
#define AGPU__PTX_VERSIONS_ATTR "agpu.ptx_versions"
#define AGPU__TOOLKIT_ATTR "agpu.toolkit"
#define AGPU__SIMT_UNSUPPORTED "agpu.unsupported"
#define AGPU__SIMT_CHECKED "agpu.check_accesses"
#define AGPU__SIMT_COUNTED "agpu.count"
#define AGPU__SIMT_SHARED_BYTES "agpu.shared_bytes"
#define AGPU__SIMT_MOST_SHARED "agpu.most_shared_bytes"
#define AGPU__SIMT_OFFSET "agpu.shared_offset"
#define AGPU__SIMT_DYNAMIC "agpu.shared_dynamic"
#define AGPU__SIMT_SHARED_ACCESS "agpu.shared_access"
#define AGPU__SIMT_ATOMIC "agpu.atomic"
#define AGPU__SIMT_CONTEXT "agpu.context"
#define AGPU__SIMT_ENDS_THREAD "agpu.ends_thread"
#define AGPU__SIMT_SITES "agpu.sites"
#define AGPU__SIMT_THREADS "agpu.threads"
#define AGPU__SIMT_LOOPS "loops"           ///< the body has loops over them
#define AGPU__SIMT_CALLS "calls"           ///< the body is called for each
#define AGPU__SIMT_COROUTINES "coroutines" ///< so it is, and may suspend
#define AGPU__SIMT_PARAM_SIZES "agpu.param_sizes"
#define AGPU__SIMT_UNIFORM "agpu.uniform"
#define AGPU__SIMT_DIVERGENT "agpu.divergent"
#define AGPU__SIMT_VARYING "agpu.varying_arguments"
#define AGPU__PTX_ATTR "agpu.ptx"
#define AGPU__CUBIN_ATTR "agpu.cubin"
#define AGPU__NATIVE_IMAGE_ATTR "agpu.native_image"
#define AGPU__HIDDEN_ATTR "agpu.hidden"
#define AGPU__HIDDEN_ATTRIBUTES "agpu.hidden_attributes"

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

typedef enum agpu__attribute_type {
  AGPU__ATTRIBUTE_UNIT,
  AGPU__ATTRIBUTE_BOOL,
  AGPU__ATTRIBUTE_NUMBER,    ///< an integer that is not negative
  AGPU__ATTRIBUTE_PRIORITY,  ///< an i32 that is not positive
  AGPU__ATTRIBUTE_WORD,      ///< a string, one of `words`
  AGPU__ATTRIBUTE_NAME,      ///< any string
  AGPU__ATTRIBUTE_NAMES,     ///< an array of strings
  AGPU__ATTRIBUTE_TWO_NAMES, ///< an array of two
  AGPU__ATTRIBUTE_SYMBOLS,   ///< an array of references to symbols
  AGPU__ATTRIBUTE_I32S,      ///< array<i32: ...>, none negative
  AGPU__ATTRIBUTE_I64S,      ///< array<i64: ...>
  AGPU__ATTRIBUTE_DICTIONARY,
  AGPU__ATTRIBUTE_EXPORTS, ///< an array of [name, symbol, widths, results]
} agpu__attribute_type;

typedef struct agpu__attribute {
  const char *name;
  bool is_of_program; ///< programs have it; of others a pass is said that does
  agpu__attribute_type type;
  const char *words[8]; ///< fewer, as of ops
  const char *on[8];    ///< ops that may have it; none: any
  const char *meaning;  ///< in Markdown
} agpu__attribute;

extern const agpu__attribute agpu__attributes[];
extern const size_t agpu__attribute_count;

/// The attribute of that name; NULL: there is none.
const agpu__attribute *agpu__attribute_find(MlirStringRef name);

/// Whether it begins with what those of host code do, and with what those of
/// kernels do.
bool agpu__attribute_is_of_host(MlirStringRef name);
bool agpu__attribute_is_of_device(MlirStringRef name);

/// The values that the attribute may have, in words: `"on" or "off"`. The
/// caller frees it.
char *agpu__attribute_values(const agpu__attribute *attribute);

/// Fails with a diagnostic at each op in `module`, itself among them, that has
/// an attribute of the table where it may not stand, or not with that value.
/// The first pass of a pipeline begins with this.
MlirLogicalResult agpu__check_attributes(MlirOperation module);

/// `to` is code of the region that `from` is, too.
void agpu__set_same_region(MlirOperation to, MlirOperation from);

#endif // ASYNC_GPU_LOWER_ATTRIBUTES_H
