//===- loops.c - Kernels as loops over threads -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All blocks of a kernel's code are in one part or another
// (parts.c). Each part gets a loop over the threads of the block:
//
//     ^before(uniform arguments):      once: uniform ops of the part
//       ^planes(z): ^rows(y):
//         ^threads(x):                 what the part takes from others
//           ... the part's blocks ...
//         ^latch:                      back to ^threads
//       ^row_end: ^plane_end:
//     ^after:                          once: to ^before of the next part
//
// Uniform ops and the branches between parts make up a program of their own
// around the loops, the skeleton. A kernel without barriers is one part.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// True if the part that is `block` alone has nothing to do for each thread.
static bool is_empty(const agpu__simt_loops *self, size_t block) {
  const agpu__simt_graph *graph = &self->graph;
  MlirOperation op = mlirBlockGetFirstOperation(graph->blocks[block]);
  if (agpu__simt_is_barrier(op))
    op = mlirOperationGetNextInBlock(op);
  MlirOperation end = mlirBlockGetTerminator(graph->blocks[block]);
  if (!mlirOperationEqual(op, end) || agpu__op_is(end, "llvm.unreachable"))
    return false;
  for (size_t e = graph->succ_first[block]; e < graph->succ_first[block + 1];
       ++e) {
    MlirBlock to = graph->blocks[graph->succs[e]];
    if (!agpu__simt_begins_part(self, graph->succs[e]))
      return false;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); ++i)
      if (!agpu__simt_in_skeleton(self, mlirBlockGetArgument(to, i)))
        return false;
  }
  return true;
}

/// LLVM's metadata for a part's loop, before it takes anything from others.
static void annotate(agpu__simt_loops *self, size_t first) {
  AGPU__OWNED MlirBlock *blocks =
      agpu__allocate(self->graph.count, sizeof(*blocks));
  size_t count = 0;
  for (size_t b = first; b < self->graph.count; ++b)
    if (self->division.part[b] == first)
      blocks[count++] = self->graph.blocks[b];
  agpu__simt_part *part = &self->parts[first];
  bool is_kept = agpu__simt_prepare_row(self, first,
                                        agpu__simt_known_size(self->function));
  part->annotation = agpu__simt_mark_parallel(&self->graph, blocks, count,
                                              is_kept, &part->access_groups);
}

/// Puts a block in front that has the parameters, for what is done once.
/// Replaces those of `self->ids` and of the thread.
static void move_parameters(agpu__simt_loops *self, MlirValue *context) {
  MlirBlock entry = self->graph.blocks[0];
  intptr_t count = mlirBlockGetNumArguments(entry);
  self->setup = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(self->body, entry, self->setup);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue old = mlirBlockGetArgument(entry, i);
    MlirValue parameter = mlirBlockAddArgument(
        self->setup, mlirValueGetType(old), self->location);
    mlirValueReplaceAllUsesOfWith(old, parameter);
    for (int k = 0; k < AGPU__SIMT_CONTEXT_COUNT; ++k)
      if (mlirValueEqual(context[k], old))
        context[k] = parameter;
    if (!agpu__simt_is_uniform(&self->uniform, old))
      agpu__map_set(&self->uniform.varying, parameter.ptr, 1);
  }
  for (intptr_t i = count; i-- > 0;)
    mlirBlockEraseArgument(entry, (unsigned)i);
  self->ids = context;
}

/// Shared memory is reached through its two parameters alone, which speak of
/// different parts.
static void separate_shared(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  intptr_t count =
      mlirLLVMFunctionTypeGetNumInputs(agpu__function_type(function));
  MlirAttribute nothing = agpu__parse_attr(context, "{}");
  AGPU__OWNED MlirAttribute *each =
      agpu__allocate((size_t)count, sizeof(*each));
  for (intptr_t i = 0; i < count; ++i)
    each[i] = nothing;
  each[count - 2] = each[count - 1] =
      agpu__parse_attr(context, "{llvm.noalias}");
  agpu__set_attr(function, "arg_attrs", mlirArrayAttrGet(context, count, each));
}

/// Makes the size of a block constant where the kernel says it is.
static void use_known_size(agpu__simt_loops *self, MlirAttribute known) {
  if (mlirAttributeIsNull(known))
    return;
  agpu__builder at = agpu__builder_at_end(self->setup, self->location);
  for (intptr_t d = 0; d < 3; ++d) {
    MlirValue *size = &self->ids[3 * AGPU__SIMT_NTID + d];
    MlirValue constant = agpu__llvm_constant(
        &at,
        agpu__i32_attr(self->context, mlirDenseI32ArrayGetElement(known, d)));
    mlirValueReplaceAllUsesOfWith(*size, constant);
    *size = constant;
  }
}

static void rewrite(agpu__simt_loops *self) {
  size_t count = self->graph.count;
  agpu__simt_find_skeleton(self);
  for (size_t b = 0; b < count; ++b)
    if (agpu__simt_begins_part(self, b))
      agpu__simt_begin_part(self, b);
  for (size_t b = 0; b < count; ++b)
    agpu__simt_hoist(self, b);
  agpu__simt_place_allocas(self);
  for (size_t b = 0; b < count; ++b) {
    agpu__simt_part *part = &self->parts[b];
    if (!agpu__simt_begins_part(self, b))
      continue;
    part->empty = is_empty(self, b);
    part->after = part->before;
    if (part->empty)
      continue;
    annotate(self, b);
    agpu__simt_build_nest(self, part);
  }
  for (size_t b = 0; b < count; ++b) {
    agpu__simt_part *part = &self->parts[self->division.part[b]];
    if (part->empty)
      agpu__simt_leave(self, b, part,
                       mlirBlockGetTerminator(self->graph.blocks[b]));
  }
  agpu__simt_rewrite_operands(self);
  for (size_t b = 0; b < count; ++b)
    if (!self->parts[self->division.part[b]].empty)
      agpu__simt_rewrite_end(self, b);
  for (size_t b = 0; b < count; ++b) {
    agpu__simt_part *part = &self->parts[b];
    MlirBlock block = self->graph.blocks[b];
    if (!agpu__simt_begins_part(self, b))
      continue;
    if (!part->empty) {
      agpu__builder at = agpu__builder_at_end(part->threads, self->location);
      agpu__llvm_branch(&at, block, NULL, 0);
      if (!part->has_exit) {
        at = agpu__builder_at_end(part->after, self->location);
        agpu__build_effect(&at, "llvm.unreachable", NULL, 0);
      }
    }
    for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;)
      mlirBlockEraseArgument(block, (unsigned)i);
    if (part->empty) {
      mlirBlockDetach(block);
      mlirBlockDestroy(block);
    } else {
      agpu__simt_split_guarded(self, b);
    }
  }
  agpu__simt_drop_allocas(self);
  agpu__builder at = agpu__builder_at_end(self->setup, self->location);
  agpu__llvm_branch(&at, self->parts[0].before, NULL, 0);
}

/// The parts, with the loops of the kernel's own split if that is possible.
static bool divide(agpu__simt_loops *self) {
  return agpu__simt_division_create(&self->graph, &self->uniform, true,
                                    &self->division) ||
         agpu__simt_division_create(&self->graph, &self->uniform, false,
                                    &self->division);
}

/// Whether whole warps come to all places that are for whole warps only.
static bool warps_meet(const agpu__simt_loops *self) {
  for (size_t b = 0; b < self->graph.count; ++b) {
    AGPU__OPS_FOREACH (op, self->graph.blocks[b])
      if (agpu__simt_only_synchronizes(op) && self->uniform.divergent[b])
        return false;
  }
  return true;
}

/// Finds how the function's blocks hang together, and what is the same in all
/// threads. False where it is none of ours.
static bool analyse(agpu__simt_loops *self, const MlirValue *context) {
  if (!agpu__simt_graph_create(mlirRegionGetFirstBlock(self->body),
                               &self->graph))
    return false;
  agpu__simt_uniform_create(&self->graph, context + 3 * AGPU__SIMT_TID, 3,
                            &self->uniform);
  return true;
}

/// Makes loops over the threads of a block of `function`, a body with the given
/// context, whose parameters for the thread's own id are then not used. False
/// where threads wait for each other in a way that loops cannot do: then it
/// means what it did.
static bool make_loops(MlirOperation function, MlirValue *context,
                       MlirOperation gpu_module) {
  if (!agpu__simt_can_be_loops(function))
    return false;
  agpu__simt_normalize(function);
  MlirRegion body = mlirOperationGetRegion(function, 0);
  agpu__simt_loops self = {.context = mlirOperationGetContext(function),
                           .location = mlirOperationGetLocation(function),
                           .gpu_module = gpu_module,
                           .function = function,
                           .body = body};
  if (!analyse(&self, context))
    return false;
  if (agpu__simt_split_strides(&self.graph, &self.uniform, context)) {
    agpu__simt_uniform_free(&self.uniform);
    agpu__simt_graph_free(&self.graph);
    if (!analyse(&self, context))
      return false;
  }
  bool divided = warps_meet(&self) && divide(&self);
  if (divided) {
    self.parts = agpu__allocate(self.graph.count, sizeof(*self.parts));
    move_parameters(&self, context);
    use_known_size(&self, agpu__simt_known_size(function));
    separate_shared(function);
    rewrite(&self);
    for (size_t b = 0; b < self.graph.count; ++b)
      agpu__map_free(&self.parts[b].locals);
    free(self.parts);
    agpu__simt_division_free(&self.division);
    agpu__simt_slots_free(&self);
    agpu__map_free(&self.not_in_skeleton);
  }
  agpu__simt_uniform_free(&self.uniform);
  agpu__simt_graph_free(&self.graph);
  return divided;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether `function` shall stay as it is, for coroutines.
static bool is_left(MlirOperation function, bool coroutines) {
  return coroutines && agpu__simt_waits(function);
}

/// The marks have told which stores threads may meet at.
static void unmark_atomics(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (nested, gpu_module, "llvm.store")
    if (agpu__has_attr(nested, AGPU__SIMT_ATOMIC))
      agpu__remove_attr(nested, AGPU__SIMT_ATOMIC);
}

static MlirLogicalResult run(MlirOperation gpu_module,
                             const agpu_pass_values *values) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  bool coroutines =
      !strcmp(agpu__pass_value_string(values, "native-threads"), "coroutines");
  // With checks, each thread goes its way by itself.
  bool checked = agpu__has_attr(gpu_module, AGPU__SIMT_CHECKED);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i) {
    MlirOperation kernel = kernels.data[i];
    MlirValue context[AGPU__SIMT_CONTEXT_COUNT];
    if (mlirLogicalResultIsFailure(agpu__simt_context(kernel, context)))
      result = mlirLogicalResultFailure();
    else if (!checked && !is_left(kernel, coroutines) &&
             make_loops(kernel, context, gpu_module))
      agpu__simt_set_threads(kernel, AGPU__SIMT_LOOPS);
  }
  unmark_atomics(gpu_module);
  return result;
}

static const agpu_pass_option options[] = {AGPU__NATIVE_THREADS_OPTION};

const agpu_pass agpu__pass_native_loops = {
    .argument = AGPU__SIMT_PASS("loops"),
    .anchor = "gpu.module",
    .summary = "Make loops over the threads of a block of kernels",
    AGPU__OPTIONS(options),
    .run_with = run,
};
