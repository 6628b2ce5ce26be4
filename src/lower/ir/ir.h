//===- ir.h - What every pass needs of the IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asking, building, symbols, types and places in the source, in one include.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_IR_H
#define ASYNC_GPU_LOWER_IR_H

#include "lower/ir/llvm_ops.h"
#include "lower/ir/memref_parts.h"
#include "lower/ir/op_memory.h"
#include "lower/ir/symbols.h"
#include "lower/ir/text.h"

//===----------------------------------------------------------------------===//
// Places in the source
//
// Which place in a file a location stands for, and errors at one.
//===----------------------------------------------------------------------===//

/// A place in a file. `file.data` is NULL where it is unknown.
typedef struct agpu__place {
  MlirStringRef file;
  int line, column;
} agpu__place;

/// The place that `location` stands for: of a name, what is named; of a call,
/// the callee; of several that are fused, the first that is known.
agpu__place agpu__place_of(MlirLocation location);

/// The name that the source gives what stands at `location` (`loc("x"(...))`);
/// empty: none.
MlirStringRef agpu__name_of(MlirLocation location);

/// "file:line:col" of that place, "" where it is unknown. The caller frees it.
char *agpu__location_text(MlirLocation location);

/// Emits `error: ...` at a location, in printf form, and returns
/// failure, so that `return agpu__error(...)` reads well.
MlirLogicalResult agpu__error(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

//===----------------------------------------------------------------------===//
// Numbers for addresses
//
// A map from addresses (an op's, a block's, a value's `ptr`) to numbers.
// Addresses of what has been destroyed may come back for something new: a map
// lives no longer than what it holds.
//===----------------------------------------------------------------------===//

/// What agpu__map_get gives for an address that is not in the map.
#define AGPU__MAP_NONE SIZE_MAX

/// Zero-initialise; free with agpu__map_free.
typedef struct agpu__map {
  const void **keys;
  size_t *numbers;
  size_t count, capacity;
} agpu__map;

size_t agpu__map_get(const agpu__map *map, const void *key);

/// `key` is not NULL. A number that it had before is replaced.
void agpu__map_set(agpu__map *map, const void *key, size_t number);
void agpu__map_free(agpu__map *map);

/// The key of a number in an agpu__map, which is of addresses.
static inline const void *agpu__number_key(size_t number) {
  return (const void *)(uintptr_t)((number + 1) << 4);
}

//===----------------------------------------------------------------------===//
// Sets of ops, and ops by a key
//
// Both keep the order in which ops came: a set that is a worklist can grow
// while it is gone through. An op that is destroyed stays in by its address.
//===----------------------------------------------------------------------===//

/// Zero-initialise; free with agpu__op_set_free.
typedef struct agpu__op_set {
  agpu__ops all; ///< to be read
  agpu__map numbers;
} agpu__op_set;

bool agpu__op_set_has(const agpu__op_set *set, MlirOperation op);

/// False if it was there already.
bool agpu__op_set_add(agpu__op_set *set, MlirOperation op);
void agpu__op_set_free(agpu__op_set *set);

/// Lists of ops, each with a key. Zero-initialise; free with
/// agpu__op_lists_free.
typedef struct agpu__op_lists {
  agpu__map numbers;
  agpu__ops *lists;
  size_t count, capacity;
} agpu__op_lists;

/// Appends `op` to the list of `key`, an address that is not NULL.
void agpu__op_lists_add(agpu__op_lists *lists, const void *key,
                        MlirOperation op);

/// The list of `key`, empty where nothing has been added. Valid until more is.
agpu__ops agpu__op_lists_get(const agpu__op_lists *lists, const void *key);
void agpu__op_lists_free(agpu__op_lists *lists);

//===----------------------------------------------------------------------===//
// Values that stand for others
//
// A memref that is copied or replaced takes its views with it: which view
// stands for which, found by the value's address. Chains of views are as long
// as the program makes them, so who copies one walks it by a list.
//===----------------------------------------------------------------------===//

/// Zero-initialise; free with agpu__twins_free.
typedef struct agpu__twins {
  agpu__map numbers; ///< of values with a twin, in `twins`
  agpu__values twins;
} agpu__twins;

/// The twin of `value`; a null value: it has none.
MlirValue agpu__twins_get(const agpu__twins *self, MlirValue value);
/// The same, or `value` itself.
MlirValue agpu__twin_or_self(const agpu__twins *self, MlirValue value);
void agpu__twins_set(agpu__twins *self, MlirValue value, MlirValue twin);
void agpu__twins_free(agpu__twins *self);

//===----------------------------------------------------------------------===//
// Functions that are alike but for names
//
// Functions whose texts differ in nothing but their names.
//===----------------------------------------------------------------------===//

/// The text of a function. Free with agpu__alike_free.
typedef struct agpu__alike {
  agpu__text text;  ///< with its name
  const char *rest; ///< what follows that
  size_t
      same_as; ///< number of the first one that is like it: itself, or before
} agpu__alike;

/// Reads the text of `function`. False for one whose text has no parameters.
bool agpu__alike_read(MlirOperation function, agpu__alike *out);
void agpu__alike_free(agpu__alike *self);

/// Sets `same_as` of all.
void agpu__alike_find(agpu__alike *all, size_t count);

//===----------------------------------------------------------------------===//
// Numbers that are known when compiling
//===----------------------------------------------------------------------===//

/// True if `value` is an integer or index that an arith.constant gives.
bool agpu__known_number(MlirValue value, int64_t *out_number);

/// How often a loop goes around, if its bounds and a positive step are known.
bool agpu__known_trip_count(MlirValue lower, MlirValue upper, MlirValue step,
                            int64_t *out_trips);

//===----------------------------------------------------------------------===//
// Bytes of a type
//===----------------------------------------------------------------------===//

/// Bytes that LLVM gives `type`, which it has a translation for, on a 64-bit
/// host or a GPU, and its alignment.
uint64_t agpu__type_size(MlirType type, uint64_t *out_alignment);

//===----------------------------------------------------------------------===//
// Sets of small numbers
//
// A set of numbers below a bound is an array of agpu__bits_words(bound) words.
//===----------------------------------------------------------------------===//

/// For numbers below `bound`, and at least one word.
static inline size_t agpu__bits_words(size_t bound) { return bound / 64 + 1; }

static inline bool agpu__bits_has(const uint64_t *set, size_t n) {
  return set[n / 64] >> n % 64 & 1;
}

static inline void agpu__bits_add(uint64_t *set, size_t n) {
  set[n / 64] |= (uint64_t)1 << n % 64;
}

static inline size_t agpu__bits_count(const uint64_t *set, size_t words) {
  size_t count = 0;
  for (size_t w = 0; w < words; ++w)
    count += (size_t)__builtin_popcountll(set[w]);
  return count;
}

/// The first number of the set from `n` on; SIZE_MAX: there is none.
static inline size_t agpu__bits_next(const uint64_t *set, size_t words,
                                     size_t n) {
  for (size_t w = n / 64; w < words; ++w) {
    uint64_t word = set[w];
    if (w == n / 64)
      word &= ~(uint64_t)0 << n % 64;
    if (word)
      return w * 64 + (size_t)__builtin_ctzll(word);
  }
  return SIZE_MAX;
}

//===----------------------------------------------------------------------===//
// Blocks and edges
//
// What the passes on control-flow graphs share: splitting blocks and edges.
// The C API moves blocks and ops but does not split.
//===----------------------------------------------------------------------===//

/// Moves all ops after `op` into a new block that follows op's block in the
/// region. The old block is left without terminator; `op` is its last op.
MlirBlock agpu__split_after(MlirOperation op);

/// Splits blocks of functions in `module`, of kernels too, where many ops of
/// scf stand, and has such blocks of `scf.for` and `scf.if` become the
/// function's (long_blocks.c): upstream's conversion of each op moves all that
/// follows it in its block, which takes quadratic time and memory.
void agpu__split_long_blocks(MlirOperation module);

/// A new empty block without arguments after `block` in its region.
MlirBlock agpu__block_after(MlirBlock block);

/// Puts a new block on edge number `successor` of `terminator`, a `cf.br`,
/// `cf.cond_br`, `cf.switch` or `async.coro.suspend`: the edge's operands stay
/// with the terminator and pass through the new block's arguments. Returns the
/// block's `cf.br`; the arguments have the types of the old target's.
MlirOperation agpu__split_edge(MlirOperation terminator, intptr_t successor);

/// Operands of `terminator` passed to successor number `successor`: their
/// range [*out_begin, *out_begin + *out_count). The terminators named above,
/// those of the LLVM dialect like them, and every op without successor operands
/// are known.
void agpu__edge_operands(MlirOperation terminator, intptr_t successor,
                         intptr_t *out_begin, intptr_t *out_count);

/// Appends `cf.br ^target` to a block, with values for the target's arguments
/// or without.
MlirOperation agpu__branch_with(MlirBlock block, MlirLocation location,
                                MlirBlock target, const MlirValue *values,
                                size_t count);
MlirOperation agpu__branch(MlirBlock block, MlirLocation location,
                           MlirBlock target);

/// Appends `cf.cond_br %condition, ^yes, ^no` to a block.
MlirOperation agpu__branch_if(MlirBlock block, MlirLocation location,
                              MlirValue condition, MlirBlock yes, MlirBlock no);

/// Adds to `reached` the blocks that control reaches from the end of `block`,
/// on ways through none that is there already; true, and not all of them, if
/// `until`, which may be null, is one.
bool agpu__reach(MlirBlock block, MlirBlock until, agpu__map *reached);

/// Destroys the blocks of `region` that control cannot reach. Dialect
/// conversions pass them by and leave what they hold.
void agpu__erase_unreachable_blocks(MlirRegion region);

//===----------------------------------------------------------------------===//
// Other types for the values of an op
//===----------------------------------------------------------------------===//

/// What `type` becomes; `type` itself where it stays.
typedef MlirType (*agpu__retype_fn)(MlirType type);

/// `leaf` of a type, and of the types that a function or tuple type holds.
MlirType agpu__retype_leaves(MlirType type, agpu__retype_fn leaf);

/// Gives every value defined in `root` (`root` included), and every type that
/// an op keeps in an attribute, the type that `retype` says. It is asked once
/// for each type.
void agpu__retype(MlirOperation root, agpu__retype_fn retype);

/// Takes away the casts called `cast` in `root` whose type does not change, or
/// not any more.
void agpu__drop_idle_casts(MlirOperation root, const char *cast);

//===----------------------------------------------------------------------===//
// Copies of ops
//
// Copies of ops and blocks, in which what is copied itself stands for the
// originals.
//===----------------------------------------------------------------------===//

/// A copy of `op` and of what is in it, which is the caller's, and whose
/// results stand for those of `op` from then on.
MlirOperation agpu__copy_op(agpu__twins *copies, MlirOperation op);

/// The same, at the end of `to`.
void agpu__append_copy(agpu__twins *copies, MlirOperation op, MlirBlock to);

/// Appends copies of the blocks, each of which stands after those that dominate
/// it, to their region. Edges between them lead to the copies.
void agpu__copy_blocks(agpu__twins *copies, const MlirBlock *blocks,
                       size_t count, MlirLocation location,
                       MlirBlock *out_copies);

//===----------------------------------------------------------------------===//
// Ops that reductions combine with
//===----------------------------------------------------------------------===//

/// The number that changes nothing when it is combined with another.
typedef enum agpu__neutral {
  AGPU__NEUTRAL_NONE, ///< there is none: maxnumf of NaN and any number is that
  AGPU__NEUTRAL_ZERO,
  AGPU__NEUTRAL_MINUS_ZERO, ///< of sums of floats: -0.0 + 0.0 is 0.0
  AGPU__NEUTRAL_ONE,
  AGPU__NEUTRAL_LOWEST, ///< of floats, minus infinity
  AGPU__NEUTRAL_HIGHEST,
  AGPU__NEUTRAL_ALL_ONES,
} agpu__neutral;

/// An op of two operands, whose order does not matter, as what a reduction
/// combines with.
typedef struct agpu__combiner {
  const char *op;
  const char *kind; ///< what gpu.all_reduce calls it; NULL: not used there
  agpu__neutral neutral;
  bool takes_twice; ///< what has been combined may be so once more
} agpu__combiner;

/// What is known of `op`; NULL: it is no such op.
const agpu__combiner *agpu__find_combiner(MlirOperation op);

/// The combiner's neutral element as a constant of `type` ("f32", "i64") is
/// written, which the caller frees. NULL: it has none, or the type is not known
/// here.
char *agpu__neutral_text(const agpu__combiner *combiner, const char *type);

//===----------------------------------------------------------------------===//
// What types become in the LLVM dialect
//
// The payload of an `!async.value<T>` lies in memory, and a kernel's arguments
// are passed by address, so the lowering must know the LLVM type of T before
// upstream's conversions have run. This is the one place that says so; it
// agrees with upstream's LLVMTypeConverter (64-bit index).
//===----------------------------------------------------------------------===//

/// The LLVM dialect type that upstream's conversions make of `type`; a null
/// type where there is none (the caller emits the diagnostic).
MlirType agpu__payload_type(MlirType type);

/// True for `!async.token`, `!async.value`, `!async.group` and
/// `!gpu.async.token`: what is an agpu_object at run time.
bool agpu__type_is_object(MlirType type);

MlirType agpu__token_type(MlirContext context); ///< `!async.token`

/// True for `!async.token` and `!gpu.async.token`.
bool agpu__type_is_token(MlirType type);

/// The T of `!async.value<T>`; a null type for any other type.
MlirType agpu__async_value_payload(MlirType type);

/// What an async.execute gives for the results of a function of this type: a
/// token, then a value for each; and the function's inputs. The caller frees
/// both.
MlirType *agpu__region_types(MlirType type, size_t *out_count);
MlirType *agpu__function_inputs(MlirType type);

/// `!async.value<T>` of a payload type.
MlirType agpu__async_value_get(MlirType payload);

//===----------------------------------------------------------------------===//
// Object types become pointers
//===----------------------------------------------------------------------===//

/// The LLVM type of a token, value, group, stream or coroutine type, and of
/// function and tuple types with such in them; other types are themselves.
MlirType agpu__convert_object_type(MlirType type);

/// Gives every value, block argument, function type and type attribute of the
/// module that is or holds a token, value, group, stream or coroutine handle
/// its LLVM type, and removes casts that have become casts to the same type.
void agpu__convert_object_types(MlirOperation module);

/// Makes `!gpu.async.token` and `!async.token` one type, the latter, wherever
/// they stand in the module. It has no GPU ops any more.
void agpu__unify_token_types(MlirOperation module);

//===----------------------------------------------------------------------===//
// How often memory is allocated
//
// A `memref.alloca` gives memory that is there until the innermost allocation
// scope around it is left. A scope may be a loop (`scf.for`), each of whose
// rounds has memory of its own, for as long as the round lasts: one buffer does
// for all of them. A loop that is no scope (`scf.while`, or blocks in a circle)
// gives each round another buffer, and all of them stay. One buffer does there
// only where no round can see the one of a round before.
//===----------------------------------------------------------------------===//

/// The innermost op around `op` at whose end memory from the stack is freed; a
/// null op where there is none.
MlirOperation agpu__allocation_scope(MlirOperation op);

/// Null if one buffer can stand for all that `allocation`, an op in `scope`,
/// gives while a region of `scope` runs once; otherwise the op that hands the
/// memory on to where a later round of a loop may see it. `symbols` are those
/// of the module around, where callees are looked up.
MlirOperation agpu__handed_over_in(MlirSymbolTable symbols,
                                   MlirOperation allocation,
                                   MlirOperation scope);

/// Puts the ops of `scope`, a `memref.alloca_scope` of one block, in its place.
void agpu__inline_scope(MlirOperation scope);

//===----------------------------------------------------------------------===//
// Functions that print
//===----------------------------------------------------------------------===//

/// True for the name of a function of upstream's runner libraries that prints:
/// it reads what it is given, and does no more to memory. What a program's own
/// function does is not known by its name; one with a body in the module is
/// looked at instead.
bool agpu__is_print_function(MlirStringRef name);

#endif // ASYNC_GPU_LOWER_IR_H
