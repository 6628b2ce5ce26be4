//===- streams.h - Regions on streams, and graphs of their work -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces between the files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_STREAMS_STREAMS_H
#define ASYNC_GPU_GPU_STREAMS_STREAMS_H

#include "async_gpu/compiled/graph.h"
#include "gpu/plan/plan.h"

//===----------------------------------------------------------------------===//
// Calls that graphs may have
//===----------------------------------------------------------------------===//

/// Replaces `call`, an `agpu.call`, by a call of a function (stub.c) that asks
/// the runtime whether the callee is to be called.
MlirLogicalResult agpu__lower_call(MlirOperation module,
                                   MlirSymbolTable symbols, MlirOperation call);

/// Replaces `call`, an `agpu.host_call`, by a call of a function that puts the
/// arguments into memory, from where another takes them on the driver's thread.
void agpu__lower_host_call(MlirOperation module, MlirOperation call);

//===----------------------------------------------------------------------===//
// Work that becomes graphs
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// What the user wants of a part, by the attribute AGPU__GRAPHS_ATTR of a loop
/// or function around it, or by the pass's option.
typedef enum agpu__graph_choice {
  AGPU__GRAPH_CHOICE_OFF,
  AGPU__GRAPH_CHOICE_AUTO,
  AGPU__GRAPH_CHOICE_ON,
} agpu__graph_choice;

/// False where `word` is none.
bool agpu__graph_choice_read(const char *word, agpu__graph_choice *out);

/// Replaces `*choice` by that of `op`, if it has one.
void agpu__graph_choice_of(MlirOperation op, agpu__graph_choice *choice);

/// Takes the attributes away.
void agpu__graph_forget_choices(MlirOperation module);

typedef struct agpu__graph_part {
  MlirOperation first, last; ///< of one block
  MlirValue stream;          ///< of the function; null: it has none
  MlirAttribute kernel;      ///< one of those that it launches, or null
  agpu__graph_choice choice;
  size_t number;
  int64_t rounds; ///< of a loop, which `first` is: that a graph has; else 0
  bool is_fixed;  ///< these do the same
  bool is_independent; ///< each may run beside the one before it
  bool is_loop;        ///< one on the device
  bool is_branches;    ///< a round with branches
} agpu__graph_part;

/// Builds `agpu.graph_NAME` for the part, with `operand` or, where that is
/// null, the part's stream. `result` may be null.
MlirOperation agpu__graph_part_op(agpu__builder *at,
                                  const agpu__graph_part *part,
                                  const char *name, MlirValue operand,
                                  MlirType result);

/// Puts `agpu.graph_begin` and `agpu.graph_end` around it.
void agpu__graph_part_build(const agpu__graph_part *part);

/// Turns such an op into a call of the runtime. False: it is none.
bool agpu__graph_part_lower(MlirOperation module, MlirSymbolTable symbols,
                            MlirOperation op);

//===----------------------------------------------------------------------===//
// What a part may hold
//===----------------------------------------------------------------------===//

/// Pieces of work of a part, at most.
#define AGPU__GRAPH_MOST_WORK 16384

/// What stands in the way of a part.
typedef struct agpu__graph_obstacle {
  MlirOperation op;
  const char *why;
} agpu__graph_obstacle;

/// Whether the op asks for the number of the default device, or sets it, as it
/// does around regions that have one (async-gpu-devices): work goes there, and
/// a graph may have work of several.
static inline bool agpu__graph_names_device(MlirOperation op) {
  return agpu__op_is(op, "agpu.default_device") ||
         agpu__op_is(op, "agpu.enter_device");
}

/// How many pieces of work the op enqueues, or those in its regions; negative:
/// it cannot be part of a graph, and `*out` says what in it cannot.
int64_t agpu__graph_work(MlirSymbolTable symbols, MlirOperation op,
                         agpu__graph_obstacle *out);
int64_t agpu__graph_work_in(MlirSymbolTable symbols, MlirOperation op,
                            agpu__graph_obstacle *out);

/// `root`, the ops in it, and those in all that they call or spawn.
agpu__ops agpu__graph_ops(MlirSymbolTable symbols, MlirOperation root);

/// Rounds of an scf.for; -1: they are not known.
int64_t agpu__graph_rounds(MlirOperation loop);
bool agpu__graph_is_loop(MlirOperation op);

/// Whether the function is that of a region which only enqueues.
bool agpu__graph_is_region(MlirOperation function);

//===----------------------------------------------------------------------===//
// Regions of the host
//===----------------------------------------------------------------------===//

/// Whether an async.call spawns a region of the host, between work of the
/// device, that may be a node. False: `*out_why` says why not.
bool agpu__graph_is_host_region(MlirSymbolTable symbols, MlirOperation call,
                                const char **out_why);

/// Makes the regions of that kind that `root` spawns itself, which is in a
/// part, regions that enqueue.
void agpu__graph_take_host_regions(MlirSymbolTable symbols, MlirOperation root);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Rounds that a graph has, at most, of a loop of `trips` rounds (negative: it
/// is not known), `work` pieces of work each.
int64_t agpu__graph_loop_rounds(int64_t work, int64_t trips);

/// Whether all rounds of the loop enqueue the same, and do nothing else: so
/// that who has seen one has seen all. Its body may be part of a graph.
bool agpu__graph_loop_is_fixed(MlirSymbolTable symbols, MlirOperation loop);

/// Whether no round of the scf.for (null: false) comes behind the one before
/// it.
bool agpu__graph_loop_is_independent(MlirOperation loop);

/// Puts the part's ops around the loop and into it.
void agpu__graph_loop_build(const agpu__graph_part *part);

//===----------------------------------------------------------------------===//
// Loops that the device ends
//===----------------------------------------------------------------------===//

/// An scf.if or scf.while in a loop on the device whose condition differs from
/// round to round: of what the loop carries, or of what the host reads before.
typedef struct agpu__device_branch {
  MlirOperation op;
  // Before the scf.if, or in front of the scf.condition, in this order. Null:
  // the host reaches the memory; it reads none.
  MlirOperation copy, record, await;
  MlirOperation user; ///< of the condition: the scf.if or scf.condition
} agpu__device_branch;

/// Their conditions are two each, and one is the loop's.
#define AGPU__DEVICE_MOST_BRANCHES ((AGPU_GRAPH_MOST_CONDITIONS - 1) / 2)

/// An scf.while whose condition the host computes of what work on `stream` has
/// left in memory; or an scf.for, each round of which branches by that.
typedef struct agpu__device_loop {
  MlirOperation loop;
  MlirValue stream;
  /// Of an scf.for: null, and its body.
  MlirBlock before, after;
  bool is_round; ///< it is an scf.for
  /// Of its body: what only computes, and not of what the host looks at.
  agpu__ops ahead;
  // Of `before`, in this order, behind all work:
  MlirOperation copy; ///< to the host; null: the host reaches the memory
  MlirOperation record, await;
  MlirAttribute kernel; ///< of a launch in it
  /// What stays in device memory from round to round: the arguments of `after`,
  /// and then what launches are given that is computed of these.
  agpu__values slots;
  /// Each one behind those in it.
  agpu__device_branch branches[AGPU__DEVICE_MOST_BRANCHES];
  size_t branch_count;
  const char *why; ///< what it cannot be on the device for
} agpu__device_loop;

/// Whether the device can end the loop, an scf.while. False, with `out->why`
/// (NULL: it is no such loop). Free `out` with agpu__device_loop_free in any
/// case.
bool agpu__device_loop_match(MlirOperation module, MlirSymbolTable symbols,
                             MlirOperation loop, MlirValue stream,
                             agpu__device_loop *out);
void agpu__device_loop_free(agpu__device_loop *of);

/// Whether each round of the loop, an scf.for, may have branches that the
/// device takes. As above.
bool agpu__device_round_match(MlirOperation module, MlirSymbolTable symbols,
                              MlirOperation loop, MlirValue stream,
                              agpu__device_loop *out);
bool agpu__device_round_is_ahead(const agpu__device_loop *of, MlirOperation op);

/// Whether an op allocates it as memory of the host.
bool agpu__device_loop_allocates_host(MlirValue memref);

/// Whether, where the device keeps copies of memory of the host, no name of
/// this is another one's, and its size is known.
bool agpu__device_loop_may_keep(const agpu__device_loop *of);

/// Whether work of the loop may be given memory that the host copies to, to
/// look at it: the device has not, or not yet, what was copied there.
bool agpu__device_loop_is_host_given(MlirOperation module,
                                     const agpu__device_loop *of);

/// The end of the work that each round enqueues in `before`.
MlirOperation agpu__device_loop_end_of_work(const agpu__device_loop *of);

/// The branch that the op is, or belongs to; NULL: none.
const agpu__device_branch *agpu__device_branch_of(const agpu__device_loop *of,
                                                  MlirOperation op);

/// One more. False, with `of->why`: there are too many.
bool agpu__device_branch_add(agpu__device_loop *of,
                             const agpu__device_branch *branch);

/// The kernels of a loop, each in a module of its own.
typedef struct agpu__loop_kernels {
  /// Computes the condition, and sets it by the handle that is its first
  /// argument. Where the loop has slots, their memory is the second, and it
  /// writes what they hold in the next round. The rest is `condition_inputs`.
  MlirAttribute condition;
  agpu__values condition_inputs;
  /// Writes the slots, of the memory, the arguments of `after` and
  /// `start_inputs`; null where there are none.
  MlirAttribute start;
  agpu__values start_inputs;
  /// Of each branch: the handle, what to invert its condition with (i32: 0 or
  /// 1), the memory of slots, and the inputs, where the host's memory stands
  /// for the copy that the device has of it.
  MlirAttribute branches[AGPU__DEVICE_MOST_BRANCHES];
  agpu__values branch_inputs[AGPU__DEVICE_MOST_BRANCHES];
} agpu__loop_kernels;

/// False, with `of->why`: there can be none. Free with agpu__loop_kernels_free
/// in any case.
bool agpu__loop_kernels_build(MlirOperation module, agpu__device_loop *of,
                              size_t number, agpu__loop_kernels *out);
void agpu__loop_kernels_free(agpu__loop_kernels *of);

/// Has the device run the loop, as part `part`, from its second round on, where
/// the runtime agrees. False, and nothing done but `of->why`: it cannot.
bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part);

/// Has each round be a graph with branches, where the runtime agrees. As above.
bool agpu__device_round_build(MlirOperation module, agpu__device_loop *of,
                              const agpu__graph_part *part);

//===----------------------------------------------------------------------===//
// Rounds that branch on the device
//===----------------------------------------------------------------------===//

/// A loop, or a round, in the making.
typedef struct agpu__device_maker {
  MlirOperation module;
  const agpu__device_loop *of;
  const agpu__graph_part *part;
  agpu__loop_kernels kernels;
  MlirValue memory;    ///< of what it carries; null: there is none
  agpu__values passed; ///< by the condition of the first round
  /// Memory of the host, and the device's copies of it.
  agpu__values hosts, kept;
  bool is_private; ///< nothing but the branches looks at these of the host
} agpu__device_maker;

/// Begins the part at the end of `to`, with a choice whether the device takes
/// it.
agpu__if agpu__device_build_begin(const agpu__device_maker *self, MlirBlock to);

/// Ends the part in `runs`, which yields whether the device has taken it, as it
/// has not where `runs_not` runs.
void agpu__device_build_outcome(const agpu__device_maker *self, MlirBlock runs,
                                MlirBlock runs_not);

/// A launch of one thread.
void agpu__device_build_launch(const agpu__device_loop *of, MlirBlock to,
                               MlirAttribute kernel,
                               const agpu__values *arguments);

/// The device's memory for what the host has `copies` of in branches, and what
/// the host has there now.
void agpu__device_build_kept(agpu__device_maker *self, MlirBlock to);

/// What the device does for a block up to `end`, as part of the body of
/// condition `outer`: a copy of it, but for branches.
void agpu__device_build_until(const agpu__device_maker *self, MlirBlock from,
                              MlirOperation end, MlirBlock to, size_t outer,
                              agpu__twins *copies);

//===----------------------------------------------------------------------===//
// Functions that launch kernels
//===----------------------------------------------------------------------===//

/// The stubs of a module so far; zero-initialise.
typedef struct agpu__launch_stubs {
  struct agpu__launch_stub *data;
  size_t count;
} agpu__launch_stubs;
void agpu__launch_stubs_free(agpu__launch_stubs *stubs);

/// Replaces `launch`, an `agpu.launch` or `agpu.launch_with`, by a call of a
/// function that puts the kernel's arguments into memory and calls the runtime.
/// It is never inlined: the memory for the arguments must not become part of a
/// coroutine's frame or grow in a loop. `bare_pointers`: see kernels/kernels.h.
MlirLogicalResult agpu__lower_launch(agpu__launch_stubs *stubs,
                                     MlirOperation module,
                                     MlirSymbolTable symbols,
                                     MlirOperation launch, bool bare_pointers);

//===----------------------------------------------------------------------===//
// What a loop on the device carries
//===----------------------------------------------------------------------===//

/// The value that `value`, of a round, is: that which the round before has
/// yielded for an argument of `before`.
MlirValue agpu__loop_state_resolve(const agpu__device_loop *of,
                                   MlirValue value);

/// Finds what has to stay in device memory from round to round: `of->slots`.
/// Work up to `end` of `before` is on the device. False, with `of->why`: it
/// cannot.
bool agpu__loop_state_find(MlirOperation module, agpu__device_loop *of,
                           MlirOperation end);

/// The type of that memory: a memref of i64, one for each slot.
MlirType agpu__loop_state_type(const agpu__device_loop *of);

/// Reads and writes a slot.
MlirValue agpu__loop_state_read(agpu__builder *at, MlirValue memory,
                                size_t slot, MlirType type);
void agpu__loop_state_write(agpu__builder *at, MlirValue memory, size_t slot,
                            MlirValue value);

/// Has the launches in `copy`, which is one of an op of the loop, take what
/// they are given of the loop's state from `memory`.
void agpu__loop_state_use(MlirOperation module, const agpu__device_loop *of,
                          MlirOperation op, MlirOperation copy,
                          MlirValue memory);

//===----------------------------------------------------------------------===//
// GPU ops on a stream
//===----------------------------------------------------------------------===//

/// Makes the GPU ops of `body` ops on its stream. Calls that enqueue stay, with
/// the stream as the thread's current one.
void agpu__put_on_stream(const agpu__body *body, MlirValue stream);

/// A token of the work on `stream` so far.
MlirValue agpu__build_record(agpu__builder *at, MlirValue stream);

/// The arguments of a launch or call in one, and ops on the stream.
MlirValue agpu__build_arguments(agpu__builder *at, const agpu__values *values);
void agpu__build_memcpy(agpu__builder *at, MlirValue stream, MlirValue to,
                        MlirValue from);
void agpu__build_dealloc(agpu__builder *at, MlirValue stream, MlirValue memref);

//===----------------------------------------------------------------------===//
// Functions that put arguments into memory
//
// Some runtime functions take arrays. The memory for them must not become part
// of a coroutine's frame or grow in a loop, so a function of its own has it:
// a stub, which takes the elements one by one and is never inlined.
//===----------------------------------------------------------------------===//

/// The type of a stub that takes `inputs`, of which there is at least one.
MlirType agpu__stub_type(const agpu__values *inputs);

/// `func.func private @name` of that type, whose body is one empty block with
/// an argument for each input.
MlirOperation agpu__stub_create(MlirOperation module, MlirLocation location,
                                const char *name, MlirType type);

/// The address of a field of the structure (or array) `type` at `base`;
/// `element` picks one of an array field (-1: the field itself).
MlirValue agpu__stub_field(agpu__builder *at, MlirType type, MlirValue base,
                           int32_t field, int32_t element);

/// An array in memory of `count` (0 is allowed) values of one type.
MlirValue agpu__stub_array(agpu__builder *at, MlirType type,
                           const MlirValue *values, size_t count);

/// A ranked memref of a strided layout, taken apart.
typedef struct agpu__view {
  MlirType type;
  MlirValue descriptor;
} agpu__view;

/// Calls agpu_memcpy_strided by way of a stub, one for each rank.
void agpu__call_memcpy_strided(agpu__builder *at, MlirOperation module,
                               MlirValue stream, agpu__view target,
                               agpu__view source);

/// Calls agpu_memset_strided with `pattern` (i64) for elements of
/// `element_bytes` by way of a stub, one for each rank.
void agpu__call_memset_strided(agpu__builder *at, MlirOperation module,
                               MlirValue stream, agpu__view target,
                               MlirValue pattern, int64_t element_bytes);

#endif // ASYNC_GPU_GPU_STREAMS_STREAMS_H
