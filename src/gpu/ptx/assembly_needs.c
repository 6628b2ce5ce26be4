//===- assembly_needs.c - What inline PTX needs ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM copies the text of inline assembly as it is, so that an instruction that
// the chip or the PTX version lacks would be found by ptxas or the driver. The
// table has the families of instructions that are younger than the oldest chip
// here, from the PTX ISA's "Target ISA Notes" and "PTX ISA Notes". Of a text
// only the mnemonics are looked at: what an instruction is not known to need,
// it needs not.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include <ctype.h>
#include <string.h>

/// A mnemonic that begins with the first word and has the others among its
/// parts; a word that ends with '*' is the beginning of one. The first row that
/// fits holds.
static const struct row {
  const char *words;
  uint32_t chip;
  char variant;
  int ptx_version;
} rows[] = {
    // Tensor cores.
    {"tcgen05", 100, 'f', 86},
    {"wgmma mma_async s8 u8", 90, 'a', 84},
    {"wgmma mma_async u8 s8", 90, 'a', 84},
    {"wgmma", 90, 'a', 80},
    {"mma block_scale", 120, 'f', 87},
    {"mma kind::f8f6f4", 100, 'f', 87},
    {"mma e4m3", 89, 0, 84},
    {"mma e5m2", 89, 0, 84},
    {"mma sp::ordered_metadata", 80, 0, 85},
    {"mma sp", 80, 0, 71},
    {"mma and popc", 80, 0, 71},
    {"mma bf16", 80, 0, 70},
    {"mma tf32", 80, 0, 70},
    {"mma f64", 80, 0, 70},
    {"mma m8n8k4", 70, 0, 64},
    {"mma m8n8k16", 75, 0, 65},
    {"mma m8n8k32", 75, 0, 65},
    {"mma m8n8k128", 75, 0, 70},
    {"mma m16n8k8 f16", 75, 0, 65},
    {"mma", 80, 0, 70},
    {"wmma bf16", 80, 0, 70},
    {"wmma tf32", 80, 0, 70},
    {"wmma f64", 80, 0, 70},
    {"wmma s4", 75, 0, 63},
    {"wmma u4", 75, 0, 63},
    {"wmma b1", 75, 0, 63},
    {"wmma s8", 72, 0, 63},
    {"wmma u8", 72, 0, 63},
    {"wmma", 70, 0, 61},
    {"ldmatrix m16n16", 100, 'f', 86},
    {"ldmatrix m8n16", 100, 'f', 86},
    {"ldmatrix", 75, 0, 65},
    {"stmatrix m16n8", 100, 'f', 86},
    {"stmatrix", 90, 0, 78},
    {"movmatrix", 75, 0, 78},
    // Asynchronous copies, and barriers that count them.
    {"cp bulk tile::gather4", 100, 0, 86},
    {"cp bulk tile::scatter4", 100, 'f', 86},
    {"cp bulk im2col::w*", 100, 0, 86},
    {"cp bulk cp_mask", 100, 0, 86},
    {"cp bulk shared::cta global mbarrier::*", 90, 0, 86},
    {"cp bulk", 90, 0, 80},
    {"cp async", 80, 0, 70},
    {"mbarrier try_wait acquire", 90, 0, 80},
    {"mbarrier try_wait relaxed", 90, 0, 80},
    {"mbarrier try_wait", 90, 0, 78},
    {"mbarrier expect_tx", 90, 0, 80},
    {"mbarrier complete_tx", 90, 0, 80},
    {"mbarrier shared::cluster", 90, 0, 80},
    {"mbarrier cluster", 90, 0, 80},
    {"mbarrier acquire", 80, 0, 80},
    {"mbarrier release", 80, 0, 80},
    {"mbarrier relaxed", 80, 0, 80},
    {"mbarrier parity", 80, 0, 71},
    {"mbarrier shared::cta", 80, 0, 78},
    {"mbarrier", 80, 0, 70},
    {"st async", 90, 0, 81},
    {"red async", 90, 0, 81},
    {"st bulk", 100, 0, 86},
    {"tensormap replace", 90, 'f', 83},
    {"tensormap", 90, 0, 83},
    {"prefetch tensormap", 90, 0, 80},
    // Clusters.
    {"barrier cluster acquire", 90, 0, 80},
    {"barrier cluster release", 90, 0, 80},
    {"barrier cluster relaxed", 90, 0, 80},
    {"barrier cluster", 90, 0, 78},
    {"mapa", 90, 0, 78},
    {"getctarank", 90, 0, 78},
    {"isspacep shared::cluster", 90, 0, 78},
    {"clusterlaunchcontrol", 100, 0, 86},
    {"griddepcontrol", 90, 0, 78},
    {"multimem", 90, 0, 81},
    // Warps.
    {"redux f32", 100, 'f', 86},
    {"redux", 80, 0, 70},
    {"elect", 90, 0, 80},
    {"match", 70, 0, 60},
    {"activemask", 0, 0, 62},
    {"vote sync", 0, 0, 60},
    {"shfl sync", 0, 0, 60},
    {"bar warp", 0, 0, 60},
    {"bar cta", 0, 0, 78},
    {"barrier cta", 0, 0, 78},
    {"barrier", 0, 0, 60},
    {"nanosleep", 70, 0, 63},
    {"setmaxnreg", 90, 'f', 80},
    // Order of memory.
    {"fence proxy tensormap*", 90, 0, 83},
    {"fence proxy async::*", 90, 0, 86},
    {"fence proxy async*", 90, 0, 80},
    {"fence proxy alias", 70, 0, 75},
    {"fence mbarrier_init", 90, 0, 80},
    {"fence sync_restrict*", 90, 0, 86},
    {"fence cluster", 90, 0, 78},
    {"fence", 70, 0, 60},
    // Memory.
    {"ld b128", 70, 0, 83},
    {"st b128", 70, 0, 84},
    {"atom b128", 90, 0, 83},
    {"atom bf16*", 90, 0, 78},
    {"red bf16*", 90, 0, 78},
    {"atom v2", 90, 0, 81},
    {"atom v4", 90, 0, 81},
    {"atom v8", 90, 0, 81},
    {"red v2", 90, 0, 81},
    {"red v4", 90, 0, 81},
    {"red v8", 90, 0, 81},
    {"ld v4 b64", 100, 0, 88},
    {"ld v4 f64", 100, 0, 88},
    {"st v4 b64", 100, 0, 88},
    {"st v4 f64", 100, 0, 88},
    {"ld v8", 100, 0, 88},
    {"st v8", 100, 0, 88},
    {"atom f16", 70, 0, 63},
    {"red f16", 70, 0, 63},
    {"atom f16x2", 60, 0, 62},
    {"red f16x2", 60, 0, 62},
    {"atom b16", 70, 0, 63},
    {"ld cluster", 90, 0, 78},
    {"st cluster", 90, 0, 78},
    {"atom cluster", 90, 0, 78},
    {"red cluster", 90, 0, 78},
    {"ld shared::cluster", 90, 0, 78},
    {"st shared::cluster", 90, 0, 78},
    {"atom shared::cluster", 90, 0, 78},
    {"red shared::cluster", 90, 0, 78},
    {"ld L2::cache_hint", 80, 0, 74},
    {"st L2::cache_hint", 80, 0, 74},
    {"atom L2::cache_hint", 80, 0, 74},
    {"red L2::cache_hint", 80, 0, 74},
    {"ld mmio", 70, 0, 82},
    {"st mmio", 70, 0, 82},
    {"ld shared::cta", 0, 0, 78},
    {"st shared::cta", 0, 0, 78},
    {"atom shared::cta", 0, 0, 78},
    {"red shared::cta", 0, 0, 78},
    {"ld L2::256B", 80, 0, 74},
    {"ld L2::*", 75, 0, 74},
    {"ld L1::*", 70, 0, 74},
    {"st L1::*", 70, 0, 74},
    {"ld relaxed", 70, 0, 60},
    {"ld acquire", 70, 0, 60},
    {"st relaxed", 70, 0, 60},
    {"st release", 70, 0, 60},
    {"atom relaxed", 70, 0, 60},
    {"atom acquire", 70, 0, 60},
    {"atom release", 70, 0, 60},
    {"atom acq_rel", 70, 0, 60},
    {"red relaxed", 70, 0, 60},
    {"red release", 70, 0, 60},
    {"createpolicy", 80, 0, 74},
    {"applypriority", 80, 0, 74},
    {"discard", 80, 0, 74},
    {"cvta param", 70, 0, 77},
    {"isspacep param", 70, 0, 77},
    {"alloca", 52, 0, 73},
    {"stacksave", 52, 0, 73},
    {"stackrestore", 52, 0, 73},
    // Conversions.
    {"cvt rs", 100, 'a', 87},
    {"cvt e2m1x2", 100, 'f', 86},
    {"cvt e2m3x2", 100, 'f', 86},
    {"cvt e3m2x2", 100, 'f', 86},
    {"cvt ue8m0x2", 100, 'f', 86},
    {"cvt e4m3x2", 89, 0, 81},
    {"cvt e5m2x2", 89, 0, 81},
    {"cvt satfinite tf32", 80, 0, 81},
    {"cvt rna tf32", 80, 0, 70},
    {"cvt tf32", 90, 0, 78},
    {"cvt bf16x2 f32", 80, 0, 70},
    {"cvt f16x2 f32", 80, 0, 70},
    {"cvt rn bf16 f32", 80, 0, 70},
    {"cvt rz bf16 f32", 80, 0, 70},
    {"cvt bf16 f32", 80, 0, 71},
    {"cvt bf16", 90, 0, 78},
    {"cvt pack", 72, 0, 65},
    // Arithmetic.
    {"add f32x2", 100, 0, 86},
    {"sub f32x2", 100, 0, 86},
    {"mul f32x2", 100, 0, 86},
    {"fma f32x2", 100, 0, 86},
    {"add f32 f16", 100, 0, 86},
    {"add f32 bf16", 100, 0, 86},
    {"sub f32 f16", 100, 0, 86},
    {"sub f32 bf16", 100, 0, 86},
    {"fma f32 f16", 100, 0, 86},
    {"fma f32 bf16", 100, 0, 86},
    {"add bf16*", 90, 0, 78},
    {"sub bf16*", 90, 0, 78},
    {"mul bf16*", 90, 0, 78},
    {"setp bf16*", 90, 0, 78},
    {"set bf16*", 90, 0, 78},
    {"ex2 bf16*", 90, 0, 78},
    {"tanh bf16*", 90, 0, 78},
    {"tanh", 75, 0, 70},
    {"ex2 f16*", 75, 0, 70},
    {"fma relu", 80, 0, 70},
    {"fma oob", 90, 0, 81},
    {"fma bf16*", 80, 0, 70},
    {"abs bf16*", 80, 0, 70},
    {"neg bf16*", 80, 0, 70},
    {"abs f16*", 53, 0, 65},
    {"neg f16*", 53, 0, 60},
    {"min xorsign", 86, 0, 72},
    {"max xorsign", 86, 0, 72},
    {"min f16*", 80, 0, 70},
    {"max f16*", 80, 0, 70},
    {"min bf16*", 80, 0, 70},
    {"max bf16*", 80, 0, 70},
    {"min NaN", 80, 0, 70},
    {"max NaN", 80, 0, 70},
    {"add u16x2", 90, 0, 80},
    {"add s16x2", 90, 0, 80},
    {"min u16x2", 90, 0, 80},
    {"min s16x2", 90, 0, 80},
    {"max u16x2", 90, 0, 80},
    {"max s16x2", 90, 0, 80},
    {"min relu", 90, 0, 80},
    {"max relu", 90, 0, 80},
    {"bmsk", 70, 0, 76},
    {"szext", 70, 0, 76},
    {"dp2a", 61, 0, 50},
    {"dp4a", 61, 0, 50},
    {"fns", 0, 0, 60},
};

/// Whether `part` of `length` bytes is the word, or begins as it does.
static bool is_word(const char *part, size_t length, const char *word,
                    size_t word_length) {
  bool is_beginning = word[word_length - 1] == '*';
  word_length -= is_beginning;
  return (is_beginning ? length >= word_length : length == word_length) &&
         memcmp(part, word, word_length) == 0;
}

/// Whether the mnemonic has the word among its parts; the first of `words` has
/// to be the first of them.
static bool has_word(const char *mnemonic, const char *word, size_t length,
                     bool is_first) {
  for (const char *part = mnemonic; *part;) {
    size_t size = strcspn(part, ".");
    if (is_word(part, size, word, length))
      return true;
    if (is_first)
      return false;
    part += size + (part[size] == '.');
  }
  return false;
}

static bool fits(const char *mnemonic, const char *words) {
  for (const char *word = words; *word;) {
    size_t length = strcspn(word, " ");
    if (!has_word(mnemonic, word, length, word == words))
      return false;
    word += length + (word[length] == ' ');
  }
  return true;
}

static const char *skip_space(const char *at) {
  for (;;) {
    if (isspace((unsigned char)*at) || *at == ';' || *at == '{' || *at == '}') {
      ++at;
    } else if (at[0] == '/' && at[1] == '/') {
      at += strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      at = end ? end + 2 : at + strlen(at);
    } else {
      return at;
    }
  }
}

/// Of a mnemonic or a label, which may have ${:uid} in it.
static size_t word_length(const char *at) {
  size_t length = 0;
  while (at[length]) {
    if (at[length] == '$' && at[length + 1] == '{')
      length += strcspn(at + length, "}");
    else if (!isalnum((unsigned char)at[length]) &&
             !strchr("._:$%", at[length]))
      break;
    length += at[length] != 0;
  }
  return length;
}

bool agpu__assembly_next(const char **text, agpu__assembly_need *out) {
  *out = (agpu__assembly_need){0};
  const char *at = skip_space(*text);
  size_t length = word_length(at);
  // A label, or a guard: @!%p.
  while (*at == '@' || (length && at[length - 1] == ':')) {
    at += *at == '@' ? strcspn(at, " \t\n;") : length;
    at = skip_space(at);
    length = word_length(at);
  }
  if (!*at) {
    *text = at;
    return false;
  }
  size_t kept =
      length < sizeof out->mnemonic ? length : sizeof out->mnemonic - 1;
  memcpy(out->mnemonic, at, kept);
  *text = at + strcspn(at, ";");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (fits(out->mnemonic, rows[i].words)) {
      out->chip = rows[i].chip;
      out->variant = rows[i].variant;
      out->ptx_version = rows[i].ptx_version;
      break;
    }
  return true;
}
