#!/usr/bin/env python3
"""Messages between ranks in modelled time: no clock is read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_ranks.py --runner FILE --launcher FILE --models FOLDER LIBRARY ranks.mlir

A message there and back takes what LogGP says, to the nanosecond, and two runs the same. A
slower network takes longer, two sums at once as long as one after the other, and an exchange
beside a kernel less than one before it, and a sum of 4 MiB in pieces less than as a whole. What
cannot be modelled is an error, ranks that wait for each other end, and none leaves memory
that ranks share. Runs with devices, all at the same time, half of them on one CPU, write the
same trace, byte for byte.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import run_ranks  # noqa: E402

SHARED = pathlib.Path("/dev/shm")
RUNS = 6


class Ranks:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder

    def run(self, entry, model, *words, program=None, cpus=None, **settings):
        of = self.arguments
        pinned = ["taskset", "--cpu-list", str(cpus)] if cpus is not None else []
        return run_ranks.run(
            [*pinned, of.launcher, "-n", "2", of.runner, "--device=emu", f"--model={model}",
             "--model-cpus=1", f"--entry-point={entry}", *words,
             program or of.program],
            {**run_ranks.ENVIRONMENT[of.library], "ASYNC_GPU_DEVICE": "emu", **settings}, 60)

    def run_again(self, number, entry, program, words, **settings):
        """The trace of one of RUNS."""
        trace = self.folder / f"same-{number}.json"
        cpus = min(os.sched_getaffinity(0)) if number % 2 else None
        status, _, errors = self.run(entry, "h100", f"--trace={trace}", *words,
                                     program=program, cpus=cpus, **settings)
        if status != 0:
            sys.exit(f"{program.stem} ended with status {status}:\n{errors}")
        return trace.read_bytes()

    def time_pieces(self, pieces, model):
        """Nanoseconds from the first kernel's begin to the last one's end."""
        kernels = [event for event in self.trace(
            "pieces", model, f"--shard=pieces={pieces}", "--input=1024x1024xf32=1",
            "--input=1024x1024xf32=1", f"--output={self.folder}/y.npy",
            program=HERE / "pieces.mlir", ASYNC_GPU_EMU_BLOCKS="few")
            if "kernel" in event[3]]
        return max(e[0] + e[1] for e in kernels) - min(e[0] for e in kernels)

    def trace(self, entry, model, *words, **how):
        """The slices of messages, kernels and copies: (begin, nanoseconds, who, what)."""
        trace = self.folder / "t.json"
        status, _, errors = self.run(entry, model, f"--trace={trace}", *words, **how)
        if status != 0:
            sys.exit(f"{entry} with {model} ended with status {status}:\n{errors}")
        events = json.loads(trace.read_bytes())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events
                 if e.get("name") == "process_name"}
        return sorted((round(e["ts"] * 1000), round(e["dur"] * 1000),
                       names[e["pid"]], e["name"]) for e in events if e["ph"] == "X" and (
                           e["name"].startswith("mpi.") or
                           e.get("cat") in ("kernel", "copy")))


def read(text, key):
    """In nanoseconds, bytes, and bytes in a nanosecond."""
    value, unit = re.search(rf"^{key} = ([0-9.]+) ?(\S*)", text, re.MULTILINE).groups()
    return float(value) * {"us": 1000, "KiB": 1024}.get(unit, 1)


def there_and_back(events):
    """Nanoseconds from one arrival at rank 0 to the next."""
    ends = [begin + length for begin, length, who, what in events
            if who.startswith("rank 0") and what.startswith("mpi.recv")]
    return [b - a for a, b in zip(ends, ends[1:])]


def expected(text, link, size):
    latency, overhead = (read(text, f"{link}_{key}") for key in ("latency", "overhead"))
    is_long = size > read(text, f"{link}_rendezvous")
    one_way = round(size / read(text, f"{link}_bandwidth"))
    return round(2 * (2 * overhead + (3 if is_long else 1) * latency + one_way))


def end(events):
    return max(begin + length for begin, length, _, what in events
               if not what.startswith("mpi.finalize"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("library", choices=sorted(run_ranks.ENVIRONMENT))
    parser.add_argument("program")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.launcher):
        print(f"left out: {arguments.library} is not installed")
        return 77
    text = (arguments.models / "h100.model").read_text()
    before = set(SHARED.glob("async-gpu-*"))
    wrong = []

    def check(what, holds, *seen):
        if not holds:
            wrong.append(f"{what}: {seen}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        of = Ranks(arguments, folder)
        apart = folder / "apart.model"
        apart.write_text(re.sub(r"(?m)^node_ranks = \d+", "node_ranks = 1", text))
        for entry, size in (("short", 8), ("long", 65536)):
            for model, link in (("h100", "node"), (str(apart), "network")):
                events = of.trace(entry, model)
                times, right = there_and_back(events), expected(text, link, size)
                check(f"{size} bytes over the {link}", times == [right] * 3, times, right)
        again = of.trace("long", str(apart))
        check("two runs the same", again == events, set(again) ^ set(events))
        slow = folder / "slow.model"
        slow.write_text(re.sub(r"(?m)^network_bandwidth = .*", "network_bandwidth = 1 GB/s",
                               apart.read_text()))
        slower = there_and_back(of.trace("long", str(slow)))
        check("a slower network", min(slower) > max(times), slower, times)
        sums = [event for event in of.trace("sums", str(slow))
                if event[3].startswith("mpi.allreduce")]
        took = max(begin + length for begin, length, *_ in sums) - min(e[0] for e in sums)
        check("two sums at once share the link", len(sums) == 4 and 2 << 20 <= took < 3 << 20,
              sums)
        beside, first = (of.trace(entry, str(slow)) for entry in ("beside", "before"))
        kernel = max(length for _, length, _, what in first if "mpi" not in what)
        check("an exchange beside a kernel", end(beside) < end(first) - 0.8 * kernel,
              end(beside), end(first), kernel)
        whole, two, four = (of.time_pieces(n, str(apart)) for n in (1, 2, 4))
        check("pieces of a message are under way beside kernels",
              two < 0.85 * whole and four < 0.7 * whole, whole, two, four)
        sharded = functools.partial(
            of.run_again, entry="pieces", program=HERE / "pieces.mlir",
            words=("--shard=pieces=4", *2 * ["--input=1024x1024xf32=1"]),
            ASYNC_GPU_EMU_BLOCKS="few")
        stencil = functools.partial(
            of.run_again, entry="main", words=(),
            program=HERE.parents[1] / "integration/mpi/stencil.mlir")
        for again in (sharded, stencil):
            with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
                traces = list(pool.map(again, range(RUNS)))
            check("runs with devices are the same", len(set(traces)) == 1,
                  [traces.index(trace) for trace in traces])
        for entry, message in (
                ("anybody", "mpi.recv from any rank, or with any tag, has no modelled time"),
                ("nobody", "the program cannot go on: all ranks wait (2)"),
                ("one_fails", "mpi.send of 8 bytes to rank 9, tag 7 failed on rank 1 of 2")):
            status, _, errors = of.run(entry, "h100")
            check(entry, status not in (0, None) and errors.count(message) in (
                (1, 2) if entry == "anybody" else (1,)), status, errors)
    left = set(SHARED.glob("async-gpu-*")) - before
    check("nothing is left", not left, left)
    print("\n".join(wrong) or "messages of ranks take modelled time")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
