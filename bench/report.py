#!/usr/bin/env python3
"""Prints what bench/tasks.py has kept as tables for docs/performance.md.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/report.py results/tasks.json
"""

import json
import sys

from workloads import OURS, WORKLOADS


def number(value, factor):
    value = float(f"{value / factor:.3g}")
    return f"{value:,.0f}" if value >= 100 else f"{value:g}"


def best_peer(rows):
    peers = [row for row in rows if row["peer"] != OURS and not row["bound"]
             and "failure" not in row]
    return min(peers, key=lambda row: row["median_ns"])


def print_tables(document):
    workloads = {workload.name: workload for workload in WORKLOADS}
    for count in sorted({r["cpus"] for r in document["results"]}):
        print(f"\n{count} CPU{'s' if count > 1 else ''}:\n")
        print("| workload | unit | async-gpu | best peer | ours / best | "
              "upstream | ours / upstream |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for result in document["results"]:
            if result["cpus"] != count:
                continue
            workload, rows = workloads[result["workload"]], result["rows"]
            ours = next(row for row in rows if row["peer"] == OURS)
            best = best_peer(rows)
            upstream = next((row for row in rows if row["peer"].startswith(
                "upstream") and "failure" not in row), None)
            cells = [workload.title, workload.unit,
                     number(ours["median_ns"], workload.factor),
                     f"{number(best['median_ns'], workload.factor)} "
                     f"({best['peer']})", f"{best['ratio']:.2f}"]
            cells += ([number(upstream["median_ns"], workload.factor),
                       f"{upstream['ratio']:.3f}"] if upstream else ["", ""])
            print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench/report.py FILE.json")
    with open(sys.argv[1]) as file:
        print_tables(json.load(file))
