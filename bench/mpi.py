#!/usr/bin/env python3
"""How much of a message's latency an exchange of halos hides.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    mpi.py [--build DIR] [--repeat N] [--json FILE]

Two ranks exchange 4 KiB each in every round, beside an interior of 3 ms; the profiling
layer of the tests (tests/mpi/shim.c) has no request end sooner than 1 ms after its
start. Three programs in turn, under each MPI library that is installed: halo.mlir as
async-gpu compiles it, halo.c with MPI_Isend and MPI_Waitall, and halo_upstream.mlir as
upstream's passes lower it. Prints the median and the least time of a round of each, and
the ratio of the first two. Ends with 77 where there is no library.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import run_ranks  # noqa: E402

HERE = ROOT / "bench" / "mpi"
LLVM = "/usr/lib/llvm-22/bin"
LIBRARIES = {"openmpi": "OpenMPI", "mpich": "MPICH"}


def build(library, binaries, folder):
    """The three programs, by name."""
    def path(name):
        return str(folder / f"{name}-{library}")
    work = HERE / "work.c"
    subprocess.run([binaries / "async-gpu-opt", "--emit=exe", f"--link={work}",
                    HERE / "halo.mlir", "-o", path("ours")], check=True)
    subprocess.run([f"mpicc.{library}", "-O2", HERE / "halo.c", work, "-o",
                    path("by-hand")], check=True)
    text = (HERE / "halo_upstream.mlir").read_text()
    source = folder / f"upstream-{library}.mlir"
    source.write_text(text.replace("LIBRARY", LIBRARIES[library]))
    lowered = subprocess.run(
        [f"{LLVM}/mlir-opt", "--convert-scf-to-cf", "--convert-to-llvm",
         "--reconcile-unrealized-casts", source], check=True, capture_output=True)
    ir = subprocess.run([f"{LLVM}/mlir-translate", "--mlir-to-llvmir"],
                        input=lowered.stdout, check=True, capture_output=True)
    code = folder / f"upstream-{library}.o"
    subprocess.run([f"{LLVM}/llc", "-O2", "-filetype=obj", "-relocation-model=pic",
                    "-o", code], input=ir.stdout, check=True)
    subprocess.run([f"mpicc.{library}", code, work, "-o", path("upstream")],
                   check=True)
    return {name: path(name) for name in ("ours", "by-hand", "upstream")}


def measure(library, program, shim):
    environment = {**run_ranks.ENVIRONMENT[library], "ASYNC_GPU_NUM_THREADS": "2",
                   "MPI_SHIM_LATENCY_US": "1000"}
    status, output, errors = run_ranks.run(
        [f"mpirun.{library}", "-n", "2", "env", f"LD_PRELOAD={shim}", program],
        environment, 60)
    if status != 0:
        sys.exit(f"{program} ended with status {status}:\n{errors}")
    return float(output) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    results = {}
    for library in LIBRARIES:
        shim = pathlib.Path(arguments.build, "tests", "mpi",
                            f"libmpi-shim-{library}.so")
        if not shutil.which(f"mpicc.{library}") or not shim.exists():
            print(f"left out: {library} is not installed")
            continue
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            programs = build(library, pathlib.Path(arguments.build, "bin"), folder)
            times = {name: [] for name in programs}
            for _ in range(arguments.repeat):
                for name, program in programs.items():
                    times[name].append(measure(library, program, shim))
        finally:
            shutil.rmtree(folder)
        results[library] = {}
        for kind, of in (("median", statistics.median), ("least", min)):
            row = {name: round(of(all_of), 3) for name, all_of in times.items()}
            row["ours/by-hand"] = round(row["ours"] / row["by-hand"], 3)
            row["upstream/ours"] = round(row["upstream"] / row["ours"], 3)
            results[library][kind] = row
            print(f"{library:8} {kind}: ours {row['ours']:.3f} ms, by hand "
                  f"{row['by-hand']:.3f} ms (ratio {row['ours/by-hand']:.3f}), "
                  f"upstream {row['upstream']:.3f} ms")
    if not results:
        return 77
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(
            {"interior_ms": 3, "latency_ms": 1, "repeat": arguments.repeat,
             "ms_per_round": results}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
