#!/usr/bin/env -S python3 -B
"""Runs programs that go round, with graphs, in schedules that seeds draw.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_graphs.py --bin DIR [--first N] [--count N] [--sample N] [FILE.mlir...]

Each program of integration/ and examples/ (or each FILE) that has a loop outside of
its kernels, or calls a function there, and uses a device is compiled with graphs=on
and with code for the emulated device's checks. It has to do what its comments say
(program.py) with each seed from --first on, under both checks. With --sample, only
every Nth program runs, and --first says which. At the end stands how many runs there
were, and how many graphs they launched with the first seed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys

import compiled
import program
import run_program

LOWER = "--async-gpu-lower=graphs=on check-accesses=true"
LAUNCH = re.compile(r"^driver: cuGraphLaunch\(", re.MULTILINE)


def goes_round(path):
    text = path.read_text()
    return "gpu." in text and re.search(r"scf\.(for|while)|cf\.br|func\.call|linalg",
                                        text)


class Way:
    """A way of a program that runs on any device, compiled."""

    def __init__(self, binaries, tested, case, way):
        self.tested, self.case, self.way = tested, case, way
        options = [option for option in tested.options
                   if not option.startswith("--graphs")]
        made = compiled.program(f"{binaries}/async-gpu-opt", tested.path,
                                [*options, *way.options, LOWER],
                                way.function != "main")
        self.command = [made] if way.function == "main" else \
            [made, way.function]

    def run(self, seed, log=""):
        settings = {"EMU_DEVICES": self.tested.keys["DEVICES"]} \
            if "DEVICES" in self.tested.keys else {}
        settings.update((name, values[0]) for name, values in self.way.settings)
        settings.update({"EMU_SEED": str(seed), "EMU_CHECK": "races,memory",
                         "GRAPHS": "on"})
        if log:
            settings["LOG"] = log
        return run_program.Done(self.command, settings, 60)

    def find_problems(self, seed):
        done = self.run(seed)
        problems = done.find_problems(self.case, {}, False)
        return [f"{self.tested.name} @{self.way.function} seed {seed}: "
                f"{problem}\n{done.errors}" for problem in problems]


def ways_of(binaries, path):
    tested = program.Program(path, run_program.SETS)
    if "LOWER" in tested.keys:
        return
    for case in tested.cases:
        for way in case.ways:
            if set(way.sets) & {"device", "devices", "kernel"} and \
                    not way.words.keys() & {"endless", "runner"}:
                yield Way(binaries, tested, case, way)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    files = arguments.files or sorted(
        path for folder in ("integration", "examples")
        for path in (program.ROOT / folder).rglob("*.mlir")
        if not {"mpi", "shard"} & set(path.parts) and "errors" not in path.parts)
    files = [path for path in files if goes_round(path)]
    files = files[arguments.first % arguments.sample::arguments.sample]
    seeds = range(arguments.first, arguments.first + arguments.count)
    runs = failures = graphs = programs = 0
    with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))) as pool:
        for path in files:
            try:
                ways = list(ways_of(arguments.bin, path))
            except compiled.NeedsToolkit:
                continue
            programs += bool(ways)
            for way in ways:
                graphs += len(LAUNCH.findall(way.run(seeds[0], "driver").errors))
                for problems in pool.map(way.find_problems, seeds):
                    runs += 1
                    failures += bool(problems)
                    if problems and failures <= run_program.MAX_REPORTS:
                        print("\n".join(problems), flush=True)
    print(f"{programs} programs, {runs} runs, {graphs} graphs launched with the "
          f"first seed, {failures} failures")
    return 1 if failures or not graphs else 0


if __name__ == "__main__":
    sys.exit(main())
