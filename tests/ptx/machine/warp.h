//===- warp.h - Threads, warps and blocks that execute -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has warps, a warp has up to 32 threads ("lanes"), each with a program
// counter of its own. Registers lie in rows of 32, one value a lane; a frame of
// a lane has the rows from `base` on, so that lanes that have come the same way
// share rows and differ in the column. Values are kept cut to the width of
// their register.
//
// Nothing is ever what it happens to be: registers, local, shared and parameter
// memory that nothing has written hold bytes of poison.
//
// All of a launch is executed by one thread of the host. An error leaves the
// execution by a jump, to ptx_launch_run.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_WARP_H
#define ASYNC_GPU_TESTS_PTX_WARP_H

#include "text/module.h"

#include <setjmp.h>

enum {
  PTX_WARP_SIZE = 32,
  PTX_BARRIERS = 16,
  PTX_POISON_BYTE = 0xCB,
};

#define PTX_POISON 0xCBCBCBCBCBCBCBCBull

// Where the generic addresses of the block's and the thread's own memory lie.
// No host has memory there.
#define PTX_SHARED_WINDOW 0x0001000000000000ull
#define PTX_LOCAL_WINDOW 0x0001000100000000ull
#define PTX_PARAM_WINDOW 0x0001000200000000ull
#define PTX_WINDOW_BYTES 0x0000000100000000ull
/// Addresses of functions: this, and their number in the module.
#define PTX_FUNCTION_BASE 0x0002000000000000ull

/// How a launch is executed; part of what the driver is set to.
typedef struct ptx_options {
  bool is_random;  ///< threads of a warp diverge at will
  uint64_t seed;   ///< of that
  int approximate; ///< +1, -1: .approx errs as much as the manual allows
  unsigned resident_blocks;
  unsigned seconds; ///< after which a launch is an error
  unsigned multiprocessors, capability;
  bool is_lenient; ///< takes what cards do though the manual does not
  bool has_physical_warp_ids; ///< %warpid as a card numbers: any slot
} ptx_options;

typedef struct ptx_launch {
  const ptx_function *function;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t dynamic_bytes;
  uint8_t *parameters; ///< launch_bytes of the function
  int device;
  uint64_t number;
  const ptx_options *options;
} ptx_launch;

typedef struct ptx_frame {
  const ptx_function *function;
  const ptx_insn *call; ///< NULL: the entry
  uint32_t return_to, base;
  size_t param_base, local_base;
} ptx_frame;

/// Bytes that grow and shrink with the frames.
typedef struct ptx_stack {
  uint8_t *bytes;
  size_t top, capacity;
} ptx_stack;

/// A copy of cp.async that has not been waited for; without bytes, an arrival
/// at `target` behind those before it.
typedef struct ptx_async_copy {
  const ptx_insn *insn;
  uint64_t target, source;
  unsigned bytes, source_bytes;
  unsigned group;
} ptx_async_copy;

typedef struct ptx_lane {
  ptx_frame *frames;
  uint32_t depth, capacity;
  ptx_stack params, local;
  uint32_t id[3], linear;
  bool carry;    ///< CC.CF
  uint32_t mask; ///< of the instruction of the warp it waits at
  uint8_t barrier;
  uint32_t barrier_threads; ///< 0: all of the block
  bool barrier_predicate;
  uint32_t cluster_phase; ///< of the block when it arrived
  ptx_async_copy *copies;
  size_t copy_count;
  unsigned group, bulk_group;
} ptx_lane;

typedef struct ptx_warp {
  struct ptx_block *block;
  unsigned number, count;
  // Sets of lanes. Those that live run, wait at an instruction of the warp, or
  // wait at a barrier of the block.
  uint32_t live, running, at_warp_step, at_barrier;
  uint32_t pc[PTX_WARP_SIZE], base[PTX_WARP_SIZE];
  uint64_t *rows;
  size_t row_count;
  uint64_t issues, last_issue[PTX_WARP_SIZE];
  ptx_lane lanes[PTX_WARP_SIZE];
} ptx_warp;

typedef struct ptx_block {
  struct ptx_run *run;
  uint32_t id[3], slot, thread_count, live, warp_count;
  uint64_t linear;
  ptx_warp *warps;
  uint8_t *shared;
  uint64_t shared_bytes;
  uint32_t arrived[PTX_BARRIERS + 1]; ///< by bar.arrive; the last: cluster
  uint32_t cluster_arrivals, cluster_phase;
  struct ptx_bulk *bulks;    ///< copies that are under way (bulk.c)
  uint32_t pending_arrivals; ///< of threads, behind copies (async_copy.c)
  uint64_t *fenced_maps;     ///< their addresses, of tensor maps (memory.c)
  size_t fenced_count;
} ptx_block;

/// An allocation that the last accesses went to.
typedef struct ptx_translation {
  uint64_t first, end;
  uint8_t *host;
} ptx_translation;

enum { PTX_TRANSLATIONS = 4 };

typedef struct ptx_run {
  const ptx_launch *launch;
  const ptx_module *module;
  jmp_buf failed;
  int result;
  char *message;
  size_t message_size;
  uint64_t random, instructions, deadline_ns;
  uint64_t memory_version; ///< of the translations
  ptx_translation translations[PTX_TRANSLATIONS];
  unsigned next_translation;
  uint64_t dynamic_offset;
  ptx_block *blocks;
  unsigned block_count;
} ptx_run;

/// Executes all of a launch: 0, or the driver's result with a line that says
/// which thread, which instruction and why.
int ptx_launch_run(const ptx_launch *launch, char *message, size_t size);

/// Ends the launch with a result of the driver.
_Noreturn void ptx_fault(const ptx_warp *warp, const ptx_insn *insn,
                         unsigned lane, int result, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Results of the driver that executing gives.
enum {
  PTX_ILLEGAL_ADDRESS = 700,
  PTX_TIMEOUT = 702,
  PTX_ASSERT = 710,
  PTX_MISALIGNED = 716,
  PTX_INVALID_PC = 718,
  PTX_LAUNCH_FAILED = 719,
};

static inline ptx_frame *ptx_top(const ptx_warp *warp, unsigned lane) {
  const ptx_lane *l = &warp->lanes[lane];
  return &l->frames[l->depth - 1];
}

static inline uint64_t *ptx_register(const ptx_warp *warp, int reg,
                                     unsigned lane) {
  return &warp->rows[(size_t)(warp->base[lane] + (uint32_t)reg) *
                         PTX_WARP_SIZE +
                     lane];
}

/// The next of the launch's random numbers.
uint64_t ptx_random(ptx_run *run);

/// What each byte of fresh shared and local memory is.
int ptx_fresh_byte(const ptx_run *run);
uint64_t ptx_now_ns(void);

// values.c

uint64_t ptx_read(ptx_warp *warp, const ptx_insn *insn, const ptx_operand *o,
                  unsigned lane);
/// Cut to the register's width. A sink takes nothing.
void ptx_write(ptx_warp *warp, const ptx_operand *o, unsigned lane,
               uint64_t value);
/// The second of %a|%b, if there is one.
void ptx_write_second(ptx_warp *warp, const ptx_operand *o, unsigned lane,
                      uint64_t value);
void ptx_run_compute(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes);
uint64_t ptx_special_read(const ptx_warp *warp, const ptx_insn *insn, int reg,
                          unsigned lane);

// memory.c

/// The bytes behind an address, which all lie in one allocation, and at a
/// multiple of `align`; faults where they do not.
void *ptx_memory_at(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                    ptx_space space, uint64_t address, uint64_t bytes,
                    unsigned align);
uint64_t ptx_address_of(ptx_warp *warp, const ptx_insn *insn,
                        const ptx_operand *o, unsigned lane);
/// Whether a thread of the block has fenced the tensor map at that address.
bool ptx_has_fenced_map(const ptx_block *block, uint64_t address);
uint64_t ptx_load(const void *from, unsigned bytes);
void ptx_store(void *to, unsigned bytes, uint64_t value);

// frames.c

void ptx_push_frame(ptx_warp *warp, unsigned lane, const ptx_function *function,
                    const ptx_insn *call, uint32_t return_to);
void ptx_pop_frame(ptx_warp *warp, unsigned lane);
void ptx_end_lane(ptx_warp *warp, const ptx_insn *insn, unsigned lane);

// barrier.c

/// Lets threads go on for which all have come. Whenever one waits or ends.
void ptx_release_barriers(ptx_block *block);
/// What the threads of a block that cannot go on wait for.
_Noreturn void ptx_report_stuck(ptx_block *block);

// mbarrier.c

/// Arrivals and bytes have come at the object at an address of the
/// instruction's space; one more arrival is pending.
void ptx_mbarrier_complete(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                           uint64_t address, uint32_t arrivals, uint64_t bytes);
void ptx_mbarrier_add_pending(ptx_warp *warp, const ptx_insn *insn,
                              unsigned lane, uint64_t address);

// async_copy.c

/// Ends some copy that an mbarrier counts, of the block's cluster, if there is
/// one: a thread waits.
void ptx_end_some_copy(ptx_block *block);

// barrier.c

bool ptx_is_same_cluster(const ptx_block *a, const ptx_block *b);

// together.c

void ptx_wait_together(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes);
void ptx_release_together(ptx_warp *warp);

// schedule.c

/// Executes some instructions of a warp; false if none of its threads can run.
bool ptx_warp_go_on(ptx_warp *warp);

#define PTX_EACH_LANE(lane, lanes)                                             \
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)                        \
    if ((lanes) >> lane & 1)

#endif // ASYNC_GPU_TESTS_PTX_WARP_H
