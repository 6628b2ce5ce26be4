//===- special.c - Special registers -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Special Registers".
//
//===----------------------------------------------------------------------===//

#include "machine/warp.h"

#include <string.h>
#include <time.h>

#define SPECIAL_REGISTERS(X)                                                   \
  X(TID, "%tid.x")                                                             \
  X(TID_Y, "%tid.y")                                                           \
  X(TID_Z, "%tid.z")                                                           \
  X(NTID, "%ntid.x")                                                           \
  X(NTID_Y, "%ntid.y")                                                         \
  X(NTID_Z, "%ntid.z")                                                         \
  X(CTAID, "%ctaid.x")                                                         \
  X(CTAID_Y, "%ctaid.y")                                                       \
  X(CTAID_Z, "%ctaid.z")                                                       \
  X(NCTAID, "%nctaid.x")                                                       \
  X(NCTAID_Y, "%nctaid.y")                                                     \
  X(NCTAID_Z, "%nctaid.z")                                                     \
  X(LANEID, "%laneid")                                                         \
  X(WARPID, "%warpid")                                                         \
  X(NWARPID, "%nwarpid")                                                       \
  X(SMID, "%smid")                                                             \
  X(NSMID, "%nsmid")                                                           \
  X(GRIDID, "%gridid")                                                         \
  X(MASK_EQ, "%lanemask_eq")                                                   \
  X(MASK_LT, "%lanemask_lt")                                                   \
  X(MASK_LE, "%lanemask_le")                                                   \
  X(MASK_GT, "%lanemask_gt")                                                   \
  X(MASK_GE, "%lanemask_ge")                                                   \
  X(CLOCK, "%clock")                                                           \
  X(CLOCK_HI, "%clock_hi")                                                     \
  X(CLOCK64, "%clock64")                                                       \
  X(TIMER, "%globaltimer")                                                     \
  X(TIMER_LO, "%globaltimer_lo")                                               \
  X(TIMER_HI, "%globaltimer_hi")                                               \
  X(DYNAMIC_SHARED, "%dynamic_smem_size")                                      \
  X(TOTAL_SHARED, "%total_smem_size")                                          \
  X(AGGREGATE_SHARED, "%aggr_smem_size")                                       \
  X(CLUSTERID, "%clusterid.x")                                                 \
  X(CLUSTERID_Y, "%clusterid.y")                                               \
  X(CLUSTERID_Z, "%clusterid.z")                                               \
  X(NCLUSTERID, "%nclusterid.x")                                               \
  X(NCLUSTERID_Y, "%nclusterid.y")                                             \
  X(NCLUSTERID_Z, "%nclusterid.z")                                             \
  X(CLUSTER_CTAID, "%cluster_ctaid.x")                                         \
  X(CLUSTER_CTAID_Y, "%cluster_ctaid.y")                                       \
  X(CLUSTER_CTAID_Z, "%cluster_ctaid.z")                                       \
  X(CLUSTER_NCTAID, "%cluster_nctaid.x")                                       \
  X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y")                                     \
  X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z")                                     \
  X(CLUSTER_RANK, "%cluster_ctarank")                                          \
  X(CLUSTER_RANKS, "%cluster_nctarank")

enum {
#define NUMBER(name, text) name,
  SPECIAL_REGISTERS(NUMBER)
#undef NUMBER
};

static const char *const names[] = {
#define NAME(name, text) text,
    SPECIAL_REGISTERS(NAME)
#undef NAME
};

int ptx_special_find(const char *name) {
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i], name) == 0)
      return (int)i;
  return -1;
}

uint64_t ptx_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t volume(const uint32_t *sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

/// Shared memory is given in these units: 256 bytes, and 128 from sm_80 on.
static uint64_t shared_in_units(const ptx_block *block) {
  uint64_t unit = block->run->launch->options->capability < 80 ? 256 : 128;
  return (block->shared_bytes + unit - 1) / unit * unit;
}

/// A card gives the slot of the multiprocessor that the warp is in, which the
/// manual lets be anything.
static uint64_t warp_id(const ptx_warp *warp) {
  if (!warp->block->run->launch->options->has_physical_warp_ids)
    return warp->number;
  return (warp->number + 5 * warp->block->slot + 3) % 48;
}

static uint64_t read_cluster(const ptx_block *b, int reg) {
  const ptx_launch *launch = b->run->launch;
  const uint32_t *size = launch->cluster;
  switch (reg) {
  case CLUSTERID:
  case CLUSTERID_Y:
  case CLUSTERID_Z: return b->id[reg - CLUSTERID] / size[reg - CLUSTERID];
  case NCLUSTERID:
  case NCLUSTERID_Y:
  case NCLUSTERID_Z:
    return launch->grid[reg - NCLUSTERID] / size[reg - NCLUSTERID];
  case CLUSTER_CTAID:
  case CLUSTER_CTAID_Y:
  case CLUSTER_CTAID_Z:
    return b->id[reg - CLUSTER_CTAID] % size[reg - CLUSTER_CTAID];
  case CLUSTER_NCTAID:
  case CLUSTER_NCTAID_Y:
  case CLUSTER_NCTAID_Z: return size[reg - CLUSTER_NCTAID];
  case CLUSTER_RANK:
    return b->id[0] % size[0] +
           size[0] * (b->id[1] % size[1] + size[1] * (b->id[2] % size[2]));
  case CLUSTER_RANKS: return volume(size);
  default: return volume(size) > 1;
  }
}

uint64_t ptx_special_read(const ptx_warp *warp, const ptx_insn *insn, int reg,
                          unsigned lane) {
  const ptx_block *b = warp->block;
  const ptx_run *run = b->run;
  const ptx_launch *launch = run->launch;
  (void)insn;
  switch (reg) {
  case TID:
  case TID_Y:
  case TID_Z: return warp->lanes[lane].id[reg - TID];
  case NTID:
  case NTID_Y:
  case NTID_Z: return launch->block[reg - NTID];
  case CTAID:
  case CTAID_Y:
  case CTAID_Z: return b->id[reg - CTAID];
  case NCTAID:
  case NCTAID_Y:
  case NCTAID_Z: return launch->grid[reg - NCTAID];
  case LANEID: return lane;
  case WARPID: return warp_id(warp);
  case NWARPID:
    return launch->options->has_physical_warp_ids ? 48 : b->warp_count;
  case SMID: return b->linear % launch->options->multiprocessors;
  case NSMID: return launch->options->multiprocessors;
  case GRIDID: return launch->number;
  case MASK_EQ: return UINT64_C(1) << lane;
  case MASK_LT: return ptx_mask(lane);
  case MASK_LE: return ptx_mask(lane + 1);
  case MASK_GT: return ptx_mask(32) & ~ptx_mask(lane + 1);
  case MASK_GE: return ptx_mask(32) & ~ptx_mask(lane);
  case CLOCK: return run->instructions & ptx_mask(32);
  case CLOCK_HI: return run->instructions >> 32;
  case CLOCK64: return run->instructions;
  case TIMER: return ptx_now_ns();
  case TIMER_LO: return ptx_now_ns() & ptx_mask(32);
  case TIMER_HI: return ptx_now_ns() >> 32;
  case DYNAMIC_SHARED: return launch->dynamic_bytes;
  case TOTAL_SHARED: return shared_in_units(b);
  case AGGREGATE_SHARED: return shared_in_units(b) + 1024; // the system's own
  default: return read_cluster(b, reg);
  }
}
