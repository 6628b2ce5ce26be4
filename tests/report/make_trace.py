#!/usr/bin/env python3
"""Writes a trace of a run of examples/fork_join.mlir that was never run.

    make_trace.py ROUNDS

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In the form of docs/formats.md: the regions of the program on two workers, their
kernels on four streams, arrows between them, two counters, and a critical path, all
of it ROUNDS times, 26 events each.
"""

import json
import sys

REGIONS = [(35, 22, "source"), (42, 19, "squares"), (59, 19, "triples"),
           (77, 19, "sum"), (88, 13, "joined"), (110, 14, "checked")]
FILE = "examples/fork_join.mlir"


def events(rounds):
    for pid, name in ((1, "host"), (2, "device 0: emulated")):
        yield {"ph": "M", "pid": pid, "tid": 0, "name": "process_name",
               "args": {"name": name}}
    for tid in (11, 12):
        yield {"ph": "M", "pid": 1, "tid": tid, "name": "thread_name",
               "args": {"name": f"worker {tid - 11}"}}
    for tid in range(1, 5):
        yield {"ph": "M", "pid": 2, "tid": tid, "name": "thread_name",
               "args": {"name": f"stream {tid}"}}
    arrow = 0
    for number in range(rounds):
        start = 200.0 * number
        yield {"ph": "C", "cat": "counter", "pid": 1, "tid": 0, "ts": start,
               "name": "tasks alive", "args": {"value": number % 7}}
        # For less than a pixel.
        for after, value in ((0, 1), (0.01, 0)):
            yield {"ph": "C", "cat": "counter", "pid": 2, "tid": 0,
                   "ts": start + 22 + after, "name": "streams busy",
                   "args": {"value": value}}
        for index, (line, column, name) in enumerate(REGIONS):
            begin = start + 10 + 20 * index
            label = f"fork_join.mlir:{line} {name}"
            host = {"pid": 1, "tid": 11 + index % 2}
            yield {"ph": "X", "cat": "region", **host, "ts": begin, "dur": 18,
                   "name": label,
                   "args": {"run": 6 * number + index + 1, "part": 1,
                            "file": FILE, "line": line, "column": column,
                            "ends": "returned"}}
            if name in ("sum", "checked"):
                continue
            stream = {"pid": 2, "tid": 1 + index % 4}
            arrow += 1
            yield {"ph": "s", "cat": "launch", **host, "ts": begin + 5,
                   "name": "launch", "id": arrow}
            yield {"ph": "f", "bp": "e", "cat": "launch", **stream,
                   "ts": begin + 12, "name": "launch", "id": arrow}
            yield {"ph": "X", "cat": "kernel", **stream, "ts": begin + 12,
                   "dur": 15, "name": f"kernel_{index}",
                   "args": {"grid": "4x1x1", "block": "256x1x1",
                            "critical": index in (0, 1, 4)}}
            yield {"ph": "X", "cat": "copy", **stream, "ts": begin + 28,
                   "dur": 3, "name": "copy", "args": {"bytes": 4096}}


def main():
    json.dump({"traceEvents": list(events(int(sys.argv[1]))),
               "displayTimeUnit": "ns",
               "otherData": {"format": "async-gpu trace", "version": 1,
                             "dropped": 0}}, sys.stdout)


if __name__ == "__main__":
    main()
