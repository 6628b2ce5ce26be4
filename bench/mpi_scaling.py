#!/usr/bin/env python3
"""Weak scaling of the halo exchange by simulation, not by machines.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    mpi_scaling.py [--json FILE]

Each rank of a two-dimensional grid has a border of 0.1 ms and an interior of 3 ms in each
round, of which every one takes longer by chance (exponentially, by 2 % on average, by a
seed); a message of 4 KiB costs its sender and its receiver an overhead each, travels for
a latency, and 0.004 ms for its bytes. Every tenth round ends in a sum over all ranks.
Two programs: "overlapped" sends once the border is computed and goes on with the
interior, as integration/mpi/stencil.mlir; "blocking" exchanges, and then computes.

Two simulators. One is a discrete simulation in the terms of LogGP here, to 10,000 ranks,
in which a sum is 2 * log2(ranks) messages one after the other. The other is SimGrid
(Debian: libsimgrid-dev), where it is installed: smpirun runs mpi/grid.c, a program of MPI
that does the same, with up to 64 ranks on a simulated cluster.

Prints the efficiency, the time of one rank over that of so many.
"""

import argparse
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "mpi"
BORDER, INTERIOR, TRANSFER, NOISE = 0.1, 3.0, 0.004, 0.02  # ms; a part
ROUNDS, SUM_EVERY = 100, 10
LATENCIES, OVERHEADS = (0.002, 1.0), (0.03, 0.15)
RANKS, MOST_SIMGRID = (1, 2, 4, 16, 64, 10000), 64
# A link to and from a switch for each rank; calls cost what is said, and no more.
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="all" prefix="rank-" suffix="" radical="0-{last}" speed="1Gf" bw="1GBps"
           lat="{latency}ms"/>
</platform>
"""


def neighbours(ranks):
    """Of each rank, in a grid as square as can be, with borders."""
    rows = next(n for n in range(int(math.sqrt(ranks)), 0, -1) if ranks % n == 0)
    columns = ranks // rows
    return [[r * columns + c
             for r, c in ((i - 1, k), (i + 1, k), (i, k - 1), (i, k + 1))
             if 0 <= r < rows and 0 <= c < columns]
            for i in range(rows) for k in range(columns)]


def simulate(ranks, latency, overhead, overlapped):
    """Milliseconds until the last rank has done all rounds."""
    draw = random.Random(1)
    around = neighbours(ranks)
    time = [0.0] * ranks
    flight = overhead + latency + TRANSFER
    for number in range(1, ROUNDS + 1):
        slow = [1 + draw.expovariate(1 / NOISE) for _ in range(ranks)]
        sent = [begin + (BORDER * late if overlapped else 0)
                for begin, late in zip(time, slow)]
        after = []
        for rank in range(ranks):
            messages = len(around[rank])
            own = sent[rank] + overhead * messages  # to send
            come = max((sent[peer] + flight for peer in around[rank]),
                       default=own) + overhead * messages
            rest = INTERIOR * slow[rank]
            if overlapped:
                after.append(max(own + rest, come))
            else:
                after.append(max(own, come) + (BORDER * slow[rank] + rest))
        if number % SUM_EVERY == 0 and ranks > 1:
            end = max(after) + 2 * math.ceil(math.log2(ranks)) * (
                2 * overhead + latency)
            after = [end] * ranks
        time = after
    return max(time)


class SimGrid:
    """smpirun, or nothing where it is not installed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.program = self.folder / "grid"
        self.is_there = bool(shutil.which("smpicc") and shutil.which("smpirun"))
        if self.is_there:
            subprocess.run(["smpicc", "-O2", HERE / "grid.c", "-o", self.program, "-lm"],
                           check=True)
        else:
            print("left out: SimGrid is not installed")

    def simulate(self, ranks, latency, overhead, overlapped):
        """Milliseconds; None where it cannot say."""
        if not self.is_there or ranks > MOST_SIMGRID:
            return None
        platform, hosts = self.folder / "platform.xml", self.folder / "hosts"
        platform.write_text(PLATFORM.format(last=ranks - 1, latency=latency / 2))
        hosts.write_text("".join(f"rank-{i}\n" for i in range(ranks)))
        done = subprocess.run(
            ["smpirun", "-np", str(ranks), "-platform", platform, "-hostfile", hosts,
             "--log=root.thres:error", "--cfg=smpi/simulate-computation:no",
             "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1",
             f"--cfg=smpi/os:0:{overhead / 1e3}:0", f"--cfg=smpi/or:0:{overhead / 1e3}:0",
             self.program, str(BORDER * 1e3), str(INTERIOR * 1e3), str(NOISE),
             "overlapped" if overlapped else "blocking"],
            check=True, capture_output=True, text=True, cwd=self.folder)
        return float(done.stdout.split()[-1]) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = []
    folder = tempfile.mkdtemp()
    try:
        simgrid = SimGrid(folder)
        for latency in LATENCIES:
            for overhead in OVERHEADS:
                rows += compare(latency, overhead, simgrid)
    finally:
        shutil.rmtree(folder)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(
            {"command": f"bench/mpi_scaling.py --json {os.path.basename(arguments.json)}",
             "border_ms": BORDER, "interior_ms": INTERIOR, "noise": NOISE,
             "sum_every": SUM_EVERY, "efficiency": rows}, indent=2) + "\n")


def compare(latency, overhead, simgrid):
    rows, alone = [], {}
    for ranks in RANKS:
        row = {"latency_ms": latency, "overhead_ms": overhead, "ranks": ranks}
        for name, run in (("model", simulate), ("simgrid", simgrid.simulate)):
            for way, overlapped in (("overlapped", True), ("blocking", False)):
                time = run(ranks, latency, overhead, overlapped)
                if time is not None:
                    first = alone.setdefault((name, way), time)
                    row[f"{name}_{way}"] = round(first / time, 3)
        rows.append(row)
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return rows


if __name__ == "__main__":
    main()
