//===- printing.c - What kernels print ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel hands vprintf the address of its arguments, which are there as a
// caller in C has promoted them: what is narrower than an int as an int, floats
// as doubles. A conversion reads as many bytes as its length says. MLIR's
// integers have no sign: the conversion's is taken.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

// More are ignored ("Formatted Output" in NVIDIA's programming guide, which
// says what a format may hold, too).
#define MAX_ARGUMENTS 32

/// One conversion of a format: `%`, then each part that it has.
typedef struct directive {
  const char *shape; ///< flags, width and precision
  size_t shape_size;
  const char *size; ///< `h`, `l` and the like
  size_t size_size;
  char letter; ///< 0: the format is over
  const char *end;
} directive;

static directive read_directive(const char *percent) {
  directive self = {.shape = percent + 1};
  self.shape_size = strspn(self.shape, "-+ #0");
  self.shape_size += strspn(self.shape + self.shape_size, "*0123456789.");
  self.size = self.shape + self.shape_size;
  self.size_size = strspn(self.size, "hlLqjzt");
  self.letter = self.size[self.size_size];
  self.end = self.size + self.size_size + (self.letter ? 1 : 0);
  return self;
}

/// An op that is being rewritten.
typedef struct printing {
  MlirOperation op;
  agpu__text format;
  intptr_t next; ///< argument
} printing;

static MlirLogicalResult report(const printing *self, const directive *what,
                                const char *why) {
  return agpu__error(mlirOperationGetLocation(self->op), "'%%%.*s' %s",
                     (int)(what->end - what->shape), what->shape, why);
}

static MlirLogicalResult report_type(const printing *self,
                                     const directive *what, const char *kind,
                                     MlirType type) {
  AGPU__OWNED char *text = agpu__type_text(type);
  return agpu__error(mlirOperationGetLocation(self->op),
                     "'%%%.*s' prints %s, and its argument is %s",
                     (int)(what->end - what->shape), what->shape, kind, text);
}

static void build(printing *self, const char *name, MlirType type) {
  agpu__builder at = agpu__builder_before(self->op);
  MlirValue value = mlirOperationGetOperand(self->op, self->next);
  mlirOperationSetOperand(self->op, self->next,
                          agpu__build_unary(&at, name, value, type));
}

/// Makes the next argument, an integer of `bits`, one of `wanted`.
static void resize(printing *self, unsigned bits, unsigned wanted,
                   bool is_signed) {
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(self->op), wanted);
  if (bits < wanted)
    build(self, is_signed ? "arith.extsi" : "arith.extui", type);
  else if (bits > wanted)
    build(self, "arith.trunci", type);
}

/// Makes the next argument an integer of 32 bits, or of 64 where `*wide` is set
/// and it needs them; else clears that. `kept` bits of it count.
static MlirLogicalResult take_integer(printing *self, const directive *what,
                                      bool is_signed, unsigned kept,
                                      bool *wide) {
  if (self->next >= mlirOperationGetNumOperands(self->op))
    return report(self, what, "has no argument");
  MlirContext context = mlirOperationGetContext(self->op);
  MlirType type =
      mlirValueGetType(mlirOperationGetOperand(self->op, self->next));
  unsigned bits = 64;
  if (mlirTypeIsAInteger(type)) {
    bits = mlirIntegerTypeGetWidth(type);
    if (bits > 64)
      return report_type(self, what, "integers of up to 64 bits", type);
    if (!mlirIntegerTypeIsSignless(type)) {
      is_signed = mlirIntegerTypeIsSigned(type);
      build(self, "builtin.unrealized_conversion_cast",
            mlirIntegerTypeGet(context, bits));
    }
  } else if (mlirTypeIsAIndex(type)) {
    build(self, "arith.index_cast", mlirIntegerTypeGet(context, bits));
  } else {
    return report_type(self, what, "an integer", type);
  }
  if (kept < bits) {
    resize(self, bits, kept, false);
    bits = kept;
  }
  *wide = *wide && bits > 32;
  // A flag is 0 or 1.
  resize(self, bits, *wide ? 64 : 32, is_signed && bits > 1);
  ++self->next;
  return mlirLogicalResultSuccess();
}

/// Upstream's conversion makes a double of it.
static MlirLogicalResult take_float(printing *self, const directive *what) {
  if (self->next >= mlirOperationGetNumOperands(self->op))
    return report(self, what, "has no argument");
  MlirType type =
      mlirValueGetType(mlirOperationGetOperand(self->op, self->next++));
  if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type) || mlirTypeIsAF32(type) ||
      mlirTypeIsAF64(type))
    return mlirLogicalResultSuccess();
  return report_type(self, what, "f16, bf16, f32 or f64", type);
}

/// How many bits of an integer a length keeps.
static unsigned kept_bits(const directive *what) {
  if (!what->size_size || what->size[0] != 'h')
    return 64;
  return what->size_size > 1 ? 8 : 16;
}

/// Writes the conversion to the format and makes its arguments fit.
static MlirLogicalResult rewrite(printing *self, const directive *what) {
  const char *star = memchr(what->shape, '*', what->shape_size);
  const char *dot = memchr(what->shape, '.', what->shape_size);
  bool wide = false;
  if (star && dot && memchr(dot, '*', (size_t)(what->size - dot)))
    return report(
        self, what,
        "takes its precision from an argument, which CUDA's printf cannot");
  if (star &&
      mlirLogicalResultIsFailure(take_integer(self, what, true, 64, &wide)))
    return mlirLogicalResultFailure();
  agpu__text_puts(&self->format, "%");
  agpu__text_append(&self->format, what->shape, what->shape_size);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  wide = true;
  switch (what->letter) {
  case 'd':
  case 'i':
    result = take_integer(self, what, true, kept_bits(what), &wide);
    break;
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    result = take_integer(self, what, false, kept_bits(what), &wide);
    break;
  case 'c':
    wide = false;
    result = take_integer(self, what, true, 64, &wide);
    break;
  case 'p': {
    // An address has 64 bits, whatever is passed as one.
    intptr_t argument = self->next;
    result = take_integer(self, what, false, 64, &wide);
    if (mlirLogicalResultIsSuccess(result) && !wide) {
      self->next = argument;
      resize(self, 32, 64, false);
      ++self->next;
    }
    wide = false;
    break;
  }
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
    wide = false;
    result = take_float(self, what);
    break;
  case 's':
    return report(self, what,
                  "prints a string, and gpu.printf is given numbers");
  default: return report(self, what, "is not a conversion of CUDA's printf");
  }
  if (wide)
    agpu__text_puts(&self->format, "ll");
  char letter = what->letter == 'F' ? 'f' : what->letter;
  agpu__text_append(&self->format, &letter, 1);
  return result;
}

static MlirLogicalResult expand(MlirOperation op) {
  if (mlirOperationGetNumOperands(op) > MAX_ARGUMENTS)
    return agpu__error(mlirOperationGetLocation(op),
                       "a kernel prints at most %d numbers at once",
                       MAX_ARGUMENTS);
  printing self = {.op = op};
  MlirStringRef format = agpu__get_string(op, "format");
  MlirLogicalResult result = mlirLogicalResultSuccess();
  // The context keeps strings with a NUL after them, but for empty ones.
  for (const char *rest = format.length ? format.data : "";
       *rest && mlirLogicalResultIsSuccess(result);) {
    size_t plain = strcspn(rest, "%");
    agpu__text_append(&self.format, rest, plain);
    rest += plain;
    if (!*rest)
      break;
    if (rest[1] == '%') {
      agpu__text_puts(&self.format, "%%");
      rest += 2;
      continue;
    }
    directive what = read_directive(rest);
    result = rewrite(&self, &what);
    rest = what.end;
  }
  agpu__set_attr(op, "format",
                 agpu__string_attr(mlirOperationGetContext(op),
                                   agpu__text_get(&self.format)));
  agpu__text_free(&self.format);
  return result;
}

MlirLogicalResult agpu__expand_printing(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (op, gpu_module, "gpu.printf")
    if (mlirLogicalResultIsFailure(expand(op)))
      result = mlirLogicalResultFailure();
  return result;
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

/// True for what C passes as it is to a function of any arguments.
static bool is_promoted(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type) == 32 ||
           mlirIntegerTypeGetWidth(type) == 64;
  return mlirTypeIsAF64(type) || mlirTypeIsALLVMPointerType(type);
}

/// The text that `call` gives vprintf for its format, if that is constant; else
/// NULL.
static const char *constant_format(MlirOperation call) {
  MlirValue value = mlirOperationGetOperand(call, 0);
  MlirOperation from = {NULL};
  while (mlirValueIsAOpResult(value)) {
    from = mlirOpResultGetOwner(value);
    bool passes_on =
        agpu__op_is_any(from, "llvm.addrspacecast llvm.getelementptr");
    if (!passes_on || mlirOperationGetNumOperands(from) != 1)
      break;
    MlirAttribute indices = agpu__attr(from, "rawConstantIndices");
    for (intptr_t i = 0; !mlirAttributeIsNull(indices) &&
                         i < mlirDenseArrayGetNumElements(indices);
         ++i)
      if (mlirDenseI32ArrayGetElement(indices, i) != 0)
        return NULL;
    value = mlirOperationGetOperand(from, 0);
  }
  if (!agpu__op_is(from, "llvm.mlir.addressof"))
    return NULL;
  // The context keeps strings with a NUL after them.
  MlirOperation global = agpu__lookup(
      agpu__parent_of(call, "gpu.module"),
      mlirFlatSymbolRefAttrGetValue(agpu__attr(from, "global_name")).data);
  MlirAttribute text = mlirOperationIsNull(global)
                           ? mlirAttributeGetNull()
                           : agpu__attr(global, "value");
  return !mlirAttributeIsNull(text) && mlirAttributeIsAString(text) &&
                 agpu__has_attr(global, "constant")
             ? mlirStringAttrGetValue(text).data
             : NULL;
}

/// What a conversion reads: "" for what CUDA's printf has not.
static const char *what_is_read(const directive *what) {
  if (!what->letter)
    return "";
  if (strchr("diuoxX", what->letter))
    return what->size_size && strchr("lqjzt", what->size[0]) ? "i64" : "i32";
  if (strchr("aAeEfFgG", what->letter))
    return "f64";
  return what->letter == 'c'                          ? "i32"
         : what->letter == 'p' || what->letter == 's' ? "!llvm.ptr"
                                                      : "";
}

static bool check_member(MlirOperation call, const directive *what,
                         const char *wanted, MlirType arguments,
                         intptr_t member) {
  int size = (int)(what->end - what->shape);
  if (member >= mlirLLVMStructTypeGetNumElementTypes(arguments)) {
    agpu__error(mlirOperationGetLocation(call), "'%%%.*s' has no argument",
                size, what->shape);
    return false;
  }
  MlirType type = mlirLLVMStructTypeGetElementType(arguments, member);
  AGPU__OWNED char *text = agpu__type_text(type);
  bool good = strcmp(text, wanted) == 0 ||
              (what->letter == 'p' && strcmp(text, "i64") == 0);
  if (!good)
    agpu__error(mlirOperationGetLocation(call),
                "'%%%.*s' prints %s, and its argument is %s", size, what->shape,
                wanted, text);
  return good;
}

/// Compares a constant format with the members of `arguments`.
static bool check_conversions(MlirOperation call, const char *format,
                              MlirType arguments) {
  intptr_t member = 0;
  for (const char *rest = format; (rest = strchr(rest, '%'));) {
    if (rest[1] == '%') {
      rest += 2;
      continue;
    }
    directive what = read_directive(rest);
    const char *wanted = what_is_read(&what);
    // CUDA prints the rest as it stands.
    if (!*wanted)
      return true;
    for (size_t i = 0; i < what.shape_size; ++i)
      if (what.shape[i] == '*' &&
          !check_member(call, &what, "i32", arguments, member++))
        return false;
    if (!check_member(call, &what, wanted, arguments, member++))
      return false;
    rest = what.end;
  }
  return true;
}

bool agpu__check_printing(MlirOperation call) {
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee) ||
      !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee),
                          agpu__str("vprintf")) ||
      mlirOperationGetNumOperands(call) < 2)
    return true;
  MlirValue arguments = mlirOperationGetOperand(call, 1);
  if (!agpu__op_is(agpu__maker_of(arguments), "llvm.alloca"))
    return true;
  MlirType type = mlirTypeAttrGetValue(
      agpu__attr(mlirOpResultGetOwner(arguments), "elem_type"));
  intptr_t count = mlirTypeIsALLVMStructType(type)
                       ? mlirLLVMStructTypeGetNumElementTypes(type)
                       : 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirType member = mlirLLVMStructTypeGetElementType(type, i);
    if (is_promoted(member))
      continue;
    AGPU__OWNED char *text = agpu__type_text(member);
    agpu__error(mlirOperationGetLocation(call),
                "vprintf takes i32, i64, f64 and pointers, not %s", text);
    return false;
  }
  const char *format = constant_format(call);
  return !count || !format || check_conversions(call, format, type);
}
