//===- shuffles.c - Values that move between lanes ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles move words of 32 bits. A value of another size is cut into words,
// each of which goes the same way, and put together again after that.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/ir/template.h"

#include <stdlib.h>

#define WARP_SIZE 32

/// Upstream's conversion does these by itself.
static bool is_native(MlirType type) {
  unsigned bits = agpu__number_bits(type);
  return bits == 32 || bits == 64;
}

static int64_t attribute(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(agpu__attr(op, name));
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Bits of the words that a scalar of so many bits becomes.
static unsigned padded(unsigned bits) { return bits <= 32 ? 32 : 64; }

static MlirValue convert(agpu__builder *at, const char *op, MlirValue value,
                         MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type)
             ? value
             : agpu__build_unary(at, op, value, type);
}

/// Appends the words of a scalar, the lowest first.
static void push_scalar_words(agpu__builder *at, MlirValue value,
                              agpu__values *words) {
  unsigned bits = agpu__number_bits(mlirValueGetType(value));
  value = convert(at, "arith.bitcast", value,
                  mlirIntegerTypeGet(at->context, bits));
  value = convert(at, "arith.extui", value,
                  mlirIntegerTypeGet(at->context, padded(bits)));
  agpu__values_push(
      words, convert(at, "arith.trunci", value, agpu__i32_type(at->context)));
  if (padded(bits) == 32)
    return;
  MlirType i64 = mlirValueGetType(value);
  value = agpu__build_binary(at, "arith.shrui", value,
                             agpu__build_constant(at, i64, 32));
  agpu__values_push(words, agpu__build_unary(at, "arith.trunci", value,
                                             agpu__i32_type(at->context)));
}

/// The way back: the scalar whose words begin at `*word`, which goes on.
static MlirValue join_scalar(agpu__builder *at, MlirType type,
                             const MlirValue **word) {
  unsigned bits = agpu__number_bits(type);
  MlirType wide = mlirIntegerTypeGet(at->context, padded(bits));
  MlirValue value = convert(at, "arith.extui", *(*word)++, wide);
  if (padded(bits) == 64) {
    MlirValue high = agpu__build_unary(at, "arith.extui", *(*word)++, wide);
    high = agpu__build_binary(at, "arith.shli", high,
                              agpu__build_constant(at, wide, 32));
    value = agpu__build_binary(at, "arith.ori", value, high);
  }
  value =
      convert(at, "arith.trunci", value, mlirIntegerTypeGet(at->context, bits));
  return convert(at, "arith.bitcast", value, type);
}

/// The type of a vector that consists of whole words as a vector of words; a
/// null type for others.
static MlirType word_vector(MlirType type) {
  if (!mlirTypeIsAVector(type))
    return (MlirType){NULL};
  int64_t bits = mlirShapedTypeGetDimSize(type, 0) *
                 agpu__number_bits(agpu__element_of(type));
  int64_t words = bits / 32;
  return bits % 32 ? (MlirType){NULL}
                   : mlirVectorTypeGet(
                         1, &words, agpu__i32_type(mlirTypeGetContext(type)));
}

static MlirValue element(agpu__builder *at, MlirValue vector, int64_t index) {
  return agpu__build_with(at, "vector.extract", &vector, 1,
                          agpu__element_of(mlirValueGetType(vector)),
                          "static_position",
                          mlirDenseI64ArrayGet(at->context, 1, &index));
}

/// Cuts `value` into words (i32).
static agpu__values words_of(agpu__builder *at, MlirValue value) {
  agpu__values words = {0};
  MlirType type = mlirValueGetType(value), whole = word_vector(type);
  if (!mlirTypeIsNull(whole))
    value = agpu__build_unary(at, "vector.bitcast", value, whole);
  type = mlirValueGetType(value);
  if (!mlirTypeIsAVector(type))
    push_scalar_words(at, value, &words);
  else
    for (int64_t i = 0; i < mlirShapedTypeGetDimSize(type, 0); ++i)
      push_scalar_words(at, element(at, value, i), &words);
  return words;
}

/// The value of `type` that consists of `words`.
static MlirValue join(agpu__builder *at, MlirType type,
                      const agpu__values *words) {
  const MlirValue *word = words->data;
  if (!mlirTypeIsAVector(type))
    return join_scalar(at, type, &word);
  MlirType whole = word_vector(type);
  MlirType joined = mlirTypeIsNull(whole) ? type : whole;
  AGPU__SCOPED(values) elements = {0};
  for (int64_t i = 0; i < mlirShapedTypeGetDimSize(joined, 0); ++i)
    agpu__values_push(&elements,
                      join_scalar(at, agpu__element_of(joined), &word));
  MlirValue value = agpu__build_value(at, "vector.from_elements", elements.data,
                                      elements.count, joined);
  return mlirTypeIsNull(whole)
             ? value
             : agpu__build_unary(at, "vector.bitcast", value, type);
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// `gpu.shuffle MODE` as the op spells it.
static const char *mode_of(MlirOperation shuffle) {
  static const char *const modes[] = {"xor", "down", "up", "idx"};
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(agpu__attr(shuffle, "mode"), agpu__text_callback, &text);
  const char *mode = modes[0];
  for (size_t i = 0; i < AGPU__COUNT(modes); ++i)
    if (strstr(agpu__text_get(&text), modes[i]))
      mode = modes[i];
  return mode;
}

/// The constant that `value` is; -1 where it is none.
static int64_t constant_of(MlirValue value) {
  if (!agpu__op_is(agpu__maker_of(value), "arith.constant"))
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

/// Builds function `function` of the templates, which shuffles one word, for
/// each word of op's first operand in turn: `arguments[1]` is the word. The
/// first result is put together to a value, which is returned; `out_valid` is
/// the second of the first word.
static MlirValue shuffle_words(agpu__builder *at, MlirOperation op,
                               const char *function, const agpu__holes *holes,
                               MlirValue *arguments, MlirValue *out_valid) {
  const agpu__template shuffle = {
      .file = "shuffles.mlir", .function = function, .holes = holes};
  AGPU__SCOPED(values) words = words_of(at, mlirOperationGetOperand(op, 0));
  for (size_t i = 0; i < words.count; ++i) {
    MlirValue results[2];
    arguments[1] = words.data[i];
    agpu__template_build(at, &shuffle, arguments, results);
    words.data[i] = results[0];
    if (i == 0 && out_valid)
      *out_valid = results[1];
  }
  return join(at, mlirValueGetType(agpu__result(op, 0)), &words);
}

static void replace(MlirOperation op, MlirValue value, MlirValue valid) {
  mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), value);
  if (mlirOperationGetNumResults(op) == 2)
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 1), valid);
  mlirOperationDestroy(op);
}

static void expand_words(MlirOperation shuffle) {
  agpu__builder at = agpu__builder_before(shuffle);
  AGPU__SCOPED(holes) holes = {0};
  agpu__hole(&holes, "mode", "%s", mode_of(shuffle));
  MlirValue arguments[] = {mlirOperationGetOperand(shuffle, 1),
                           {NULL},
                           mlirOperationGetOperand(shuffle, 2)};
  MlirValue valid;
  MlirValue value =
      shuffle_words(&at, shuffle, "whole_word", &holes, arguments, &valid);
  replace(shuffle, value, valid);
}

/// A shuffle of the first lanes, which the others may execute with them: a lane
/// has to be in the mask that it names, so that those name each other. They
/// read themselves. Upstream's conversion has all name the first lanes, and
/// lets `up` end at the wrong lane.
static void expand_part(MlirOperation shuffle) {
  const char *mode = mode_of(shuffle);
  agpu__builder at = agpu__builder_before(shuffle);
  AGPU__SCOPED(holes) holes = {0};
  agpu__hole(&holes, "mode", "%s", !strcmp(mode, "xor") ? "bfly" : mode);
  agpu__hole(&holes, "bound", "%s", !strcmp(mode, "up") ? "zero" : "last");
  agpu__hole(&holes, "self", "%s", strcmp(mode, "idx") ? "zero" : "lane");
  MlirValue operands[] = {mlirOperationGetOperand(shuffle, 1),
                          mlirOperationGetOperand(shuffle, 2)};
  MlirValue names[4]; // the mask, the lane, the bound, whether it takes part
  const agpu__template lanes = {
      .file = "shuffles.mlir", .function = "part", .holes = &holes};
  agpu__template_build(&at, &lanes, operands, names);
  MlirValue arguments[] = {names[0], {NULL}, names[1], names[2]};
  MlirValue valid;
  MlirValue value =
      shuffle_words(&at, shuffle, "part_word", &holes, arguments, &valid);
  replace(shuffle, value,
          agpu__build_binary(&at, "arith.andi", names[3], valid));
}

static void expand_shuffle(MlirOperation shuffle, MlirType type) {
  if (!is_whole(shuffle))
    expand_part(shuffle);
  else if (!is_native(type))
    expand_words(shuffle);
}

/// Lane `(lane + offset) % width`, which the first `width` lanes can read.
static void expand_rotate(MlirOperation rotate) {
  AGPU__SCOPED(holes) holes = {0};
  agpu__hole_type(&holes, "type", mlirValueGetType(agpu__result(rotate, 0)));
  agpu__hole(&holes, "offset", "%lld", (long long)attribute(rotate, "offset"));
  agpu__hole(&holes, "width", "%lld", (long long)attribute(rotate, "width"));
  agpu__hole(&holes, "last", "%lld", (long long)attribute(rotate, "width") - 1);
  agpu__template_replace(rotate,
                         &(agpu__template){.file = "shuffles.mlir",
                                           .function = "rotate",
                                           .holes = &holes},
                         NULL, 0);
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
/// first. PTX promises of no branch that its lanes go on together after it, so
/// that a lane that is named is waited for where all are known to come; where
/// they are not, there is no mask that would neither miss it nor hang.
static void expand_broadcast(MlirOperation broadcast) {
  bool named = mlirOperationGetNumOperands(broadcast) == 2;
  bool waits = named && is_reached_by_all(broadcast);
  agpu__builder at = agpu__builder_before(broadcast);
  MlirValue lanes[2]; // the mask, and the first lane in it
  const agpu__template mask = {.file = "shuffles.mlir",
                               .function = waits   ? "all_lanes"
                                           : named ? "active_lanes"
                                                   : "first_lane"};
  agpu__template_build(&at, &mask, NULL, lanes);
  MlirValue arguments[] = {lanes[0],
                           {NULL},
                           named ? mlirOperationGetOperand(broadcast, 1)
                                 : lanes[1]};
  MlirValue value =
      shuffle_words(&at, broadcast, "broadcast_word", NULL, arguments, NULL);
  replace(broadcast, value, (MlirValue){NULL});
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

/// What can be cut into words of 32 bits.
static bool check_type(MlirOperation op, MlirType type) {
  unsigned bits = agpu__number_bits(agpu__element_of(type));
  if (bits && bits <= 64 &&
      (!mlirTypeIsAVector(type) ||
       (mlirShapedTypeGetRank(type) == 1 && !mlirVectorTypeIsScalable(type))))
    return true;
  MlirStringRef name = agpu__op_name(op);
  AGPU__OWNED char *spelling = agpu__type_text(type);
  agpu__error(mlirOperationGetLocation(op),
              "'%.*s' moves integers and floats of up to 64 bits and vectors "
              "of those, not %s",
              AGPU__STR(name), spelling);
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
  if (agpu__op_is(op, "gpu.rotate"))
    expand_rotate(op);
  else if (agpu__op_is(op, "gpu.shuffle"))
    expand_shuffle(op, type);
  else
    expand_broadcast(op);
  return true;
}

MlirLogicalResult agpu__expand_shuffles(MlirOperation gpu_module) {
  // Rotations leave shuffles behind.
  static const char *const names[] = {"gpu.rotate", "gpu.subgroup_broadcast",
                                      "gpu.shuffle"};
  bool good = true;
  for (size_t n = 0; n < AGPU__COUNT(names); ++n) {
    AGPU__OPS_IN_FOREACH (op, gpu_module, names[n])
      good &= expand(op);
  }
  return good ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
