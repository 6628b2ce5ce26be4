//===- parallel.h - Parallel loops -*- C -*-===//
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

#ifndef ASYNC_GPU_HOST_PARALLEL_PARALLEL_H
#define ASYNC_GPU_HOST_PARALLEL_PARALLEL_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// Scf.forall as scf.parallel
//===----------------------------------------------------------------------===//

/// Replaces an `scf.forall` by an `scf.parallel` of the same iterations. An
/// error, with nothing changed, if it gives tensors.
MlirLogicalResult agpu__forall_to_parallel(MlirOperation forall);

//===----------------------------------------------------------------------===//
// A parallel loop on its way
//
// What the files of the pass `async-gpu-parallel` share. Which loops become
// calls of the runtime is decided in parallel.c and loop_serial.c, how long
// their pieces are in loop_cost.c; loop_call.c builds the call and
// loop_body.c the function that runs a piece, with what loop_values.c takes
// along and loop_reductions.c combines.
//===----------------------------------------------------------------------===//

/// An `scf.parallel` of a module, and the function or region whose frame it
/// runs in.
typedef struct agpu__loop {
  MlirOperation module;
  MlirSymbolTable symbols;
  MlirOperation op, frame;
  size_t dimensions, reductions;
  bool shares_nested; ///< loops inside of it are looked at as well
  bool fails;         ///< an error in it is that of the region it stands in
  // Set by agpu__loop_grain.
  int64_t grain;        ///< 0: computed when the program runs
  bool cost_is_unknown; ///< of an iteration
} agpu__loop;

/// The operands of a dimension or reduction, by its number.
MlirValue agpu__loop_lower_bound(const agpu__loop *loop, size_t dimension);
MlirValue agpu__loop_upper_bound(const agpu__loop *loop, size_t dimension);
MlirValue agpu__loop_step(const agpu__loop *loop, size_t dimension);
MlirValue agpu__loop_initial(const agpu__loop *loop, size_t reduction);

/// The block of iterations.
MlirBlock agpu__loop_block(const agpu__loop *loop);

/// The op after a constant that can be copied to wherever it is needed;
/// otherwise a null op.
MlirOperation agpu__constant_op(MlirValue value);

/// How often a loop goes around: max(0, ceil((upper - lower) / step)), and
/// INT64_MAX where that is more.
MlirValue agpu__trip_count(agpu__builder *at, MlirValue lower, MlirValue upper,
                           MlirValue step);

/// `value`, through the op `name` if it has another type.
MlirValue agpu__convert(agpu__builder *at, const char *name, MlirValue value,
                        MlirType type);
MlirValue agpu__cast(agpu__builder *at, MlirValue value, MlirType type);

/// How many iterations the loop has: no program lives to see the end of more
/// than INT64_MAX.
MlirValue agpu__loop_iterations(const agpu__loop *loop, agpu__builder *at);

//===----------------------------------------------------------------------===//
// loop_call.c
//===----------------------------------------------------------------------===//

/// Replaces the loop by a call of the runtime. False, with nothing changed, if
/// a value that it uses has no place in memory.
bool agpu__loop_lower(agpu__loop *loop);

//===----------------------------------------------------------------------===//
// loop_serial.c
//===----------------------------------------------------------------------===//

/// Why the loop must run serially, on its own thread, as half a sentence that
/// the caller frees; NULL if any thread will do. `fails` is set then.
char *agpu__loop_serial_reason(agpu__loop *loop);

//===----------------------------------------------------------------------===//
// loop_cost.c
//===----------------------------------------------------------------------===//

/// Iterations that should run together, so that handing them out costs less
/// than they do: an index, built from the ops of an iteration and from how
/// often loops in it go around, as far as that is known where `at` is. An
/// iteration that calls what has no body here, or loops for nobody knows how
/// long, is handed out alone.
MlirValue agpu__loop_grain(agpu__loop *loop, agpu__builder *at);

//===----------------------------------------------------------------------===//
// loop_values.c
//===----------------------------------------------------------------------===//

/// What the functions of a loop take along from its frame: all in one
/// structure in memory, but for constants, which they get copies of.
typedef struct agpu__loop_values {
  agpu__values outside; ///< values of the frame, constants among them
  MlirType *stored;     ///< LLVM types of `outside`; null for constants
  MlirType structure;   ///< of those
} agpu__loop_values;

/// Collects them. False if one of them has no place in memory. Freed by the
/// caller in either case.
bool agpu__loop_values_collect(const agpu__loop *loop,
                               agpu__loop_values *out_values);
void agpu__loop_values_free(agpu__loop_values *values);

/// The structure, filled in, in memory of the frame.
MlirValue agpu__loop_values_store(const agpu__loop_values *values,
                                  const agpu__loop *loop, agpu__builder *at);

/// What stands for `outside` in a function that gets the structure's address.
void agpu__loop_values_load(const agpu__loop_values *values, agpu__builder *at,
                            MlirValue address, agpu__values *out_inside);

/// What stands for `outside` in `inside`.
MlirValue agpu__loop_value(const agpu__loop_values *values,
                           const agpu__values *inside, MlirValue outside);

/// Replaces the operands of all ops in `root` that are among `outside`.
void agpu__loop_values_replace(const agpu__loop_values *values,
                               const agpu__values *inside, MlirOperation root);

/// Memory for a value of an LLVM type in the frame.
MlirValue agpu__loop_memory(const agpu__loop *loop, MlirType type);

//===----------------------------------------------------------------------===//
// loop_reductions.c
//===----------------------------------------------------------------------===//

/// The structure of what the loop's reductions give; a null type if one of
/// them has no place in memory.
MlirType agpu__reductions_type(const agpu__loop *loop);

/// What stands for the result of no iteration: per reduction a value that
/// changes nothing, or none, so that a flag has to say that there is no result
/// yet. `carried` are flag, if there is one, and values, in the order in which
/// loops carry them.
typedef struct agpu__reductions {
  bool *has_start; ///< by reduction
  bool flagged;    ///< one of them has none
} agpu__reductions;

void agpu__reductions_begin(const agpu__loop *loop,
                            const agpu__loop_values *values,
                            const agpu__values *inside, agpu__builder *at,
                            agpu__reductions *out_reductions,
                            agpu__values *out_carried);

/// Combines `carried` with what an iteration gives, by the ops in `reduce`,
/// whose regions are used up.
void agpu__reductions_add(const agpu__reductions *reductions, agpu__builder *at,
                          MlirOperation reduce, agpu__values *carried);

/// Writes the results to memory.
void agpu__reductions_end(const agpu__reductions *reductions, agpu__builder *at,
                          MlirType structure, const agpu__values *carried,
                          MlirValue address);

void agpu__reductions_free(agpu__reductions *reductions);

/// Fills in the function that combines two structures of results: `at` is in
/// it, `inside` are its values, and it puts the result in place of `into`.
void agpu__reductions_combine(const agpu__loop *loop,
                              const agpu__loop_values *values,
                              const agpu__values *inside, agpu__builder *at,
                              MlirType structure, MlirValue into,
                              MlirValue partial);

//===----------------------------------------------------------------------===//
// loop_body.c
//===----------------------------------------------------------------------===//

/// The function that runs a piece of the loop, in the module; the loop's body
/// is moved there. `results` is the structure of its results, or null.
MlirOperation agpu__loop_build_body(const agpu__loop *loop,
                                    const agpu__loop_values *values,
                                    MlirType results);

/// The function that combines two results.
MlirOperation agpu__loop_build_combine(const agpu__loop *loop,
                                       const agpu__loop_values *values,
                                       MlirType results);

#endif // ASYNC_GPU_HOST_PARALLEL_PARALLEL_H
