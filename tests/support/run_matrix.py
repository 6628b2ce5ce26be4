#!/usr/bin/env python3
"""Runs a host program through two lowerings, each on two runtimes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_matrix.py --bin DIR --runtime FILE --llvm DIR --expected FILE
                  [--fails REGEX | --aborts REGEX] [--seconds N] LOWERING-on-RUNTIME PROGRAM.mlir

LOWERING and RUNTIME are "ours" or "upstream". What the program prints has to
equal FILE (or be nothing where there is no FILE), its exit status has to be 0
and it prints no errors; with --fails the exit status is 1, and what it prints
on stderr matches REGEX; with --aborts it ends by SIGABRT instead, and what it
prints on stdout may be lost. On our runtime it runs with one, two and eight
workers. Ends with 77 where the table below says that the combination cannot
work.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

# (program, lowering, runtime): why it is left out; None stands for both.
WAITS = "upstream's workers all wait in functions that regions call"
LOCKED = ("upstream's runtime resumes a region under the lock of the token, "
          "which the region then awaits again")
ALIGNED = "upstream's storage of values is aligned to 16 bytes"
LOOPS = "upstream's lowering has no loops with awaits in them"
CARRIED = "upstream's lowering has no tokens carried by loops"
COUNTS = "upstream's lowering counts no reference for a payload"
DESCRIPTORS = "upstream's lowering leaves descriptors in frames that are gone"
OVERFLOW = "upstream's runtime resumes a region inside the one before"
LEFT_OUT = {
    ("blocking_call", None, "upstream"): WAITS,
    ("host_group", None, "upstream"): WAITS,
    ("host_group", "upstream", None): LOOPS,
    ("nest", None, "upstream"): WAITS,
    ("nested_parallel", None, "upstream"): WAITS,
    ("reawait", None, "upstream"): LOCKED,
    ("host_shared_token", None, "upstream"): LOCKED,
    ("aligned_payload", "upstream", "upstream"): ALIGNED,
    ("ready_token", "upstream", None): LOOPS,
    ("chain_million", "upstream", None): CARRIED,
    ("chain_million", None, "upstream"): OVERFLOW,
    ("nested_values", "upstream", None): COUNTS,
    ("unranked_values", "upstream", None): DESCRIPTORS,
}

# Turned into async.execute before either lowering.
PARALLEL = {"nested_parallel"}
PARALLEL_FOR = [
    "async-parallel-for{async-dispatch=true num-workers=2 min-task-size=1}",
    "async-parallel-for{async-dispatch=false num-workers=20 min-task-size=1}",
]

UPSTREAM = ",".join([
    "async-func-to-async-runtime", "async-to-async-runtime",
    "func.func(async-runtime-ref-counting,async-runtime-ref-counting-opt)",
    "convert-scf-to-cf", "convert-async-to-llvm", "convert-vector-to-llvm",
    "finalize-memref-to-llvm", "convert-arith-to-llvm",
    "convert-index-to-llvm", "convert-func-to-llvm", "convert-cf-to-llvm",
    "reconcile-unrealized-casts"
])


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--expected", required=True)
    parser.add_argument("--fails")
    parser.add_argument("--aborts")
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("cell")
    parser.add_argument("program")
    return parser.parse_args()


def why_left_out(name, lowering, runtime):
    for (program, with_lowering, on_runtime), reason in LEFT_OUT.items():
        if (program == name and with_lowering in (None, lowering)
                and on_runtime in (None, runtime)):
            return reason
    return None


def make_parallel(arguments, folder):
    """The program, or what is made of it before either lowering."""
    path = pathlib.Path(arguments.program)
    if path.stem not in PARALLEL:
        return [str(path)]
    sources = [f"{folder}/{path.stem}.{i}" for i in range(len(PARALLEL_FOR))]
    for source, pipeline in zip(sources, PARALLEL_FOR):
        subprocess.run([f"{arguments.llvm}/bin/mlir-opt",
                        f"--pass-pipeline=builtin.module({pipeline})",
                        str(path), "-o", source], check=True)
    return sources


def lower(arguments, lowering, runtime, source, output):
    """Returns the command that runs the lowered program."""
    opt = f"{arguments.bin}/async-gpu-opt"
    mlir_opt = f"{arguments.llvm}/bin/mlir-opt"
    if (lowering, runtime) == ("ours", "ours"):
        return [f"{arguments.bin}/async-gpu-runner", source]
    if lowering == "ours":
        # What only calls upstream's functions runs on both runtimes.
        subprocess.run([opt, "--async-gpu-lower=abi=upstream", source, "-o",
                        output], check=True)
    else:
        subprocess.run([mlir_opt, f"--pass-pipeline=builtin.module({UPSTREAM})",
                        source, "-o", output], check=True)
    library = f"{arguments.llvm}/lib/libmlir_async_runtime.so"
    if runtime == "ours":
        library = arguments.runtime
    libraries = ",".join([f"{arguments.llvm}/lib/libmlir_c_runner_utils.so",
                          f"{arguments.llvm}/lib/libmlir_runner_utils.so",
                          library])
    return [f"{arguments.llvm}/bin/mlir-runner", "-e", "main",
            "--entry-point-result=void", "-O2", f"--shared-libs={libraries}",
            output]


def run(arguments, command, threads, log):
    """Returns whether the program did what it should."""
    environment = dict(os.environ, ASYNC_GPU_DEVICE="emu",
                       ASYNC_GPU_NUM_THREADS=str(threads), ASYNC_GPU_LOG=log)
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              env=environment, stdin=subprocess.DEVNULL,
                              timeout=arguments.seconds)
    except subprocess.TimeoutExpired:
        print(f"{threads} threads: no end after {arguments.seconds:g} s: "
              f"{' '.join(command)}")
        return False
    path = pathlib.Path(arguments.expected)
    right = done.stdout == (path.read_text() if path.exists() else "")
    if arguments.aborts:
        right = (done.returncode == -signal.SIGABRT
                 and re.search(arguments.aborts, done.stderr))
    elif arguments.fails:
        right = (right and done.returncode == 1
                 and re.search(arguments.fails, done.stderr))
    else:
        right = right and done.returncode == 0 and not done.stderr
    if not right:
        print(f"{threads} threads: exit status {done.returncode}: "
              f"{' '.join(command)}\n--- output:\n{done.stdout}"
              f"--- errors:\n{done.stderr}")
    return right


def main():
    arguments = parse_arguments()
    lowering, runtime = arguments.cell.split("-on-")
    name = pathlib.Path(arguments.program).stem
    reason = why_left_out(name, lowering, runtime)
    if reason:
        print(f"{name}, {arguments.cell}: left out: {reason}")
        return 77
    # Only our lowering for our runtime gives everything back.
    log = "async" if arguments.cell == "ours-on-ours" else ""
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JITDUMPDIR"] = folder  # where mlir-runner leaves folders
        for source in make_parallel(arguments, folder):
            command = lower(arguments, lowering, runtime, source,
                            f"{folder}/{name}.mlir")
            for threads in (1, 2, 8) if runtime == "ours" else ("",):
                if not run(arguments, command, threads, log):
                    failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
