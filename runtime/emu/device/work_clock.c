//===- work_clock.c - The emulated device's own clock ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at the host's clock when an op begins and when it is over, on the
// thread that runs it. The number of the work goes with the op: the thread that
// enqueues it has it from before the call until behind it. It listens at two
// hooks of the device (emu/base/hooks.h), and hands on to whoever listens there
// already.
//
//===----------------------------------------------------------------------===//

#include "emu/device/work_clock.h"

#include "base/os/clock.h"
#include "base/os/self.h"
#include "emu/base/hooks.h"
#include "emu/device/op.h"

#include <stdio.h>

typedef void run_op(const agpu__emu_op *op, agpu__emu_random *random);

/// Constant once the device is used.
static struct {
  agpu__work_ran *ran;
  agpu__emu_hooks others;
} self;

static void op_enqueued(agpu__emu_order *order, const agpu__emu_stamp *after,
                        agpu__emu_op *op) {
  op->work = agpu__self.gpu.traced_work;
  if (self.others.op_enqueued)
    self.others.op_enqueued(order, after, op);
}

static void run(const agpu__emu_op *op, agpu__emu_random *random,
                run_op *run_it) {
  int64_t begin = op->work ? agpu__clock_now_ns() : 0;
  if (self.others.run)
    self.others.run(op, random, run_it);
  else
    run_it(op, random);
  if (op->work)
    self.ran(op->work, begin, agpu__clock_now_ns());
}

static void *before(uint64_t work, int device, CUstream stream) {
  (void)device, (void)stream;
  agpu__self.gpu.traced_work = work;
  return NULL;
}

static void after(void *token, int device, CUstream stream, bool enqueued) {
  (void)token, (void)device, (void)stream, (void)enqueued;
  agpu__self.gpu.traced_work = 0;
}

static void ending(int device) { (void)device; }

static void describe(agpu__work_clock_quality *out_quality) {
  *out_quality = (agpu__work_clock_quality){.source = "emulated device"};
  (void)snprintf(out_quality->how, sizeof out_quality->how,
                 "the host's clock, read by the thread that runs the work");
}

const agpu__work_clock *agpu__emu_work_clock_start(agpu__work_ran *ran) {
  static const agpu__work_clock clock = {.before = before,
                                         .after = after,
                                         .ending = ending,
                                         .describe = describe,
                                         .tells_nodes = true};
  self.ran = ran;
  // The checks have put theirs there anew.
  self.others = agpu__emu_hooks_table;
  agpu__emu_hooks_table.op_enqueued = op_enqueued;
  agpu__emu_hooks_table.run = run;
  return &clock;
}
