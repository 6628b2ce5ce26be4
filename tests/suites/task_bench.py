#!/usr/bin/env python3
"""Runs Task Bench's graphs of tasks on async-gpu, with its core as the judge.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    tests/suites/task_bench.py TASK-BENCH

TASK-BENCH is a checkout of github.com/StanfordLegion/task-bench. The cases are those of
its test_all.sh: each pattern, with each kernel, alone and two graphs at once, in one
process, and in two and four ranks under each MPI library that is installed. To these come
other widths, and the kernels and patterns that the script leaves out.

The core ends the program where an input of a task is not the output that it depends on;
task_bench/shim.c does where a task has not run. One process runs a case four times: on
all CPUs, on one, and twice in an order that is drawn. A case whose pattern or kernel the
core itself does not implement counts as `input`.
"""

import pathlib
import re
import shlex
import shutil
import sys
import tempfile
import threading

import suite

sys.path[:0] = [str(suite.FOLDER / "task_bench"), str(suite.ROOT / "tests/support")]
import build  # noqa: E402
import run_ranks  # noqa: E402

TIMEOUT = 120  # seconds; a case takes less than one
STEPS = 23  # as in test_all.sh: relatively prime with 2, 3, 5
KERNELS = {"empty": "", "compute_bound": "-kernel compute_bound -iter 1024",
           "memory_bound": "-kernel memory_bound -iter 1024 -scratch 1024",
           "load_imbalance": "-kernel load_imbalance -iter 1024 -imbalance 0.1",
           "communication": "-output 1024"}
OTHER_KERNELS = {"busy_wait": "-kernel busy_wait -iter 1024",
                 "compute_bound2": "-kernel compute_bound2 -iter 1024",
                 "compute_dgemm": "-kernel compute_dgemm -iter 1 -scratch 1536",
                 "memory_daxpy": "-kernel memory_daxpy -iter 16 -scratch 1536",
                 "io_bound": "-kernel io_bound -iter 1",
                 "imbalance of 2": "-kernel load_imbalance -iter 4096 -imbalance 2",
                 "output of 100": "-output 100", "output of 1 MiB": "-output 1048576"}
WIDTHS = {"1": "-steps 5 -width 1", "7": "-steps 40 -width 7", "32": "-steps 40 -width 32",
          "one step": "-steps 1 -width 6"}
LIBRARIES = [l for l in ("openmpi", "mpich") if shutil.which(f"mpirun.{l}")]
SETTINGS = [{}, {"ASYNC_GPU_NUM_THREADS": "1"}, {"ASYNC_GPU_SEED": "1"},
            {"ASYNC_GPU_SEED": "2"}]


class Case:
    """shape: the arguments that the program is generated for; others: of its runs; ranks,
    and under which MPI library, or None."""

    def __init__(self, shape, others="", ranks=1, library=None):
        self.shape, self.others = shlex.split(shape), shlex.split(others)
        self.ranks, self.library = ranks, library


def read_patterns(builder):
    """The names of all patterns, as the core's help has them, and with a period that the
    core takes."""
    lines = builder.generate(["-h"]).splitlines()
    start = lines.index("Supported dependency patterns:") + 1
    names = [l.strip() for l in lines[start:lines.index("", start)]]
    return {n: f"-type {n}" + (" -period 2" if n == "spread" else "") for n in names}


def twice(arguments):
    return f"{arguments} -and {arguments}"


def list_cases(patterns):
    """A dictionary of names."""
    cases = {}
    for name, pattern in patterns.items():
        short = f"-steps {STEPS} {pattern}"
        for kernel, others in KERNELS.items():
            for ranks, library in [(1, None)] + [(r, l) for l in LIBRARIES for r in (2, 4)]:
                where = f"{name}, {kernel}" + (f", {ranks} ranks of {library}" if library else "")
                cases[where] = Case(short, others, ranks, library)
                if ranks != 2:
                    cases[where + ", two graphs"] = Case(
                        twice(short), others and f"{short} {others} -and {short} {others}",
                        ranks, library)
        for width, others in WIDTHS.items():
            if name != "spread" or width != "1":  # of one point, the core refuses a period
                cases[f"{name}, width {width}"] = Case(f"{pattern} {others}")
    for kernel, others in OTHER_KERNELS.items() if "stencil_1d" in patterns else ():
        cases[f"stencil_1d, {kernel}"] = Case(f"-steps {STEPS} -type stencil_1d", others)
    cases["all patterns at once"] = Case(" -and ".join(
        f"-steps {STEPS} {p}" for n, p in patterns.items() if n != "random_spread"))
    return cases


class Programs:
    """What has been built, by what it is for: kernels need no other program."""

    def __init__(self, builder):
        self.builder, self.lock, self.paths, self.locks = builder, threading.Lock(), {}, {}

    def get(self, case):
        key = (*case.shape, case.ranks)
        with self.lock:
            lock = self.locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self.paths:
                self.paths[key] = self.builder.program(
                    f"program{len(self.locks)}-{abs(hash(key))}", case.shape, case.ranks)
        return self.paths[key]


def run_ranked(program, arguments, case):
    environment = {**run_ranks.ENVIRONMENT[case.library], "ASYNC_GPU_DEVICE": "emu"}
    status, output, errors = run_ranks.run(
        [f"mpirun.{case.library}", "-n", str(case.ranks), str(program), *arguments],
        environment, TIMEOUT)
    if status is None:
        return suite.Result("failed", "no end within the time")
    return judge_run(status, output, errors)


def judge_run(status, output, errors):
    assertion = re.search(r"Assertion `.*' failed|No BLAS is detected", errors)
    if assertion:
        said = assertion[0]
        is_own = said == "No BLAS is detected" or said == "Assertion `false' failed"
        return suite.Result("input" if is_own else "differs", said)
    if status:
        return suite.Result("failed", suite.first_error(errors) or f"exit status {status}")
    if "Elapsed Time" not in output:
        return suite.Result("failed", "no time is printed")
    return suite.Result("ok", "")


def run_once(program, arguments, case, settings):
    if case.library:
        return run_ranked(program, arguments, case)
    done = suite.run([str(program), *arguments], TIMEOUT,
                     env={**suite.os.environ, **settings})
    if done is None:
        return suite.Result("failed", "no end within the time")
    return judge_run(done.returncode, done.stdout, done.stderr)


def run_case(programs, case):
    try:
        program = programs.get(case)
    except build.Failed as failed:
        if "program.py" in " ".join(failed.command):
            return suite.Result("input", "the core does not make the graph")
        return suite.what_failed(failed.done)
    arguments = case.others if "-and" in case.others else [*case.shape, *case.others]
    for settings in [{}] if case.library else SETTINGS:
        result = run_once(program, arguments, case, settings)
        if result.state != "ok":
            return result
    return result


def main():
    p = suite.parser(__doc__, "a checkout of task-bench")
    options = p.parse_args()
    suite.find_skip(options, [options.build / "bin/async-gpu-opt",
                              options.suite / "core/core_c.h", shutil.which("cc") or "cc"])
    for library in {"openmpi", "mpich"} - set(LIBRARIES):
        print(f"left out: ranks under {library}, which is not installed")
    with tempfile.TemporaryDirectory() as folder:
        builder = build.Builder(options.suite, options.build, folder)
        cases = list_cases(read_patterns(builder))
        programs = Programs(builder)
        suite.judge("Task Bench", "task_bench", options, list(cases),
                    lambda name: run_case(programs, cases[name]))


if __name__ == "__main__":
    main()
