//===- assembly_table.c - Instructions of inline assembly -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each instruction that inline assembly may have is in ops of the llvm and
// nvvm dialects: a table for those that have a name each, and functions for
// families whose qualifiers say what they do.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include <stdio.h>

/// One instruction, or several that are the same on a host.
/// NULL for the body: nothing is done.
static const struct row {
  const char *names, *results, *sources, *body;
  bool has_effects;
} rows[] = {
    {"mov.b32 mov.u32 mov.s32", "i32", "i32",
     "%r0 = llvm.bitcast %0 : i32 to i32", false},
    {"mov.b64 mov.u64 mov.s64", "i64", "i64",
     "%r0 = llvm.bitcast %0 : i64 to i64", false},
    {"mov.f32", "f32", "f32", "%r0 = llvm.bitcast %0 : f32 to f32", false},
    {"mov.f64", "f64", "f64", "%r0 = llvm.bitcast %0 : f64 to f64", false},
    {"ex2.approx.f32 ex2.approx.ftz.f32", "f32", "f32",
     "%r0 = llvm.intr.exp2(%0) : (f32) -> f32", false},
    {"lg2.approx.f32 lg2.approx.ftz.f32", "f32", "f32",
     "%r0 = llvm.intr.log2(%0) : (f32) -> f32", false},
    {"sin.approx.f32 sin.approx.ftz.f32", "f32", "f32",
     "%r0 = llvm.intr.sin(%0) : (f32) -> f32", false},
    {"cos.approx.f32 cos.approx.ftz.f32", "f32", "f32",
     "%r0 = llvm.intr.cos(%0) : (f32) -> f32", false},
    {"tanh.approx.f32", "f32", "f32", "%r0 = llvm.intr.tanh(%0) : (f32) -> f32",
     false},
    {"rcp.approx.ftz.f32", "f32", "f32", "%r0 = nvvm.rcp.approx.ftz.f %0 : f32",
     false},
    {"rcp.approx.f32 rcp.rn.f32", "f32", "f32",
     "%one = llvm.mlir.constant(1.0 : f32) : f32\n%r0 = llvm.fdiv %one, %0 : "
     "f32",
     false},
    {"sqrt.approx.f32 sqrt.approx.ftz.f32 sqrt.rn.f32", "f32", "f32",
     "%r0 = llvm.intr.sqrt(%0) : (f32) -> f32", false},
    {"rsqrt.approx.f32 rsqrt.approx.ftz.f32", "f32", "f32",
     "%one = llvm.mlir.constant(1.0 : f32) : f32\n%s = llvm.intr.sqrt(%0) : "
     "(f32) -> f32\n%r0 = llvm.fdiv %one, %s : f32",
     false},
    {"abs.f32", "f32", "f32", "%r0 = llvm.intr.fabs(%0) : (f32) -> f32", false},
    {"neg.f32", "f32", "f32", "%r0 = llvm.fneg %0 : f32", false},
    {"fma.rn.f32", "f32", "f32,f32,f32",
     "%r0 = llvm.intr.fma(%0, %1, %2) : (f32, f32, f32) -> f32", false},
    {"fma.rn.f64", "f64", "f64,f64,f64",
     "%r0 = llvm.intr.fma(%0, %1, %2) : (f64, f64, f64) -> f64", false},
    {"mad.lo.s32 mad.lo.u32", "i32", "i32,i32,i32",
     "%p = llvm.mul %0, %1 : i32\n%r0 = llvm.add %p, %2 : i32", false},
    {"not.b32", "i32", "i32",
     "%all = llvm.mlir.constant(-1 : i32) : i32\n%r0 = llvm.xor %0, %all : i32",
     false},
    {"popc.b32", "i32", "i32", "%r0 = llvm.intr.ctpop(%0) : (i32) -> i32",
     false},
    {"brev.b32", "i32", "i32", "%r0 = llvm.intr.bitreverse(%0) : (i32) -> i32",
     false},
    {"clz.b32", "i32", "i32",
     "%r0 = \"llvm.intr.ctlz\"(%0) <{is_zero_poison = false}> : (i32) -> i32",
     false},
    {"prmt.b32", "i32", "i32,i32,i32",
     "%r0 = nvvm.prmt #nvvm.permute_mode<default> %0, %2, %1 : i32", false},
    {"selp.b32 selp.s32 selp.u32", "i32", "i32,i32,i1",
     "%r0 = llvm.select %2, %0, %1 : i1, i32", false},
    {"selp.f32", "f32", "f32,f32,i1", "%r0 = llvm.select %2, %0, %1 : i1, f32",
     false},
    {"cvt.rna.tf32.f32", "i32", "f32",
     "%r0 = nvvm.convert.float.to.tf32 %0 {rnd = #nvvm.fp_rnd_mode<rna>}",
     false},
    {"cvt.rn.f16x2.f32", "i32", "f32,f32",
     "%v = nvvm.convert.f32x2.to.f16x2 %0, %1 {rnd = #nvvm.fp_rnd_mode<rn>} : "
     "vector<2xf16>\n%r0 = llvm.bitcast %v : vector<2xf16> to i32",
     false},
    {"cvt.rn.bf16x2.f32", "i32", "f32,f32",
     "%v = nvvm.convert.f32x2.to.bf16x2 %0, %1 {rnd = #nvvm.fp_rnd_mode<rn>} : "
     "vector<2xbf16>\n%r0 = llvm.bitcast %v : vector<2xbf16> to i32",
     false},
    {"bar.sync barrier.sync.aligned", "", "i32", "nvvm.barrier id = %0", true},
    {"bar.warp.sync", "", "i32", "nvvm.bar.warp.sync %0 : i32", true},
    {"membar.cta membar.gl membar.sys fence.acq_rel.gpu fence.acq_rel.sys "
     "fence.acq_rel.cta fence.sc.gpu fence.sc.sys",
     "", "", "llvm.fence seq_cst", true},
    {"nanosleep.u32", "", "i32", NULL, true},
    {"activemask.b32", "i32", "",
     "%r0 = llvm.call_intrinsic \"llvm.nvvm.activemask\"() : () -> i32", true},
    {"shfl.sync.bfly.b32", "i32", "i32,i32,i32,i32",
     "%r0 = nvvm.shfl.sync bfly %3, %0, %1, %2 : i32 -> i32", true},
    {"shfl.sync.up.b32", "i32", "i32,i32,i32,i32",
     "%r0 = nvvm.shfl.sync up %3, %0, %1, %2 : i32 -> i32", true},
    {"shfl.sync.down.b32", "i32", "i32,i32,i32,i32",
     "%r0 = nvvm.shfl.sync down %3, %0, %1, %2 : i32 -> i32", true},
    {"shfl.sync.idx.b32", "i32", "i32,i32,i32,i32",
     "%r0 = nvvm.shfl.sync idx %3, %0, %1, %2 : i32 -> i32", true},
    {"trap", "", "", "\"llvm.intr.trap\"() : () -> ()", true},
};

/// `operation`, with one of the types after it, is an op on two of them; those
/// of the dialect's intrinsics are written as calls.
static const struct binary {
  const char *operation, *types, *op;
} binaries[] = {
    {"add", "s32 u32 s64 u64", "llvm.add"},
    {"sub", "s32 u32 s64 u64", "llvm.sub"},
    {"mul.lo", "s32 u32 s64 u64", "llvm.mul"},
    {"and", "b32 b64 pred", "llvm.and"},
    {"or", "b32 b64 pred", "llvm.or"},
    {"xor", "b32 b64 pred", "llvm.xor"},
    {"add", "f32 f64", "llvm.fadd"},
    {"add.rn", "f32 f64", "llvm.fadd"},
    {"sub", "f32 f64", "llvm.fsub"},
    {"sub.rn", "f32 f64", "llvm.fsub"},
    {"mul", "f32 f64", "llvm.fmul"},
    {"mul.rn", "f32 f64", "llvm.fmul"},
    {"div.rn", "f32 f64", "llvm.fdiv"},
    {"min", "s32 s64", "llvm.intr.smin"},
    {"max", "s32 s64", "llvm.intr.smax"},
    {"min", "u32 u64", "llvm.intr.umin"},
    {"max", "u32 u64", "llvm.intr.umax"},
    {"min", "f32 f64", "llvm.intr.minnum"},
    {"max", "f32 f64", "llvm.intr.maxnum"},
};

/// The register of a PTX type, as MLIR names it; NULL for what is none here.
static const char *register_of(const char *type) {
  static const char *const types[][2] = {
      {"pred", "i1"}, {"f32", "f32"}, {"f64", "f64"}, {"b16", "i16"},
      {"u16", "i16"}, {"s16", "i16"}, {"b8", "i8"},   {"u8", "i8"},
  };
  for (size_t i = 0; i < AGPU__COUNT(types); ++i)
    if (!strcmp(type, types[i][0]))
      return types[i][1];
  return strstr(type, "64") ? "i64" : strstr(type, "32") ? "i32" : NULL;
}

#define WRITE(field, ...) (void)snprintf(field, sizeof(field), __VA_ARGS__)

/// "add.s32" is the operation and the type after the last dot.
static bool split(const char *mnemonic, char *operation, size_t size,
                  const char **out_type) {
  const char *dot = strrchr(mnemonic, '.');
  if (!dot || (size_t)(dot - mnemonic) >= size)
    return false;
  memcpy(operation, mnemonic, (size_t)(dot - mnemonic));
  operation[dot - mnemonic] = 0;
  *out_type = dot + 1;
  return true;
}

static bool find_binary(const char *mnemonic, agpu__asm_meaning *out) {
  char operation[32];
  const char *type;
  if (!split(mnemonic, operation, sizeof operation, &type))
    return false;
  const char *own = register_of(type);
  for (size_t i = 0; own && i < AGPU__COUNT(binaries); ++i)
    if (!strcmp(binaries[i].operation, operation) &&
        agpu__has_word(binaries[i].types, agpu__str(type))) {
      const char *op = binaries[i].op;
      if (!strncmp(op, "llvm.intr.", 10))
        WRITE(out->body, "%%r0 = %s(%%0, %%1) : (%s, %s) -> %s", op, own, own,
              own);
      else
        WRITE(out->body, "%%r0 = %s %%0, %%1 : %s", op, own);
      WRITE(out->results, "%s", own);
      WRITE(out->sources, "%s,%s", own, own);
      return true;
    }
  return false;
}

/// setp.lt.s32 p, a, b
static bool find_comparison(const char *mnemonic, agpu__asm_meaning *out) {
  char what[8], type[8];
  if (sscanf(mnemonic, "setp.%7[a-z].%7[a-z0-9]", what, type) != 2 ||
      !register_of(type))
    return false;
  const char *own = register_of(type);
  static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  for (size_t i = 0; i < 6; ++i) {
    if (strcmp(what, names[i]))
      continue;
    if (own[0] == 'f') // none holds for a NaN
      WRITE(out->body, "%%r0 = llvm.fcmp \"o%s\" %%0, %%1 : %s", what, own);
    else
      WRITE(out->body, "%%r0 = llvm.icmp \"%s%s\" %%0, %%1 : %s",
            i < 2            ? ""
            : type[0] == 's' ? "s"
                             : "u",
            what, own);
    WRITE(out->results, "i1");
    WRITE(out->sources, "%s,%s", own, own);
    return true;
  }
  return false;
}

/// Shifts: a distance beyond the register gives 0, or copies of the sign.
static bool find_shift(const char *mnemonic, agpu__asm_meaning *out) {
  char what[4], type[8];
  if (sscanf(mnemonic, "%3[a-z].%7[a-z0-9]", what, type) != 2 ||
      (strcmp(what, "shl") && strcmp(what, "shr")))
    return false;
  const char *own = register_of(type);
  if (!own || strcmp(own, "i32"))
    return false;
  bool arithmetic = what[2] == 'r' && type[0] == 's';
  WRITE(out->body,
        "%%most = llvm.mlir.constant(31 : i32) : i32\n"
        "%%none = llvm.mlir.constant(0 : i32) : i32\n"
        "%%by = llvm.intr.umin(%%1, %%most) : (i32, i32) -> i32\n"
        "%%v = llvm.%s %%0, %%by : i32\n"
        "%%in = llvm.icmp \"ule\" %%1, %%most : i32\n"
        "%%r0 = llvm.select %%in, %%v, %s : i1, i32",
        what[2] == 'l' ? "shl"
        : arithmetic   ? "ashr"
                       : "lshr",
        arithmetic ? "%v" : "%none");
  WRITE(out->results, "i32");
  WRITE(out->sources, "i32,i32");
  return true;
}

/// ld.shared.u32 d, [a] and st.shared.u32 [a], b. What is loaded with a sign
/// has it in wider registers, too.
static bool find_access(const char *mnemonic, agpu__asm_meaning *out) {
  char what[4], space[16], type[8];
  if (sscanf(mnemonic, "%3[a-z].%15[a-z:].%7[a-z0-9]", what, space, type) !=
          3 ||
      (strcmp(what, "ld") && strcmp(what, "st")))
    return false;
  const char *own = register_of(type);
  bool shared = !strncmp(space, "shared", 6), loads = what[0] == 'l';
  if (!own || (!shared && strcmp(space, "global")) || !strcmp(own, "i1"))
    return false;
  const char *pointer = shared ? "!llvm.ptr<3>" : "!llvm.ptr<1>";
  const char *gives = own;
  if (loads && type[0] == 's' && strcmp(own, "i64")) {
    gives = "i64";
    WRITE(out->body,
          "%%v = llvm.load %%0 : %s -> %s\n%%r0 = llvm.sext %%v : %s to i64",
          pointer, own, own);
  } else if (loads)
    WRITE(out->body, "%%r0 = llvm.load %%0 : %s -> %s", pointer, own);
  else
    WRITE(out->body, "llvm.store %%1, %%0 : %s, %s", own, pointer);
  WRITE(out->results, "%s", loads ? gives : "");
  WRITE(out->sources, "%s%s%s", pointer, loads ? "" : ",", loads ? "" : own);
  out->has_effects = true;
  return true;
}

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

static const struct small_float {
  const char *name, *type;
  int bits;
} small_floats[] = {
    {"e4m3x2", "f8E4M3FN", 8}, {"e5m2x2", "f8E5M2", 8},
    {"e2m3x2", "f6E2M3FN", 6}, {"e3m2x2", "f6E3M2FN", 6},
    {"e2m1x2", "f4E2M1FN", 4}, {"ue8m0x2", "f8E8M0FNU", 0},
};

/// cvt.rn.satfinite{.relu}.e4m3x2.f32 d, a, b, and of f16x2; and back.
static bool find_conversion(const char *mnemonic, agpu__asm_meaning *out) {
  if (strncmp(mnemonic, "cvt.", 4))
    return false;
  const char *relu = strstr(mnemonic, ".relu") ? "relu = true, " : "";
  for (size_t i = 0; i < AGPU__COUNT(small_floats); ++i) {
    const struct small_float *row = &small_floats[i];
    char to[24], halves[24], back[24];
    WRITE(to, ".%s.f32", row->name);
    WRITE(halves, ".%s.f16x2", row->name);
    WRITE(back, ".f16x2.%s", row->name);
    size_t width = row->bits ? (size_t)row->bits : 8;
    const char *rounding = strstr(mnemonic, ".rp") ? "rp"
                           : row->bits             ? "rn"
                                                   : "rz";
    if (strstr(mnemonic, to)) {
      char how[96] = "";
      if (width == 8)
        WRITE(how,
              "rnd = #nvvm.fp_rnd_mode<%s>, sat = #nvvm.sat_mode<satfinite>",
              rounding);
      WRITE(out->body,
            "%%r0 = nvvm.convert.f32x2.to.f%zux2 %%0, %%1 {%s%s} : %s (%s)",
            width, relu, how, width == 4 ? "i8" : "i16", row->type);
      WRITE(out->results, "%s", width == 4 ? "i8" : "i16");
      WRITE(out->sources, "f32,f32");
      return true;
    }
    if (strstr(mnemonic, halves) && row->bits == 8) {
      WRITE(out->body,
            "%%v = llvm.bitcast %%0 : i32 to vector<2xf16>\n"
            "%%r0 = nvvm.convert.f16x2.to.f8x2 %%v {%s} : vector<2xf16> -> i16 "
            "(%s)",
            relu, row->type);
      WRITE(out->results, "i16");
      WRITE(out->sources, "i32");
      return true;
    }
    if (strstr(mnemonic, back) && row->bits) {
      WRITE(out->body,
            "%%v = llvm.bitcast %%0 : %s to %s\n"
            "%%h = nvvm.convert.f%zux2.to.f16x2 %%v {%s} : %s (%s) -> "
            "vector<2xf16>\n%%r0 = llvm.bitcast %%h : vector<2xf16> to i32",
            width == 4 ? "i8" : "i16", width == 4 ? "i8" : "vector<2xi8>",
            width, relu, width == 4 ? "i8" : "vector<2xi8>", row->type);
      WRITE(out->results, "i32");
      WRITE(out->sources, "%s", width == 4 ? "i8" : "i16");
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static void repeat(char *out, size_t size, const char *type, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    size_t used = strlen(out);
    (void)snprintf(out + used, size - used, "%s%s", used ? "," : "", type);
  }
}

static bool find_product(const char *mnemonic, agpu__asm_meaning *out) {
  agpu__simt_registers counts;
  if (!agpu__simt_mma_mnemonic(mnemonic, &out->mode, &counts))
    return false;
  static const char *const sums[] = {"i32", "f32", "f64", "i32"};
  bool wide = AGPU_NATIVE_A_OF(out->mode) == AGPU_NATIVE_F64;
  const char *factor = wide ? "f64" : "i32";
  repeat(out->results, sizeof out->results, sums[AGPU_NATIVE_D_OF(out->mode)],
         counts.d);
  repeat(out->sources, sizeof out->sources, factor, counts.a + counts.b);
  repeat(out->sources, sizeof out->sources, sums[AGPU_NATIVE_C_OF(out->mode)],
         counts.c);
  uint32_t properties = AGPU_NATIVE_PROPERTIES_OF(out->mode);
  if (properties & AGPU_NATIVE_SPARSE)
    repeat(out->sources, sizeof out->sources, "i32", 2);
  if (AGPU_NATIVE_SCALES_OF(properties))
    repeat(out->sources, sizeof out->sources, "i32,i16,i16", 2);
  out->is_product = out->has_effects = true;
  return true;
}

/// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d...}, [a], and stmatrix
static bool find_move(const char *mnemonic, agpu__asm_meaning *out) {
  agpu__simt_row_move move;
  if (!agpu__simt_rows_mnemonic(mnemonic, &move))
    return false;
  uint32_t count = move.registers;
  char registers[64] = "", shape[160];
  repeat(registers, sizeof registers, "i32", count);
  WRITE(shape,
        "layout = #nvvm.mma_layout<%s>, shape = #nvvm.ld_st_matrix_shape<%s>, "
        "eltType = #nvvm.ld_st_matrix_elt_type<%s>",
        move.is_transposed ? "col" : "row", move.shape, move.element);
  size_t used = 0;
  if (!move.loads) {
    static const char *const names[] = {"%1", "%1, %2", "", "%1, %2, %3, %4"};
    WRITE(out->body, "nvvm.stmatrix %%0, %s {%s} : !llvm.ptr<3>, %s",
          names[count - 1], shape, registers);
    WRITE(out->sources, "!llvm.ptr<3>,%s", registers);
  } else {
    used = (size_t)snprintf(
        out->body, sizeof out->body,
        "%s = nvvm.ldmatrix %%0 {num = %u : i32, %s} : (!llvm.ptr<3>) -> ",
        count > 1 ? "%v" : "%r0", move.count, shape);
    if (count == 1)
      (void)snprintf(out->body + used, sizeof out->body - used, "i32");
    else
      used += (size_t)snprintf(out->body + used, sizeof out->body - used,
                               "!llvm.struct<(%s)>", registers);
    for (uint32_t i = 0; i < count && count > 1; ++i)
      used += (size_t)snprintf(
          out->body + used, sizeof out->body - used,
          "\n%%r%u = llvm.extractvalue %%v[%u] : !llvm.struct<(%s)>", i, i,
          registers);
    WRITE(out->results, "%s", registers);
    WRITE(out->sources, "!llvm.ptr<3>");
  }
  out->has_effects = true;
  return true;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

bool agpu__asm_find(const char *mnemonic, agpu__asm_meaning *out) {
  *out = (agpu__asm_meaning){0};
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i)
    if (agpu__has_word(rows[i].names, agpu__str(mnemonic))) {
      WRITE(out->results, "%s", rows[i].results);
      WRITE(out->sources, "%s", rows[i].sources);
      WRITE(out->body, "%s", rows[i].body ? rows[i].body : "");
      out->has_effects = rows[i].has_effects;
      return true;
    }
  return find_binary(mnemonic, out) || find_comparison(mnemonic, out) ||
         find_shift(mnemonic, out) || find_access(mnemonic, out) ||
         find_conversion(mnemonic, out) || find_move(mnemonic, out) ||
         find_product(mnemonic, out);
}

const char *agpu__asm_special(const char *name) {
  static const char *const known[][2] = {
#define SPECIAL(text, op) {"%" text, "nvvm.read.ptx.sreg." op}
      SPECIAL("tid.x", "tid.x"),
      SPECIAL("tid.y", "tid.y"),
      SPECIAL("tid.z", "tid.z"),
      SPECIAL("ntid.x", "ntid.x"),
      SPECIAL("ntid.y", "ntid.y"),
      SPECIAL("ntid.z", "ntid.z"),
      SPECIAL("ctaid.x", "ctaid.x"),
      SPECIAL("ctaid.y", "ctaid.y"),
      SPECIAL("ctaid.z", "ctaid.z"),
      SPECIAL("nctaid.x", "nctaid.x"),
      SPECIAL("nctaid.y", "nctaid.y"),
      SPECIAL("nctaid.z", "nctaid.z"),
      SPECIAL("laneid", "laneid"),
      SPECIAL("warpid", "warpid"),
      SPECIAL("nwarpid", "nwarpid"),
      SPECIAL("lanemask_eq", "lanemask.eq"),
      SPECIAL("lanemask_lt", "lanemask.lt"),
      SPECIAL("lanemask_le", "lanemask.le"),
      SPECIAL("lanemask_gt", "lanemask.gt"),
      SPECIAL("lanemask_ge", "lanemask.ge"),
#undef SPECIAL
  };
  for (size_t i = 0; i < AGPU__COUNT(known); ++i)
    if (!strcmp(known[i][0], name))
      return known[i][1];
  return NULL;
}
