#!/usr/bin/env python3
"""How much of a message's latency an exchange of halos hides.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    mpi.py [--build DIR] [--repeat N] [--device-repeat N] [--json FILE]

Halo: two ranks exchange 4 KiB each in every round, beside an interior of 3 ms; the
profiling layer of the tests (tests/mpi/shim.c) has no request end sooner than 1 ms after
its start. Three programs in turn, under each MPI library that is installed: halo.mlir as
async-gpu compiles it, halo.c with MPI_Isend and MPI_Waitall, and halo_upstream.mlir as
upstream's passes lower it. Latency and interior are sleep, so that ranks need little of
the CPUs that others use. Each repetition runs the three one after the other, and the
ratios are medians of those of one repetition.

Device: device.mlir sends 64 MiB of device memory there and back ten times, with
ASYNC_GPU_MPI_PIECE_BYTES=0, as a whole, and in pieces as the runtime proposes them, by
turns. Copies and messages are all the CPU's here.

Prints medians and least times, and ratios. Ends with 77 where there is no library.
"""

import argparse
import functools
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import machine

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import run_ranks  # noqa: E402

HERE = ROOT / "bench" / "mpi"
LLVM = "/usr/lib/llvm-22/bin"
LIBRARIES = {"openmpi": "OpenMPI", "mpich": "MPICH"}


def build(library, binaries, folder):
    """The programs, by name."""
    def path(name):
        return str(folder / f"{name}-{library}")
    work = HERE / "work.c"
    subprocess.run([binaries / "async-gpu-opt", "--emit=exe", f"--link={work}",
                    HERE / "halo.mlir", "-o", path("ours")], check=True)
    subprocess.run([binaries / "async-gpu-opt", "--emit=exe", f"--link={work}",
                    HERE / "device.mlir", "-o", path("device")], check=True)
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
    return {name: path(name) for name in ("ours", "by-hand", "upstream", "device")}


def measure(library, program, shim=None, **settings):
    """Milliseconds that the program prints."""
    environment = {**run_ranks.ENVIRONMENT[library], "ASYNC_GPU_NUM_THREADS": "2",
                   "ASYNC_GPU_DEVICE": "emu", **settings}
    prefix = ["env", f"LD_PRELOAD={shim}"] if shim else []
    status, output, errors = run_ranks.run(
        [f"mpirun.{library}", "-n", "2", *prefix, program], environment, 120)
    if status != 0:
        sys.exit(f"{program} ended with status {status}:\n{errors}")
    return float(output) * 1e3


def compare(kind, library, repeat, ways, ratios):
    """Runs each of `ways` so often, by turns: what to put into the results, which is
    printed. `ratios` are pairs of names of ways."""
    times = {name: [] for name in ways}
    for _ in range(repeat):
        for name, way in ways.items():
            times[name].append(way())
    row = {"ms": {name: {"median": round(statistics.median(all_of), 3),
                         "least": round(min(all_of), 3)}
                  for name, all_of in times.items()},
           "ratio": {}}
    for over, under in ratios:
        row["ratio"][f"{over}/{under}"] = round(statistics.median(
            a / b for a, b in zip(times[over], times[under])), 3)
    print(f"{kind}, {library}: " + ", ".join(
        f"{name} {of['median']:.3f} ms (least {of['least']:.3f})"
        for name, of in row["ms"].items()) + "; in pairs: " + ", ".join(
            f"{name} {ratio:.3f}" for name, ratio in row["ratio"].items()))
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--device-repeat", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt")
    results = {"halo": {}, "device": {}}
    for library in LIBRARIES:
        shim = pathlib.Path(arguments.build, "tests", "mpi",
                            f"libmpi-shim-{library}.so")
        if not shutil.which(f"mpicc.{library}") or not shim.exists():
            print(f"left out: {library} is not installed")
            continue
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            programs = build(library, pathlib.Path(arguments.build, "bin"), folder)
            results["halo"][library] = compare(
                "halo", library, arguments.repeat,
                {name: functools.partial(measure, library, programs[name], shim,
                                         MPI_SHIM_LATENCY_US="1000")
                 for name in ("ours", "by-hand", "upstream")},
                [("ours", "by-hand"), ("upstream", "ours")])
            results["device"][library] = compare(
                "device", library, arguments.device_repeat,
                {"whole": functools.partial(measure, library, programs["device"],
                                            ASYNC_GPU_MPI_PIECE_BYTES="0"),
                 "pieces": functools.partial(measure, library, programs["device"])},
                [("whole", "pieces")])
        finally:
            shutil.rmtree(folder)
    if not results["halo"]:
        return 77
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(
            {"command": " ".join(["bench/mpi.py", *sys.argv[1:]]),
             "load": os.getloadavg()[0],
             "halo_interior_ms": 3, "halo_latency_ms": 1, "device_mib": 64,
             **results}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
