//===- check_input.c - What no pass could lower ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-check-input`: what would crash a pass of upstream's or
// fail far from its cause is reported where it stands.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

typedef struct checker {
  MlirOperation module;
  MlirSymbolTable symbols; ///< of the module; made when it is first needed
  agpu__map effects;       ///< of functions, by their address
  bool failed;
} checker;

static MlirSymbolTable symbols_of(checker *self) {
  if (!self->symbols.ptr)
    self->symbols = mlirSymbolTableCreate(self->module);
  return self->symbols;
}

static void report(checker *self, MlirOperation op, const char *message) {
  agpu__error(mlirOperationGetLocation(op), "%s", message);
  self->failed = true;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static MlirOperation enclosing(MlirOperation op, const char *name) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && !agpu__op_is(op, name));
  return op;
}

/// A symbol that `attribute` refers to and the module does not have; null if
/// there is none.
static MlirAttribute unknown_symbol(checker *self, MlirAttribute attribute) {
  MlirAttribute none = mlirAttributeGetNull();
  if (mlirAttributeIsASymbolRef(attribute)) {
    return mlirOperationIsNull(mlirSymbolTableLookup(
               symbols_of(self), mlirSymbolRefAttrGetRootReference(attribute)))
               ? attribute
               : none;
  }
  MlirAttribute found = none;
  if (mlirAttributeIsAArray(attribute))
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attribute) &&
                         mlirAttributeIsNull(found);
         ++i)
      found = unknown_symbol(self, mlirArrayAttrGetElement(attribute, i));
  if (mlirAttributeIsADictionary(attribute))
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attribute) &&
                         mlirAttributeIsNull(found);
         ++i)
      found = unknown_symbol(
          self, mlirDictionaryAttrGetElement(attribute, i).attribute);
  return found;
}

/// What stands in a launch is outlined with the symbols that it needs. The
/// launch itself names what is to be made.
static MlirWalkResult check_symbols(MlirOperation op, void *data) {
  checker *self = data;
  if (agpu__op_is(op, "gpu.launch"))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute found =
        unknown_symbol(self, mlirOperationGetAttribute(op, i).attribute);
    if (mlirAttributeIsNull(found))
      continue;
    MlirStringRef name = mlirSymbolRefAttrGetRootReference(found);
    agpu__error(mlirOperationGetLocation(op),
                "the body of a gpu.launch refers to '%.*s', which the module "
                "does not have",
                AGPU__STR(name));
    self->failed = true;
  }
  return MlirWalkResultAdvance;
}

static bool is_in_kernel(MlirOperation op) {
  return !mlirOperationIsNull(enclosing(op, "gpu.launch")) ||
         !mlirOperationIsNull(enclosing(op, "gpu.func"));
}

static void check_launch(checker *self, MlirOperation launch) {
  if (is_in_kernel(launch))
    report(self, launch,
           "a gpu.launch cannot stand in a kernel: the host launches kernels, "
           "so that this one has to follow the other");
  else if (agpu__op_is(launch, "gpu.launch"))
    mlirOperationWalk(launch, check_symbols, self, MlirWalkPreOrder);
}

/// What upstream's gpu-to-llvm makes of a launch.
static void check_lowered_launch(checker *self, MlirOperation launch) {
  if (mlirOperationIsNull(enclosing(launch, "func.func")) &&
      !mlirOperationIsNull(enclosing(launch, "llvm.func")))
    report(self, launch,
           "this gpu.launch_func stands in an llvm.func, as upstream's "
           "gpu-to-llvm leaves it: async-gpu-lower takes programs before "
           "gpu-to-llvm; what upstream has lowered goes on with "
           "gpu-module-to-binary and mlir-runner (docs/upstream-gpu.md)");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void check_type(checker *self, MlirOperation function, MlirType type) {
  if (mlirTypeIsATensor(type))
    report(self, function,
           "this function takes or gives a tensor: put tensors into memory "
           "first (--one-shot-bufferize='bufferize-function-boundaries')");
  else if (agpu__type_has_prefix(type, "!async.coro."))
    report(self, function,
           "a coroutine's id, state and handle cannot go through a function: "
           "its ops have to stand in one");
}

static void check_function(checker *self, MlirOperation function) {
  MlirType type = agpu__function_type(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (!self->failed)
      check_type(self, function, mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (!self->failed)
      check_type(self, function, mlirFunctionTypeGetResult(type, i));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The sizes of a dimension that becomes several are worked out from each
/// other, as long as one is unknown.
static void check_expansion(checker *self, MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  MlirAttribute groups = agpu__attr(op, "reassociation");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(groups); ++i) {
    MlirAttribute group = mlirArrayAttrGetElement(groups, i);
    int dynamic = 0;
    for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(group); ++k)
      dynamic += mlirShapedTypeIsDynamicDim(
          type, mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k)));
    if (dynamic < 2)
      continue;
    report(self, op,
           "memref.expand_shape into more than one dynamic size has no "
           "conversion: give all but one of them a static size, or use "
           "memref.reinterpret_cast");
    return;
  }
}

/// Upstream's conversion has the box's sizes read as far as the memref's rank.
static void check_tensor_map(checker *self, MlirOperation op) {
  MlirValue memref = mlirOperationGetOperand(op, 0);
  intptr_t sizes = mlirOperationGetNumOperands(op) - 1;
  MlirOperation cast = agpu__maker_of(memref);
  if (!agpu__op_is(cast, "memref.cast"))
    return;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(cast, 0));
  if (mlirShapedTypeHasRank(type) && mlirShapedTypeGetRank(type) != sizes)
    report(self, op,
           "the box of a tensor map has a size for each dimension of the "
           "memref, no more and no fewer");
}

/// MLIR takes any attribute with a dot in its name, and nothing reads one that
/// is misspelt.
static void check_attributes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(op); ++i) {
    MlirStringRef name =
        mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if ((agpu__attribute_is_of_host(name) ||
         agpu__attribute_is_of_device(name)) &&
        !agpu__attribute_find(name))
      agpu__warning(mlirOperationGetLocation(op),
                    "nothing reads the attribute '%.*s': those of programs "
                    "are " AGPU__CAPTURE_ATTR ", " AGPU__DEVICE_ATTR
                    ", " AGPU__ENQUEUE_ATTR ", " AGPU__GRAPHS_ATTR
                    ", " AGPU__NON_BLOCKING ", " AGPU__OBSERVES_ATTR
                    " and " AGPU__PRIORITY_ATTR,
                    AGPU__STR(name));
  }
}

/// Code stands in functions; a module holds what has a name, and what LLVM's
/// modules hold beside that.
static bool is_code_of_module(const checker *self, MlirOperation op) {
  return mlirOperationEqual(mlirOperationGetParentOperation(op),
                            self->module) &&
         !agpu__has_attr(op, "sym_name") && !agpu__op_in_dialect(op, "llvm") &&
         !agpu__op_in_dialect(op, "builtin");
}

static MlirWalkResult check_op(MlirOperation op, void *data) {
  checker *self = data;
  check_attributes(op);
  if (agpu__op_in_dialect(op, "transform")) {
    report(self, op,
           "a schedule of the transform dialect is not a program: apply it "
           "with --transform-interpreter and remove it with "
           "--async-gpu-drop-schedules");
    return MlirWalkResultSkip;
  }
  if (!self->failed && is_code_of_module(self, op)) {
    MlirStringRef name = agpu__op_name(op);
    agpu__error(mlirOperationGetLocation(op),
                "%.*s stands in no function: put it into a func.func",
                AGPU__STR(name));
    self->failed = true;
    return MlirWalkResultSkip;
  }
  if (agpu__op_is(op, "gpu.launch"))
    check_launch(self, op);
  else if (agpu__op_is(op, "gpu.launch_func"))
    check_lowered_launch(self, op);
  else if (agpu__op_is(op, "func.func"))
    check_function(self, op);
  else if (agpu__op_is(op, "memref.expand_shape"))
    check_expansion(self, op);
  else if (agpu__op_is(op, "nvgpu.tma.create.descriptor"))
    check_tensor_map(self, op);
  return MlirWalkResultAdvance;
}

//===----------------------------------------------------------------------===//
// Regions that nothing waits for
//===----------------------------------------------------------------------===//

/// What the code of a region or function does, as bits.
enum { WRITES = 1, TELLS = 2 };

static MlirOperation callee_of(checker *self, MlirOperation op) {
  return agpu__op_is(op, "func.call") ? agpu__find_callee(symbols_of(self), op)
                                      : (MlirOperation){NULL};
}

/// True if others may learn by this op, in a region, how far that is: by a word
/// in memory, a message, an object of the runtime, or whatever a function of
/// another language does.
static bool tells_others(checker *self, MlirOperation op) {
  MlirOperation callee = callee_of(self, op);
  if (!mlirOperationIsNull(callee))
    return agpu__is_declaration(callee) &&
           !agpu__is_print_function(agpu__get_string(callee, "sym_name"));
  const agpu__op_row *row = agpu__row_of(op);
  return row->traits & AGPU__OP_TELLS || agpu__op_in_dialect(op, "mpi");
}

/// True if the op, or the kernel that it launches, may write memory through
/// operand `number`.
static bool may_write(MlirOperation op, intptr_t number) {
  return agpu__row_of(op)->class == AGPU__OP_LAUNCH ||
         agpu__writes_operand(op, number);
}

/// True if `op` of a function writes memory that the function has not
/// allocated.
static bool writes_given_memory(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(value) || !may_write(op, i))
      continue;
    value = agpu__view_source(value);
    if (!mlirValueIsAOpResult(value) ||
        agpu__row_of(mlirOpResultGetOwner(value))->class != AGPU__OP_ALLOCATES)
      return true;
  }
  return false;
}

/// What the callee does, and all that it calls.
static unsigned effects_of(checker *self, MlirOperation callee) {
  size_t known = agpu__map_get(&self->effects, callee.ptr);
  if (known != AGPU__MAP_NONE)
    return (unsigned)known;
  unsigned effects = 0;
  AGPU__SCOPED(ops) functions = {0};
  AGPU__SCOPED(map) found = {0};
  agpu__ops_push(&functions, callee);
  agpu__map_set(&found, callee.ptr, 0);
  for (size_t i = 0; i < functions.count; ++i) {
    AGPU__OPS_IN_FOREACH (op, functions.data[i], NULL) {
      effects |= writes_given_memory(op) ? WRITES : 0;
      effects |= tells_others(self, op) ? TELLS : 0;
      MlirOperation next = callee_of(self, op);
      if (mlirOperationIsNull(next) || agpu__is_declaration(next) ||
          agpu__map_get(&found, next.ptr) != AGPU__MAP_NONE)
        continue;
      agpu__map_set(&found, next.ptr, 0);
      agpu__ops_push(&functions, next);
    }
  }
  agpu__map_set(&self->effects, callee.ptr, effects);
  return effects;
}

/// What `op`, in the region of `execute`, does: WRITES is of memory of which
/// others have the memref.
static unsigned effects_in_region(checker *self, MlirOperation op,
                                  MlirOperation execute) {
  unsigned effects = tells_others(self, op) ? TELLS : 0, called = 0;
  MlirOperation callee = callee_of(self, op);
  if (!mlirOperationIsNull(callee) && !agpu__is_declaration(callee))
    called = effects_of(self, callee);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (agpu__is_memref(value) && (called & WRITES || may_write(op, i)) &&
        !agpu__defined_inside(agpu__view_source(value), execute))
      effects |= WRITES;
  }
  return effects | (called & TELLS);
}

/// What prints, or waits for others, may go on by itself until the program
/// ends. What a region writes is of use only to code that knows when it is
/// done.
static void warn_of_lost_region(checker *self, MlirOperation execute) {
  if (agpu__has_used_results(execute))
    return;
  AGPU__SCOPED(ops) body = agpu__ops_in(execute, NULL);
  unsigned effects = 0;
  for (size_t i = 0; i < body.count && !(effects & TELLS); ++i)
    effects |= effects_in_region(self, body.data[i], execute);
  if (effects == WRITES)
    agpu__warning(mlirOperationGetLocation(execute),
                  "nothing waits for this region, which writes memory from "
                  "outside of it: await its token, or have other regions "
                  "depend on it");
}

static void warn_of_lost_regions(checker *self) {
  AGPU__OPS_IN_FOREACH (region, self->module, "async.execute")
    warn_of_lost_region(self, region);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirLogicalResult run(MlirOperation module) {
  checker self = {.module = module};
  mlirOperationWalk(module, check_op, &self, MlirWalkPreOrder);
  if (!self.failed)
    warn_of_lost_regions(&self);
  if (self.symbols.ptr)
    mlirSymbolTableDestroy(self.symbols);
  agpu__map_free(&self.effects);
  return self.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_check_input = {
    .argument = "async-gpu-check-input",
    .summary = "Report what no pass can lower",
    .run = run,
};
