#!/usr/bin/env python3
"""Models of machines: those that are installed are read, what is wrong with one is said
with its place, a program of linalg runs the kernels of a card, and the host has as many
workers as it is to have.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_models.py --runner FILE --models FOLDER plans.mlir product.mlir
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

# What is changed in a good model, and what is said then.
WRONG = [
    ("clock = ", "clok = ", "'clok' is no key of a model"),
    (" GHz", " GHzz", "'clock' is in GHz or MHz, not 'GHzz"),
    ("clock = 1", "clock = x1", "expected a number, as in 'clock = 1.5'"),
    ("warps = 64", "warps = 64 us", "'warps' is a number without a unit"),
    ("warps = 64", "warps = 0", "'warps' is from 1 to 1000"),
    ("warps = ", "warps ", "expected '=' behind 'warps'"),
    ("warps = 64", "warps = 64\nwarps = 64", "'warps' stands here for the second"),
    ("warps = ", "# ", "the model ends without 'warps'"),
]


def run(runner, model, program, *options, env=None):
    return subprocess.run(
        [runner, "--device=emu", f"--model={model}", "--entry-point=fork_join", program,
         *options],
        timeout=60, env=env, text=True, capture_output=True)


def list_calls(runner, program, *options):
    """The driver's calls for a product of two matrices."""
    done = subprocess.run(
        [runner, "--device=emu", "--entry=product", program, *options,
         *["--input=64x64xf32=iota"] * 2], timeout=60, text=True, capture_output=True,
        check=True, env={**os.environ, "ASYNC_GPU_LOG": "driver"})
    return done.stderr


def check_kernels(runner, program):
    """With a model the kernel is that of a card, and so are the copies; not without
    one."""
    emulated = list_calls(runner, program)
    card = list_calls(runner, program, "--model=h100")
    problems = []
    if "block=1x1x1" not in emulated or "cuMemcpy" in emulated:
        problems.append(f"a product without a model: {emulated}")
    if "block=16x16x1" not in card or card.count("cuMemcpyAsync") != 3:
        problems.append(f"a product on a modelled card: {card}")
    return problems


def check_cpus(runner, program):
    """The modelled host has as many workers as it is to have."""
    problems = []
    example = pathlib.Path(__file__).parents[2] / "examples/fork_join.mlir"
    for cpus in (1, 3):
        done = subprocess.run(
            [runner, "--device=emu", "--model=h100", f"--model-cpus={cpus}", example],
            timeout=60, text=True, capture_output=True,
            env={**os.environ, "ASYNC_GPU_LOG": "exec"})
        if done.returncode or f"started with {cpus} workers" not in done.stderr:
            problems.append(f"{cpus} CPUs: status {done.returncode}: {done.stderr}")
    for wrong in ("0", "1025", "two", "2x"):
        done = run(runner, "h100", program, f"--model-cpus={wrong}")
        if not done.returncode or f"from 1 to 1024, not '{wrong}'" not in done.stderr:
            problems.append(f"{wrong} CPUs: status {done.returncode}: {done.stderr}")
    done = subprocess.run(
        [runner, "--device=emu", "--model-cpus=2", "--entry-point=fork_join", program],
        timeout=60, text=True, capture_output=True)
    if not done.returncode or "add --model" not in done.stderr:
        problems.append(f"CPUs of no model: status {done.returncode}: {done.stderr}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("program")
    parser.add_argument("product")
    arguments = parser.parse_args()
    problems = check_kernels(arguments.runner, arguments.product)
    problems += check_cpus(arguments.runner, arguments.program)
    names = sorted(path.stem for path in arguments.models.glob("*.model"))
    for name in names:
        done = run(arguments.runner, name, arguments.program)
        if done.returncode:
            problems.append(f"{name}: {done.stderr}")
        counted = "does not say what it executes" not in done.stderr
        done = run(arguments.runner, name, arguments.program,
                   "--gpu-count=false")
        if not counted or "does not say what it executes" not in done.stderr:
            problems.append(f"{name}: kernels that are not counted: {done.stderr}")
    done = run(arguments.runner, "h101", arguments.program)
    if not done.returncode or not all(name in done.stderr for name in names):
        problems.append(f"h101: status {done.returncode}: {done.stderr}")
    environment = {**os.environ, "ASYNC_GPU_SEED": "3"}
    done = run(arguments.runner, "h100", arguments.program, env=environment)
    if not done.returncode or "unset one of them" not in done.stderr:
        problems.append(f"a seed: status {done.returncode}: {done.stderr}")
    good = (arguments.models / "h100.model").read_text()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "own.model"
        for old, new, message in WRONG:
            path.write_text(good.replace(old, new, 1))
            done = run(arguments.runner, path, arguments.program)
            if not done.returncode or message not in done.stderr or \
                    f"{path}:" not in done.stderr or ": error: " not in done.stderr:
                problems.append(f"{new!r}: status {done.returncode}: {done.stderr}")
        path.write_text(good)
        if run(arguments.runner, path, arguments.program).returncode:
            problems.append("a file: fails")
    print("\n".join(problems) or "all models are read as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
