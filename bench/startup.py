#!/usr/bin/env -S python3 -B
"""How long async-gpu-runner takes to compile and run a small program.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/startup.py [--build build] [--rounds 21] [--max-ratio R] [--json FILE]

The peer is mlir-runner -O3 on a program of the same length for the host
alone, which mlir-opt has lowered beforehand: parsing, the JIT and loading the
libraries are in both, the whole lowering and the kernels only in ours. Both
print the same, which is checked. One process a sample, the two in turn, so
that a change of the machine's speed meets both. The ratio of the medians and
the medians go to stderr, everything as JSON to --json (default: stdout).
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import machine
from machine import ROOT, say

LOWERING = [
    "--async-to-async-runtime", "--async-runtime-ref-counting",
    "--async-runtime-ref-counting-opt", "--convert-async-to-llvm",
    "--convert-scf-to-cf", "--convert-vector-to-llvm",
    "--finalize-memref-to-llvm", "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]


def run(command, expected):
    """Seconds that the command takes."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    if done.stdout != expected:
        sys.exit(f"{' '.join(map(str, command))} printed:\n{done.stdout}")
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", type=pathlib.Path,
                        default=pathlib.Path("/usr/lib/llvm-22"))
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--max-ratio", type=float,
                        help="exit with status 1 above it")
    parser.add_argument("--json", help="file for all samples")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-runner")
    document = machine.header("startup")

    program = (ROOT / "bench/startup_host.mlir").read_text()
    expected = "".join(line + "\n" for line in re.findall(
        r"^\s*// CHECK: (.*)$", program, re.MULTILINE))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JITDUMPDIR"] = folder  # where mlir-runner leaves folders
        lowered = os.path.join(folder, "host.mlir")
        subprocess.run([arguments.llvm / "bin/mlir-opt", *LOWERING,
                        ROOT / "bench/startup_host.mlir", "-o", lowered],
                       check=True)
        libraries = ",".join(
            str(arguments.llvm / "lib" / f"lib{name}.so")
            for name in ("mlir_c_runner_utils", "mlir_runner_utils",
                         "mlir_async_runtime"))
        commands = {
            "async-gpu-runner": [
                arguments.build / "bin/async-gpu-runner", "--device=emu",
                ROOT / "examples/fork_join.mlir"],
            "mlir-runner": [
                arguments.llvm / "bin/mlir-runner", "-O3", "-e", "main",
                "--entry-point-result=void", f"--shared-libs={libraries}",
                lowered],
        }
        samples = {name: [] for name in commands}
        for command in commands.values():
            run(command, expected)
        for _ in range(arguments.rounds):
            for name, command in commands.items():
                samples[name].append(run(command, expected))

    medians = {name: statistics.median(times)
               for name, times in samples.items()}
    ratio = medians["async-gpu-runner"] / medians["mlir-runner"]
    for name, median in medians.items():
        say(f"{name}: {median * 1000:.1f} ms")
    say(f"ratio: {ratio:.2f}")
    document.update(versions=machine.packages("mlir-22-tools"),
                    ratio=round(ratio, 4), median_seconds=medians,
                    seconds=samples)
    machine.save(document, arguments.json)
    return int(bool(arguments.max_ratio) and ratio > arguments.max_ratio)


if __name__ == "__main__":
    sys.exit(main())
