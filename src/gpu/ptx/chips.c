//===- chips.c - Chips that PTX is made for -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two tables: the chips with the PTX version that each needs, and the ops with
// the chip and the version that first have them. They hold what LLVM's backend
// and the PTX manual say; nothing here asks a device.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Chips and PTX versions
//===----------------------------------------------------------------------===//

// LLVM's C API has no query for these, and for an unknown one LLVM writes to
// stderr and goes on. `llc -march=nvptx64 -mcpu=help` prints both lists; the
// versions are those that llc writes without -mattr.
static const agpu__chip chips[] = {
    {"sm_50", 50, 0, 40},      {"sm_52", 52, 0, 41},
    {"sm_53", 53, 0, 42},      {"sm_60", 60, 0, 50},
    {"sm_61", 61, 0, 50},      {"sm_62", 62, 0, 50},
    {"sm_70", 70, 0, 60},      {"sm_72", 72, 0, 61},
    {"sm_75", 75, 0, 63},      {"sm_80", 80, 0, 70},
    {"sm_86", 86, 0, 71},      {"sm_87", 87, 0, 74},
    {"sm_88", 88, 0, 90},      {"sm_89", 89, 0, 78},
    {"sm_90", 90, 0, 78},      {"sm_90a", 90, 'a', 80},
    {"sm_100", 100, 0, 86},    {"sm_100a", 100, 'a', 86},
    {"sm_100f", 100, 'f', 88}, {"sm_101", 101, 0, 86},
    {"sm_101a", 101, 'a', 86}, {"sm_101f", 101, 'f', 88},
    {"sm_103", 103, 0, 88},    {"sm_103a", 103, 'a', 88},
    {"sm_103f", 103, 'f', 88}, {"sm_110", 110, 0, 90},
    {"sm_110a", 110, 'a', 90}, {"sm_110f", 110, 'f', 90},
    {"sm_120", 120, 0, 87},    {"sm_120a", 120, 'a', 87},
    {"sm_120f", 120, 'f', 88}, {"sm_121", 121, 0, 88},
    {"sm_121a", 121, 'a', 88}, {"sm_121f", 121, 'f', 88},
};

static const int ptx_versions[] = {
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73,
    74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90,
};

const agpu__chip *agpu__chip_find(const char *name, size_t length) {
  for (size_t i = 0; i < AGPU__COUNT(chips); ++i)
    if (strlen(chips[i].name) == length && !memcmp(name, chips[i].name, length))
      return &chips[i];
  return NULL;
}

uint32_t agpu__chip_shared_bytes(const agpu__chip *chip) {
  // The CUDA programming guide, "Compute Capabilities": KiB from a chip on.
  static const struct {
    uint32_t chip, kib;
  } sizes[] = {{120, 99}, {90, 227}, {89, 99}, {88, 163}, {87, 163},
               {86, 99},  {80, 163}, {75, 64}, {70, 96},  {0, 48}};
  size_t i = 0;
  while (sizes[i].chip > chip->number)
    ++i;
  return sizes[i].kib * 1024;
}

bool agpu__ptx_version_parse(const char *features, int *out_version) {
  *out_version = 0;
  for (size_t i = 0; i < AGPU__COUNT(ptx_versions); ++i) {
    AGPU__OWNED char *known = agpu__format("+ptx%d", ptx_versions[i]);
    if (!strcmp(features, known))
      *out_version = ptx_versions[i];
  }
  return !*features || *out_version;
}

//===----------------------------------------------------------------------===//
// What ops need
//===----------------------------------------------------------------------===//

/// Ops whose name begins with `prefix` and whose text has `part`, if that is
/// not NULL; the first row that fits holds.
typedef struct requirement {
  const char *prefix;
  uint32_t chip;
  char variant; ///< 'a': that chip's own code; 'f': any chip's own, from it on
  int ptx_version;
  const char *part;
} requirement;

// From the PTX ISA's "Target ISA Notes" and "PTX ISA Notes" of the instructions
// that the ops become.
static const requirement requirements[] = {
    {"gpu.cluster_", 90, 0, 78, NULL},
    {"nvgpu.device_async_", 80, 0, 70, NULL},
    {"nvgpu.mbarrier.create", 80, 0, 70, NULL},
    {"nvgpu.mbarrier.init", 80, 0, 70, NULL},
    {"nvgpu.mbarrier.get", 80, 0, 70, NULL},
    {"nvgpu.mbarrier.arrive.expect_tx", 90, 0, 80, NULL},
    {"nvgpu.mbarrier.arrive", 80, 0, 70, NULL},
    {"nvgpu.mbarrier.test.wait", 80, 0, 71, NULL},
    {"nvgpu.mbarrier.try_wait", 90, 0, 78, NULL},
    {"nvgpu.tma.", 90, 0, 83, NULL}, // with the fences of their maps
    {"nvgpu.warpgroup.", 90, 'a', 80, NULL},
    {"nvgpu.mma.sp.sync", 80, 0, 71, NULL},
    {"nvvm.mma.sp.block_scale", 120, 'a', 87, NULL},
    {"nvvm.mma.sp.sync", 120, 'a', 87, "f8f6f4"},
    {"nvvm.mma.sp.sync", 89, 0, 85, "mma_type<e"},
    {"nvvm.mma.sp.sync", 80, 0, 85, "orderedMetadata"},
    {"nvvm.mma.sp.sync", 80, 0, 71, NULL},
    {"nvvm.mma.block_scale", 120, 'a', 87, NULL},
    {"nvvm.mma.sync", 80, 0, 71, "and_popc"},
    {"nvvm.mma.sync", 80, 0, 70, "mma_type<bf16>"},
    {"nvvm.mma.sync", 80, 0, 70, "mma_type<tf32>"},
    {"nvvm.mma.sync", 80, 0, 70, "f64"},
    {"nvvm.mma.sync", 70, 0, 64, "m = 8, n = 8, k = 4>"},
    {"nvvm.mma.sync", 75, 0, 70, "m = 8, n = 8, k = 128"},
    {"nvvm.mma.sync", 75, 0, 65, "m = 8"},
    {"nvvm.mma.sync", 75, 0, 65, "m = 16, n = 8, k = 8>"},
    {"nvvm.mma.sync", 80, 0, 70, NULL},
    {"nvvm.wmma.", 80, 0, 70, "tf32"},
    {"nvvm.wmma.", 80, 0, 70, "f64"},
    {"nvvm.wmma.", 72, 0, 63, "mma_type<s"},
    {"nvvm.wmma.", 72, 0, 63, "mma_type<u8>"},
    {"nvvm.wmma.", 70, 0, 61, NULL},
    {"gpu.subgroup_mma_", 80, 0, 70, "f64"},
    {"gpu.subgroup_mma_", 72, 0, 63, "xsi8"},
    {"gpu.subgroup_mma_", 72, 0, 63, "xui8"},
    {"gpu.subgroup_mma_", 80, 0, 70, "xf32, \"AOp\""},
    {"gpu.subgroup_mma_", 80, 0, 70, "xf32, \"BOp\""},
    {"gpu.subgroup_mma_", 70, 0, 61, NULL},
    {"nvgpu.mma.sync", 75, 0, 65, "mmaShape = [16, 8, 8]} : (vector<2x2xf16>"},
    {"nvgpu.mma.sync", 80, 0, 70, NULL},
    {"nvgpu.ldmatrix", 75, 0, 65, NULL},
    {"nvvm.convert.f32x4.", 100, 'a', 87, NULL},
    {"nvvm.convert.f32x2.to.f8x2", 100, 'f', 86, "f8E8M0FNU"},
    {"nvvm.convert.f32x2.to.f8x2", 89, 0, 81, NULL},
    {"nvvm.convert.f16x2.to.f8x2", 89, 0, 81, NULL},
    {"nvvm.convert.f8x2.to.f16x2", 89, 0, 81, NULL},
    {"nvvm.convert.f32x2.to.f", 80, 0, 70, "f16x2"},
    {"nvvm.convert.f32x2.to.b", 80, 0, 70, NULL},
    {"nvvm.convert.f32x2.to.f", 100, 'f', 86, NULL},
    {"nvvm.convert.bf16x2.to.f8x2", 100, 'f', 86, NULL},
    {"nvvm.convert.f8x2.to.bf16x2", 100, 'f', 86, NULL},
    {"nvvm.convert.f6x2.", 100, 'f', 86, NULL},
    {"nvvm.convert.f4x2.", 100, 'f', 86, NULL},
    {"nvvm.read.ptx.sreg.aggr.smem.size", 90, 0, 81, NULL},
    {"nvvm.read.ptx.sreg.cluster", 90, 0, 78, NULL},
    {"nvvm.read.ptx.sreg.nclusterid", 90, 0, 78, NULL},
    {"nvvm.cluster.", 90, 0, 78, NULL},
    {"nvvm.mapa", 90, 0, 78, NULL},
    {"nvvm.griddepcontrol", 90, 0, 78, NULL},
    {"nvvm.elect.sync", 90, 0, 80, NULL},
    {"nvvm.stmatrix", 100, 'f', 86, "<b8>"},
    {"nvvm.stmatrix", 90, 0, 78, NULL},
    {"nvvm.fence.mbarrier.init", 90, 0, 80, NULL},
    {"nvvm.fence.sc.cluster", 90, 0, 78, NULL},
    {"nvvm.fence.proxy.acquire", 90, 0, 83, NULL},
    {"nvvm.fence.proxy.release", 90, 0, 83, NULL},
    {"nvvm.fence.proxy", 90, 0, 80, NULL},
    {"nvvm.cp.async.bulk.tensor.", 90, 0, 83, NULL}, // the same
    {"nvvm.cp.async.bulk.", 90, 0, 80, NULL},
    {"nvvm.cp.async.mbarrier", 80, 0, 70, NULL},
    {"nvvm.cp.async.", 80, 0, 70, NULL},
    {"nvvm.mbarrier.arrive.expect_tx", 90, 0, 80, NULL},
    {"nvvm.mbarrier.try_wait", 90, 0, 78, NULL},
    {"nvvm.mbarrier.", 80, 0, 70, NULL},
    {"nvvm.wgmma.", 90, 'a', 84, "A[<s8>, <one>, <row>], B[<u8>"},
    {"nvvm.wgmma.", 90, 'a', 84, "A[<u8>, <one>, <row>], B[<s8>"},
    {"nvvm.wgmma.", 90, 'a', 80, NULL},
    {"nvvm.setmaxregister", 90, 'a', 80, NULL},
    {"nvvm.tcgen05.", 100, 'f', 86, NULL},
    {"nvvm.st.bulk", 100, 0, 86, NULL},
    {"nvvm.clusterlaunchcontrol", 100, 0, 86, NULL},
    {"nvvm.prefetch", 90, 0, 83, "tensormap"},
    {"nvvm.prefetch", 90, 0, 80, NULL}, // what LLVM asks for; PTX has it before
    {"nvvm.redux.sync", 80, 0, 70, NULL},
    {"nvvm.ldmatrix", 100, 'f', 86, "n = 16"},
    {"nvvm.ldmatrix", 75, 0, 65, NULL},
    {"nvvm.match.sync", 70, 0, 60, NULL},
};

/// A chip before sm_70 has no instruction for what these become here.
static const char warp_ops[] = "gpu.shuffle gpu.subgroup_reduce gpu.all_reduce "
                               "gpu.rotate gpu.subgroup_broadcast";

/// Whether `part` stands in what `op` is printed as.
static bool says(MlirOperation op, const char *part) {
  AGPU__SCOPED(text) text = {0};
  mlirOperationPrint(op, agpu__text_callback, &text);
  return strstr(agpu__text_get(&text), part) != NULL;
}

static const requirement *find_requirement(MlirOperation op,
                                           MlirStringRef name) {
  for (size_t i = 0; i < AGPU__COUNT(requirements); ++i) {
    const requirement *row = &requirements[i];
    size_t length = strlen(row->prefix);
    if (name.length >= length && !memcmp(name.data, row->prefix, length) &&
        (!row->part || says(op, row->part)))
      return row;
  }
  static const requirement warp = {"", 70, 0, 60, NULL};
  return agpu__has_word(warp_ops, name) ? &warp : NULL;
}

/// True for an op that only reads a register that nobody asks for: outlining
/// leaves those behind, and they do not reach the PTX.
static bool is_dead(MlirOperation op, MlirStringRef name) {
  static const char *const reads[] = {"gpu.cluster_", "nvvm.read.ptx.sreg."};
  bool is_read = false;
  for (size_t i = 0; i < AGPU__COUNT(reads); ++i)
    is_read |= name.length >= strlen(reads[i]) &&
               !memcmp(name.data, reads[i], strlen(reads[i]));
  return is_read && mlirOperationGetNumResults(op) == 1 &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(agpu__result(op, 0)));
}

typedef struct check {
  const agpu__chip *chip;
  int version;
  bool failed;
} check;

/// Reports `what`, of `op`, where the chip lacks it.
static void check_need(check *self, MlirOperation op, const char *what,
                       uint32_t number, char variant, int ptx_version) {
  const agpu__chip *chip = self->chip;
  // What one chip has for itself, the next need not have.
  bool fits = variant == 'a'
                  ? chip->number == number && chip->variant
                  : chip->number >= number && (!variant || chip->variant);
  if (!fits) {
    self->failed = true;
    agpu__error(mlirOperationGetLocation(op),
                "'%s' cannot be compiled for %s: it needs sm_%u%s", what,
                chip->name, number,
                variant == 'a'   ? "a, and no other chip has it"
                : variant == 'f' ? "a or the like of a later chip"
                                 : " or later");
  }
  if (ptx_version > self->version)
    self->version = ptx_version;
}

/// The instructions of inline assembly, whose text is in `attribute`.
static void check_assembly(check *self, MlirOperation op,
                           const char *attribute) {
  // The context keeps strings with a NUL after them.
  const char *text = agpu__get_string(op, attribute).data;
  agpu__assembly_need need;
  while (text && agpu__assembly_next(&text, &need))
    check_need(self, op, need.mnemonic, need.chip, need.variant,
               need.ptx_version);
}

static MlirWalkResult check_op(MlirOperation op, void *data) {
  check *self = data;
  MlirStringRef name = agpu__op_name(op);
  if (agpu__op_is(op, "llvm.inline_asm"))
    check_assembly(self, op, "asm_string");
  if (agpu__op_is(op, "nvvm.inline_ptx"))
    check_assembly(self, op, "ptxCode");
  const requirement *needs = find_requirement(op, name);
  if (needs && !is_dead(op, name))
    check_need(self, op, name.data, needs->chip, needs->variant,
               needs->ptx_version);
  return MlirWalkResultAdvance;
}

MlirLogicalResult agpu__chip_check(MlirOperation gpu_module,
                                   const agpu__chip *chip, int *out_version) {
  check self = {chip, chip->ptx_version, false};
  mlirOperationWalk(gpu_module, check_op, &self, MlirWalkPreOrder);
  *out_version = self.version;
  return self.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
