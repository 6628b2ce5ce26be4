//===- simt.h - Kernels as native code ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Native code for the emulated device, made from the same LLVM and NVVM ops as
// the PTX. A kernel becomes two functions of the host module:
//
//     agpu_body.M.K    the kernel's parameters, then its context: twelve i32
//                      (thread id, block size, block id, grid size, each x, y,
//                      z) and two pointers into shared memory
//     agpu_native.M.K  one block, an agpu_native_kernel_fn: loads the
//                      parameters, and calls the body
//
// Where threads do not wait for each other, or only at barriers that all of
// them reach alike, the body runs a whole block: loops over its threads, which
// LLVM can vectorise (loops.c). Else it runs one thread, and is a
// coroutine that takes the thread's record, too
// (async_gpu/compiled/native_thread.h); the block function starts all threads,
// and the runtime resumes them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_H
#define ASYNC_GPU_GPU_SIMT_H

#include "gpu/images/embed.h"
#include "lower/ir/ir.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Special registers of a thread that the block function knows, times three
/// dimensions: the order in a body's context.
enum agpu__simt_id {
  AGPU__SIMT_TID,
  AGPU__SIMT_NTID,
  AGPU__SIMT_CTAID,
  AGPU__SIMT_NCTAID,
};
#define AGPU__SIMT_ID_COUNT 12
/// Behind the ids: the kernel's own shared memory, and the launch's.
#define AGPU__SIMT_SHARED AGPU__SIMT_ID_COUNT
#define AGPU__SIMT_DYNAMIC_SHARED (AGPU__SIMT_ID_COUNT + 1)
#define AGPU__SIMT_CONTEXT_COUNT (AGPU__SIMT_ID_COUNT + 2)

/// How the threads of a block are run.
typedef enum agpu__simt_method {
  AGPU__SIMT_LOOPS,      ///< the body has loops over them
  AGPU__SIMT_CALLS,      ///< the body, which does not wait, is called for each
  AGPU__SIMT_COROUTINES, ///< the body is a coroutine
} agpu__simt_method;

/// Bytes of shared memory that a kernel can have.
#define AGPU__SIMT_MAX_SHARED (48u * 1024u)

/// Marks of globals in shared memory: the offset from the start of the block's
/// (an i64), or that they are the launch's part.
#define AGPU__SIMT_OFFSET "agpu.shared_offset"
#define AGPU__SIMT_DYNAMIC "agpu.shared_dynamic"

/// Marks a function with an op that the emulated device cannot run: what is to
/// be said of it, and its location.
#define AGPU__SIMT_UNSUPPORTED "agpu.unsupported"

/// Reports each op of `gpu_module`, in the LLVM and NVVM dialects, that the
/// emulated device cannot run. Where the program has images for another target,
/// instructions of the GPU are no errors yet: their functions are marked, and
/// launches of their kernels will fail.
MlirLogicalResult agpu__simt_check(MlirOperation gpu_module, bool other_target);

/// Moves the functions and globals of `gpu_module`, which passed the check, to
/// `host_module` before `gpu_module` as native code, and fills in the native
/// parts of `kernels`, whose functions they are. Math is lowered too; fails
/// with a diagnostic where a function is not known. The gpu.module is left
/// without functions. With `check_accesses`, kernels check each of their
/// accesses. With `coroutines`, so are all kernels whose threads wait.
MlirLogicalResult agpu__simt_lower(MlirOperation gpu_module,
                                   MlirOperation host_module,
                                   agpu__kernel *kernels, size_t kernel_count,
                                   bool check_accesses, bool coroutines);

//===----------------------------------------------------------------------===//
// simt.c
//===----------------------------------------------------------------------===//

/// True if `op` reads a special register that the emulated device has.
bool agpu__simt_is_register(MlirOperation op);

//===----------------------------------------------------------------------===//
// calls.c: functions that a kernel calls
//===----------------------------------------------------------------------===//

/// Appends `function`, and each symbol of `gpu_module` that it refers to,
/// itself or through functions that it calls. The list must be empty.
void agpu__simt_reach(MlirOperation gpu_module, MlirOperation function,
                      agpu__ops *out_symbols);

/// Inlines functions that wait for other threads, end their own or assert into
/// the kernels, and says of each kernel whether it waits. Threads that end
/// return from the kernel. Fails with a diagnostic where a function that waits
/// or ends its thread cannot be inlined.
MlirLogicalResult agpu__simt_inline_waits(MlirOperation gpu_module,
                                          agpu__kernel *kernels,
                                          size_t kernel_count);

/// Erases the symbols that no kernel refers to.
void agpu__simt_drop_unused(MlirOperation gpu_module,
                            const agpu__kernel *kernels, size_t kernel_count);

//===----------------------------------------------------------------------===//
// memory.c: checked accesses of memory, checked divisions
//===----------------------------------------------------------------------===//

/// Marks an access of shared memory, where pointers do not say so any more.
#define AGPU__SIMT_SHARED_ACCESS "agpu.shared_access"

/// Marks the accesses of shared memory, before address spaces go away.
void agpu__simt_mark_shared(MlirOperation gpu_module);

/// If `op`, in a body with the given context, accesses memory, puts a check
/// before it where that is not the thread's own, and returns true.
bool agpu__simt_check_access(MlirOperation op, const MlirValue *context,
                             MlirOperation host_module);

/// Puts a check before `op`, a division that may have no result
/// (lower/convert/division.h), in a body with the given context.
void agpu__simt_check_division(MlirOperation op, const MlirValue *context,
                               MlirOperation host_module);

//===----------------------------------------------------------------------===//
// unsupported.c: kernels that the emulated device cannot run
//===----------------------------------------------------------------------===//

/// Replaces the body of each kernel that reaches a marked function by a call
/// that fails the launch.
void agpu__simt_replace_unsupported(MlirOperation gpu_module,
                                    MlirOperation host_module,
                                    agpu__kernel *kernels, size_t kernel_count);

//===----------------------------------------------------------------------===//
// shared.c: shared memory
//===----------------------------------------------------------------------===//

/// Marks globals in shared memory with their places, and fills in
/// `shared_bytes` of the kernels. Fails with a diagnostic for a kernel that
/// takes more than there is.
MlirLogicalResult agpu__simt_place_shared(MlirOperation gpu_module,
                                          agpu__kernel *kernels,
                                          size_t kernel_count);

//===----------------------------------------------------------------------===//
// atomics.c: atomic operations on shared memory
//===----------------------------------------------------------------------===//

/// Replaces them in `gpu_module`, before address spaces go away, and marks the
/// stores that they end with.
void agpu__simt_replace_shared_atomics(MlirOperation gpu_module);

/// True for a store that is so marked.
bool agpu__simt_is_atomic_store(MlirOperation op);

/// Removes the marks in a function.
void agpu__simt_unmark_atomic_stores(MlirOperation function);

//===----------------------------------------------------------------------===//
// services.c: what a device does for its kernels
//===----------------------------------------------------------------------===//

/// True if `op` prints, asserts, traps, arrives at a barrier or reads a
/// register that only the device knows.
bool agpu__simt_is_service(MlirOperation op);

/// Replaces assertions and traps in `function`, a body with the given context.
void agpu__simt_replace_failures(MlirOperation function,
                                 const MlirValue *context,
                                 MlirOperation host_module);

/// Replaces another such op in a body; false for others.
bool agpu__simt_replace_service(MlirOperation op, const MlirValue *context,
                                MlirOperation host_module);

/// True if `op` is where an assertion fails.
bool agpu__simt_is_assertion(MlirOperation op);

/// True for the end of a block behind a failed assertion, an llvm.unreachable:
/// the thread goes no further, but others do.
bool agpu__simt_ends_thread(MlirOperation op);

/// Makes such ends in `function` return from the kernel that it is; in another
/// function they end the launch.
void agpu__simt_end_threads(MlirOperation function, bool is_kernel,
                            MlirOperation host_module);

/// Ends the launch where an assertion has failed.
void agpu__simt_check_assertions(agpu__builder *at, MlirOperation host_module);

//===----------------------------------------------------------------------===//
// instructions.c: instructions of the GPU on a host
//===----------------------------------------------------------------------===//

/// True if `op` is an instruction that a host can compute.
bool agpu__simt_is_instruction(MlirOperation op);

/// Replaces those in `gpu_module`; some become shuffles.
void agpu__simt_expand_instructions(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// wait.c: kernels whose threads wait for each other
//===----------------------------------------------------------------------===//

/// True if `op` lets a thread wait for others.
bool agpu__simt_is_wait(MlirOperation op);

/// True if `alloca` allocates a constant number of elements.
bool agpu__simt_has_constant_size(MlirOperation alloca);

/// Moves memory of a thread's own that has a constant size to the start of the
/// function: it is allocated once, and is a part of a coroutine's frame.
void agpu__simt_hoist_allocas(MlirOperation function);

/// Makes a coroutine of `function`, a body whose `thread` is the record of the
/// thread. `module` and the number of `sites` so far name its constants.
MlirLogicalResult agpu__simt_make_coroutine(MlirOperation function,
                                            MlirValue thread,
                                            MlirOperation host_module,
                                            const char *module,
                                            uint32_t *sites);

//===----------------------------------------------------------------------===//
// parallel.c, loops.c, block.c: loops over threads
//===----------------------------------------------------------------------===//

/// Marks the loads and stores in `blocks`, one way through which is an
/// iteration, as those of a parallel loop if that is safe, and returns the
/// llvm.loop_annotation that the loop needs, and the access groups of all its
/// loads and stores; null if it is not.
MlirAttribute agpu__simt_mark_parallel(const MlirBlock *blocks, size_t count,
                                       MlirAttribute *out_access_groups);

/// Makes loops over the threads of a block of `function`, a body with the given
/// context, whose parameters for the thread's own id are then not used. `size`:
/// of all blocks, an array of three i32, or null. False where threads wait for
/// each other in a way that loops cannot do: then it means what it did.
bool agpu__simt_make_loops(MlirOperation function, MlirValue *context,
                           MlirAttribute size, MlirOperation host_module);

/// Appends an llvm.br.
void agpu__simt_branch(agpu__builder *at, MlirBlock to, const MlirValue *values,
                       intptr_t count);

/// Appends: back to `header` with counter + 1 while that is below `bound`, else
/// on to `exit`, which takes no argument.
void agpu__simt_loop_latch(agpu__builder *at, MlirBlock header, MlirBlock exit,
                           MlirValue counter, MlirValue bound, MlirValue one,
                           MlirAttribute annotation);

/// What a block function is built around.
typedef struct agpu__simt_block {
  const char *symbol; ///< of the block function
  const char *body;   ///< symbol of the body
  MlirType body_type;
  uint64_t shared_bytes; ///< the kernel's own
  agpu__simt_method method;
  MlirAttribute size; ///< of all blocks, an array of three i32; or null
} agpu__simt_block;

/// Builds a block function at `location`, before op `before` of `host_module`.
void agpu__simt_build_block(MlirOperation host_module, MlirOperation before,
                            MlirLocation location,
                            const agpu__simt_block *spec);

#endif // ASYNC_GPU_GPU_SIMT_H
