//===- form.h - The tasks of a sequential function -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What async-gpu-form-regions decides about a block of sequential code, before
// it changes anything: a tree of tasks, what each reads and writes, what each
// depends on, and which become regions.
//
// A region's token is like a variable: it is assigned where the region stands,
// in a loop in each iteration, and what depends on the region reads what was
// assigned last. A region in a loop depends on itself in the round before, or
// on others that do, so that the last token stands for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FORM_H
#define ASYNC_GPU_GPU_FORM_H

#include "gpu/memory/accesses.h"

#define AGPU__NO_TASK ((size_t)-1)

/// Numbers of tasks or objects. Zero-initialise; free `data`.
typedef struct agpu__numbers {
  size_t *data;
  size_t count, capacity;
} agpu__numbers;

static inline void agpu__numbers_push(agpu__numbers *self, size_t number) {
  AGPU__GROW(self->data, self->count, self->capacity);
  self->data[self->count++] = number;
}

typedef enum agpu__task_kind {
  AGPU__TASK_INLINE, ///< stays where it stands, after awaits
  AGPU__TASK_REGION, ///< becomes an async.execute
  AGPU__TASK_IF,     ///< an scf.if whose branches hold tasks
  AGPU__TASK_LOOP,   ///< an scf.for whose body does
} agpu__task_kind;

/// Task A depends on task `on`, since both access `object`.
typedef struct agpu__order {
  size_t on;
  size_t object;
  bool reads, writes;         ///< what A does there
  bool was_read, was_written; ///< what the other has done
  bool is_previous;           ///< the other's instance of the round before
} agpu__order;

typedef struct agpu__task {
  agpu__task_kind kind;
  agpu__ops ops; ///< in program order; one, unless tasks were merged
  agpu__op_effects effects;
  bool stays;      ///< may only be AGPU__TASK_INLINE
  bool is_device;  ///< is an op of the gpu dialect
  bool is_release; ///< frees memory
  bool is_gone;    ///< merged into a later one
  int64_t weight;  ///< what its chain costs (chains.c), in ops
  bool is_heavy;   ///< more than a region does
  bool fills_cpus; ///< of the emulated device, all but for less than a region
  size_t scope;
  size_t inner[2]; ///< scopes of an IF (then, else) or a LOOP
  agpu__order *orders;
  size_t order_count, order_capacity;
  agpu__map order_places; ///< of many (task_graph.c)
  size_t number;       ///< of a REGION: what it is called (AGPU__REGION_ATTR)
  bool follows_itself; ///< of a REGION in a loop: its orders say so already
  bool is_followed;    ///< of a REGION: ends before what is awaited at the end
} agpu__task;

/// The tasks of one block.
typedef struct agpu__task_scope {
  MlirBlock block;
  size_t *tasks; ///< in program order
  size_t count, capacity;
  size_t owner; ///< the task whose block it is; AGPU__NO_TASK: the function's
  size_t depth; ///< how many scopes it is in
} agpu__task_scope;

/// What a region has to cost to be worth one, in ops: of the host's code, or of
/// all of a kernel's threads.
typedef struct agpu__region_costs {
  int64_t host, device;
  bool is_emulated; ///< the device: its kernels share the CPUs
} agpu__region_costs;

/// An object of each round that is allocated in front of the loop, twice.
typedef struct agpu__shared_buffer {
  size_t object, loop;
  MlirOperation allocation; ///< that was in the loop, and is in no block now
} agpu__shared_buffer;

typedef struct agpu__task_graph {
  agpu__summaries *summaries;
  const agpu__summary *function;
  agpu__region_costs costs;
  agpu__task *tasks;
  size_t count, capacity;
  agpu__task_scope *scopes;
  size_t scope_count, scope_capacity;
  /// Of each object the loop that is taken to have it anew in each round, as if
  /// it were allocated there (rename.c); AGPU__NO_TASK: none. NULL: for no
  /// object.
  const size_t *renamed;
  /// Of these the rounds have two by turns (rounds.c).
  agpu__shared_buffer *shared;
  size_t shared_count;
  /// How often a task has no order with another one because its memory is
  /// allocated behind that, of all tasks (order.c).
  size_t newer_count;
} agpu__task_graph;

/// Finds the tasks of a block of the function, as scope 0, with all that is in
/// them. Free with agpu__task_graph_free.
void agpu__task_graph_create(agpu__summaries *summaries,
                             const agpu__summary *function, MlirBlock block,
                             agpu__region_costs costs,
                             agpu__task_graph *out_graph);
void agpu__task_graph_free(agpu__task_graph *graph);

/// A new task with that op after task `place` of its scope; its number.
size_t agpu__add_task_after(agpu__task_graph *graph, size_t task,
                            MlirOperation op);

/// The task depends on that, too. Where it does already, in the nearer of both
/// rounds.
void agpu__task_add_order(agpu__task *task, agpu__order order);

static inline bool agpu__task_is_composite(const agpu__task *task) {
  return task->kind == AGPU__TASK_IF || task->kind == AGPU__TASK_LOOP;
}

/// The task in `scope` that is or holds `task`; AGPU__NO_TASK: there is none.
size_t agpu__task_in_scope(const agpu__task_graph *graph, size_t task,
                           size_t scope);

/// Replaces two tasks by those that are or hold them in the innermost scope
/// that holds both.
void agpu__task_common_scope(const agpu__task_graph *graph, size_t *one,
                             size_t *other);

/// True if the object is allocated anew in each round of the LOOP `task`.
bool agpu__object_is_of_round(const agpu__task_graph *graph, size_t object,
                              size_t task);

//===----------------------------------------------------------------------===//
// Dependences of tasks
//===----------------------------------------------------------------------===//

/// Fills in `orders` of all tasks, anew. `all`: of tasks that stay where they
/// are, too, as if they were regions; otherwise those are done when the next
/// task begins.
void agpu__order_tasks(agpu__task_graph *graph, bool all);

//===----------------------------------------------------------------------===//
// Orders that others imply
//===----------------------------------------------------------------------===//

/// Takes away each order on a region that another one of the same task is
/// after anyway.
void agpu__reduce_orders(agpu__task_graph *graph);

/// The same with orders on the round before and what has been awaited, and
/// finds what needs no await at the end. No task may be merged or go after
/// that.
void agpu__drop_implied_orders(agpu__task_graph *graph);

//===----------------------------------------------------------------------===//
// Maximal paths of tasks
//===----------------------------------------------------------------------===//

/// Fills in `weight` and `is_heavy` of all tasks. The orders have to be those
/// of all tasks (agpu__order_tasks).
void agpu__weigh_tasks(agpu__task_graph *graph);

/// Merges regions that are one after the other, where nothing could run beside
/// or wait for one of them alone, and light ones into what they are for. The
/// orders have to be those of regions.
void agpu__merge_chains(agpu__task_graph *graph);

//===----------------------------------------------------------------------===//
// Which tasks become regions
//===----------------------------------------------------------------------===//

/// Decides which tasks become regions, merges chains of them, and leaves all
/// tasks with the orders that hold then.
void agpu__decide_tasks(agpu__task_graph *graph);

/// How many pairs of tasks of each LOOP in `loops` may overlap from one round
/// to the next. Leaves the orders of all tasks, as if all were regions.
void agpu__count_overlaps(agpu__task_graph *graph, const agpu__numbers *loops,
                          size_t *out_counts);

//===----------------------------------------------------------------------===//
// Regions begin early
//===----------------------------------------------------------------------===//

/// Moves ops that become regions in front of tasks that stay where they are and
/// have no order with them, so that those do not hold them up. The orders have
/// to be those of all tasks (agpu__order_tasks).
void agpu__hoist_tasks(agpu__task_graph *graph);

//===----------------------------------------------------------------------===//
// Memory of each round
//===----------------------------------------------------------------------===//

/// Moves allocations that a loop fills anew in each round into that loop, so
/// that rounds may overlap. True if the function changed: the graph and all
/// that is known of the function are out of date then. `remarks`: says so of
/// each.
bool agpu__rename_buffers(agpu__task_graph *graph, bool remarks);

//===----------------------------------------------------------------------===//
// Two buffers for all rounds
//===----------------------------------------------------------------------===//

/// Of what each round of a loop allocates and frees, and regions of it use, two
/// are allocated in front of the loop. After everything that is decided, in
/// front of agpu__emit_tasks.
void agpu__share_rounds(agpu__task_graph *graph);

//===----------------------------------------------------------------------===//
// Loops and branches with more values
//===----------------------------------------------------------------------===//

/// The same op with more operands, and results of these types, and its regions;
/// `op` is gone.
MlirOperation agpu__rebuild_op(MlirOperation op,
                               const agpu__values *more_operands,
                               const MlirType *more_types, size_t more_results);

/// Has the block's scf.yield give `values` too.
void agpu__extend_yield(MlirBlock block, const agpu__values *values);

//===----------------------------------------------------------------------===//
// Tasks become regions
//===----------------------------------------------------------------------===//

/// Does what was decided (decide.c): regions, awaits, tokens through branches
/// and loops, and a wait for all of them at the end of the block.
void agpu__emit_tasks(agpu__task_graph *graph);

//===----------------------------------------------------------------------===//
// What was formed, in words
//===----------------------------------------------------------------------===//

/// Numbers the regions in program order, from `first`. Returns what follows the
/// last one.
size_t agpu__number_regions(agpu__task_graph *graph, size_t first);

/// Emits a remark for the block, each region, what it depends on and why, and
/// each wait, before they are made. The regions have to have their numbers.
void agpu__form_remark(const agpu__task_graph *graph);

#endif // ASYNC_GPU_GPU_FORM_H
