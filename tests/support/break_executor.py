#!/usr/bin/env python3
"""Breaks the executor in one place after the other: the tests have to see it.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    break_executor.py [--build DIR] [--seconds N] [NAME...]

To be run by hand, after a change to runtime/exec or to its tests. Each of the
faults below, or of those that are NAMEd, is put into the sources, which are put
back afterwards; the tests that run the executor as a whole are built (in DIR,
by default build) and run, N seconds each at most. Prints which of them found
the fault, and after how long. Ends with 1 if none did for one of them.
"""

import argparse
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXEC = "runtime/exec"

# name: what is replaced, file by file.
FAULTS = {
    "a task handed on stays behind": [
        (f"{EXEC}/tasks.c", "  AGPU__ASSERT(!agpu__self.exec.next_resume);\n", ""),
        (f"{EXEC}/tasks.c", "        agpu__exec_queue_next();\n", ""),
        (f"{EXEC}/wait.c", "  agpu__exec_queue_next();\n", "")],
    "what is on top of its spawner hands on": [
        (f"{EXEC}/spawn/submit.c", "agpu__self.exec.started_here == 0 && ", ""),
        (f"{EXEC}/tasks.c", "  AGPU__ASSERT(!agpu__self.exec.next_resume);\n", ""),
        (f"{EXEC}/wait.c", "  agpu__exec_queue_next();\n", "")],
    "nobody is woken for a task that is queued": [
        (f"{EXEC}/tasks.c", "QUEUED);\n  agpu__exec_notify();",
         "QUEUED);\n  if (!agpu__self.exec.seat)\n    agpu__exec_notify();")],
    "nobody is woken for the rest of a batch": [
        (f"{EXEC}/tasks.c", "if (taken > 1)", "if (taken > BATCH)")],
    "a thread sleeps without a last look": [
        (f"{EXEC}/sleep.c", "stopping || agpu__exec_has_work()) {",
         "stopping) {")],
    "a searcher that ends passes nothing on": [
        (f"{EXEC}/sleep.c", "if (before == 1 && agpu__exec_has_work())",
         "if (before > 1 && agpu__exec_has_work())")],
    "a waker that finds nobody does not look again": [
        (f"{EXEC}/sleep.c", "if (!agpu__exec_has_work())\n      return;",
         "return;")],
    "who was woken does not know it": [
        (f"{EXEC}/sleep.c", "  else\n    *searching = true;\n", "")],
    "who was woken in vain passes nothing on": [
        (f"{EXEC}/wait.c", "  if (searching)\n    agpu__exec_end_search();\n}"
         "\n\n/// Runs a task that", "}\n\n/// Runs a task that")],
    "a sleeper inside a task is not counted": [
        (f"{EXEC}/census.c",
         "  atomic_fetch_add_explicit(&executor->sleeping, 1, "
         "memory_order_seq_cst);\n  if (sleeper->in_task)",
         "  if (!sleeper->in_task)\n    atomic_fetch_add_explicit("
         "&executor->sleeping, 1, memory_order_seq_cst);\n"
         "  if (sleeper->in_task)")],
    "a seat is handed over without the searcher's role": [
        (f"{EXEC}/seat.c", "thread->searching = searching;",
         "thread->searching = false;")],
    "a thread that waits keeps its seat, and runs tasks on top": [
        (f"{EXEC}/wait.c",
         "} else if (agpu__exec_hand_over(agpu__self.exec.seat, searching)) {",
         "} else if (searching && !searching) {")],
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
         "unit-runtime-exec-schedules"]


def put_in(fault):
    """Returns the sources as they were."""
    before = {}
    for name, old, new in fault:
        path = ROOT / name
        text = path.read_text()
        before.setdefault(path, text)
        if text.count(old) != 1:
            put_back(before)
            sys.exit(f"{name} has {text.count(old)} times:\n{old}")
        path.write_text(text.replace(old, new))
    return before


def put_back(before):
    for path, text in before.items():
        path.write_text(text)


def find(build, seconds):
    """Per test, how it found the fault; None where it did not."""
    subprocess.run(["cmake", "--build", build, "--target", *TESTS], check=True,
                   stdout=subprocess.DEVNULL)
    results = []
    for test in TESTS:
        begin = time.monotonic()
        try:
            done = subprocess.run([f"{build}/tests/unit/{test}"],
                                  capture_output=True, timeout=seconds)
            how = None if done.returncode == 0 else "fails"
        except subprocess.TimeoutExpired:
            how = None
        results.append(how and f"{how} after {time.monotonic() - begin:.1f} s")
    return results


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
            results = find(arguments.build, arguments.seconds)
        finally:
            put_back(before)
        missed += not any(results)
        print(f"{name}:", "; ".join(f"{test}: {result or 'nothing'}"
              for test, result in zip(TESTS, results)), flush=True)
    print(f"{missed} faults were missed")
    subprocess.run(["cmake", "--build", arguments.build, "--target", *TESTS],
                   check=True, stdout=subprocess.DEVNULL)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
