#!/usr/bin/env python3
"""Runs a program with random settings, in environments that are not ours.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    settings.py --info FILE --opt FILE --runner FILE --program FILE.mlir
                [--first N] [--count N] [--seconds N]

Environment number N is the same each time: some of the settings that
async-gpu-info lists, with values that they allow and others, variables of
others (locale, terminal, temporary folder, CUDA, a preloaded library that is
not there), limits of the process (files, threads, stack), and standard
streams that are closed. The program, run by the runner and as an executable,
prints what it prints otherwise and ends with 0, or ends with 1 and an error: no
signal, no other output, no exit status 0 without the output. It leaves no file
but those that a setting names.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

NUMBERS = ("", "0", "1", "2", "7", "-1", " 1", "1 ", "+1", "0x10", "1e3", "1.5", "1G", "64K",
           "99999999999999999999", "9223372036854775807", "1024", "65536")
TEXTS = ("", "x", "on", "off", "yes", "auto", ",", "a,b", "\u00e9", "%s%n", "%p", "A" * 5000,
         "/", "/dev/null", "/dev/full", "/nowhere/x.json", "out.json", "out", ".", "program.mlir")
OTHERS = (
    ("TMPDIR", ("/nowhere", "", "/dev/null")), ("HOME", ("", "/nowhere")),
    ("LC_ALL", ("C", "tr_TR.UTF-8", "x")), ("TERM", ("dumb", "", "xterm-256color")),
    ("NO_COLOR", ("1",)), ("COLUMNS", ("0", "-1", "100000")), ("PATH", ("", "/nowhere")),
    ("LD_LIBRARY_PATH", ("", ":", "/nowhere")), ("LD_PRELOAD", ("/nowhere.so",)),
    ("CUDA_HOME", ("/nowhere", "")), ("CUDA_VISIBLE_DEVICES", ("", "0", "-1", "x")),
    ("CUDA_MODULE_LOADING", ("EAGER", "LAZY")), ("CUDA_DEVICE_MAX_CONNECTIONS", ("1", "x")),
    ("NVTX_INJECTION64_PATH", ("/nowhere.so", "")), ("OMP_NUM_THREADS", ("0", "x")),
    ("MALLOC_ARENA_MAX", ("1",)), ("MALLOC_PERTURB_", ("165",)), ("POSIXLY_CORRECT", ("1",)),
    ("GLIBC_TUNABLES", ("glibc.malloc.check=3",)), ("ASYNC_GPU_ROOT", ("/opt/async-gpu",)),
    ("ASYNC_GPU_FOO", ("1",)), ("ASYNC_GPU_", ("1",)), ("async_gpu_log", ("exec",)))
LIMITS = ((resource.RLIMIT_NOFILE, (8, 16, 64)), (resource.RLIMIT_STACK, (256 << 10, 1 << 20)),
          (resource.RLIMIT_CORE, (0,)), (resource.RLIMIT_MEMLOCK, (0,)),
          (resource.RLIMIT_FSIZE, (0, 1000)))


class Environment:
    def __init__(self, number, settings):
        draw = random.Random(number)
        self.variables, self.limits, self.closed = {}, [], []
        for name in draw.sample(sorted(settings), draw.choice((0, 1, 1, 2, 4))):
            self.variables[name] = draw.choice(values_of(settings[name]))
        for name, values in draw.sample(OTHERS, draw.choice((0, 0, 1, 2, 3))):
            self.variables[name] = draw.choice(values)
        if draw.random() < 0.25:
            which, values = draw.choice(LIMITS)
            self.limits.append((which, draw.choice(values)))
        if draw.random() < 0.15:
            self.closed = draw.sample((0, 2), draw.choice((1, 1, 2)))

    def enter(self):
        """In the child."""
        for which, value in self.limits:
            resource.setrlimit(which, (value, resource.getrlimit(which)[1]))
        for file in self.closed:
            os.close(file)

    def __str__(self):
        return " ".join([*(f"{name}={value[:60]!r}" for name, value in self.variables.items()),
                         *(f"limit {which} is {value}" for which, value in self.limits),
                         *(f"file {file} is closed" for file in self.closed)])


def values_of(setting):
    """What it allows, and what it does not."""
    allowed = setting["allowed"].replace("(default)", "")
    words = [word.strip() for part in allowed.split("|") for word in part.split(",")]
    if "default" in allowed or " to " in allowed or "or more" in allowed:
        return NUMBERS
    return [*words, allowed.strip(), *TEXTS, *NUMBERS[:5]]


def run(command, environment, folder, seconds):
    """Its exit status (None: none in time), output and messages."""
    variables = {**os.environ, "ASYNC_GPU_DEVICE": "emu", **environment.variables}
    try:
        done = subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace",
                              preexec_fn=environment.enter, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def problem_of(status, output, messages, expected, environment):
    if status is None:
        return "no end"
    if status not in (0, 1):
        return f"exit status {status}"
    if status == 0 and output != expected:
        return f"it ends with 0 and prints {output!r}"
    if status == 1 and "error" not in messages and 2 not in environment.closed:
        return "it fails without an error"
    return None


def main():
    parser = argparse.ArgumentParser()
    for name in ("--info", "--opt", "--runner", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=30)
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.info, "--settings", "--json"], capture_output=True,
                            check=True, text=True).stdout
    settings = {name: setting for name, setting in json.loads(listed).items()
                if name.startswith("ASYNC_GPU_")}
    failures = refused = 0
    with tempfile.TemporaryDirectory() as scratch:
        executable = os.path.join(scratch, "program")
        subprocess.run([arguments.opt, arguments.program, "--emit=exe", "-o", executable],
                       check=True)
        source = pathlib.Path(arguments.program).read_bytes()
        expected = subprocess.run([executable], capture_output=True, check=True, text=True,
                                  env=dict(os.environ, ASYNC_GPU_DEVICE="emu")).stdout
        for number in range(arguments.first, arguments.first + arguments.count):
            environment = Environment(number, settings)
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                program = pathlib.Path(folder) / "program.mlir"
                program.write_bytes(source)
                for command in ([executable], [os.path.abspath(arguments.runner), str(program)]):
                    status, output, messages = run(command, environment, folder,
                                                   arguments.seconds)
                    problem = problem_of(status, output, messages, expected, environment)
                    left = {path.name for path in pathlib.Path(folder).rglob("*")}
                    left -= {"program.mlir", *environment.variables.values()}
                    if program.read_bytes() != source:
                        problem = "the program's file is another one now"
                        program.write_bytes(source)
                    elif left and not any("%p" in v for v in environment.variables.values()):
                        problem = problem or f"it leaves {', '.join(sorted(left))}"
                    refused += status == 1
                    if problem:
                        failures += 1
                        print(f"environment {number}: {environment}\n{command[0]}: {problem}\n"
                              f"{messages[-600:]}", flush=True)
    print(f"{arguments.count} environments, {refused} of {2 * arguments.count} runs refused, "
          f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
