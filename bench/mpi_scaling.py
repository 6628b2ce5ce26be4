#!/usr/bin/env python3
"""Weak scaling of the halo exchange by a model, not by machines.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    mpi_scaling.py [--json FILE]

A discrete simulation in the terms of LogGP: each rank of a two-dimensional grid has a
border of 0.1 ms and an interior of 3 ms in each round, of which every one takes longer
by chance (exponentially, by 2 % on average, by a seed); a message of 4 KiB costs its
sender and its receiver 0.03 ms each, travels for a latency, and 0.004 ms for its bytes.
Every tenth round ends in a sum over all ranks, of 2 * log2(ranks) messages one after the
other. Two programs: "overlapped" sends once the border is computed and goes on with the
interior, as integration/mpi/stencil.mlir; "blocking" exchanges, and then computes.
Prints the efficiency, the time of one rank over that of so many.
"""

import argparse
import json
import math
import pathlib
import random

BORDER, INTERIOR, OVERHEAD, TRANSFER, NOISE = 0.1, 3.0, 0.03, 0.004, 0.02
ROUNDS, SUM_EVERY = 100, 10


def neighbours(ranks):
    """Of each rank, in a grid as square as can be, with borders."""
    rows = next(n for n in range(int(math.sqrt(ranks)), 0, -1) if ranks % n == 0)
    columns = ranks // rows
    return [[r * columns + c
             for r, c in ((i - 1, k), (i + 1, k), (i, k - 1), (i, k + 1))
             if 0 <= r < rows and 0 <= c < columns]
            for i in range(rows) for k in range(columns)]


def simulate(ranks, latency, overlapped):
    """Milliseconds until the last rank has done all rounds."""
    draw = random.Random(1)
    around = neighbours(ranks)
    time = [0.0] * ranks
    flight = OVERHEAD + latency + TRANSFER
    for number in range(1, ROUNDS + 1):
        slow = [1 + draw.expovariate(1 / NOISE) for _ in range(ranks)]
        sent = [begin + (BORDER * late if overlapped else 0)
                for begin, late in zip(time, slow)]
        after = []
        for rank in range(ranks):
            messages = len(around[rank])
            own = sent[rank] + OVERHEAD * messages  # to send
            come = max((sent[peer] + flight for peer in around[rank]),
                       default=own) + OVERHEAD * messages
            rest = INTERIOR * slow[rank]
            if overlapped:
                after.append(max(own + rest, come))
            else:
                after.append(max(own, come) + (BORDER * slow[rank] + rest))
        if number % SUM_EVERY == 0 and ranks > 1:
            end = max(after) + 2 * math.ceil(math.log2(ranks)) * (
                2 * OVERHEAD + latency)
            after = [end] * ranks
        time = after
    return max(time)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = []
    for latency in (0.002, 1.0):
        alone = {way: simulate(1, latency, way) for way in (True, False)}
        for ranks in (1, 2, 4, 16, 64, 10000):
            row = {"latency_ms": latency, "ranks": ranks}
            for way, name in ((True, "overlapped"), (False, "blocking")):
                row[name] = round(alone[way] / simulate(ranks, latency, way), 3)
            rows.append(row)
            print(f"latency {latency:5} ms, {ranks:5} ranks: overlapped "
                  f"{row['overlapped']:.3f}, blocking {row['blocking']:.3f}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(
            json.dumps({"efficiency": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
