//===- shuffles.c - Values that move between lanes ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/shuffles.h"

#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include <stdlib.h>
#include <string.h>

#define WARP_SIZE 32

static char *type_text(MlirType type) {
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  return agpu__text_take(&text);
}

/// Bits of an integer or float; 0 for other types.
static unsigned scalar_bits(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

static MlirType element_of(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

/// Upstream's conversion does these by itself.
static bool is_native(MlirType type) {
  unsigned bits = scalar_bits(type);
  return bits == 32 || bits == 64;
}

static int64_t attribute(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(agpu__attr(op, name));
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Writes ops that make words %A and, for more than 32 bits, %B of the scalar
/// `%value`. Names are made of a letter and a number. Returns the next number.
static unsigned write_scalar_words(agpu__text *text, MlirType type,
                                   const char *value, unsigned word) {
  unsigned bits = scalar_bits(type);
  char *spelling = type_text(type);
  bool is_float = mlirTypeIsAFloat(type);
  if (is_float)
    agpu__text_printf(text, "  %%i%u = arith.bitcast %%%s : %s to i%u\n", word,
                      value, spelling, bits);
  char *integer =
      is_float ? agpu__format("i%u", word) : agpu__format("%s", value);
  unsigned wide = bits <= 32 ? 32 : 64;
  agpu__text_printf(text,
                    bits == wide ? "  %%x%u = arith.bitcast %%%s : i%u to i%u\n"
                                 : "  %%x%u = arith.extui %%%s : i%u to i%u\n",
                    word, integer, bits, wide);
  if (wide == 32)
    agpu__text_printf(text, "  %%w%u = arith.bitcast %%x%u : i32 to i32\n",
                      word, word);
  else
    agpu__text_printf(text,
                      "  %%w%u = arith.trunci %%x%u : i64 to i32\n"
                      "  %%c%u = arith.constant 32 : i64\n"
                      "  %%h%u = arith.shrui %%x%u, %%c%u : i64\n"
                      "  %%w%u = arith.trunci %%h%u : i64 to i32\n",
                      word, word, word, word, word, word, word + 1, word);
  free(integer);
  free(spelling);
  return word + wide / 32;
}

/// The way back: makes the scalar `%value` of the words %s<word>...
static unsigned write_scalar_value(agpu__text *text, MlirType type,
                                   const char *value, unsigned word) {
  unsigned bits = scalar_bits(type);
  char *spelling = type_text(type);
  unsigned wide = bits <= 32 ? 32 : 64;
  if (wide == 32)
    agpu__text_printf(text, "  %%y%u = arith.bitcast %%s%u : i32 to i32\n",
                      word, word);
  else
    agpu__text_printf(text,
                      "  %%l%u = arith.extui %%s%u : i32 to i64\n"
                      "  %%u%u = arith.extui %%s%u : i32 to i64\n"
                      "  %%k%u = arith.constant 32 : i64\n"
                      "  %%t%u = arith.shli %%u%u, %%k%u : i64\n"
                      "  %%y%u = arith.ori %%l%u, %%t%u : i64\n",
                      word, word, word, word + 1, word, word, word, word, word,
                      word, word);
  agpu__text_printf(text,
                    bits == wide
                        ? "  %%j%u = arith.bitcast %%y%u : i%u to i%u\n"
                        : "  %%j%u = arith.trunci %%y%u : i%u to i%u\n",
                    word, word, wide, bits);
  agpu__text_printf(text, "  %%%s = arith.bitcast %%j%u : i%u to %s\n", value,
                    word, bits, spelling);
  free(spelling);
  return word + wide / 32;
}

/// A vector that consists of whole words as a vector of words.
static bool has_whole_words(MlirType type) {
  return mlirShapedTypeGetDimSize(type, 0) * scalar_bits(element_of(type)) %
             32 ==
         0;
}

/// Writes ops that make words %w0... (i32) of `%v`; returns how many.
static unsigned write_words(agpu__text *text, MlirType type) {
  if (!mlirTypeIsAVector(type))
    return write_scalar_words(text, type, "v", 0);
  int64_t count = mlirShapedTypeGetDimSize(type, 0);
  MlirType element = element_of(type);
  char *vector = type_text(type), *scalar = type_text(element);
  unsigned words = 0;
  if (has_whole_words(type)) {
    words = (unsigned)(count * scalar_bits(element) / 32);
    agpu__text_printf(text,
                      "  %%bits = vector.bitcast %%v : %s to vector<%uxi32>\n",
                      vector, words);
    for (unsigned i = 0; i < words; ++i)
      agpu__text_printf(
          text,
          "  %%w%u = vector.extract %%bits[%u] : i32 from vector<%uxi32>\n", i,
          i, words);
  } else {
    for (unsigned i = 0; i < count; ++i) {
      char *name = agpu__format("e%u", i);
      agpu__text_printf(text, "  %%%s = vector.extract %%v[%u] : %s from %s\n",
                        name, i, scalar, vector);
      words = write_scalar_words(text, element, name, words);
      free(name);
    }
  }
  free(vector);
  free(scalar);
  return words;
}

/// Writes ops that make `%r` of the words %s0...
static void write_value(agpu__text *text, MlirType type, unsigned words) {
  if (!mlirTypeIsAVector(type)) {
    write_scalar_value(text, type, "r", 0);
    return;
  }
  bool whole = has_whole_words(type);
  unsigned count = whole ? words : (unsigned)mlirShapedTypeGetDimSize(type, 0);
  char *vector = type_text(type);
  unsigned word = 0;
  for (unsigned i = 0; i < count && !whole; ++i) {
    char *name = agpu__format("r%u", i);
    word = write_scalar_value(text, element_of(type), name, word);
    free(name);
  }
  agpu__text_printf(text, "  %%%s = vector.from_elements ",
                    whole ? "joined" : "r");
  for (unsigned i = 0; i < count; ++i)
    agpu__text_printf(text, "%s%%%s%u", i ? ", " : "", whole ? "s" : "r", i);
  if (whole)
    agpu__text_printf(
        text,
        " : vector<%uxi32>\n"
        "  %%r = vector.bitcast %%joined : vector<%uxi32> to %s\n",
        words, words, vector);
  else
    agpu__text_printf(text, " : %s\n", vector);
  free(vector);
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// `gpu.shuffle MODE` as the op spells it.
static const char *mode_of(MlirOperation shuffle) {
  static const char *const modes[] = {"xor", "down", "up", "idx"};
  agpu__text text = {0};
  mlirAttributePrint(agpu__attr(shuffle, "mode"), agpu__text_callback, &text);
  const char *mode = modes[0];
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); ++i)
    if (strstr(agpu__text_get(&text), modes[i]))
      mode = modes[i];
  agpu__text_free(&text);
  return mode;
}

/// The constant that `value` is; -1 where it is none.
static int64_t constant_of(MlirValue value) {
  if (!mlirValueIsAOpResult(value) ||
      !agpu__op_is(mlirOpResultGetOwner(value), "arith.constant"))
    return -1;
  // Of 32 bits, without a sign.
  return (int64_t)(uint32_t)attribute(mlirOpResultGetOwner(value), "value");
}

/// True if all lanes take part, or no other executes the shuffle: then
/// upstream's conversion is right.
static bool is_whole(MlirOperation shuffle) {
  return constant_of(mlirOperationGetOperand(shuffle, 2)) == WARP_SIZE ||
         agpu__has_attr(shuffle, AGPU__WHOLE_SHUFFLE);
}

/// Each word is shuffled the same way.
static MlirLogicalResult expand_words(MlirOperation shuffle, MlirType type) {
  agpu__text text = {0};
  char *spelling = type_text(type);
  agpu__text_printf(&text,
                    "func.func @shuffle(%%v: %s, %%o: i32, %%n: i32) "
                    "-> (%s, i1) {\n",
                    spelling, spelling);
  unsigned words = write_words(&text, type);
  for (unsigned i = 0; i < words; ++i)
    agpu__text_printf(
        &text,
        "  %%s%u, %%p%u = gpu.shuffle %s %%w%u, %%o, %%n {" AGPU__WHOLE_SHUFFLE
        "} : i32\n",
        i, i, mode_of(shuffle), i);
  write_value(&text, type, words);
  agpu__text_printf(&text, "  return %%r, %%p0 : %s, i1\n}\n", spelling);
  MlirLogicalResult result =
      agpu__template_replace(shuffle, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
  free(spelling);
  return result;
}

/// A shuffle of the first lanes, which the others may execute with them: a lane
/// has to be in the mask that it names, so that those name each other. They
/// read themselves. Upstream's conversion has all name the first lanes, and
/// lets `up` end at the wrong lane.
static MlirLogicalResult expand_part(MlirOperation shuffle, MlirType type) {
  const char *mode = mode_of(shuffle);
  bool up = !strcmp(mode, "up");
  agpu__text text = {0};
  char *spelling = type_text(type);
  agpu__text_printf(&text,
                    "func.func @shuffle(%%v: %s, %%o: i32, %%n: i32) "
                    "-> (%s, i1) {\n"
                    "  %%index = gpu.lane_id\n"
                    "  %%lane = arith.index_cast %%index : index to i32\n"
                    "  %%in = arith.cmpi ult, %%lane, %%n : i32\n"
                    "  %%size = arith.constant %d : i32\n"
                    "  %%all = arith.constant -1 : i32\n"
                    "  %%others = arith.subi %%size, %%n : i32\n"
                    "  %%low = arith.shrui %%all, %%others : i32\n"
                    "  %%high = arith.xori %%low, %%all : i32\n"
                    "  %%mask = arith.select %%in, %%low, %%high : i32\n"
                    "  %%zero = arith.constant 0 : i32\n"
                    "  %%one = arith.constant 1 : i32\n"
                    "  %%last = arith.subi %%n, %%one : i32\n"
                    "  %%from = arith.select %%in, %%o, %%%s : i32\n",
                    spelling, spelling, WARP_SIZE,
                    strcmp(mode, "idx") ? "zero" : "lane");
  unsigned words = write_words(&text, type);
  for (unsigned i = 0; i < words; ++i)
    agpu__text_printf(
        &text,
        "  %%b%u = nvvm.shfl.sync %s %%mask, %%w%u, %%from, %%%s "
        "{return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>\n"
        "  %%s%u = llvm.extractvalue %%b%u[0] : !llvm.struct<(i32, i1)>\n"
        "  %%p%u = llvm.extractvalue %%b%u[1] : !llvm.struct<(i32, i1)>\n",
        i, !strcmp(mode, "xor") ? "bfly" : mode, i, up ? "zero" : "last", i, i,
        i, i);
  write_value(&text, type, words);
  agpu__text_printf(&text,
                    "  %%valid = arith.andi %%in, %%p0 : i1\n"
                    "  return %%r, %%valid : %s, i1\n}\n",
                    spelling);
  MlirLogicalResult result =
      agpu__template_replace(shuffle, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
  free(spelling);
  return result;
}

static MlirLogicalResult expand_shuffle(MlirOperation shuffle, MlirType type) {
  if (!is_whole(shuffle))
    return expand_part(shuffle, type);
  if (is_native(type))
    return mlirLogicalResultSuccess();
  return expand_words(shuffle, type);
}

/// Lane `(lane + offset) % width`, which the first `width` lanes can read.
static MlirLogicalResult expand_rotate(MlirOperation rotate) {
  char *type = type_text(mlirValueGetType(agpu__result(rotate, 0)));
  long long offset = attribute(rotate, "offset");
  long long width = attribute(rotate, "width");
  char *text =
      agpu__format("func.func @rotate(%%v: %s) -> (%s, i1) {\n"
                   "  %%offset = arith.constant %lld : i32\n"
                   "  %%width = arith.constant %lld : i32\n"
                   "  %%last = arith.constant %lld : i32\n"
                   "  %%index = gpu.lane_id\n"
                   "  %%lane = arith.index_cast %%index : index to i32\n"
                   "  %%ahead = arith.addi %%lane, %%offset : i32\n"
                   "  %%from = arith.andi %%ahead, %%last : i32\n"
                   "  %%r, %%p = gpu.shuffle idx %%v, %%from, %%width : %s\n"
                   "  %%valid = arith.cmpi ult, %%lane, %%width : i32\n"
                   "  return %%r, %%valid : %s, i1\n"
                   "}\n",
                   type, type, offset, width, width - 1, type, type);
  MlirLogicalResult result = agpu__template_replace(rotate, text, NULL, 0);
  free(text);
  free(type);
  return result;
}

/// True in the first block of a kernel, which each thread that has not ended
/// comes to once, wherever it has been before: in a branch that stands there as
/// an op, or nowhere.
static bool is_reached_by_all(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return agpu__op_is(parent, "gpu.func") &&
         agpu__has_attr(parent, "gpu.kernel") &&
         mlirBlockEqual(mlirOperationGetBlock(op), agpu__entry_block(parent));
}

/// Reads one lane in all lanes that are active: the one that is named, or the
/// first. PTX promises of no branch that its lanes go on together behind it, so
/// that a lane that is named is waited for where all are known to come; where
/// they are not, there is no mask that would neither miss it nor hang.
static MlirLogicalResult expand_broadcast(MlirOperation broadcast,
                                          MlirType type) {
  bool named = mlirOperationGetNumOperands(broadcast) == 2;
  bool waits = named && is_reached_by_all(broadcast);
  char *spelling = type_text(type);
  agpu__text text = {0};
  agpu__text_printf(&text,
                    "func.func @broadcast(%%v: %s%s) -> %s {\n"
                    "  %%mask = %s : %si32\n"
                    "  %%last = arith.constant 31 : i32\n",
                    spelling, named ? ", %lane: i32" : "", spelling,
                    waits ? "arith.constant -1"
                          : "llvm.call_intrinsic \"llvm.nvvm.activemask\"()",
                    waits ? "" : "() -> ");
  if (!named)
    agpu__text_puts(&text, "  %lane = \"llvm.intr.cttz\"(%mask) "
                           "<{is_zero_poison = true}> : (i32) -> i32\n");
  unsigned words = write_words(&text, type);
  for (unsigned i = 0; i < words; ++i)
    agpu__text_printf(&text,
                      "  %%s%u = nvvm.shfl.sync idx %%mask, %%w%u, %%lane, "
                      "%%last : i32 -> i32\n",
                      i, i);
  write_value(&text, type, words);
  agpu__text_printf(&text, "  return %%r : %s\n}\n", spelling);
  MlirLogicalResult result =
      agpu__template_replace(broadcast, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
  free(spelling);
  return result;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// What can be cut into words of 32 bits.
static bool check_type(MlirOperation op, MlirType type) {
  unsigned bits = scalar_bits(element_of(type));
  if (bits && bits <= 64 &&
      (!mlirTypeIsAVector(type) ||
       (mlirShapedTypeGetRank(type) == 1 && !mlirVectorTypeIsScalable(type))))
    return true;
  MlirStringRef name = agpu__op_name(op);
  char *spelling = type_text(type);
  agpu__error(mlirOperationGetLocation(op),
              "'%.*s' moves integers and floats of up to 64 bits and vectors "
              "of those, not %s",
              (int)name.length, name.data, spelling);
  free(spelling);
  return false;
}

/// A width or a lane that is constant and that a subgroup has not.
static bool check_lanes(MlirOperation op) {
  const char *what = "width";
  int64_t lanes = WARP_SIZE, least = 1;
  if (agpu__op_is(op, "gpu.rotate")) {
    lanes = (uint32_t)attribute(op, "width");
    int64_t offset = attribute(op, "offset");
    if (lanes <= WARP_SIZE && offset >= lanes)
      return mlirLogicalResultIsSuccess(
          agpu__error(mlirOperationGetLocation(op),
                      "an offset of %lld is not below the width, %lld",
                      (long long)offset, (long long)lanes));
  } else if (agpu__op_is(op, "gpu.shuffle")) {
    lanes = constant_of(mlirOperationGetOperand(op, 2));
  } else if (mlirOperationGetNumOperands(op) == 2) {
    what = "lane";
    least = 0;
    lanes = constant_of(mlirOperationGetOperand(op, 1));
  }
  int64_t most = least ? WARP_SIZE : WARP_SIZE - 1;
  if (lanes == -1 || (lanes >= least && lanes <= most))
    return true;
  agpu__error(mlirOperationGetLocation(op),
              "the %s is %lld; a subgroup has %d lanes", what, (long long)lanes,
              WARP_SIZE);
  return false;
}

/// Whether the op could be expanded.
static bool expand(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  if (!check_type(op, type) || !check_lanes(op))
    return false;
  return mlirLogicalResultIsSuccess(
      agpu__op_is(op, "gpu.rotate")    ? expand_rotate(op)
      : agpu__op_is(op, "gpu.shuffle") ? expand_shuffle(op, type)
                                       : expand_broadcast(op, type));
}

MlirLogicalResult agpu__expand_shuffles(MlirOperation gpu_module) {
  // Rotations leave shuffles behind.
  static const char *const names[] = {"gpu.rotate", "gpu.subgroup_broadcast",
                                      "gpu.shuffle"};
  bool good = true;
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); ++n) {
    agpu__ops ops = {0};
    agpu__collect(gpu_module, names[n], &ops);
    for (size_t i = 0; i < ops.count; ++i)
      good &= expand(ops.data[i]);
    agpu__ops_free(&ops);
  }
  return good ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
