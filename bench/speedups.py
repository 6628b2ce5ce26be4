#!/usr/bin/env -S python3 -B
"""How programs of bench/tasks.py get faster with more CPUs, beside its peers.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/speedups.py FILE

FILE is what bench/tasks.py has kept of a run over several numbers of CPUs, on a
machine that has them:

    bench/tasks.py --cpus 1,2,4,8,12,16 --quiet-only --budget 900 \\
        --only fib,tree-opaque,iterate,small-loop,dot,cholesky --json many.json
    bench/speedups.py many.json

For each workload, program and number of CPUs: the speed-up over serial code where
there is some, and over the fastest program on one CPU where there is none; and
ours over the best of all. At least 0.95 is aimed for at every width.
"""

import json
import pathlib
import sys

from workloads import ON_OURS, OURS, WORKLOADS

AIM = 0.95


def read(document):
    """Nanoseconds by workload, program and number of CPUs; and of the base."""
    times, bases = {}, {}
    for result in document["results"]:
        if "busy" in result:
            continue
        name = result["workload"]
        for row in result["rows"]:
            if "failure" in row:
                continue
            if row["bound"]:
                if row["peer"] == "serial":
                    bases[name] = min(row["median_ns"],
                                      bases.get(name, float("inf")))
                continue
            times.setdefault(name, {}).setdefault(row["peer"], {})[
                result["cpus"]] = row["median_ns"]
    for name, peers in times.items():
        if name not in bases:
            bases[name] = min(of[min(of)] for of in peers.values())
    return times, bases


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    times, bases = read(document)
    missed = []
    for workload in WORKLOADS:
        peers = times.get(workload.name)
        if not peers or OURS not in peers:
            continue
        widths = sorted(peers[OURS])
        print(f"\n{workload.title}: speed-up\n  {'':28}"
              + "".join(f"{width:8}" for width in widths))
        for peer, of in peers.items():
            print(f"  {peer:28}" + "".join(
                f"{bases[workload.name] / of[width]:8.2f}" if width in of
                else f"{'-':>8}" for width in widths))
        ratios = []
        for width in widths:
            best = min(of[width] for peer, of in peers.items()
                       if width in of and peer != ON_OURS)
            ratios.append(best / peers[OURS][width])
            if ratios[-1] < AIM:
                missed.append(f"{workload.name} on {width}")
        print(f"  {'ours over the best':28}"
              + "".join(f"{ratio:8.2f}" for ratio in ratios))
    print(f"\nbelow {AIM}: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
