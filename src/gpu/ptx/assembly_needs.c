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
/// parts. Commas stand between words of which it has one; a word that ends with
/// '*' is the beginning of one. The first row that fits holds.
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
    {"mma e4m3,e5m2", 89, 0, 84},
    {"mma sp::ordered_metadata", 80, 0, 85},
    {"mma sp", 80, 0, 71},
    {"mma and popc", 80, 0, 71},
    {"mma,wmma bf16,tf32,f64", 80, 0, 70},
    {"mma m8n8k4", 70, 0, 64},
    {"mma m8n8k16,m8n8k32", 75, 0, 65},
    {"mma m8n8k128", 75, 0, 70},
    {"mma m16n8k8 f16", 75, 0, 65},
    {"mma", 80, 0, 70},
    {"wmma s4,u4,b1", 75, 0, 63},
    {"wmma s8,u8", 72, 0, 63},
    {"wmma", 70, 0, 61},
    {"ldmatrix m16n16,m8n16", 100, 'f', 86},
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
    {"mbarrier try_wait acquire,relaxed", 90, 0, 80},
    {"mbarrier try_wait", 90, 0, 78},
    {"mbarrier expect_tx,complete_tx,shared::cluster,cluster", 90, 0, 80},
    {"mbarrier acquire,release,relaxed", 80, 0, 80},
    {"mbarrier parity", 80, 0, 71},
    {"mbarrier shared::cta", 80, 0, 78},
    {"mbarrier", 80, 0, 70},
    {"st,red async", 90, 0, 81},
    {"st bulk", 100, 0, 86},
    {"tensormap replace", 90, 'f', 83},
    {"tensormap", 90, 0, 83},
    {"prefetch tensormap", 90, 0, 80},
    // Clusters.
    {"barrier cluster acquire,release,relaxed", 90, 0, 80},
    {"barrier cluster", 90, 0, 78},
    {"mapa,getctarank", 90, 0, 78},
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
    {"vote,shfl sync", 0, 0, 60},
    {"bar warp", 0, 0, 60},
    {"bar,barrier cta", 0, 0, 78},
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
    {"atom,red bf16*", 90, 0, 78},
    {"atom,red v2,v4,v8", 90, 0, 81},
    {"ld,st v4 b64,f64", 100, 0, 88},
    {"ld,st v8", 100, 0, 88},
    {"atom,red f16", 70, 0, 63},
    {"atom,red f16x2", 60, 0, 62},
    {"atom b16", 70, 0, 63},
    {"ld,st,atom,red cluster,shared::cluster", 90, 0, 78},
    {"ld,st,atom,red L2::cache_hint", 80, 0, 74},
    {"ld,st mmio", 70, 0, 82},
    {"ld,st,atom,red shared::cta", 0, 0, 78},
    {"ld L2::256B", 80, 0, 74},
    {"ld L2::*", 75, 0, 74},
    {"ld,st L1::*", 70, 0, 74},
    {"ld,st,atom,red relaxed", 70, 0, 60},
    {"ld,atom acquire", 70, 0, 60},
    {"st,atom,red release", 70, 0, 60},
    {"atom acq_rel", 70, 0, 60},
    {"createpolicy,applypriority,discard", 80, 0, 74},
    {"cvta,isspacep param", 70, 0, 77},
    {"alloca,stacksave,stackrestore", 52, 0, 73},
    // Conversions.
    {"cvt rs", 100, 'a', 87},
    {"cvt e2m1x2,e2m3x2,e3m2x2,ue8m0x2", 100, 'f', 86},
    {"cvt e4m3x2,e5m2x2", 89, 0, 81},
    {"cvt satfinite tf32", 80, 0, 81},
    {"cvt rna tf32", 80, 0, 70},
    {"cvt tf32", 90, 0, 78},
    {"cvt bf16x2,f16x2 f32", 80, 0, 70},
    {"cvt rn,rz bf16 f32", 80, 0, 70},
    {"cvt bf16 f32", 80, 0, 71},
    {"cvt bf16", 90, 0, 78},
    {"cvt pack", 72, 0, 65},
    // Arithmetic.
    {"add,sub,mul,fma f32x2", 100, 0, 86},
    {"add,sub,fma f32 f16,bf16", 100, 0, 86},
    {"add,sub,mul,setp,set,ex2,tanh bf16*", 90, 0, 78},
    {"tanh", 75, 0, 70},
    {"ex2 f16*", 75, 0, 70},
    {"fma relu", 80, 0, 70},
    {"fma oob", 90, 0, 81},
    {"fma,abs,neg bf16*", 80, 0, 70},
    {"abs f16*", 53, 0, 65},
    {"neg f16*", 53, 0, 60},
    {"min,max xorsign", 86, 0, 72},
    {"min,max f16*,bf16*,NaN", 80, 0, 70},
    {"add,min,max u16x2,s16x2", 90, 0, 80},
    {"min,max relu", 90, 0, 80},
    {"bmsk,szext", 70, 0, 76},
    {"dp2a,dp4a", 61, 0, 50},
    {"fns", 0, 0, 60},
};

/// Whether `part` of `length` bytes is one of `words`, or begins as one does.
static bool is_word(const char *part, size_t length, const char *words,
                    size_t words_length) {
  for (const char *word = words; word < words + words_length;) {
    size_t size = strcspn(word, ", ");
    bool is_beginning = word[size - 1] == '*';
    size_t same = size - is_beginning;
    if ((is_beginning ? length >= same : length == same) &&
        memcmp(part, word, same) == 0)
      return true;
    word += size + 1;
  }
  return false;
}

/// Whether the mnemonic has one of the words among its parts; one of the first
/// of a row has to be the first of them.
static bool has_word(const char *mnemonic, const char *words, size_t length,
                     bool is_first) {
  for (const char *part = mnemonic; *part;) {
    size_t size = strcspn(part, ".");
    if (is_word(part, size, words, length))
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
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i)
    if (fits(out->mnemonic, rows[i].words)) {
      out->chip = rows[i].chip;
      out->variant = rows[i].variant;
      out->ptx_version = rows[i].ptx_version;
      break;
    }
  return true;
}
