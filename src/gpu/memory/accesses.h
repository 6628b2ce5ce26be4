//===- accesses.h - What code reads and writes -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects that memrefs are of, the accesses to them, and how long code
// takes.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_ACCESSES_H
#define ASYNC_GPU_GPU_MEMORY_ACCESSES_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// What is read and written
//
// An access is of an object, the memory of one allocation (objects.c), and of a
// part of it where that is known: a box, an interval for each dimension.
//===----------------------------------------------------------------------===//

#define AGPU__BOX_RANK 4

/// From `low` up to but without `high` in each dimension. Rank -1: all of the
/// object.
typedef struct agpu__box {
  int rank;
  int64_t low[AGPU__BOX_RANK], high[AGPU__BOX_RANK];
} agpu__box;

#define AGPU__WHOLE ((agpu__box){.rank = -1})

/// False only if the boxes, of one object, have no element in common.
bool agpu__boxes_meet(const agpu__box *a, const agpu__box *b);

/// True only if all of `inner` is in `outer`.
bool agpu__box_contains(const agpu__box *outer, const agpu__box *inner);

/// The smallest box that holds both.
agpu__box agpu__box_join(const agpu__box *a, const agpu__box *b);

typedef struct agpu__access {
  size_t object;
  agpu__box box;
  bool reads, writes;
  /// Each element of the box is written, whatever happens. Implies `writes`.
  bool covers;
  size_t next; ///< in its list, of the same object; 0: none
} agpu__access;

/// A growing list; zero-initialise, free with agpu__accesses_free.
typedef struct agpu__accesses {
  agpu__access *data;
  size_t count, capacity;
  agpu__map firsts; ///< of each object
} agpu__accesses;

/// Adds an access: to one that is there of the same object and box where it
/// can. A list that gets long keeps one access for each object.
void agpu__accesses_add(agpu__accesses *list, agpu__access access);
void agpu__accesses_add_all(agpu__accesses *list, const agpu__accesses *more);
void agpu__accesses_free(agpu__accesses *list);

//===----------------------------------------------------------------------===//
// How long ops take, about
//
// Estimates from constant sizes, in ops: those of the host's code, or those of
// all threads of a kernel. Sizes that are not known are taken to be middling;
// code that is not known takes as long as anything may.
//===----------------------------------------------------------------------===//

/// Of what is as long as anything may be. No cost is more.
#define AGPU__MANY_OPS ((int64_t)1 << 40)

/// What the host does for a launch or copy, and for what is printed.
#define AGPU__CALL_OPS 500

int64_t agpu__cost_plus(int64_t a, int64_t b);
int64_t agpu__cost_times(int64_t a, int64_t b);

/// How often what is in `op` runs when it does: 1, unless it is a loop.
int64_t agpu__cost_trips(MlirOperation op);

/// Threads and blocks of a gpu.launch or gpu.launch_func.
int64_t agpu__cost_threads(MlirOperation launch);
int64_t agpu__cost_blocks(MlirOperation launch);

/// What a memref.copy, gpu.memcpy or gpu.memset takes, by its bytes: of the
/// host, or of the device, whose ops a thread counts alone.
int64_t agpu__cost_of_copy(MlirOperation op);

/// What a structured op of linalg on memrefs takes on the host.
int64_t agpu__cost_of_linalg(MlirOperation op);

//===----------------------------------------------------------------------===//
// Memrefs that control flow hands on
//===----------------------------------------------------------------------===//

/// `to`, a block argument or a result, may be `from`.
typedef void (*agpu__flow)(MlirValue from, MlirValue to, void *data);

/// Calls `visit` for each value that operand `number` of the op becomes:
/// loop-carried values, results of branches and of arith.select, and arguments
/// of blocks. False if the op hands the operand on in a way that is not
/// followed, or not at all.
bool agpu__follow_operand(MlirOperation op, intptr_t number, agpu__flow visit,
                          void *data);

//===----------------------------------------------------------------------===//
// Whose memory a memref is of
//
// Memory of a function by the op or argument that it comes from. Each memref of
// the function is of one object, or of AGPU__ELSEWHERE where that is not known.
// A memref that control flow hands on may be of several: where that is
// followed, those are one object with several members.
//===----------------------------------------------------------------------===//

typedef enum agpu__object_kind {
  AGPU__OBJECT_WORLD,      ///< what is seen from outside of the program
  AGPU__OBJECT_ELSEWHERE,  ///< all memory that is known to somebody else
  AGPU__OBJECT_ALLOCATION, ///< of an op in the function
  AGPU__OBJECT_ARGUMENT,   ///< of an argument of the function
  AGPU__OBJECT_GLOBAL,     ///< of a symbol
  AGPU__OBJECT_RESULT,     ///< of a call, or of an op that is not known
  AGPU__OBJECT_FLOW,       ///< none yet: of a value that control flow gives
} agpu__object_kind;

/// What an object may be the same memory as, beside itself, as bits. 0: no
/// other object, unless its address escapes.
enum {
  AGPU__REACH_GLOBAL = 1,   ///< an argument
  AGPU__REACH_ARGUMENT = 2, ///< a global, or another argument
  AGPU__REACH_ANY = 4,      ///< all that is not private
};

/// The numbers of the two objects that each function has.
enum { AGPU__WORLD, AGPU__ELSEWHERE };

/// On an argument, as MLIR knows it, or on memref.get_global: no other pointer
/// leads to its memory.
#define AGPU__NOALIAS_ATTR "llvm.noalias"

typedef struct agpu__object {
  agpu__object_kind kind;
  MlirValue value;      ///< of an ALLOCATION, ARGUMENT or RESULT: the memref
  MlirAttribute symbol; ///< of a GLOBAL
  /// Of an ARGUMENT: its number.
  size_t argument;
  /// Where control flow is followed, objects that one memref may be of are one,
  /// by the name of their leader; what stands below is the leader's, for all.
  size_t leader;
  size_t next; ///< member of the same, or 0
  bool flows;  ///< there are memrefs of it that control flow hands on
  /// Its address has gone where that is not followed.
  bool escapes;
  /// Of an ARGUMENT: no other argument and no global is the same memory. Of a
  /// RESULT: the call has allocated it. Of a GLOBAL: no other memref is.
  bool noalias;
  unsigned reach; ///< AGPU__REACH_ bits, of all members
} agpu__object;

/// A memref: of which object, and which part.
typedef struct agpu__place_in_memory {
  size_t object;
  size_t member; ///< of it; of kind FLOW where control flow gives the memref
  agpu__box box;
  /// Dimension i of the memref is dimension i of the object, moved by
  /// `box.low[i]` where the box is not all of it.
  bool is_identity;
} agpu__place_in_memory;

typedef struct agpu__objects {
  agpu__object *data;
  size_t count, capacity;
  agpu__map numbers; ///< of memrefs in `places`, by the value's address
  agpu__place_in_memory *places;
  size_t place_count, place_capacity;
} agpu__objects;

/// What objects.c has to know of other functions, and how it looks at this one.
typedef struct agpu__object_rules {
  /// Whether `call`, a func.call or gpu.launch_func, keeps the address in
  /// operand `number`.
  bool (*captures)(MlirOperation call, intptr_t number, void *data);
  /// Whether result `number` of a func.call is memory that the callee has
  /// allocated, and that nobody else knows.
  bool (*is_own)(MlirOperation call, intptr_t number, void *data);
  /// Whether a result of a func.call is what it is given, and may be operand
  /// `number`.
  bool (*gives)(MlirOperation call, intptr_t result, intptr_t number,
                void *data);
  void *data;
  bool all_noalias; ///< arguments are taken not to alias
  bool follow;      ///< control flow that hands memrefs on
} agpu__object_rules;

/// Finds the objects of a function (func.func, gpu.func). Free with
/// agpu__objects_free.
void agpu__objects_create(MlirOperation function,
                          const agpu__object_rules *rules,
                          agpu__objects *out_objects);
void agpu__objects_free(agpu__objects *objects);

/// Where a memref points to.
agpu__place_in_memory agpu__place_of_memref(const agpu__objects *objects,
                                            MlirValue memref);

/// False only if the two objects never share memory. An object is itself.
bool agpu__objects_may_alias(const agpu__objects *objects, size_t a, size_t b);

/// True if `value` is made in a gpu.launch.
bool agpu__is_in_launch(MlirValue value);

/// A loop over all objects that go by the name of a leader.
#define AGPU__EACH_MEMBER(member, objects, object)                             \
  for (size_t member = (object); member; member = (objects)->data[member].next)

/// The same of two members, of one object or of two.
bool agpu__members_may_meet(const agpu__objects *objects, size_t a, size_t b);

/// True if only accesses of itself can reach the object's memory.
bool agpu__object_is_private(const agpu__objects *objects, size_t object);

//===----------------------------------------------------------------------===//
// Where results of functions come from
//===----------------------------------------------------------------------===//

/// Where a result of a function comes from.
typedef struct agpu__origin {
  /// Memory of the host that the function has allocated and that nothing else
  /// leads to but other results of the same number; 0: it is not.
  size_t own;
  bool is_given;   ///< it is one of the arguments
  bool *arguments; ///< which of them it may be
} agpu__origin;

/// Of each result of the function.
typedef struct agpu__origins {
  agpu__origin *data;
  size_t count;
} agpu__origins;

/// Free with agpu__origins_free.
void agpu__origins_create(MlirOperation function, const agpu__objects *objects,
                          agpu__origins *out_origins);
void agpu__origins_free(agpu__origins *origins);

/// True if result `number` of the call, of a function with these origins, is
/// the caller's alone: its own memory, which is that of no other result, or
/// which the caller frees as it frees those.
bool agpu__owns_result(const agpu__origins *origins, MlirOperation call,
                       intptr_t number);

//===----------------------------------------------------------------------===//
// Which part of an argument a launch touches
//===----------------------------------------------------------------------===//

/// A box for each argument of a kernel; zero-initialised: nothing is known.
typedef struct agpu__launch_ranges {
  agpu__box *boxes;
  bool *touched;
  size_t count;
} agpu__launch_ranges;

/// Finds the boxes that hold all that the kernel, a gpu.func with these
/// objects, accesses of each of its memrefs in this launch: from the sizes of
/// grid and block, and arguments that are constants. Free with
/// agpu__launch_ranges_free.
void agpu__launch_ranges_create(MlirOperation launch, MlirOperation kernel,
                                const agpu__objects *objects,
                                agpu__launch_ranges *out_ranges);
void agpu__launch_ranges_free(agpu__launch_ranges *ranges);

/// In the memref's own dimensions; NULL: it may be any part.
const agpu__box *agpu__launch_range(const agpu__launch_ranges *ranges,
                                    size_t argument);

//===----------------------------------------------------------------------===//
// What functions and ops read and write
//
// What an op of host code reads and writes with all that is in it: loops,
// launches, and functions and kernels that it calls, each of which is looked at
// once.
//===----------------------------------------------------------------------===//

/// A function or kernel.
typedef struct agpu__summary {
  MlirOperation function;
  agpu__objects objects;
  agpu__accesses accesses;   ///< of those objects
  int64_t cost, device_cost; ///< as of an op
  bool uses_device; ///< holds ops of the gpu dialect, or calls a function that
                    ///< does
  agpu__origins origins; ///< of the results
  bool is_known;         ///< false: it may do anything
  bool in_progress;
} agpu__summary;

typedef struct agpu__summaries {
  MlirOperation module;
  MlirSymbolTable symbols;
  bool all_noalias;  ///< arguments of functions are taken not to alias
  bool follow;       ///< control flow that hands memrefs on is followed
  agpu__map numbers; ///< by the function's address
  agpu__summary **data;
  size_t count, capacity;
  agpu__map modules; ///< numbers of symbol tables of gpu.modules
  MlirSymbolTable *tables;
  size_t table_count;
} agpu__summaries;

/// Free with agpu__summaries_free. It is of the module as it is: a pass that
/// changes a function asks no more about that one.
void agpu__summaries_create(MlirOperation module, bool all_noalias, bool follow,
                            agpu__summaries *out_summaries);
void agpu__summaries_free(agpu__summaries *summaries);

/// Of a func.func or gpu.func with a body.
const agpu__summary *agpu__summary_of(agpu__summaries *summaries,
                                      MlirOperation function);

/// The function that a func.call calls, or the kernel that a gpu.launch_func
/// launches, as far as its code is there; a null op otherwise.
MlirOperation agpu__callee_of(agpu__summaries *summaries, MlirOperation call);

/// True if `call`, a func.call or gpu.launch_func, may write to the memref that
/// it is given as operand `number`.
bool agpu__call_writes(agpu__summaries *summaries, MlirOperation call,
                       intptr_t number);

/// What an op does, with all that is in it.
typedef struct agpu__op_effects {
  agpu__accesses accesses; ///< of the objects of the function it stands in
  int64_t cost;            ///< of the host or, in a kernel, a thread, in ops
  int64_t device_cost;     ///< of what it puts on the device, in all threads
  bool uses_device;        ///< it puts work on the device
} agpu__op_effects;

/// Adds to `out_effects` what `op`, in a function with these objects, does.
void agpu__add_op_effects(agpu__summaries *summaries,
                          const agpu__objects *objects, MlirOperation op,
                          agpu__op_effects *out_effects);

/// True for a func.call of a function without a body that only prints, as its
/// name says.
bool agpu__call_prints(agpu__summaries *summaries, MlirOperation call);

#endif // ASYNC_GPU_GPU_MEMORY_ACCESSES_H
