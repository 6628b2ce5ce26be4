#!/usr/bin/env python3
"""Breaks the executor in one place after the other: the tests have to see it.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    break_executor.py [--build DIR] [--seconds N] [NAME...]

To be run by hand, after a change to runtime/exec or to its tests. Each of the
faults below, or of those that are NAMEd, is put into the sources, which are put
back afterwards; the tests that run the executor as a whole, and that of its
sleepers, are built (in DIR, by default build) and run, for N seconds of CPU time
each at most. Prints which of them found the fault, and after how much of it. Ends
with 1 if none did for one of them.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

from break_sources import ROOT, put_back, put_in

EXEC = "runtime/exec"

# name: what is replaced, file by file.
FAULTS = {
    "a task handed on stays behind": [
        (f"{EXEC}/tasks.c", "  AGPU__ASSERT(!agpu__hot.exec.next_resume);\n", ""),
        (f"{EXEC}/tasks.c", "        agpu__exec_queue_next();\n", ""),
        (f"{EXEC}/wait.c", "  agpu__exec_queue_next();\n", "")],
    "what is on top of its spawner hands on": [
        (f"{EXEC}/executor.h", "agpu__hot.exec.started_here == 0 && ", ""),
        (f"{EXEC}/tasks.c", "  AGPU__ASSERT(!agpu__hot.exec.next_resume);\n", ""),
        (f"{EXEC}/wait.c", "  agpu__exec_queue_next();\n", "")],
    "nobody is woken for a task that is queued": [
        (f"{EXEC}/tasks.c", "QUEUED);\n  agpu__exec_notify();",
         "QUEUED);\n  if (!agpu__hot.exec.seat)\n    agpu__exec_notify();")],
    "nobody is woken for the rest of a batch": [
        (f"{EXEC}/tasks.c", "    // Between the two queues no one could see "
         "them.\n    agpu__exec_notify();\n", "")],
    "a thread sleeps without a last look": [
        (f"{EXEC}/sleep.c", "stopping || agpu__exec_has_work()) {",
         "stopping) {")],
    "a searcher that ends passes nothing on": [
        (f"{EXEC}/sleep.c", "if ((before > 1 && !woken) || ",
         "if (before == 1 || ")],
    "a waker that finds nobody does not look again": [
        (f"{EXEC}/sleep.c", "if (!agpu__exec_has_work())\n      return;",
         "return;")],
    "who was woken does not know it": [
        (f"{EXEC}/sleep.c", " : AGPU__SEARCHES_WOKEN;",
         " : AGPU__SEARCHES_NOT;")],
    "who was woken in vain passes nothing on": [
        (f"{EXEC}/wait.c", "  agpu__exec_end_search(&search);\n}"
         "\n\nbool agpu__exec_help", "}\n\nbool agpu__exec_help")],
    "a sleeper inside a task is not counted": [
        (f"{EXEC}/census.c",
         "  atomic_fetch_add_explicit(&executor->sleeping, 1, "
         "memory_order_seq_cst);\n  if (sleeper->in_task)",
         "  if (!sleeper->in_task)\n    atomic_fetch_add_explicit("
         "&executor->sleeping, 1, memory_order_seq_cst);\n"
         "  if (sleeper->in_task)")],
    "a seat is handed over without the searcher's role": [
        (f"{EXEC}/seat.c", "thread->search = search;",
         "thread->search = AGPU__SEARCHES_NOT;")],
    "a thread that waits keeps its seat, and runs tasks on top": [
        (f"{EXEC}/wait.c",
         "} else if (agpu__exec_hand_over(agpu__hot.exec.seat, search)) {",
         "} else if (search && !search) {")],
    "the last task is popped without a swap": [
        (f"{EXEC}/queue/deque.c", "    taken = atomic_compare_exchange_strong_explicit("
         "\n        &deque->top, &top, top + 1, memory_order_seq_cst, "
         "memory_order_relaxed);",
         "    atomic_store_explicit(&deque->top, top + 1, "
         "memory_order_seq_cst);\n    taken = true;")],
    "a thief takes without a swap": [
        (f"{EXEC}/queue/outbox.c", "    if (atomic_compare_exchange_weak_explicit("
         "\n            &outbox->head, &head, head + taken, "
         "memory_order_acq_rel,\n            memory_order_acquire))\n"
         "      return taken;",
         "    atomic_store_explicit(&outbox->head, head + taken, "
         "memory_order_seq_cst);\n    return taken;")],
}
TESTS = ["unit-runtime-exec-executor_interleaved",
         "unit-runtime-exec-schedules", "unit-runtime-exec-sleep_interleaved"]


def cpu_seconds(pid):
    """Of a process that runs, and of those of its children that have ended."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    ticks = text.rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def run(program, seconds):
    """Whether it has failed, and the CPU seconds that it took."""
    # A machine with much else to do gives little of its time.
    end = time.monotonic() + 20 * seconds
    process = subprocess.Popen([program], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = status
            return status != 0, usage.ru_utime + usage.ru_stime
        used = cpu_seconds(process.pid)
        if used > seconds or time.monotonic() > end:
            process.kill()
            process.wait()
            return False, used
        time.sleep(0.05)


def find(build, seconds):
    """Whether a test found the fault, and how, test by test."""
    subprocess.run(["cmake", "--build", build, "--target", *TESTS], check=True,
                   stdout=subprocess.DEVNULL)
    results = []
    for test in TESTS:
        failed, used = run(f"{build}/tests/unit/{test}", seconds)
        results.append(f"{'fails' if failed else 'nothing'} after "
                       f"{used:.1f} s of CPU time")
        if failed:
            break
    return failed, results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    missed = 0
    for name in arguments.names or FAULTS:
        before = put_in(FAULTS[name])
        try:
            found, results = find(arguments.build, arguments.seconds)
        finally:
            put_back(before)
        missed += not found
        print(f"{name}:", "; ".join(f"{test}: {result}"
              for test, result in zip(TESTS, results)), flush=True)
    print(f"{missed} faults were missed")
    subprocess.run(["cmake", "--build", arguments.build, "--target", *TESTS],
                   check=True, stdout=subprocess.DEVNULL)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
