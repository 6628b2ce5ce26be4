//===- nvvm.c - gpu.module to the LLVM and NVVM dialects ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks once at what a gpu.module holds, expands what upstream has no
// conversion for (expand/), runs the conversions that are needed in one
// pipeline, puts right what they get wrong (repair.c and others), and checks
// what is left: the LLVM and NVVM dialects alone, without what LLVM itself
// would refuse.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "gpu/kernels/kernels.h"
#include "gpu/nvvm/expand/expand.h"
#include "lower/convert/convert.h"
#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What a module holds
//===----------------------------------------------------------------------===//

/// What the choice of conversions depends on. Most kernels need few of them,
/// and a conversion that finds nothing to do still costs a tenth of a
/// millisecond or more.
typedef struct contents {
  bool affine, arith_division, atomics, clamp, complex, copies, fragments,
      lane_zero, linalg, math, memref, multi_reductions, nvgpu, nvvm, printing,
      reductions, scf, shuffles, subgroups, vector;
  bool other; ///< anything that is in neither the LLVM nor the NVVM dialect
} contents;

static bool name_begins(MlirStringRef name, const char *prefix) {
  size_t length = strlen(prefix);
  return name.length >= length && memcmp(name.data, prefix, length) == 0;
}

static MlirWalkResult note_op(MlirOperation op, void *data) {
  contents *found = data;
  MlirStringRef name = agpu__op_name(op);
  if (name_begins(name, "gpu.module"))
    return MlirWalkResultAdvance;
  if (name_begins(name, "nvvm.")) {
    found->nvvm = true;
    return MlirWalkResultAdvance;
  }
  if (name_begins(name, "llvm."))
    return MlirWalkResultAdvance;
  found->other = true;
  found->affine |= name_begins(name, "affine.");
  found->arith_division |=
      name_begins(name, "arith.ceildiv") || name_begins(name, "arith.floordiv");
  found->atomics |= name_begins(name, "memref.atomic_rmw");
  found->clamp |= name_begins(name, "math.clampf");
  found->complex |= name_begins(name, "complex.");
  found->copies |= name_begins(name, "memref.copy");
  found->fragments |= name_begins(name, "gpu.subgroup_mma_");
  found->lane_zero |= name_begins(name, "gpu.warp_execute_on_lane_0");
  found->linalg |= name_begins(name, "linalg.");
  found->math |= name_begins(name, "math.");
  found->memref |= name_begins(name, "memref.");
  found->multi_reductions |= name_begins(name, "vector.multi_reduction");
  found->nvgpu |= name_begins(name, "nvgpu.");
  found->printing |= name_begins(name, "gpu.printf");
  found->reductions |= name_begins(name, "gpu.all_reduce") ||
                       name_begins(name, "gpu.subgroup_reduce");
  found->scf |= name_begins(name, "scf.");
  found->shuffles |= name_begins(name, "gpu.shuffle") ||
                     name_begins(name, "gpu.rotate") ||
                     name_begins(name, "gpu.subgroup_broadcast");
  found->subgroups |= name_begins(name, "gpu.subgroup_id") ||
                      name_begins(name, "gpu.subgroup_size") ||
                      name_begins(name, "gpu.num_subgroups");
  found->vector |= name_begins(name, "vector.");
  return MlirWalkResultAdvance;
}

// What upstream expresses by exponentials, logarithms and square roots.
#define EXPANSIONS                                                             \
  "math-expand-ops{ops=clampf,sinh,cosh,tanh,asinh,acosh,atanh,fpowi,rsqrt,"   \
  "tan},"

/// The conversions that `found` needs, as a pipeline's text. Each comes after
/// those whose results it converts.
static void pipeline_text(const contents *found,
                          const agpu__nvvm_options *options, agpu__text *text) {
  if (found->nvgpu)
    agpu__text_puts(text, "convert-nvgpu-to-nvvm,");
  if (found->linalg)
    agpu__text_puts(text, "convert-linalg-to-loops,");
  // Transfers of vectors become loops, with memory and affine.apply in them.
  if (found->vector)
    agpu__text_puts(text, "convert-vector-to-scf,");
  // Views and reshapes become arithmetic on offsets, in affine.apply.
  if (found->memref || found->linalg || found->vector)
    agpu__text_puts(text, "expand-strided-metadata,");
  if (found->affine || found->memref || found->linalg || found->vector)
    agpu__text_puts(text, "lower-affine,");
  if (found->scf || found->affine || found->linalg || found->vector)
    agpu__text_puts(text, "convert-scf-to-cf,");
  if (found->complex)
    agpu__text_puts(text, "convert-complex-to-standard,");
  if (found->math && options->expand_math)
    agpu__text_puts(text, EXPANSIONS);
  else if (found->clamp)
    agpu__text_puts(text, "math-expand-ops{ops=clampf},");
  if (found->arith_division)
    agpu__text_puts(text, "arith-expand,");
  if (found->vector)
    agpu__text_puts(text, "convert-vector-to-llvm,");
  agpu__text_puts(text, "convert-gpu-to-nvvm{index-bitwidth=64");
  if (options->bare_pointers)
    agpu__text_puts(text, " use-bare-ptr-memref-call-conv=1");
  // All that have conversions but the NVVM dialect, whose ops become text of
  // PTX (agpu__nvvm_to_text).
  if (found->nvvm || found->nvgpu)
    agpu__text_puts(text, " allowed-dialects=arith,cf,complex,func,index,"
                          "memref,ub,vector");
  agpu__text_puts(text, "},");
  // The math ops that have no libdevice function: bit counts, truncation.
  if (found->math || found->complex)
    agpu__text_puts(text, "convert-math-to-llvm,");
  agpu__text_puts(text, "reconcile-unrealized-casts");
}

//===----------------------------------------------------------------------===//
// What is left over
//===----------------------------------------------------------------------===//

/// What would have to be done about an op.
static const char *advice(MlirStringRef name) {
  static const char *const others[] = {"amdgpu.", "rocdl.", "spirv.", "xegpu.",
                                       "xevm."};
  for (size_t i = 0; i < AGPU__COUNT(others); ++i)
    if (name_begins(name, others[i]))
      return "its dialect is for other GPUs than NVIDIA's";
  return "lower it before this pipeline to ops that upstream converts to NVVM";
}

typedef struct leftovers {
  bool casts; ///< report casts (second look) rather than everything else
  size_t count;
} leftovers;

static MlirWalkResult report_leftover(MlirOperation op, void *data) {
  leftovers *found = data;
  MlirStringRef name = agpu__op_name(op);
  if (name_begins(name, "llvm.") || name_begins(name, "nvvm.") ||
      name_begins(name, "gpu.module"))
    return MlirWalkResultAdvance;
  if (name_begins(name, "builtin.unrealized_conversion_cast") != found->casts)
    return MlirWalkResultAdvance;
  ++found->count;
  agpu__error(mlirOperationGetLocation(op),
              "'%.*s' cannot be lowered inside a gpu.module: %s",
              AGPU__STR(name), advice(name));
  return MlirWalkResultAdvance;
}

/// Reports every op outside the LLVM and NVVM dialects. Casts between types
/// are only the traces of other leftovers, so they count when alone.
static MlirLogicalResult check_leftovers(MlirOperation gpu_module) {
  leftovers found = {0};
  mlirOperationWalk(gpu_module, report_leftover, &found, MlirWalkPreOrder);
  if (!found.count) {
    found.casts = true;
    mlirOperationWalk(gpu_module, report_leftover, &found, MlirWalkPreOrder);
  }
  return found.count ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}

/// Reports a value of a type that only other targets have.
static bool check_type(MlirOperation op, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsAVector(type) || !mlirVectorTypeIsScalable(type))
    return true;
  agpu__error(mlirOperationGetLocation(op),
              "kernels cannot hold vectors of scalable size");
  return false;
}

/// LLVM knows atomic operations on these floats only.
static bool check_atomic(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 1));
  if (!mlirTypeIsAFloat(type) || mlirTypeIsAF16(type) ||
      mlirTypeIsABF16(type) || mlirTypeIsAF32(type) || mlirTypeIsAF64(type))
    return true;
  agpu__error(mlirOperationGetLocation(op),
              "there is no atomic operation on this type");
  return false;
}

/// Reports what the LLVM dialect allows and LLVM does not. Both targets have
/// these, and only here a location is still known.
static MlirWalkResult check_op(MlirOperation op, void *data) {
  bool *failed = data;
  if (agpu__op_is(op, "llvm.atomicrmw"))
    *failed |= !check_atomic(op);
  if (agpu__op_is(op, "llvm.call"))
    *failed |= !agpu__check_printing(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    *failed |= !check_type(op, agpu__result(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, r))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        *failed |= !check_type(op, mlirBlockGetArgument(block, i));
  return MlirWalkResultAdvance;
}

static bool is_shared(MlirOperation global) {
  MlirAttribute space = agpu__attr(global, "addr_space");
  return !mlirAttributeIsNull(space) && mlirIntegerAttrGetValueInt(space) == 3;
}

/// Reports globals without an initial value: a gpu.module has nothing that it
/// could be linked with. Shared memory has none by nature.
static bool globals_have_values(MlirOperation gpu_module) {
  bool good = true;
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module)) {
    if (!agpu__op_is(op, "llvm.mlir.global"))
      continue;
    bool has_value = agpu__has_attr(op, "value");
    if (is_shared(op) ? !has_value : has_value || !agpu__is_declaration(op))
      continue;
    agpu__error(mlirOperationGetLocation(op),
                is_shared(op)
                    ? "workgroup memory has no initial value: write "
                      "'uninitialized', and have threads store it"
                    : "a global in a gpu.module needs an initial value (or "
                      "'uninitialized')");
    good = false;
  }
  return good;
}

//===----------------------------------------------------------------------===//
// C wrappers
//===----------------------------------------------------------------------===//

/// Makes a declaration of an llvm.func.
static void drop_body(MlirOperation function) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  for (MlirBlock block;
       block = mlirRegionGetFirstBlock(region), !mlirBlockIsNull(block);) {
    mlirBlockDetach(block);
    mlirBlockDestroy(block);
  }
  agpu__set_attr(function, "linkage",
                 mlirLLVMLinkageAttrGet(mlirOperationGetContext(function),
                                        MlirLLVMLinkageExternal));
}

/// Upstream's conversion gives each func.func a twin `_mlir_ciface_NAME` for
/// callers in C, and turns a declaration into a call of the twin. Kernels have
/// no C around them: takes the twins away and makes declarations again.
static void drop_c_wrappers(MlirOperation gpu_module) {
  static const char prefix[] = "_mlir_ciface_";
  static const char mark[] = "llvm.emit_c_interface";
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    MlirStringRef name = agpu__get_string(op, "sym_name");
    if (agpu__op_is(op, "llvm.func") && name_begins(name, prefix)) {
      MlirOperation function = mlirSymbolTableLookup(
          symbols, mlirStringRefCreate(name.data + sizeof(prefix) - 1,
                                       name.length - (sizeof(prefix) - 1)));
      if (!mlirOperationIsNull(function) && agpu__has_attr(function, mark)) {
        if (agpu__is_declaration(op))
          drop_body(function);
        agpu__remove_attr(function, mark);
        mlirOperationDestroy(op);
      }
    }
    op = next;
  }
  mlirSymbolTableDestroy(symbols);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// Runs the conversions that `found` needs.
static MlirLogicalResult convert(MlirOperation gpu_module,
                                 const contents *found,
                                 const agpu__nvvm_options *options) {
  AGPU__SCOPED(text) pipeline = {0};
  pipeline_text(found, options, &pipeline);
  agpu__split_long_blocks(gpu_module);
  return agpu__upstream_run(gpu_module, agpu__text_get(&pipeline));
}

/// Upstream lowers these to calls of a library that the host has.
static MlirLogicalResult check_host_prints(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (op, gpu_module, "vector.print")
    result = agpu__error(mlirOperationGetLocation(op),
                         "vector.print is not supported in a kernel: print "
                         "numbers with gpu.printf");
  return result;
}

/// Expresses what hardware has no instruction for by what it has.
static MlirLogicalResult expand(MlirOperation gpu_module,
                                const agpu__nvvm_options *options,
                                contents *found) {
  if (found->vector &&
      mlirLogicalResultIsFailure(check_host_prints(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->memref &&
      mlirLogicalResultIsFailure(agpu__place_allocations(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->lane_zero &&
      mlirLogicalResultIsFailure(agpu__expand_lane_zero(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->reductions &&
      mlirLogicalResultIsFailure(agpu__expand_reductions(
          gpu_module, options->has_redux, options->is_native)))
    return mlirLogicalResultFailure();
  if ((found->lane_zero || found->reductions || found->shuffles) &&
      mlirLogicalResultIsFailure(agpu__expand_shuffles(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->printing &&
      mlirLogicalResultIsFailure(agpu__expand_printing(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->copies &&
      mlirLogicalResultIsFailure(agpu__expand_copies(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->fragments &&
      mlirLogicalResultIsFailure(agpu__expand_fragments(gpu_module)))
    return mlirLogicalResultFailure();
  if (found->subgroups)
    agpu__expand_subgroups(gpu_module);
  if (found->vector)
    agpu__expand_vector_accesses(gpu_module);
  bool rewritten = found->math && agpu__expand_math(gpu_module);
  if (found->math && options->expand_math)
    rewritten |= agpu__expand_functions(gpu_module);
  if (found->math)
    agpu__repair_fma(gpu_module);
  if (found->arith_division)
    agpu__repair_extremes(gpu_module);
  if (found->multi_reductions &&
      mlirLogicalResultIsFailure(agpu__repair_multi_reductions(gpu_module)))
    return mlirLogicalResultFailure();
  rewritten |= agpu__expand_small_conversions(gpu_module);
  rewritten |= found->atomics && agpu__expand_atomics(gpu_module);
  if (rewritten || found->lane_zero || found->reductions || found->shuffles ||
      found->copies || found->printing) {
    *found = (contents){0};
    mlirOperationWalk(gpu_module, note_op, found, MlirWalkPreOrder);
  }
  return mlirLogicalResultSuccess();
}

/// Reports parameters of kernels that cannot be bare pointers.
static MlirLogicalResult check_bare_pointers(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module)) {
    if (!agpu__op_is(op, "gpu.func"))
      continue;
    MlirType type = agpu__function_type(op);
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
      if (mlirLogicalResultIsFailure(agpu__check_bare_pointer(
              mlirOperationGetLocation(op), "kernel parameter", (size_t)i,
              mlirFunctionTypeGetInput(type, i))))
        result = mlirLogicalResultFailure();
  }
  return result;
}

MlirLogicalResult agpu__nvvm_lower(MlirOperation gpu_module,
                                   const agpu__nvvm_options *options) {
  if (mlirLogicalResultIsFailure(agpu__place_attributions(gpu_module)))
    return mlirLogicalResultFailure();
  contents found = {0};
  mlirOperationWalk(gpu_module, note_op, &found, MlirWalkPreOrder);
  if (mlirLogicalResultIsFailure(expand(gpu_module, options, &found)))
    return mlirLogicalResultFailure();
  agpu__mark_atomics(gpu_module);
  if (found.nvvm)
    agpu__repair_arrivals(gpu_module);
  if (options->bare_pointers &&
      mlirLogicalResultIsFailure(check_bare_pointers(gpu_module)))
    return mlirLogicalResultFailure();
  if (found.other) {
    agpu__kernel_facts_renumber(gpu_module, options->bare_pointers);
    if (found.nvgpu)
      agpu__repair_tensor_maps(gpu_module);
    if (found.vector)
      agpu__number_address_spaces(gpu_module);
    if (mlirLogicalResultIsFailure(convert(gpu_module, &found, options)))
      return mlirLogicalResultFailure();
    agpu__repair_exchanges(gpu_module);
    drop_c_wrappers(gpu_module);
    if (mlirLogicalResultIsFailure(check_leftovers(gpu_module)) ||
        !mlirOperationVerify(gpu_module))
      return mlirLogicalResultFailure();
  }
  agpu__order_atomics(gpu_module);
  agpu__fence_tensor_maps(gpu_module);
  agpu__align_globals(gpu_module);
  bool failed = mlirLogicalResultIsFailure(agpu__repair_kernels(gpu_module));
  mlirOperationWalk(gpu_module, check_op, &failed, MlirWalkPreOrder);
  return globals_have_values(gpu_module) && !failed
             ? mlirLogicalResultSuccess()
             : mlirLogicalResultFailure();
}

MlirLogicalResult agpu__nvvm_to_text(MlirOperation gpu_module) {
  contents found = {0};
  mlirOperationWalk(gpu_module, note_op, &found, MlirWalkPreOrder);
  agpu__repair_fragments(gpu_module);
  if (!found.nvvm)
    return mlirLogicalResultSuccess();
  MlirLogicalResult result =
      agpu__upstream_run(gpu_module, "convert-nvvm-to-llvm");
  agpu__repair_bit_products(gpu_module);
  return result;
}
