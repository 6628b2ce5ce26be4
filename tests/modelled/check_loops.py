#!/usr/bin/env python3
"""Loops and branches of the device in modelled time: no clock is read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_loops.py --runner FILE --models FOLDER --inside PROGRAM.mlir integration/gpu

Programs whose graphs have conditional nodes or code of the host compute what they do
without a model, and two runs write the same trace and profile, byte for byte. The loop of
PROGRAM takes longer by what more rounds take, or another kernel in its branch. Many short rounds take the device less
than half of what they take where the host asks after each of them; not where graphs are
off, and not where conditions or the kernels of a body take long.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FASTER = ("loop_jacobi", "round_branches")


class Loops:
    def __init__(self, runner, models, folder):
        self.runner, self.models, self.folder = runner, models, folder

    def run(self, program, *options):
        return subprocess.run(
            [self.runner, "--device=emu", program, *options], check=True, timeout=100,
            stdout=subprocess.PIPE, env={**os.environ, "ASYNC_GPU_NUM_THREADS": "1"}).stdout

    def model(self, program, graphs="on", model="h100"):
        """What it prints, its trace and its profile."""
        trace, profile = (self.folder / name for name in ("t.json", "p.json"))
        printed = self.run(program, f"--model={model}", f"--graphs={graphs}",
                           f"--trace={trace}", f"--profile={profile}")
        return printed, trace.read_bytes(), profile.read_bytes()

    def is_faster(self, program, **worse):
        """Whether rounds of the device take less than half of those of the host."""
        spans = [json.loads(self.model(program, **options)[2])["span_ns"]
                 for options in (worse, {"graphs": "off"})]
        return spans[0] < 0.5 * spans[1]

    def loop(self, text):
        """Of a program, the slice of its loop, and those in its body."""
        program = self.folder / "loop.mlir"
        program.write_text(text)
        slices = [e for e in json.loads(self.model(program)[1])["traceEvents"]
                  if e["ph"] == "X" and "args" in e]
        inner = [e for e in slices if "round" in e["args"]]
        return next(e for e in slices if e["name"] == "loop" and e not in inner and
                    e["cat"] == "conditional"), inner

    def check_inside(self, program):
        text = program.read_text()
        lasts, rounds = [], []
        for most in (10, 20, 30):
            loop, _ = self.loop(text.replace("constant 10 : i32", f"constant {most} : i32"))
            lasts.append(loop["dur"])
            rounds.append(loop["args"]["rounds"])
        if rounds != [9, 19, 29]:
            yield f"the loop has {rounds} rounds"
        if lasts[1] - lasts[0] < 50 or abs(lasts[2] - 2 * lasts[1] + lasts[0]) > 0.01:
            yield f"loops of {rounds} rounds take {lasts} us"
        launch = next(line for line in text.splitlines(True)
                      if "@count" in line and "%c1 : index)" in line)
        longer, inner = self.loop(text.replace(launch, 2 * launch))
        # Each second round takes the branch; two kernels are a gap apart.
        taken = [e for e in inner if e["cat"] == "kernel" and e["name"] == "count" and
                 e["args"]["id"] == max(n["args"]["id"] for n in inner
                                        if n["name"] == "count")]
        gap = float(next(line.split()[2] for line in
                         (self.models / "h100.model").read_text().splitlines()
                         if line.startswith("graph_gap")))
        more = sum(e["dur"] + gap for e in taken)
        if len(taken) != 4 or abs(longer["dur"] - lasts[0] - more) > 0.01:
            yield (f"{len(taken)} kernels more take {longer['dur'] - lasts[0]} us, not {more}")

    def write_slow(self, key):
        """A machine that takes long for that."""
        path = self.folder / f"{key}.model"
        path.write_text("".join(
            f"{key} = 50 us\n" if line.startswith(key) else line
            for line in (self.models / "h100.model").read_text().splitlines(True)))
        return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--inside", type=pathlib.Path, required=True)
    parser.add_argument("programs", type=pathlib.Path)
    arguments = parser.parse_args()
    programs = sorted(arguments.programs.glob("loop_*.mlir"))
    programs += [arguments.programs / f"{name}.mlir"
                 for name in ("round_branches", "graph_host")]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        of = Loops(arguments.runner, arguments.models, pathlib.Path(folder))
        for program in programs:
            runs = [of.model(program) for _ in range(2)]
            if runs[0][0] != of.run(program, "--graphs=on"):
                problems.append(f"{program.stem}: prints {runs[0][0].decode()}")
            for number, what in enumerate(("output", "trace", "profile")):
                if runs[0][number] != runs[1][number]:
                    problems.append(f"{program.stem}: two runs differ in their {what}")
        problems += of.check_inside(arguments.inside)
        for name in FASTER:
            program = arguments.programs / f"{name}.mlir"
            for what, worse, wanted in (("of the device", {}, True),
                                        ("of the host", {"graphs": "off"}, False),
                                        ("with slow conditions",
                                         {"model": of.write_slow("condition_gap")}, False),
                                        ("with slow kernels",
                                         {"model": of.write_slow("kernel_least")}, False)):
                if of.is_faster(program, **worse) != wanted:
                    problems.append(f"{name}: rounds {what} are "
                                    f"{'slow' if wanted else 'as fast'}")
    print("\n".join(problems) or "loops of the device are what they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
