#!/usr/bin/env python3
"""Checks the driver calls of a program against what the driver asks of any.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_driver_rules.py -- COMMAND...

COMMAND runs the program. Every handle is used after it was created and before
it was destroyed, and is destroyed in the end; events are waited for after a
record; sizes are legal; what is allocated is freed; no call makes a host thread
wait; none fails.
"""

import collections
import sys

import driver_log

# What makes, uses and ends each kind of handle, by the argument that names it.
CREATED_BY = {"cuStreamCreate": "stream", "cuEventCreate": "event",
              "cuModuleLoadDataEx": "module", "cuModuleGetFunction": "function"}
DESTROYED_BY = {"cuStreamDestroy": "stream", "cuEventDestroy": "event",
                "cuModuleUnload": "module"}
ALLOCATE = ("cuMemAlloc", "cuMemAllocAsync", "cuMemAllocManaged",
            "cuMemHostRegister", "cuMemHostAlloc")
FREE = ("cuMemFree", "cuMemFreeAsync", "cuMemHostUnregister", "cuMemFreeHost")
NEEDS_A_RECORD = ("cuStreamWaitEvent", "cuEventQuery", "cuEventSynchronize")
MAX_THREADS = 1024


class Rules:
    def __init__(self):
        self.problems = []
        self.alive = collections.defaultdict(set)
        self.recorded = set()
        self.memory = collections.Counter()
        self.contexts = collections.Counter()

    def check(self, call):
        name, arguments, result = call
        if result != "CUDA_SUCCESS":
            if not (name.endswith("Query") and result == "CUDA_ERROR_NOT_READY"):
                self.report(call, f"gave {result}")
            return
        if name.endswith("Synchronize"):
            self.report(call, "makes a host thread wait")
        self.check_handles(call)
        self.check_sizes(call)
        self.check_balance(call)

    def check_handles(self, call):
        name, arguments, _ = call
        made = CREATED_BY.get(name)
        for kind in ("stream", "event", "module", "function"):
            number = arguments.get(kind)
            if number is None or kind == made:
                continue
            if number not in self.alive[kind]:
                self.report(call, f"uses {kind} {number}, which is not there")
        if made:
            self.alive[made].add(arguments[made])
            if made == "event":
                self.recorded.discard(arguments[made])
        if name == "cuEventRecord":
            self.recorded.add(arguments["event"])
        if name in NEEDS_A_RECORD and arguments["event"] not in self.recorded:
            self.report(call, "is for an event that was never recorded")
        ended = DESTROYED_BY.get(name)
        if ended:
            self.alive[ended].discard(arguments[ended])

    def check_sizes(self, call):
        name, arguments, _ = call
        if name == "cuLaunchKernel":
            grid = [int(size) for size in arguments["grid"].split("x")]
            block = [int(size) for size in arguments["block"].split("x")]
            threads = block[0] * block[1] * block[2]
            if 0 in grid or not 1 <= threads <= MAX_THREADS:
                self.report(call, "has an illegal size")
        for size in ("bytes", "count", "width", "height"):
            if arguments.get(size) == "0" and name != "cuDeviceGetCount":
                self.report(call, f"has no {size}")

    def check_balance(self, call):
        name, arguments, _ = call
        if name in ALLOCATE:
            self.memory[arguments["pointer"]] += 1
        elif name in FREE:
            # What another thread was given at once may have been logged first.
            self.memory[arguments["pointer"]] -= 1
            if self.memory[arguments["pointer"]] < 0:
                self.report(call, "frees what was not allocated")
        elif name == "cuDevicePrimaryCtxRetain":
            self.contexts[arguments["device"]] += 1
        elif name == "cuDevicePrimaryCtxRelease":
            self.contexts[arguments["device"]] -= 1

    def finish(self):
        for kind in DESTROYED_BY.values():
            for number in sorted(self.alive[kind]):
                self.problems.append(f"{kind} {number} is never destroyed")
        for device, count in self.contexts.items():
            if count:
                self.problems.append(
                    f"the context of device {device} is retained {count} times "
                    "in the end")
        for pointer, count in self.memory.items():
            if count:
                self.problems.append(f"memory at {pointer} is never freed")

    def report(self, call, text):
        name, arguments, _ = call
        listed = ", ".join(f"{key}={value}" for key, value in arguments.items())
        self.problems.append(f"{name}({listed}) {text}")


def main():
    split = sys.argv.index("--")
    status, log = driver_log.run(sys.argv[split + 1:])
    calls = driver_log.read_calls(log)
    rules = Rules()
    for call in calls:
        rules.check(call)
    rules.finish()
    if status != 0:
        rules.problems.append(f"exit status {status}")
    if not calls:
        rules.problems.append("the program calls no driver")
    for problem in rules.problems:
        print("problem: " + problem)
    if rules.problems:
        print("--- stderr:\n" + log)
    return 1 if rules.problems else 0


if __name__ == "__main__":
    sys.exit(main())
