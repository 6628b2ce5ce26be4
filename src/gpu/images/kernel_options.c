//===- kernel_options.c - How kernels are compiled ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the options of the passes that make images, and says at a gpu.module
// what has no meaning.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "lower/ir/ir.h"

/// Reads a list of up to two words, "ptx,native" and the like. False for a word
/// that is neither.
static bool read_words(const char *text, const char *first, bool *out_first,
                       const char *second, bool *out_second) {
  const char *rest = text;
  do {
    size_t length = strcspn(rest, ",");
    if (length == strlen(first) && !memcmp(rest, first, length))
      *out_first = true;
    else if (length == strlen(second) && !memcmp(rest, second, length))
      *out_second = true;
    else
      return false;
    rest += length;
  } while (*rest++ == ',');
  return true;
}

static MlirLogicalResult read_chips(MlirLocation location, const char *text,
                                    agpu__target_options *out) {
  const char *rest = text;
  do {
    size_t length = strcspn(rest, ",");
    const agpu__chip *chip = agpu__chip_find(rest, length);
    if (!chip)
      return agpu__error(location,
                         "unknown chip '%.*s' in option chip='%s'; chips are "
                         "named as in sm_75, sm_80, sm_90a and sm_100",
                         (int)length, rest, text);
    for (size_t i = 0; i < out->chip_count; ++i)
      if (out->chips[i] == chip)
        return agpu__error(location, "option chip='%s' names %s twice", text,
                           chip->name);
    if (out->chip_count == AGPU__MAX_CHIPS)
      return agpu__error(location, "option chip='%s' names more than %d chips",
                         text, AGPU__MAX_CHIPS);
    out->chips[out->chip_count++] = chip;
    rest += length;
  } while (*rest++ == ',');
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_features(MlirLocation location, const char *text,
                                       agpu__target_options *out) {
  if (!agpu__ptx_version_parse(text, &out->ptx_version))
    return agpu__error(location,
                       "unknown PTX version in option features='%s'; give one "
                       "as in +ptx63 or +ptx80",
                       text);
  for (size_t i = 0; i < out->chip_count && out->ptx_version; ++i)
    if (out->ptx_version < out->chips[i]->ptx_version)
      return agpu__error(location,
                         "option features='%s' is too low for %s, which needs "
                         "+ptx%d",
                         text, out->chips[i]->name, out->chips[i]->ptx_version);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__target_options_read(MlirLocation location,
                                            const agpu_pass_values *values,
                                            agpu__target_options *out_options) {
  agpu__target_options *out = out_options;
  *out = (agpu__target_options){0};
  out->toolkit = agpu__pass_value_string(values, "toolkit");
  if (!agpu__toolkit_can_be_in(out->toolkit))
    return agpu__error(location,
                       "option toolkit='%s' is no folder; name that of a CUDA "
                       "toolkit, or leave it empty to search for one",
                       out->toolkit);
  const char *targets = agpu__pass_value_string(values, "targets");
  if (!read_words(targets, "ptx", &out->to_cuda, "native", &out->to_native))
    return agpu__error(location,
                       "unknown target in option targets='%s'; the targets "
                       "are ptx and native",
                       targets);
  out->expand_math = !strcmp(agpu__pass_value_string(values, "math"), "expand");
  if (mlirLogicalResultIsFailure(
          read_chips(location, agpu__pass_value_string(values, "chip"), out)))
    return mlirLogicalResultFailure();
  return read_features(location, agpu__pass_value_string(values, "features"),
                       out);
}

MlirLogicalResult agpu__image_options_read(MlirLocation location,
                                           const agpu_pass_values *values,
                                           agpu__image_options *out_options) {
  agpu__image_options *out = out_options;
  *out = (agpu__image_options){.lines =
                                   agpu__pass_value_bool(values, "line-info")};
  int64_t level = agpu__pass_value_int(values, "opt-level");
  if (level < 0 || level > 3)
    return agpu__error(location, "option opt-level=%lld is not in 0 to 3",
                       (long long)level);
  out->opt_level = (int)level;
  const char *format = agpu__pass_value_string(values, "format");
  if (!read_words(format, "ptx", &out->embed_ptx, "cubin", &out->embed_cubin))
    return agpu__error(location,
                       "unknown format in option format='%s'; the formats are "
                       "ptx and cubin",
                       format);
  return mlirLogicalResultSuccess();
}
