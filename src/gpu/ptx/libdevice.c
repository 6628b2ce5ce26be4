//===- libdevice.c - Math functions that kernels call ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of libdevice's functions says what stands for each on either
// target. A call is replaced where it stands, its declaration goes when nothing
// calls it any more.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "gpu/nvvm/nvvm.h"
#include "lower/ir/ir.h"
#include "lower/ir/template.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// How a function is replaced.
typedef enum replacement_kind {
  REPLACE_BY_OP,     ///< an op of the LLVM dialect with the same operands
  REPLACE_BY_LIBM,   ///< a call of the C library's function
  REPLACE_BY_RSQRT,  ///< 1 / sqrt(x)
  REPLACE_BY_CLASS,  ///< llvm.intr.is.fpclass, widened to the i32 it returns
  REPLACE_BY_POWI,   ///< llvm.intr.powi: an integer second operand
  REPLACE_BY_ABS,    ///< llvm.intr.abs, of i32 (`long long`: of i64)
  REPLACE_BY_SINCOS, ///< both, stored where two pointers say
} replacement_kind;

/// One function of libdevice, without the `__nv_` before and the `f` after
/// that the 32-bit variant has.
typedef struct libdevice_row {
  const char *name;
  replacement_kind kind;
  unsigned operands;
  /// The NVPTX backend has this exactly as libdevice does.
  bool ptx;
  const char *by; ///< op or libm function (f64 name)
  /// REPLACE_BY_CLASS: LLVM's class bits; REPLACE_BY_ABS: bits of the integer.
  int32_t bits;
} libdevice_row;

#define OP(name, operands, ptx, op)                                            \
  {name, REPLACE_BY_OP, operands, ptx, "llvm." op, 0}
#define LIBM(name, operands) {name, REPLACE_BY_LIBM, operands, false, name, 0}
#define CLASS(name, classes) {name, REPLACE_BY_CLASS, 1, true, NULL, classes}

static const libdevice_row rows[] = {
    OP("acos", 1, false, "intr.acos"),
    LIBM("acosh", 1),
    OP("asin", 1, false, "intr.asin"),
    LIBM("asinh", 1),
    OP("atan", 1, false, "intr.atan"),
    OP("atan2", 2, false, "intr.atan2"),
    LIBM("atanh", 1),
    LIBM("cbrt", 1),
    OP("ceil", 1, true, "intr.ceil"),
    OP("copysign", 2, true, "intr.copysign"),
    OP("cos", 1, false, "intr.cos"),
    OP("cosh", 1, false, "intr.cosh"),
    LIBM("erf", 1),
    LIBM("erfc", 1),
    OP("exp", 1, false, "intr.exp"),
    OP("exp10", 1, false, "intr.exp10"),
    OP("exp2", 1, false, "intr.exp2"),
    LIBM("expm1", 1),
    OP("fabs", 1, true, "intr.fabs"),
    LIBM("fdim", 2),
    OP("floor", 1, true, "intr.floor"),
    OP("fma", 3, true, "intr.fma"),
    OP("fmax", 2, true, "intr.maxnum"),
    OP("fmin", 2, true, "intr.minnum"),
    OP("fmod", 2, false, "frem"),
    LIBM("hypot", 2),
    LIBM("lgamma", 1),
    OP("log", 1, false, "intr.log"),
    OP("log10", 1, false, "intr.log10"),
    LIBM("log1p", 1),
    OP("log2", 1, false, "intr.log2"),
    OP("nearbyint", 1, true, "intr.nearbyint"),
    OP("pow", 2, false, "intr.pow"),
    {"powi", REPLACE_BY_POWI, 2, false, "llvm.intr.powi", 0},
    OP("rint", 1, true, "intr.rint"),
    OP("round", 1, true, "intr.round"),
    {"rsqrt", REPLACE_BY_RSQRT, 1, false, NULL, 0},
    OP("sin", 1, false, "intr.sin"),
    OP("sinh", 1, false, "intr.sinh"),
    OP("sqrt", 1, true, "intr.sqrt"),
    OP("tan", 1, false, "intr.tan"),
    OP("tanh", 1, false, "intr.tanh"),
    LIBM("tgamma", 1),
    OP("trunc", 1, true, "intr.trunc"),
    {"sincos", REPLACE_BY_SINCOS, 3, false, NULL, 0},
    {"abs", REPLACE_BY_ABS, 1, true, NULL, 32},
    {"llabs", REPLACE_BY_ABS, 1, true, NULL, 64},
    // The bits: signalling and quiet NaN; both infinities; all finite ones.
    CLASS("isnan", 0x003),
    CLASS("isinf", 0x204),
    CLASS("finite", 0x1f8),
    CLASS("isfinite", 0x1f8),
};

#undef OP
#undef LIBM
#undef CLASS

static bool text_is(const char *data, size_t length, const char *text) {
  return strlen(text) == length && memcmp(data, text, length) == 0;
}

/// The row of `__nv_NAME`, and whether it is the 32-bit variant; NULL if there
/// is none.
static const libdevice_row *find_row(MlirStringRef symbol, bool *out_single) {
  static const char prefix[] = "__nv_";
  static const char fast[] = "fast_";
  size_t skip = sizeof(prefix) - 1;
  if (symbol.length <= skip || memcmp(symbol.data, prefix, skip))
    return NULL;
  const char *name = symbol.data + skip;
  size_t length = symbol.length - skip;
  // The fast variants allow less accuracy; the exact ones satisfy them too.
  if (length > sizeof(fast) - 1 && !memcmp(name, fast, sizeof(fast) - 1)) {
    name += sizeof(fast) - 1;
    length -= sizeof(fast) - 1;
  }
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i) {
    const libdevice_row *row = &rows[i];
    // Classification of doubles is spelt with a `d`.
    bool classify = row->kind == REPLACE_BY_CLASS;
    if (text_is(name, length, row->name) ||
        (classify && length && name[length - 1] == 'd' &&
         text_is(name, length - 1, row->name))) {
      *out_single = false;
      return row;
    }
    if (length && name[length - 1] == 'f' &&
        text_is(name, length - 1, row->name)) {
      *out_single = true;
      return row;
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Rewriting one call
//===----------------------------------------------------------------------===//

/// The called function's name if `call` is a call of a function of libdevice,
/// else an empty reference.
static MlirStringRef libdevice_callee(MlirOperation call) {
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return mlirStringRefCreate(NULL, 0);
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  if (name.length < 5 || memcmp(name.data, "__nv_", 5))
    return mlirStringRefCreate(NULL, 0);
  return name;
}

/// True if the call has the operands and the result that the row says. A user
/// can declare a function of that name with any type.
static bool call_matches(MlirOperation call, const libdevice_row *row,
                         bool single) {
  MlirContext context = mlirOperationGetContext(call);
  MlirType type = single ? mlirF32TypeGet(context) : mlirF64TypeGet(context);
  if (row->kind == REPLACE_BY_ABS)
    type = mlirIntegerTypeGet(context, (unsigned)row->bits);
  bool stores = row->kind == REPLACE_BY_SINCOS;
  if (mlirOperationGetNumOperands(call) != (intptr_t)row->operands ||
      mlirOperationGetNumResults(call) != (stores ? 0 : 1))
    return false;
  if (stores)
    return mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(call, 0)),
                         type) &&
           mlirTypeIsALLVMPointerType(
               mlirValueGetType(mlirOperationGetOperand(call, 1))) &&
           mlirTypeIsALLVMPointerType(
               mlirValueGetType(mlirOperationGetOperand(call, 2)));
  MlirType result = mlirValueGetType(agpu__result(call, 0));
  MlirType expected =
      row->kind == REPLACE_BY_CLASS ? agpu__i32_type(context) : type;
  if (!mlirTypeEqual(result, expected))
    return false;
  for (unsigned i = 0; i < row->operands; ++i) {
    MlirType operand = mlirValueGetType(mlirOperationGetOperand(call, i));
    MlirType wanted =
        row->kind == REPLACE_BY_POWI && i == 1 ? agpu__i32_type(context) : type;
    if (!mlirTypeEqual(operand, wanted))
      return false;
  }
  return true;
}

/// A call of libm. The function is declared for the host's conversion, which
/// turns func.func into llvm.func later; it has no effects, so that loops of
/// calls can be vectorised and hoisted.
static MlirValue call_libm(agpu__builder *builder, MlirOperation gpu_module,
                           const libdevice_row *row, bool single,
                           const MlirValue *operands, MlirType type) {
  AGPU__OWNED char *name = agpu__format("%s%s", row->by, single ? "f" : "");
  MlirValue result = agpu__call_runtime(builder, gpu_module, name, operands,
                                        row->operands, type);
  agpu__set_attr(agpu__lookup(gpu_module, name), "llvm.readnone",
                 mlirUnitAttrGet(builder->context));
  return result;
}

/// Two calls without a result in the place of one.
static void replace_sincos(MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  static const char *const ops[] = {"llvm.intr.sin", "llvm.intr.cos"};
  MlirValue operand = mlirOperationGetOperand(call, 0);
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue value =
        agpu__build_unary(&at, ops[i], operand, mlirValueGetType(operand));
    agpu__llvm_store(&at, value, mlirOperationGetOperand(call, i + 1));
  }
  mlirOperationDestroy(call);
}

/// The function of vector_math.mlir for f32; NULL: there is none.
static const char *find_inline(const libdevice_row *row, bool single) {
  static const char *const names[] = {"erf", "exp", "tanh"};
  for (size_t i = 0; i < AGPU__COUNT(names) && single; ++i)
    if (!strcmp(row->name, names[i]))
      return names[i];
  return NULL;
}

static void replace_call(MlirOperation call, const libdevice_row *row,
                         bool single, MlirOperation gpu_module) {
  const agpu__template code = {.file = "vector_math.mlir",
                               .function = find_inline(row, single)};
  if (code.function) {
    (void)agpu__template_replace(call, &code, NULL, 0);
    return;
  }
  if (row->kind == REPLACE_BY_SINCOS) {
    replace_sincos(call);
    return;
  }
  agpu__builder builder = agpu__builder_before(call);
  MlirContext context = builder.context;
  MlirType type = mlirValueGetType(agpu__result(call, 0));
  MlirValue operands[3];
  for (unsigned i = 0; i < row->operands; ++i)
    operands[i] = mlirOperationGetOperand(call, i);
  MlirValue value = {NULL};
  switch (row->kind) {
  case REPLACE_BY_OP:
  case REPLACE_BY_POWI:
    value = agpu__build_value(&builder, row->by, operands, row->operands, type);
    break;
  case REPLACE_BY_LIBM:
    value = call_libm(&builder, gpu_module, row, single, operands, type);
    break;
  case REPLACE_BY_RSQRT: {
    MlirValue division[2];
    division[0] =
        agpu__build_with(&builder, "llvm.mlir.constant", NULL, 0, type, "value",
                         mlirFloatAttrDoubleGet(context, type, 1));
    division[1] =
        agpu__build_value(&builder, "llvm.intr.sqrt", operands, 1, type);
    value = agpu__build_value(&builder, "llvm.fdiv", division, 2, type);
    break;
  }
  case REPLACE_BY_ABS: {
    // The smallest integer stays itself.
    value =
        agpu__build_with(&builder, "llvm.intr.abs", operands, 1, type,
                         "is_int_min_poison", mlirBoolAttrGet(context, false));
    break;
  }
  case REPLACE_BY_SINCOS: break; // replace_sincos
  case REPLACE_BY_CLASS: {
    value = agpu__build_with(&builder, "llvm.intr.is.fpclass", operands, 1,
                             agpu__i1_type(context), "bit",
                             agpu__i32_attr(context, row->bits));
    value = agpu__build_unary(&builder, "llvm.zext", value, type);
    break;
  }
  }
  agpu__replace_op_by_value(call, value);
}

/// Erases the declarations of libdevice functions that only the calls replaced
/// so far needed; `calls` are the ones that are left.
static void erase_unused(MlirOperation gpu_module, const agpu__ops *calls) {
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    MlirStringRef name = agpu__get_string(op, "sym_name");
    bool used = !agpu__op_is(op, "llvm.func") || !agpu__is_declaration(op) ||
                name.length < 5 || memcmp(name.data, "__nv_", 5) != 0;
    for (size_t i = 0; i < calls->count && !used; ++i)
      used = mlirStringRefEqual(libdevice_callee(calls->data[i]), name);
    if (!used)
      mlirOperationDestroy(op);
    op = next;
  }
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

/// An f32 function as `OP(x * before) * after`.
typedef struct approximation {
  const char *name; ///< as in libdevice_row
  const char *op;   ///< which PTX approximates
  double before;    ///< factor of the argument
  double after;     ///< factor of the result
} approximation;

static const approximation approximations[] = {
    {"exp", "llvm.intr.exp2", 1.4426950408889634, 1}, // log2 e
    {"exp2", "llvm.intr.exp2", 1, 1},
    {"exp10", "llvm.intr.exp2", 3.3219280948873623, 1}, // log2 10
    {"log", "llvm.intr.log2", 1, 0.6931471805599453},   // ln 2
    {"log2", "llvm.intr.log2", 1, 1},
    {"log10", "llvm.intr.log2", 1, 0.30102999566398120}, // log10 2
    {"sin", "llvm.intr.sin", 1, 1},
    {"cos", "llvm.intr.cos", 1, 1},
};

static MlirValue scale(agpu__builder *at, MlirValue value, double factor) {
  if (factor == 1)
    return value;
  MlirType type = mlirValueGetType(value);
  MlirNamedAttribute constant = agpu__named(
      at->context, "value", mlirFloatAttrDoubleGet(at->context, type, factor));
  MlirValue operands[] = {
      value, agpu__result(agpu__build_op(at, "llvm.mlir.constant", NULL, 0,
                                         type, &constant, 1),
                          0)};
  return agpu__build_value(at, "llvm.fmul", operands, 2, type);
}

/// Replaces the call if PTX approximates it; false if not.
static bool approximate_call(MlirOperation call, const libdevice_row *row) {
  const approximation *found = NULL;
  for (size_t i = 0; i < AGPU__COUNT(approximations); ++i)
    if (!strcmp(approximations[i].name, row->name))
      found = &approximations[i];
  if (!found)
    return false;
  agpu__builder at = agpu__builder_before(call);
  MlirValue value = scale(&at, mlirOperationGetOperand(call, 0), found->before);
  value = agpu__build_with(&at, found->op, &value, 1, mlirValueGetType(value),
                           "fastmathFlags",
                           agpu__parse_attr(at.context, "#llvm.fastmath<afn>"));
  agpu__replace_op_by_value(call, scale(&at, value, found->after));
  return true;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// True if the module brings its own body for `name`: then nothing is missing.
static bool is_defined(MlirOperation gpu_module, MlirStringRef name) {
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (agpu__op_is(op, "llvm.func") && !agpu__is_declaration(op) &&
        mlirStringRefEqual(agpu__get_string(op, "sym_name"), name))
      return true;
  return false;
}

/// The calls of libdevice functions in `gpu_module`.
static void collect_calls(MlirOperation gpu_module, agpu__ops *out_calls) {
  AGPU__OPS_IN_FOREACH (nested, gpu_module, "llvm.call") {
    MlirStringRef name = libdevice_callee(nested);
    if (name.length && !is_defined(gpu_module, name))
      agpu__ops_push(out_calls, nested);
  }
}

void agpu__libdevice_expand(MlirOperation gpu_module, bool approximate) {
  AGPU__SCOPED(ops) calls = {0}, kept = {0};
  collect_calls(gpu_module, &calls);
  for (size_t i = 0; i < calls.count; ++i) {
    bool single;
    const libdevice_row *row =
        find_row(libdevice_callee(calls.data[i]), &single);
    bool matches = row && call_matches(calls.data[i], row, single);
    if (matches && row->ptx)
      replace_call(calls.data[i], row, single, (MlirOperation){NULL});
    else if (!matches || !single || !approximate ||
             !approximate_call(calls.data[i], row))
      agpu__ops_push(&kept, calls.data[i]);
  }
  erase_unused(gpu_module, &kept);
}

MlirLogicalResult agpu__libdevice_to_host(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) calls = {0}, kept = {0};
  collect_calls(gpu_module, &calls);
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation call = calls.data[i];
    MlirStringRef name = libdevice_callee(call);
    bool single;
    const libdevice_row *row = find_row(name, &single);
    if (row && call_matches(call, row, single)) {
      replace_call(call, row, single, gpu_module);
      continue;
    }
    agpu__ops_push(&kept, call);
    result = agpu__error(mlirOperationGetLocation(call),
                         row ? "the math function '%.*s' is called with other "
                               "types than libdevice gives it"
                             : "the math function '%.*s' is not supported on "
                               "the emulated device; compile for CUDA only "
                               "with targets=ptx",
                         AGPU__STR(name));
  }
  if (mlirLogicalResultIsSuccess(result))
    erase_unused(gpu_module, &kept);
  return result;
}
