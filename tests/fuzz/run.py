#!/usr/bin/env python3
"""Runs random programs and compares what they print.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run.py --runner FILE [--kind async|loops|gpu|races] [--first N] [--count N]
           [--threads N,...] [--seeds N,...] [--seconds N] [--keep FOLDER]
           [-- ARGUMENT...]

Program number N is the same each time. Of those of the async dialect every
third has assertions that may fail, and runs to an end in spite of them; the
others are nests of parallel loops, and copies, fills and kernels. Those of
"races" lack one await, which the emulated device has to say. A program of the
async dialect or with copies may hold what the compiler refuses, and says so.
--threads is a list of numbers, or "each:M": the program's number chooses one from
1 to M. With --seeds the host's threads are scheduled by each of these seeds
instead of by the system, and the streams of the emulated device; "each" is one
that the program's number chooses. ARGUMENTs are for the runner. With --keep the
programs that fail are left in FOLDER.
"""

import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import async_programs
import gpu_programs
import loop_programs


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--kind", default="async",
                        choices=["async", "loops", "gpu", "races"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--threads", default="1,4")
    parser.add_argument("--seeds", default="")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--keep")
    parser.add_argument("arguments", nargs="*", help="for the runner")
    return parser.parse_args()


def make_program(kind, number):
    """Its text, its output (None: any), whether it succeeds, what it says of its
    error, and what the compiler may say to refuse it."""
    if kind in ("races", "gpu"):
        generator = gpu_programs.Generator(number)
        if kind == "races":
            return (generator.racing_program(), None, False, "",
                    generator.refusals)
        return *generator.program(), "", generator.refusals
    if kind == "loops":
        text, output, error = loop_programs.Generator(
            number, errors=number % 2 == 1).program()
        return text, output, not error, error or "", []
    generator = async_programs.Generator(number, errors=number % 3 == 2)
    program = generator.program()
    run = async_programs.Run(program)
    return (program.text(), "".join(run.output), run.succeeds, "",
            generator.refusals)


class Refused(Exception):
    """The compiler has said that it cannot lower the program, and why."""


def choices(text, number):
    """Of --threads or --seeds, for that program."""
    if text.startswith("each"):
        most = int(text.partition(":")[2] or 1000)
        return [str(number * 7919 % most + 1)]
    return text.split(",")


def problem_of(command, threads, expected, succeeds, seconds, seed="", error="",
               refusals=()):
    """What is wrong with a run, or None. Raises Refused."""
    environment = dict(os.environ, ASYNC_GPU_NUM_THREADS=threads,
                       ASYNC_GPU_LOG="async", ASYNC_GPU_DEVICE="emu")
    if expected is None:
        environment["ASYNC_GPU_EMU_CHECK"] = "races"
    if seed:
        environment["ASYNC_GPU_SEED"] = seed
        environment["ASYNC_GPU_EMU_SEED"] = seed
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              errors="replace", env=environment,
                              stdin=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds:g} s"
    if done.returncode == 1 and not done.stdout and \
            any(text in done.stderr for text in refusals):
        raise Refused
    if expected is None:
        if "race: nothing orders the host, which" not in done.stderr:
            return f"the race is not reported\n{done.stderr}"
    elif done.stdout != expected:
        return (f"it prints\n{done.stdout}instead of\n{expected}"
                f"{done.stderr}")
    if done.returncode != (0 if succeeds else 1):
        return f"exit status {done.returncode}\n{done.stderr}"
    if succeeds == bool(done.stderr) or "alive at the end" in done.stderr:
        return f"standard error is\n{done.stderr}"
    if error not in done.stderr:
        return f"instead of {error}standard error is\n{done.stderr}"
    return None


def main():
    arguments = parse_arguments()
    failures = refused = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(arguments.first, arguments.first + arguments.count):
            text, expected, succeeds, error, refusals = make_program(
                arguments.kind, number)
            path = pathlib.Path(scratch) / f"{number}.mlir"
            path.write_text(text)
            command = [arguments.runner, str(path)] + arguments.arguments
            for threads, seed in itertools.product(
                    choices(arguments.threads, number),
                    choices(arguments.seeds, number)):
                try:
                    problem = problem_of(command, threads, expected, succeeds,
                                         arguments.seconds, seed, error,
                                         refusals)
                except Refused:
                    refused += 1
                    break
                if not problem:
                    continue
                failures += 1
                print(f"program {number}, {threads} threads, seed "
                      f"{seed or 'none'}: {problem}")
                if arguments.keep:
                    kept = pathlib.Path(arguments.keep)
                    kept.mkdir(parents=True, exist_ok=True)
                    (kept / path.name).write_text(text)
    print(f"{arguments.count} programs, {failures} failures"
          + (f", {refused} refused" if refused else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
