#!/usr/bin/env -S python3 -B
"""How long programs take to compile, by how much there is of what they have.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/compile.py [--build DIR] [--llvm DIR] [--rounds N] [--count] [--json FILE]
                     [--check] [SIZE ...]

For 250, 500 and 1,000 regions, or the sizes given, the CPU time (user and
system, which other work disturbs less than wall time) of: host regions alone,
lowered; regions with kernels, lowered for PTX and for the emulated device; and
the latter compiled and run by async-gpu-runner. The peer is upstream's pipeline
in mlir-opt, where it takes the program. Then programs of one thing each, which
analyses that look at all of it again for each part of it would take quadratic
time for, in three sizes. Everything should grow with the size, and no faster.
One process a sample, all of a size in turn; medians go to stderr, everything as
JSON to --json (default: stdout).

--count: the instructions of each command of ours instead, by valgrind's cachegrind,
which load does not change: of the programs of one thing each, in smaller sizes, and of
the others in the sizes given.

--check: counted are single passes that once took quadratic time, without reading and
printing, in three sizes each twice that before. Fails if what the last step adds is more
than 2.25 times what the one before it added, where linear is 2. Status 77 without valgrind.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import machine
from machine import ROOT, say

PROGRAMS = ROOT / "tests/lit/host/Inputs/many.py"
ASYNC = ["--async-to-async-runtime", "--async-runtime-ref-counting",
         "--async-runtime-ref-counting-opt", "--convert-async-to-llvm"]
# Name, kind of program, our tool and its flags, what upstream's mlir-opt takes.
ROWS = [
    ("host regions, lowered", "regions", "async-gpu-opt",
     ["--async-gpu-lower"],
     [*ASYNC, "--convert-scf-to-cf", "--convert-to-llvm",
      "--reconcile-unrealized-casts"]),
    ("kernels, to PTX", "kernels", "async-gpu-opt",
     ["--async-gpu-lower=gpu-targets=ptx"],
     # Its regions take no stream of their own, and gpu.alloc and gpu.dealloc stay.
     ["--gpu-kernel-outlining", *ASYNC,
      "--gpu-lower-to-nvvm-pipeline=cubin-format=isa cubin-chip=sm_75 "
      "cubin-features=+ptx63"]),
    ("kernels, to native code", "kernels", "async-gpu-opt",
     ["--async-gpu-lower=gpu-targets=native"], None),
    ("kernels, compiled and run", "kernels", "async-gpu-runner",
     ["--device=emu"], None),
]
SEQUENTIAL = "--async-gpu-lower=sequential=true"
NATIVE = "--async-gpu-lower=gpu-targets=native"
# Name, kind of program, flags, the least of three sizes, each twice that before, in
# seconds and in instructions.
GROWING = [
    ("loops in each other", "nest", SEQUENTIAL, 64, 18),
    ("loops and branches in each other", "mixed", SEQUENTIAL, 32, 9),
    ("loops with memory of their own", "loops", SEQUENTIAL, 200, 40),
    ("regions behind two others", "fan", "--async-gpu-plan", 20000, 1000),
    ("calls in a row", "calls", SEQUENTIAL, 1000, 250),
    ("kernels", "kernels", NATIVE, 1000, 30),
    ("branches of a kernel", "ifs", NATIVE, 2000, 250),
    ("awaits of a region", "awaits", "--async-gpu-lower", 1000, 100),
    ("regions, each awaited", "regions", "--async-gpu-lower", 1000, 250),
    ("linalg ops", "linalg", SEQUENTIAL, 500, 100),
    ("linalg ops on tensors", "tensors", SEQUENTIAL, 250, 40),
    ("launches on one buffer", "launches", SEQUENTIAL, 250, 16),
    ("arguments that may be one", "arguments", SEQUENTIAL, 500, 100),
]
# The function that runs each pass of ours.
RUNS_A_PASS = "table_pass_run"
# Kind of program, passes that go before, the one that is counted, the least size.
CHECKED = [
    ("regions", ["--async-gpu-plan", "--async-gpu-outline", "--async-gpu-branches",
                 "--async-gpu-coroutines", "--async-gpu-reference-counts"],
     "--async-gpu-runtime-calls", 250),
    ("looped", [], "--async-gpu-branches", 125),
    ("failing", ["--async-gpu-failures", "--async-gpu-outline"],
     "--async-gpu-coroutines", 500),
    ("prints", [], '--async-gpu-form-regions=device=gpu device-region-ops=0', 500),
]


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=900, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime -
            before.ru_utime - before.ru_stime)


def instructions(command):
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no",
         "--cachegrind-out-file=/dev/null", *command],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=3600,
        check=True)
    return int(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)[1].replace(",", ""))


def write(folder, kind, size):
    path = os.path.join(folder, kind)
    with open(path, "w") as out:
        subprocess.run([sys.executable, PROGRAMS, kind, str(size)],
                       stdout=out, check=True, timeout=60)
    return path


def pass_instructions(compiler, path, counted):
    """What the pass takes for each part of the file but the first, which takes more at
    its first run, by valgrind's callgrind."""
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--toggle-collect={RUNS_A_PASS}",
         f"--dump-after={RUNS_A_PASS}", f"--callgrind-out-file={path}.count",
         compiler, path, "--split-input-file", counted, "-o", os.devnull],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=True)
    dumps = [pathlib.Path(f"{path}.count.{part}").read_text() for part in (2, 3, 4)]
    return [int(re.search(r"^totals: (\d+)", dump, re.M)[1]) for dump in dumps]


def check(compiler):
    """The exit status: whether a pass takes more than linear time."""
    if not shutil.which("valgrind"):
        print("valgrind is missing")
        return 77
    failed = False
    for kind, before, counted, least in CHECKED:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all")
            parts = [pathlib.Path(write(folder, kind, least << step)).read_text()
                     for step in (0, 0, 1, 2)]
            pathlib.Path(path).write_text("// -----\n".join(parts))
            subprocess.run([compiler, path, "--split-input-file", *before,
                            "-o", f"{path}.mlir"], check=True, timeout=60)
            counts = pass_instructions(compiler, f"{path}.mlir", counted)
        ratio = (counts[2] - counts[1]) / (counts[1] - counts[0])
        print(f"{kind}, {counted}: {counts} instructions for {least}, {2 * least} and "
              f"{4 * least}: the last step adds {ratio:.2f} times what the first does",
              flush=True)
        failed |= ratio > 2.25
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", type=pathlib.Path,
                        default=pathlib.Path("/usr/lib/llvm-22"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", action="store_true", help="count instructions")
    parser.add_argument("--check", action="store_true", help="see that passes are linear")
    parser.add_argument("--json", help="file for all samples")
    parser.add_argument("sizes", metavar="SIZE", nargs="*", type=int)
    arguments = parser.parse_args()
    if not arguments.sizes and not arguments.count:
        arguments.sizes = [250, 500, 1000]
    machine.require(arguments.build, "bin/async-gpu-opt")
    if arguments.check:
        sys.exit(check(arguments.build / "bin/async-gpu-opt"))
    document = machine.header("compile-count" if arguments.count else "compile")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        measure = Measurement(arguments, folder, results)
        for size in arguments.sizes:
            measure.rows(size)
        for name, kind, flags, *least in GROWING:
            for size in (least[arguments.count] << step for step in range(3)):
                path = write(folder, kind, size)
                measure.take(size, {(name, "async-gpu"): [
                    arguments.build / "bin/async-gpu-opt", path, flags]}, grows=True)
    document.update(versions=machine.packages("mlir-22-tools"),
                    rounds=arguments.rounds, results=results)
    machine.save(document, arguments.json)


class Measurement:
    def __init__(self, arguments, folder, results):
        self.arguments, self.folder, self.results = arguments, folder, results

    def rows(self, size):
        paths = {kind: write(self.folder, kind, size) for kind in {row[1] for row in ROWS}}
        commands = {}
        for name, kind, tool, flags, upstream in ROWS:
            commands[name, "async-gpu"] = [
                self.arguments.build / "bin" / tool, paths[kind], *flags]
            if upstream and not self.arguments.count:
                commands[name, "upstream"] = [
                    self.arguments.llvm / "bin/mlir-opt", paths[kind], *upstream]
        self.take(size, commands)

    def take(self, size, commands, **more):
        if self.arguments.count:
            for (name, peer), command in commands.items():
                count = instructions(command)
                say(f"{size:5} {name}, {peer}: {count:,} instructions")
                self.results.append({"row": name, "peer": peer, "size": size,
                                     "instructions": count, **more})
            return
        samples = {key: [] for key in commands}
        for _ in range(self.arguments.rounds):
            for key, command in commands.items():
                samples[key].append(cpu_seconds(command))
        for (name, peer), seconds in samples.items():
            median = statistics.median(seconds)
            say(f"{size:5} {name}, {peer}: {median:.2f} s")
            self.results.append({"row": name, "peer": peer, "size": size,
                                 "median_seconds": median, "seconds": seconds, **more})


if __name__ == "__main__":
    main()
