//===- work_clock.c - The emulated device's own clock ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at the host's clock when an op begins and when it is over, on the
// thread that runs it. The number of the work, which the client says while it
// is enqueued, goes with the op. It listens at two hooks of the device
// (emu/base/hooks.h), and calls the hooks that are there already.
//
//===----------------------------------------------------------------------===//

#include "emu/device/work_clock.h"

#include "base/os/clock.h"
#include "emu/base/client.h"
#include "emu/base/hooks.h"
#include "emu/device/op.h"

typedef void run_op(const agpu__emu_op *op, agpu__emu_random *random);

/// Constant once the device is used.
static struct {
  agpu__emu_ran *ran;
  agpu__emu_hooks others;
} self;

static void op_enqueued(agpu__emu_order *order, const agpu__emu_stamp *after,
                        agpu__emu_op *op) {
  op->work = agpu__emu_get_work();
  if (self.others.op_enqueued)
    self.others.op_enqueued(order, after, op);
}

static void run(const agpu__emu_op *op, agpu__emu_random *random,
                run_op *run_it) {
  int64_t begin = op->work ? agpu__clock_machine_ns() : 0;
  if (self.others.run)
    self.others.run(op, random, run_it);
  else
    run_it(op, random);
  if (op->work)
    self.ran(op->work, op->round, begin, agpu__clock_machine_ns());
}

void agpu__emu_work_clock_run_whole(const agpu__emu_op *op,
                                    agpu__emu_random *random, run_op *run_it) {
  bool is_told = op->work && self.ran && !agpu__emu_hooks_table.tell_times;
  int64_t begin = is_told ? agpu__clock_machine_ns() : 0;
  run_it(op, random);
  if (is_told)
    self.ran(op->work, op->round, begin, agpu__clock_machine_ns());
}

void agpu__emu_work_clock_start(agpu__emu_ran *ran) {
  self.ran = ran;
  AGPU__EMU_TELL(tell_times, (ran));
  // The checks have put theirs there anew.
  self.others = agpu__emu_hooks_table;
  agpu__emu_hooks_table.op_enqueued = op_enqueued;
  if (!agpu__emu_hooks_table.tell_times)
    agpu__emu_hooks_table.run = run;
}
