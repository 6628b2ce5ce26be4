#!/usr/bin/env -S python3 -B
"""Checks the driver calls that examples/fork_join.mlir makes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_driver_calls.py -- COMMAND...

COMMAND runs the example. From what ASYNC_GPU_LOG=driver writes, this follows
which call on a stream is ordered behind which other by streams and events, and
requires a stream for each of the four regions that hold GPU ops, one event wait
for each of the four dependencies between them that say something, a record for
each of the three regions that another depends on and one for the host, no order
between the two kernels that may overlap, and no call that makes a host thread
wait.
"""

import sys

import driver_log

WORK = ("cuLaunchKernel", "cuMemcpyAsync")
# What the operands of the regions say: both kernels need the copied source, the
# join needs both kernels' results. It needs the source, too (it frees it), but
# the kernels are behind that already.
DEPENDENCIES = 4
RECORDS = 4
REGIONS = 4


def order_work(calls):
    """Lists launches and copies as (name, stream, numbers of those before)."""
    work = []
    behind_stream = {}  # what later work on the stream is behind
    behind_event = {}
    for name, arguments, *_ in calls:
        stream = arguments.get("stream")
        behind = behind_stream.get(stream, frozenset())
        if name in WORK:
            work.append((name, stream, behind))
            behind_stream[stream] = behind | {len(work) - 1}
        elif name == "cuEventRecord":
            behind_event[arguments["event"]] = behind
        elif name == "cuStreamWaitEvent":
            event = arguments["event"]
            if event not in behind_event:
                sys.exit(f"event {event} is waited for before it is recorded")
            behind_stream[stream] = behind | behind_event[event]
    return work


def find_problems(calls):
    work = order_work(calls)
    copies = [i for i, (name, _, _) in enumerate(work) if name == WORK[1]]
    kernels = [i for i, (name, _, _) in enumerate(work) if name == WORK[0]]
    if len(copies) != 2 or len(kernels) != 3:
        yield f"{len(copies)} copies and {len(kernels)} launches, not 2 and 3"
        return
    copy_in, copy_out = copies
    joins = [i for i in kernels if work[i][1] == work[copy_out][1]]
    if len(joins) != 1:
        yield "the copy to the host is not on the stream of one kernel"
        return
    join = joins[0]
    left, right = (i for i in kernels if i != join)

    streams = {work[i][1] for i in (copy_in, left, right, join)}
    if len(streams) != REGIONS:
        yield f"{REGIONS} regions on {len(streams)} streams"
    for before, after in ((copy_in, left), (copy_in, right), (left, join),
                          (right, join), (join, copy_out)):
        if before not in work[after][2]:
            yield f"{work[after]} is not behind {work[before]}"
    if left in work[right][2] or right in work[left][2]:
        yield "the two kernels are ordered, although neither needs the other"

    waits = sum(name == "cuStreamWaitEvent" for name, *_ in calls)
    if waits != DEPENDENCIES:
        yield f"{waits} event waits for {DEPENDENCIES} dependencies"
    records = sum(name == "cuEventRecord" for name, *_ in calls)
    if records != RECORDS:
        yield f"{records} records of events, not {RECORDS}"
    for name, _, result, *_ in calls:
        if name.endswith("Synchronize"):
            yield f"{name} makes a host thread wait"
        query = name.endswith("Query") and result == "CUDA_ERROR_NOT_READY"
        # The driver is asked whether it knows memory of the host: it does not.
        asks = name == "cuPointerGetAttribute"
        if result != "CUDA_SUCCESS" and not query and not asks:
            yield f"{name} gave {result}"


def main():
    command = sys.argv[sys.argv.index("--") + 1:]
    status, log = driver_log.run(command)
    problems = list(find_problems(driver_log.read_calls(log)))
    if status != 0:
        problems.append(f"exit status {status}")
    for problem in problems:
        print("problem: " + problem)
    if problems:
        print("--- the calls:\n" + log)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
