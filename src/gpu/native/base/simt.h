//===- simt.h - Kernels on their way to native code -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all passes of native code share.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NATIVE_BASE_SIMT_H
#define ASYNC_GPU_GPU_NATIVE_BASE_SIMT_H

#include "async_gpu/compiled/native_thread.h"
#include "gpu/kernels/kernels.h"

//===----------------------------------------------------------------------===//
// Memory of a thread's own
//===----------------------------------------------------------------------===//

/// True if `alloca` allocates a constant number of elements.
bool agpu__simt_has_constant_size(MlirOperation alloca);

/// Moves memory of a thread's own that has a constant size to the start of the
/// function: it is allocated once, and is a part of a coroutine's frame.
void agpu__simt_hoist_allocas(MlirOperation function);

//===----------------------------------------------------------------------===//
// Ends of threads
//
// After a failed assertion a thread goes no further, but others do: the block
// ends in an llvm.unreachable with a mark.
//===----------------------------------------------------------------------===//

/// True for such an end of a block, and the mark, for the code that makes one.
bool agpu__simt_ends_thread(MlirOperation op);
void agpu__simt_mark_end(MlirOperation unreachable);

/// Makes such ends in `function` return from the kernel that it is; in another
/// function they end the launch.
void agpu__simt_end_threads(MlirOperation function, bool is_kernel,
                            MlirOperation gpu_module);

/// Ends the launch where an assertion has failed.
void agpu__simt_check_assertions(agpu__builder *at, MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// The end of a loop over threads
//===----------------------------------------------------------------------===//

/// Appends: back to `header` with counter + 1 while that is below `bound`, else
/// on to `exit`, which takes no argument. `annotation`: an
/// llvm.loop_annotation, or null.
void agpu__simt_loop_latch(agpu__builder *at, MlirBlock header, MlirBlock exit,
                           MlirValue counter, MlirValue bound, MlirValue one,
                           MlirAttribute annotation);

//===----------------------------------------------------------------------===//
// Options of native code
//===----------------------------------------------------------------------===//

#define AGPU__CHECK_ACCESSES_OPTION                                            \
  {"check-accesses", AGPU_OPTION_BOOL, "false",                                \
   "Have native code report each memory access to the emulated device, for "   \
   "its checks."}

#define AGPU__COUNT_OPTION                                                     \
  {"count", AGPU_OPTION_BOOL, "false",                                         \
   "Have native code report what it executes and accesses to the emulated "    \
   "device, for models of time."}

#define AGPU__NATIVE_THREADS_OPTION                                            \
  {"native-threads", AGPU_OPTION_WORD, "auto|coroutines",                      \
   "How native code runs threads that wait for each other: auto, which is "    \
   "loops over all threads between barriers that they all reach alike, or "    \
   "coroutines always."}

//===----------------------------------------------------------------------===//
// Kernels on their way to native code
//
// Native code for the emulated device is made from the same LLVM and NVVM ops
// as the PTX, by the pipeline async-gpu-native, pass by pass. A kernel becomes
// two functions:
//
//     agpu_body.M.K    the kernel's parameters, then its context: twelve i32
//                      (thread id, block size, block id, grid size, each x, y,
//                      z) and two pointers into shared memory
//     agpu_native.M.K  one block, an agpu_native_kernel_fn: loads the
//                      parameters, and calls the body
//
// Where threads do not wait for each other, or only at barriers that all of
// them reach alike, the body runs a whole block: loops over its threads, which
// LLVM can vectorise. Else it runs one thread, and is a coroutine that takes
// the thread's record, too (async_gpu/native_thread.h); the block function
// starts all threads, and the runtime resumes them.
//
// What a pass leaves for later ones stands in attributes (`agpu.*` in
// lower/dialect/attribute_table.c). A pass that finds one missing says so at
// the op.
//===----------------------------------------------------------------------===//

/// The passes, for messages.
#define AGPU__SIMT_PASS(name) "async-gpu-native-" name

/// Special registers of a thread that the block function knows, times three
/// dimensions: the order in a body's context.
enum agpu__simt_id {
  AGPU__SIMT_TID,
  AGPU__SIMT_NTID,
  AGPU__SIMT_CTAID,
  AGPU__SIMT_NCTAID,
};
#define AGPU__SIMT_ID_COUNT 12
/// After the ids: the kernel's own shared memory, and the launch's.
#define AGPU__SIMT_SHARED AGPU__SIMT_ID_COUNT
#define AGPU__SIMT_DYNAMIC_SHARED (AGPU__SIMT_ID_COUNT + 1)
#define AGPU__SIMT_CONTEXT_COUNT (AGPU__SIMT_ID_COUNT + 2)

/// False for a gpu.module that is for another target: the passes for native
/// code leave it alone.
bool agpu__simt_is_meant(MlirOperation gpu_module);

/// Appends the functions of `gpu_module` that have a body, in order; with
/// `kernels_only`, those that are kernels.
void agpu__simt_functions(MlirOperation gpu_module, bool kernels_only,
                          agpu__ops *out_functions);

/// The context of `function`, whose attribute agpu.context says where it is.
/// Fails with a diagnostic where that is not so.
MlirLogicalResult
agpu__simt_context(MlirOperation function,
                   MlirValue out_context[AGPU__SIMT_CONTEXT_COUNT]);

/// Gives `function` parameters of the given types after its own, and stores
/// them.
void agpu__simt_add_parameters(MlirOperation function, const MlirType *types,
                               intptr_t added, MlirValue *out_values);

/// The size of all blocks of `kernel`, an array of three i32; null where that
/// is not known.
MlirAttribute agpu__simt_known_size(MlirOperation kernel);

/// Whether the kernel's agpu.threads is this.
bool agpu__simt_threads_are(MlirOperation kernel, const char *how);
void agpu__simt_set_threads(MlirOperation kernel, const char *how);

//===----------------------------------------------------------------------===//
// Places where threads wait
//===----------------------------------------------------------------------===//

/// The address of an agpu_native_site for a wait at the builder's location: a
/// constant of the module, put in front of `function`, which the builder is in.
MlirValue agpu__simt_site(agpu__builder *at, MlirOperation gpu_module,
                          MlirOperation function, agpu_native_wait wait,
                          uint32_t mode);

//===----------------------------------------------------------------------===//
// Ops that let a thread wait for others
//===----------------------------------------------------------------------===//

/// Stands for a wait for a phase of an mbarrier object: an intrinsic that is
/// the passes' own, of the object's address (i64), the phase (i32) and
/// agpu_native_wait_mode (i32).
#define AGPU__SIMT_PHASE_WAIT "llvm.agpu.phase"

/// How an op that waits is described to the runtime.
typedef struct agpu__simt_wait {
  const char *op; ///< or the intrinsic that an llvm.call_intrinsic calls
  agpu_native_wait wait;
  /// Which operand goes into a member of the record; -1: none.
  int value, mask, a, b;
  /// The attribute `kind`, with %.*s for one of its spellings, and these in the
  /// order of the modes, with spaces between; NULL: there is none.
  const char *kind_format, *kinds;
} agpu__simt_wait;

/// The row of `op`, or NULL if it does not wait.
const agpu__simt_wait *agpu__simt_find_wait(MlirOperation op);

static inline bool agpu__simt_is_wait(MlirOperation op) {
  return agpu__simt_find_wait(op) != NULL;
}

/// Whether the text of attribute `name` has `part` in it.
bool agpu__simt_attr_has(MlirOperation op, const char *name, const char *part);

/// True for barriers for all threads of a block.
bool agpu__simt_is_barrier(MlirOperation op);

/// What a whole warp does together, an op of the private dialect; and whether
/// it does nothing but meet. Beside barriers it is what loops over threads can
/// do.
#define AGPU__SIMT_COLLECTIVE "agpu.collective"
bool agpu__simt_is_collective(MlirOperation op);
bool agpu__simt_only_synchronizes(MlirOperation op);

/// True if an op of `function` itself waits.
bool agpu__simt_waits(MlirOperation function);

#endif // ASYNC_GPU_GPU_NATIVE_BASE_SIMT_H
