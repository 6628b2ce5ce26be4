#!/usr/bin/env -S python3 -B
"""What programs take that are split among ranks.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    sharded.py [--build DIR] [--rounds N] [--calls N] [--ranks 2,4] [--only NAME,...]
               [--numpy PYTHON] [--json FILE]

Programs of mpi/sharded under each MPI library that is installed, with 2 and 4 ranks. The
peers, by turns:

async-gpu   async-gpu-runner --shard
blocking    the same program as upstream's sharding-propagation, shard-partition and
            convert-shard-to-mpi split it, where each message blocks. LLVM 22 partitions no
            windows; for these there is a file more, which is split by hand and has the
            ops of the shard dialect. Upstream's lowering of linalg would compute in loops
            of scalars, and make the times those of the kernels: async-gpu-runner runs
            what upstream has split, with the kernels that it makes of ours.
numpy       mpi/sharded_numpy.py, by hand with NumPy and mpi4py, where the interpreter
            --numpy (default: this one) has both

Ranks divide the CPUs: each has the threads that are its part, at least one. Blocking and
numpy are given parts, and ours takes its own from whole arguments. Results are whole on
each rank. They are compared with ours.

A sample is a process for each rank, whose calls behind the first are timed: the median of
those, of the rank that takes longest. Of the samples, medians; ratios are medians of those
of one round. JSON goes to --json (default: stdout). Ends with 77 where there is no
library.
"""

import argparse
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import machine
from machine import ROOT, say

sys.path.insert(0, str(ROOT / "tests" / "support"))
import run_ranks  # noqa: E402
import run_sharded  # noqa: E402

HERE = ROOT / "bench" / "mpi"
OPT = "/usr/lib/llvm-22/bin/mlir-opt"
LIBRARIES = ("openmpi", "mpich")
# Of each argument its sizes, and by its dimensions the axis of the grid that splits it.
PROGRAMS = {
    "mlp_batch": [((128, 512), {0: 0}), ((128, 256), {0: 0}), ((512, 512), {}),
                  ((512, 256), {})],
    "mlp_columns": [((512, 128), {}), ((128, 512), {1: 0}), ((512, 512), {0: 0})],
    "attention": [((8, 128, 64), {0: 0}), ((8, 64, 128), {0: 0}), ((8, 128, 64), {0: 0}),
                  ((8, 64, 512), {0: 0})],
    "convolution": [((1, 64, 64, 16), {1: 0}), ((3, 3, 16, 16), {}), ((3, 3, 16, 16), {})],
    "stencil": [((512, 512), {0: 0}), ((3, 3), {})],
    "product": [((512, 256), {0: 0, 1: 1}), ((256, 512), {0: 1})],
}
RESULTS = {"mlp_batch": 2}
TWO_AXES = {"product": {2: (1, 2), 4: (2, 2)}}
PARTITION = ("builtin.module(func.func(sharding-propagation,shard-partition),canonicalize,"
             "cse,convert-shard-to-mpi,canonicalize)")
CONVERT = "builtin.module(canonicalize,cse,convert-shard-to-mpi,canonicalize)"
# Open MPI wants MPI finalized, once, and the runner repeats each call.
BEGIN_AND_END = """
memref.global "private" @is_done : memref<1xi32> = dense<0>
func.func @begin() {
  %0 = mpi.init : !mpi.retval
  return
}
func.func @end() {
  %at = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %memory = memref.get_global @is_done : memref<1xi32>
  %done = memref.load %memory[%at] : memref<1xi32>
  memref.store %one, %memory[%at] : memref<1xi32>
  %is_first = arith.cmpi eq, %done, %zero : i32
  scf.if %is_first {
    %0 = mpi.finalize : !mpi.retval
  }
  return
}
"""


class Failed(Exception):
    """What a command said that went wrong."""


def grid_of(name, ranks):
    return TWO_AXES.get(name, {}).get(ranks, (ranks,))


def write_inputs(name, ranks, folder):
    """Arguments as whole_NUMBER.npy, and parts of them as part_RANK_NUMBER.npy."""
    grid, draw = grid_of(name, ranks), random.Random(1)
    for number, (sizes, split) in enumerate(PROGRAMS[name]):
        numbers = [draw.randint(-8, 8) / 64 for _ in range(math.prod(sizes))]
        run_sharded.write_npy(folder / f"whole_{number}.npy", sizes, "f32", numbers)
        for rank in range(ranks):
            place, rest = [0] * len(grid), rank
            for axis in reversed(range(len(grid))):
                rest, place[axis] = divmod(rest, grid[axis])
            part, local = numbers, list(sizes)
            for dim in sorted(split, reverse=True):
                inner, parts = math.prod(local[dim + 1:]), grid[split[dim]]
                local[dim] //= parts
                take = local[dim] * inner
                begin = place[split[dim]] * take
                part = [value for at in range(0, len(part), take * parts)
                        for value in part[at + begin:at + begin + take]]
            run_sharded.write_npy(folder / f"part_{rank}_{number}.npy", local, "f32", part)


def write_programs(name, ranks, folder):
    """ours.mlir and blocking.mlir."""
    grid = "x".join(map(str, grid_of(name, ranks)))
    text = (HERE / "sharded" / f"{name}.mlir").read_text().replace("GRID", grid)
    (folder / "ours.mlir").write_text(text)
    by_hand = HERE / "sharded" / f"{name}_upstream.mlir"
    if by_hand.exists():
        (sizes, split), *_ = PROGRAMS[name]
        rows = next(sizes[dim] for dim in split) // ranks
        text = by_hand.read_text().replace("GRID", grid).replace(
            "ROWS", str(rows)).replace("PADDED", str(rows + 2))
    pipeline = CONVERT if by_hand.exists() else PARTITION
    done = subprocess.run([OPT, f"--pass-pipeline={pipeline}"], input=text,
                          check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines()
             if "shard.grid" not in line and line not in ("module {", "}")]
    (folder / "blocking.mlir").write_text("\n".join(lines) + BEGIN_AND_END)


def link_mpich(folder):
    """Puts what mpi4py opens as MPICH's library, which Debian names otherwise, there."""
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    found = re.search(r"libmpich\.so\.12 .*=> (\S+)", listed)
    if found:
        (folder / "libmpi.so.12").symlink_to(found[1])


def run(library, words, ranks, arguments):
    """What the ranks print; `words` is of a rank."""
    command = [f"mpirun.{library}"]
    for rank in range(ranks):
        command += [*([":"] if rank else []), "-n", "1", *words(rank)]
    threads = str(max(1, len(os.sched_getaffinity(0)) // ranks))
    status, output, errors = run_ranks.run(
        list(map(str, command)),
        {**run_ranks.ENVIRONMENT[library], "ASYNC_GPU_DEVICE": "emu",
         "ASYNC_GPU_NUM_THREADS": threads, "ASYNC_GPU_EMU_THREADS": threads,
         "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads,
         "MPI4PY_MPIABI": library, "LD_LIBRARY_PATH": os.pathsep.join(filter(
             None, [str(arguments.links), os.environ.get("LD_LIBRARY_PATH")]))}, 300)
    if status != 0:
        raise Failed(f"{' '.join(map(str, command))} ended with status {status}:\n{errors}")
    return output


def time_runner(peer, name, library, ranks, folder, arguments):
    """Milliseconds of a call."""
    def words(rank):
        inputs = [f"--input={folder}/" + (f"whole_{number}" if peer == "ours" else
                                          f"part_{rank}_{number}") + ".npy"
                  for number in range(len(PROGRAMS[name]))]
        outputs = [f"--output={folder}/{peer}_{number}.npy" if rank == 0 else
                   f"--output={folder}/rank_{rank}_{number}.npy"
                   for number in range(RESULTS.get(name, 1))]
        entries = ["--shard", "--entry=main", *inputs, *outputs] if peer == "ours" else \
            ["--entry=begin", "--entry=main", *inputs, *outputs, "--entry=end"]
        return [f"{arguments.build}/bin/async-gpu-runner", f"{folder}/{peer}.mlir",
                *entries, f"--repeat={arguments.calls}",
                f"--report={folder}/report_{rank}.json"]
    run(library, words, ranks, arguments)
    return max(entry["median_ms"] for rank in range(ranks) for entry in
               json.loads((folder / f"report_{rank}.json").read_text())["entries"]
               if entry["name"] == "main")


def time_numpy(name, library, ranks, folder, arguments):
    grid = "x".join(map(str, grid_of(name, ranks)))
    return float(run(library, lambda _: [
        arguments.numpy, "-B", HERE / "sharded_numpy.py", name, grid,
        arguments.calls, folder], ranks, arguments).split()[-1])


def check(name, peer, folder):
    """Ends the program where a peer's results are others than ours."""
    for number in range(RESULTS.get(name, 1)):
        ours, others = (run_sharded.read_npy(folder / f"{who}_{number}.npy")[2]
                        for who in ("ours", peer))
        most = max(map(abs, ours))
        worst = max((abs(a - b) for a, b in zip(ours, others)), default=0)
        if len(ours) != len(others) or not most or not worst <= 1e-4 * most:
            sys.exit(f"{name}: result {number} of {peer} is off by {worst}, of {most}")


def missing_for_numpy(library, arguments):
    """Why there is no such peer, or None."""
    try:
        run(library, lambda _: [
            arguments.numpy, "-c", "import numpy; from mpi4py import MPI; "
            "assert MPI.COMM_WORLD.size == 2, 'another MPI library'"], 2, arguments)
    except Failed as failed:
        lines = [line for line in str(failed).splitlines() if re.match(r"\w+Error", line)]
        return lines[0] if lines else f"{arguments.numpy} fails"
    return None


def compare(name, library, ranks, peers, arguments):
    """The row of one program."""
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        write_programs(name, ranks, folder)
        write_inputs(name, ranks, folder)
        ways = {"ours": lambda: time_runner("ours", name, library, ranks, folder, arguments),
                "blocking": lambda: time_runner("blocking", name, library, ranks, folder,
                                                arguments),
                "numpy": lambda: time_numpy(name, library, ranks, folder, arguments)}
        times = {peer: [] for peer in peers}
        for number in range(arguments.rounds):
            for peer in peers:
                times[peer].append(ways[peer]())
                if not number and peer != "ours":
                    check(name, peer, folder)
    finally:
        shutil.rmtree(folder)
    row = {"program": name, "library": library, "ranks": ranks,
           "median_ms": {peer: statistics.median(of) for peer, of in times.items()},
           "least_ms": {peer: min(of) for peer, of in times.items()},
           "ratio": {peer: statistics.median(a / b for a, b in
                                             zip(times[peer], times["ours"]))
                     for peer in peers if peer != "ours"}}
    say(f"{name}, {library}, {ranks} ranks: " + ", ".join(
        f"{peer} {time:.3f} ms" for peer, time in row["median_ms"].items()) +
        "; over ours: " + ", ".join(
            f"{peer} {ratio:.2f}" for peer, ratio in row["ratio"].items()))
    return row


def measure(arguments):
    result = {**machine.header("sharded"), "rounds": arguments.rounds,
              "calls": arguments.calls, "left_out": {}, "rows": []}
    for library in LIBRARIES:
        if not shutil.which(f"mpirun.{library}"):
            say(f"left out: {library} is not installed")
            continue
        peers = ["ours", "blocking", "numpy"]
        missing = missing_for_numpy(library, arguments)
        if missing:
            result["left_out"][library] = f"numpy: {missing}"
            say(f"left out: numpy under {library}: {missing}")
            peers.remove("numpy")
        for name in arguments.only.split(","):
            result["rows"] += [compare(name, library, int(ranks), peers, arguments)
                               for ranks in arguments.ranks.split(",")]
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=15)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--numpy", default=sys.executable)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-runner")
    arguments.links = pathlib.Path(tempfile.mkdtemp())
    try:
        link_mpich(arguments.links)
        result = measure(arguments)
    except Failed as failed:
        sys.exit(str(failed))
    finally:
        shutil.rmtree(arguments.links)
    if not result["rows"]:
        return 77
    machine.save(result, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
