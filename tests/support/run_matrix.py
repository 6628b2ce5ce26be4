#!/usr/bin/env python3
"""Runs a host program through two lowerings, each on two runtimes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_matrix.py --bin DIR --runtime FILE --llvm DIR [--seconds N] PROGRAM.mlir

The program names what it takes part in: LOWERING-on-RUNTIME, both "ours" or
"upstream", and why not in the others ("// MATRIX: ", program.py). It does what its
main says; where that fails, what upstream lowered ends as "// UPSTREAM-ERROR: " or
"// UPSTREAM-ABORT: " says, which may lose what it has printed. On our runtime it runs
with one, two and eight workers.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import compiled
import program
import run_program

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
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("program")
    return parser.parse_args()


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
        # What is made in passing is not worth keeping.
        return [compiled.program(opt, source)] \
            if source == arguments.program else \
            [f"{arguments.bin}/async-gpu-runner", source]
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


def find_problem(described, lowering, done):
    """What is wrong with how the program has ended, or None."""
    case, keys = described.main(), described.keys
    if lowering == "upstream" and "UPSTREAM-ABORT" in keys:
        said = program.expression_of(keys["UPSTREAM-ABORT"])
        return None if done.returncode == -signal.SIGABRT and \
            re.search(said, done.stderr) else "it does not abort as it should"
    if done.returncode != program.status_of(case):
        return f"exit status {done.returncode}"
    if lowering == "upstream" and "UPSTREAM-ERROR" in keys:
        said = program.expression_of(keys["UPSTREAM-ERROR"])
        if not re.search(said, done.stderr):
            return f"standard error has no match of: {said}"
    else:
        problem = program.find_wrong_errors(case, done.stderr)
        if problem:
            return problem
    return program.find_wrong_output(case, done.stdout)


def run(arguments, described, cell, command, threads):
    """Returns whether the program did what it should."""
    # Only our lowering for our runtime gives everything back.
    log = "async" if cell == "ours-on-ours" else ""
    environment = dict(os.environ, ASYNC_GPU_DEVICE="emu",
                       ASYNC_GPU_NUM_THREADS=threads, ASYNC_GPU_LOG=log)
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              env=environment, stdin=subprocess.DEVNULL,
                              timeout=arguments.seconds)
    except subprocess.TimeoutExpired:
        print(f"{cell}, {threads} threads: no end after {arguments.seconds:g} s: "
              f"{' '.join(command)}")
        return False
    problem = find_problem(described, cell.partition("-")[0], done)
    if problem:
        print(f"{cell}, {threads} threads: {problem}: {' '.join(command)}\n"
              f"--- output:\n{done.stdout}--- errors:\n{done.stderr}")
    return not problem


def main():
    arguments = parse_arguments()
    described = program.Program(arguments.program, run_program.SETS)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JITDUMPDIR"] = folder  # where mlir-runner leaves folders
        for cell in described.keys["MATRIX"].partition(",")[0].split():
            lowering, runtime = cell.split("-on-")
            for source in make_parallel(arguments, folder):
                command = lower(arguments, lowering, runtime, source,
                                f"{folder}/lowered.mlir")
                for threads in ("1", "2", "8") if runtime == "ours" else ("",):
                    if not run(arguments, described, cell, command, threads):
                        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
