//===- parallel.c - Parallel loops become calls ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-parallel`.
//
// All dimensions of a loop are one range of iterations to the runtime. A body
// gets part of it and runs whole rows, the last dimension, as a loop without
// divisions, so that LLVM can vectorise it.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "lower/abi.h"
#include "lower/ir.h"
#include "lower/llvm_ops.h"
#include "lower/payload.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

/// Ops that a piece of a loop should hold, so that handing it out costs less
/// than running it; and what an op counts whose length is not known.
#define OPS_PER_PIECE 4096
#define UNKNOWN_TRIPS 16
#define CALL_OPS 64

static const MlirType no_type = {NULL};

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

typedef struct loops {
  MlirOperation module;
  MlirSymbolTable symbols;
  agpu__ops visited; ///< functions that are being looked at
} loops;

static bool contains(const agpu__ops *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; ++i)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

static bool runs_anywhere(loops *self, MlirOperation root);

/// Whether the function that `call` calls may run on any thread. One without a
/// body may: that is what the program says by calling it in a parallel loop.
static bool callee_runs_anywhere(loops *self, MlirOperation call) {
  MlirAttribute name =
      mlirOperationGetAttributeByName(call, agpu__str("callee"));
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAFlatSymbolRef(name))
    return false;
  MlirOperation callee =
      mlirSymbolTableLookup(self->symbols, mlirFlatSymbolRefAttrGetValue(name));
  if (mlirOperationIsNull(callee) || contains(&self->visited, callee))
    return true;
  // Its work goes on the stream of the region that calls it.
  if (agpu__has_attr(callee, "async_gpu.enqueue") ||
      agpu__has_attr(call, "async_gpu.enqueue"))
    return false;
  agpu__ops_push(&self->visited, callee);
  return runs_anywhere(self, callee);
}

/// Whether what is nested in `root` means the same on any thread. GPU ops
/// belong to the region's stream, awaits suspend it, a failing assertion ends
/// it, memory on the stack is that of the function, and lines that several
/// threads print come out mixed.
static bool runs_anywhere(loops *self, MlirOperation root) {
  static const char *const bound[] = {"cf.assert", "memref.alloca",
                                      "func.call_indirect", "vector.print"};
  agpu__ops nested = {0};
  agpu__collect(root, NULL, &nested);
  bool anywhere = true;
  for (size_t i = 0; i < nested.count && anywhere; ++i) {
    MlirOperation op = nested.data[i];
    anywhere =
        !agpu__op_in_dialect(op, "async") && !agpu__op_in_dialect(op, "gpu");
    for (size_t k = 0; k < sizeof(bound) / sizeof(*bound); ++k)
      anywhere &= !agpu__op_is(op, bound[k]);
    if (agpu__op_is(op, "func.call") || agpu__op_is(op, "llvm.call"))
      anywhere = anywhere && callee_runs_anywhere(self, op);
  }
  agpu__ops_free(&nested);
  return anywhere;
}

/// The function or region whose frame `op` runs in; a null op if it is not in
/// the program's own module.
static MlirOperation find_frame(MlirOperation module, MlirOperation op) {
  MlirOperation frame = {NULL};
  for (op = mlirOperationGetParentOperation(op);
       !mlirOperationEqual(op, module);
       op = mlirOperationGetParentOperation(op)) {
    bool is_frame = agpu__op_is(op, "func.func") ||
                    agpu__op_is(op, "async.func") ||
                    agpu__op_is(op, "async.execute");
    if (is_frame && mlirOperationIsNull(frame))
      frame = op;
    if (agpu__op_is(op, "builtin.module") || agpu__op_is(op, "gpu.module"))
      return (MlirOperation){NULL};
  }
  return frame;
}

//===----------------------------------------------------------------------===//
// What the body takes along
//===----------------------------------------------------------------------===//

static bool defined_inside(MlirValue value, MlirOperation loop) {
  MlirOperation op =
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOperationGetParentOperation(mlirOpResultGetOwner(value));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, loop))
      return true;
  return false;
}

/// The op behind a constant, which the body gets a copy of; otherwise null.
static MlirOperation constant_op(MlirValue value) {
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (agpu__op_is(op, "arith.constant") ||
        agpu__op_is(op, "llvm.mlir.constant") ||
        agpu__op_is(op, "memref.get_global"))
      return op;
  }
  return (MlirOperation){NULL};
}

/// A loop on its way. `outside` are the values that the body uses, constants
/// among them, and `inside` what it uses in their place.
typedef struct lowering {
  loops *loops;
  MlirOperation loop, frame;
  size_t dimensions;
  agpu__values outside, inside;
  MlirType *stored; ///< LLVM types of `outside`; null for constants
  MlirType context; ///< the structure of those
} lowering;

static void use(lowering *self, MlirValue value) {
  if (agpu__values_find(&self->outside, value) < 0)
    agpu__values_push(&self->outside, value);
}

static MlirValue lower_bound(const lowering *self, size_t dimension) {
  return mlirOperationGetOperand(self->loop, (intptr_t)dimension);
}
static MlirValue upper_bound(const lowering *self, size_t dimension) {
  return mlirOperationGetOperand(self->loop,
                                 (intptr_t)(self->dimensions + dimension));
}
static MlirValue step(const lowering *self, size_t dimension) {
  return mlirOperationGetOperand(self->loop,
                                 (intptr_t)(2 * self->dimensions + dimension));
}

/// Collects the values. False if one of them has no place in memory.
static bool collect_values(lowering *self) {
  for (size_t i = 0; i < self->dimensions; ++i) {
    use(self, lower_bound(self, i));
    use(self, step(self, i));
    // A single row gets its part of the iterations as numbers.
    if (self->dimensions > 1)
      use(self, upper_bound(self, i));
  }
  agpu__ops body = {0};
  agpu__collect(self->loop, NULL, &body);
  for (size_t i = 0; i < body.count; ++i)
    for (intptr_t n = 0; n < mlirOperationGetNumOperands(body.data[i]); ++n) {
      MlirValue value = mlirOperationGetOperand(body.data[i], n);
      if (!defined_inside(value, self->loop))
        use(self, value);
    }
  agpu__ops_free(&body);

  size_t count = self->outside.count;
  self->stored = calloc(count + 1, sizeof(*self->stored));
  MlirType *fields = calloc(count + 1, sizeof(*fields));
  if (!self->stored || !fields)
    abort();
  size_t field_count = 0;
  bool possible = true;
  for (size_t i = 0; i < count; ++i) {
    MlirValue value = self->outside.data[i];
    if (!mlirOperationIsNull(constant_op(value)))
      continue;
    MlirType type = mlirValueGetType(value);
    self->stored[i] = agpu__payload_type(type);
    // Objects are counted, which the passes behind this one could not follow.
    possible &= !agpu__type_is_object(type) && !mlirTypeIsNull(self->stored[i]);
    fields[field_count++] = self->stored[i];
  }
  if (possible)
    self->context =
        mlirLLVMStructTypeLiteralGet(mlirOperationGetContext(self->loop),
                                     (intptr_t)field_count, fields, false);
  free(fields);
  return possible;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static MlirValue convert(agpu__builder *at, const char *name, MlirValue value,
                         MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return agpu__result(agpu__build_op(at, name, &value, 1, type, NULL, 0), 0);
}

static MlirValue cast(agpu__builder *at, MlirValue value, MlirType type) {
  return convert(at, "builtin.unrealized_conversion_cast", value, type);
}

/// How often the loop goes around: max(0, ceil((upper - lower) / step)).
static MlirValue trip_count(agpu__builder *at, MlirValue lower, MlirValue upper,
                            MlirValue by) {
  MlirValue one = agpu__index_constant(at, 1);
  MlirValue length = agpu__build_binary(at, "arith.subi", upper, lower);
  MlirValue rounded = agpu__build_binary(
      at, "arith.addi", length, agpu__build_binary(at, "arith.subi", by, one));
  return agpu__build_binary(at, "arith.maxsi",
                            agpu__build_binary(at, "arith.divsi", rounded, by),
                            agpu__index_constant(at, 0));
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// `op` in the struct dialect of LLVM with the attribute `position`.
static MlirNamedAttribute position(agpu__builder *at, int64_t number) {
  return agpu__named(at->context, "position",
                     mlirDenseI64ArrayGet(at->context, 1, &number));
}

/// Gives the body its values: copies of constants, the rest from the context.
static void load_values(lowering *self, agpu__builder *at, MlirValue context) {
  MlirValue whole = agpu__llvm_load(at, context, self->context);
  int64_t field = 0;
  for (size_t i = 0; i < self->outside.count; ++i) {
    MlirValue value = self->outside.data[i];
    MlirOperation constant = constant_op(value);
    if (!mlirOperationIsNull(constant)) {
      MlirOperation copy = mlirOperationClone(constant);
      mlirBlockAppendOwnedOperation(at->block, copy);
      agpu__values_push(&self->inside, agpu__result(copy, 0));
      continue;
    }
    MlirNamedAttribute attribute = position(at, field++);
    MlirOperation extract = agpu__build_op(at, "llvm.extractvalue", &whole, 1,
                                           self->stored[i], &attribute, 1);
    agpu__values_push(&self->inside, cast(at, agpu__result(extract, 0),
                                          mlirValueGetType(value)));
  }
}

static MlirValue inside(const lowering *self, MlirValue value) {
  return self->inside.data[agpu__values_find(&self->outside, value)];
}

/// `scf.for` from `from` to below `to`, with an empty body but its terminator;
/// what comes next is built in it. Returns its index.
static MlirValue begin_loop(agpu__builder *at, MlirValue from, MlirValue to) {
  MlirValue operands[] = {from, to, agpu__index_constant(at, 1)};
  MlirType index = agpu__index_type(at->context);
  MlirBlock block = mlirBlockCreate(1, &index, &at->location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  agpu__op_spec spec = {.name = "scf.for",
                        .location = at->location,
                        .operands = operands,
                        .operand_count = 3,
                        .regions = &region,
                        .region_count = 1};
  agpu__build(at, &spec);
  agpu__builder end = agpu__builder_at_end(block, at->location);
  MlirOperation yield =
      agpu__build_op(&end, "scf.yield", NULL, 0, no_type, NULL, 0);
  *at = agpu__builder_before(yield);
  return mlirBlockGetArgument(block, 0);
}

/// The loop's own induction value, from how often it has gone around.
static MlirValue induction(const lowering *self, agpu__builder *at,
                           size_t dimension, MlirValue trip) {
  MlirValue distance = agpu__build_binary(at, "arith.muli", trip,
                                          inside(self, step(self, dimension)));
  return agpu__build_binary(
      at, "arith.addi", inside(self, lower_bound(self, dimension)), distance);
}

/// Loops over the iterations from `first` to below `last`, and the values that
/// stand for the loop's induction variables. `at` is then inside.
static void build_loops(lowering *self, agpu__builder *at, MlirValue first,
                        MlirValue last, MlirValue *out_values) {
  size_t inner = self->dimensions - 1;
  if (inner == 0) {
    MlirValue trip = begin_loop(at, first, last);
    out_values[0] = induction(self, at, 0, trip);
    return;
  }
  MlirValue *trips = calloc(self->dimensions, sizeof(*trips));
  if (!trips)
    abort();
  for (size_t i = 0; i < self->dimensions; ++i)
    trips[i] = trip_count(at, inside(self, lower_bound(self, i)),
                          inside(self, upper_bound(self, i)),
                          inside(self, step(self, i)));
  // Rows that the iterations lie in, the first and last of them in part.
  MlirValue length = trips[inner];
  MlirValue zero = agpu__index_constant(at, 0);
  MlirValue one = agpu__index_constant(at, 1);
  MlirValue last_row = agpu__build_binary(
      at, "arith.divsi", agpu__build_binary(at, "arith.subi", last, one),
      length);
  MlirValue row =
      begin_loop(at, agpu__build_binary(at, "arith.divsi", first, length),
                 agpu__build_binary(at, "arith.addi", last_row, one));
  MlirValue start = agpu__build_binary(at, "arith.muli", row, length);
  MlirValue rest = row;
  for (size_t i = inner; i-- > 0;) {
    out_values[i] = induction(
        self, at, i, agpu__build_binary(at, "arith.remsi", rest, trips[i]));
    rest = agpu__build_binary(at, "arith.divsi", rest, trips[i]);
  }
  MlirValue from =
      agpu__build_binary(at, "arith.maxsi", zero,
                         agpu__build_binary(at, "arith.subi", first, start));
  MlirValue to =
      agpu__build_binary(at, "arith.minsi", length,
                         agpu__build_binary(at, "arith.subi", last, start));
  out_values[inner] = induction(self, at, inner, begin_loop(at, from, to));
  free(trips);
}

/// Moves the body of the loop to where `at` is.
static void move_body(lowering *self, agpu__builder *at,
                      const MlirValue *values) {
  agpu__ops nested = {0};
  agpu__collect(self->loop, NULL, &nested);
  for (size_t i = 0; i < nested.count; ++i)
    for (intptr_t n = 0; n < mlirOperationGetNumOperands(nested.data[i]); ++n) {
      intptr_t number = agpu__values_find(
          &self->outside, mlirOperationGetOperand(nested.data[i], n));
      if (number >= 0)
        mlirOperationSetOperand(nested.data[i], n, self->inside.data[number]);
    }
  agpu__ops_free(&nested);

  MlirBlock block =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(self->loop, 0));
  for (size_t i = 0; i < self->dimensions; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, (intptr_t)i),
                                  values[i]);
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, end);) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(at->block, at->before, op);
    op = next;
  }
}

/// "<function>_loop", for the function that the loop stands in. The caller
/// frees it.
static char *function_name(const lowering *self) {
  MlirOperation op = self->frame;
  while (!agpu__has_attr(op, "sym_name"))
    op = mlirOperationGetParentOperation(op);
  MlirStringRef name = agpu__get_string(op, "sym_name");
  return agpu__format("%.*s_loop", (int)name.length, name.data);
}

static MlirType body_type(MlirContext context) {
  MlirType i64 = agpu__i64_type(context);
  MlirType inputs[] = {agpu__ptr_type(context), i64, i64};
  return mlirFunctionTypeGet(context, 3, inputs, 0, NULL);
}

/// The function of the body; named, and inserted into the module.
static MlirOperation build_function(lowering *self) {
  MlirContext context = mlirOperationGetContext(self->loop);
  MlirLocation location = mlirOperationGetLocation(self->loop);
  MlirType type = body_type(context);
  char *name = function_name(self);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "function_type", mlirTypeAttrGet(type)),
      agpu__named(context, "sym_visibility",
                  agpu__string_attr(context, "private")),
      agpu__named(context, "llvm.linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal)),
  };
  free(name);
  MlirRegion region = mlirRegionCreate();
  MlirType inputs[] = {mlirFunctionTypeGetInput(type, 0),
                       mlirFunctionTypeGetInput(type, 1),
                       mlirFunctionTypeGetInput(type, 2)};
  MlirLocation locations[] = {location, location, location};
  MlirBlock block = mlirBlockCreate(3, inputs, locations);
  mlirRegionAppendOwnedBlock(region, block);
  agpu__builder module =
      agpu__builder_at_end(agpu__module_body(self->loops->module), location);
  agpu__op_spec spec = {.name = "func.func",
                        .location = location,
                        .attributes = attributes,
                        .attribute_count = 4,
                        .regions = &region,
                        .region_count = 1};
  MlirOperation function = agpu__build(&module, &spec);
  mlirSymbolTableInsert(self->loops->symbols, function);

  agpu__builder at = agpu__builder_at_end(block, location);
  MlirType index = agpu__index_type(context);
  load_values(self, &at, mlirBlockGetArgument(block, 0));
  MlirValue first =
      convert(&at, "arith.index_cast", mlirBlockGetArgument(block, 1), index);
  MlirValue last =
      convert(&at, "arith.index_cast", mlirBlockGetArgument(block, 2), index);
  MlirValue *values = calloc(self->dimensions, sizeof(*values));
  if (!values)
    abort();
  agpu__builder body = at;
  build_loops(self, &body, first, last, values);
  move_body(self, &body, values);
  free(values);
  agpu__build_op(&at, "func.return", NULL, 0, no_type, NULL, 0);
  return function;
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Roughly how many ops one iteration runs.
static int64_t count_ops(MlirBlock block) {
  int64_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    int64_t inner = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      for (MlirBlock nested =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
           !mlirBlockIsNull(nested); nested = mlirBlockGetNextInRegion(nested))
        inner += count_ops(nested);
    bool repeats = agpu__op_is(op, "scf.for") || agpu__op_is(op, "scf.while") ||
                   agpu__op_is(op, "scf.parallel") ||
                   agpu__op_is(op, "affine.for") ||
                   agpu__op_is(op, "affine.parallel");
    count += 1 + (repeats ? UNKNOWN_TRIPS * inner : inner);
    if (agpu__op_is(op, "func.call") || agpu__op_is(op, "llvm.call"))
      count += CALL_OPS;
    if (count > OPS_PER_PIECE)
      return OPS_PER_PIECE;
  }
  return count;
}

/// The structure with all values, in memory of the frame.
static MlirValue build_context(lowering *self, agpu__builder *at) {
  agpu__builder entry = agpu__builder_at_start(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(self->frame, 0)),
      at->location);
  MlirValue one = agpu__llvm_i64(&entry, 1);
  MlirNamedAttribute element =
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(self->context));
  MlirValue memory =
      agpu__result(agpu__build_op(&entry, "llvm.alloca", &one, 1,
                                  agpu__ptr_type(at->context), &element, 1),
                   0);
  MlirValue whole = agpu__result(
      agpu__build_op(at, "llvm.mlir.undef", NULL, 0, self->context, NULL, 0),
      0);
  int64_t field = 0;
  for (size_t i = 0; i < self->outside.count; ++i) {
    if (mlirTypeIsNull(self->stored[i]))
      continue;
    MlirValue operands[] = {whole,
                            cast(at, self->outside.data[i], self->stored[i])};
    MlirNamedAttribute attribute = position(at, field++);
    whole = agpu__result(agpu__build_op(at, "llvm.insertvalue", operands, 2,
                                        self->context, &attribute, 1),
                         0);
  }
  agpu__llvm_store(at, whole, memory);
  return memory;
}

static void build_call(lowering *self, MlirOperation function, int64_t grain) {
  agpu__builder at = agpu__builder_before(self->loop);
  MlirType i64 = agpu__i64_type(at.context);
  MlirType ptr = agpu__ptr_type(at.context);
  MlirValue count = agpu__index_constant(&at, 1);
  for (size_t i = 0; i < self->dimensions; ++i)
    count = agpu__build_binary(&at, "arith.muli", count,
                               trip_count(&at, lower_bound(self, i),
                                          upper_bound(self, i), step(self, i)));
  MlirNamedAttribute symbol =
      agpu__named(at.context, "value",
                  mlirFlatSymbolRefAttrGet(
                      at.context, agpu__get_string(function, "sym_name")));
  MlirValue constant =
      agpu__result(agpu__build_op(&at, "func.constant", NULL, 0,
                                  body_type(at.context), &symbol, 1),
                   0);
  MlirValue operands[] = {
      convert(&at, "arith.index_cast", count, i64),
      convert(&at, "arith.index_cast", agpu__index_constant(&at, grain), i64),
      cast(&at, constant, ptr),
      build_context(self, &at),
  };
  agpu__call_runtime(&at, self->loops->module, "agpu_parallel_for", operands, 4,
                     no_type);
}

/// Lowers the loop if that is possible and worth it.
static bool lower(loops *all, MlirOperation loop) {
  lowering self = {.loops = all, .loop = loop};
  self.frame = find_frame(all->module, loop);
  if (mlirOperationIsNull(self.frame) || mlirOperationGetNumResults(loop) > 0)
    return false;
  all->visited.count = 0;
  if (!runs_anywhere(all, loop))
    return false;
  self.dimensions = (size_t)mlirBlockGetNumArguments(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
  bool possible = collect_values(&self);
  if (possible) {
    int64_t ops =
        count_ops(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
    int64_t grain = OPS_PER_PIECE / ops;
    build_call(&self, build_function(&self), grain > 1 ? grain : 1);
    mlirOperationDestroy(loop);
  }
  agpu__values_free(&self.outside);
  agpu__values_free(&self.inside);
  free(self.stored);
  return possible;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  if (mlirLogicalResultIsFailure(agpu__abi_option(module, values, &upstream)))
    return mlirLogicalResultFailure();
  if (upstream)
    return mlirLogicalResultSuccess();
  loops all = {.module = module, .symbols = mlirSymbolTableCreate(module)};
  agpu__ops found = {0}, inner = {0};
  agpu__collect(module, "scf.parallel", &found);
  for (size_t i = 0; i < found.count; ++i) {
    MlirOperation loop = found.data[i];
    if (contains(&inner, loop))
      continue;
    agpu__ops nested = {0};
    agpu__collect(loop, "scf.parallel", &nested);
    if (lower(&all, loop))
      for (size_t k = 0; k < nested.count; ++k)
        agpu__ops_push(&inner, nested.data[k]);
    agpu__ops_free(&nested);
  }
  agpu__ops_free(&found);
  agpu__ops_free(&inner);
  agpu__ops_free(&all.visited);
  mlirSymbolTableDestroy(all.symbols);
  return mlirLogicalResultSuccess();
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_parallel = {
    .argument = "async-gpu-parallel",
    .summary = "Run the iterations of scf.parallel on all threads",
    .description =
        "The body of an `scf.parallel` becomes a function that runs a part of "
        "the iterations, of all dimensions taken together, and the loop a call "
        "of `agpu_parallel_for` (`async_gpu/parallel.h`), which hands such "
        "parts to the threads that have nothing else to do. A loop inside "
        "another one that is lowered stays as it is. The runtime keeps a loop "
        "on its thread when it is too short to be shared, by an estimate of "
        "how many ops an iteration runs.\n\n"
        "A loop stays as it is, and runs on one thread, if it has a reduction, "
        "or if its body is bound to its region or thread: if it holds, itself "
        "or in functions that it calls, an op of `async` or `gpu`, "
        "`cf.assert`, `memref.alloca`, `vector.print`, a call through a "
        "pointer or a function with `async_gpu.enqueue`; and for "
        "`abi=upstream`.",
    .before = "scf.parallel (%i) = (%c0) to (%n) step (%c1) {\n"
              "  func.call @work(%i, %m) : (index, memref<?xf32>) -> ()\n"
              "}\n",
    .after = "call @agpu_parallel_for(%count, %grain, %main_loop, %context)\n"
             "    : (i64, i64, !llvm.ptr, !llvm.ptr) -> ()\n"
             "\n"
             "func.func private @main_loop(%context: !llvm.ptr, %first: i64,\n"
             "                             %last: i64) {\n"
             "  ... // %m, %0 and %1 from the context and the numbers\n"
             "  scf.for %i = %0 to %1 step %c1 {\n"
             "    func.call @work(%i, %m) : (index, memref<?xf32>) -> ()\n"
             "  }\n"
             "  return\n"
             "}\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
