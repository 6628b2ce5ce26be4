#!/usr/bin/env python3
"""Runs a program on the PTX interpreter of the tests, as on a card.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_on_ptx.py --opt FILE --driver FOLDER [--chip CHIP] [--lower OPTIONS]
                  [--link ARGUMENTS] [--expected FILE | --fails REGEX]
                  [--set "A=B ..."]... [--any-order] [--seconds N]
                  [--known-failure WHY] PROGRAM.mlir

The program is compiled ahead of time once and runs once for each --set of
environment variables, and once without any. It has to print FILE, end with status
0, write nothing to standard error and leave nothing on the device. With --fails
it ends with status 1, and a line of standard error is an error of the program's
that matches REGEX. With --any-order lines may come in any order where threads part
at will, since nothing orders what threads print. In no case may the driver report what CUDA leaves undefined.

With --known-failure it must fail so far, for the reason given: once it does not,
that line is stale and the test fails. Status 77 where the program needs libdevice
of a CUDA toolkit, and there is none.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

import device_program


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--chip")
    parser.add_argument("--lower")
    parser.add_argument("--link", action="append")
    parser.add_argument("--expected")
    parser.add_argument("--fails")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--any-order", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--known-failure")
    parser.add_argument("program")
    return parser.parse_args()


def build(arguments, folder):
    """Compiles the program into the folder: its path."""
    path = os.path.join(folder, "program")
    command = [arguments.opt, "--emit=exe", arguments.program, "-o", path]
    if arguments.chip:
        command.append(f"--gpu-chip={arguments.chip}")
    if arguments.lower:
        command.append(f"--async-gpu-lower={arguments.lower}")
    if arguments.link:
        command.append("--link=" + ",".join(arguments.link))
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if device_program.needs_toolkit(done):
        print("skipped: no CUDA toolkit was found")
        sys.exit(device_program.SKIPPED)
    sys.stderr.write(done.stderr)
    if done.returncode:
        sys.exit(2)  # a known failure is none of the compiler's
    return path


def capability(chip):
    """9.0 of sm_90a"""
    number = re.sub(r"\D", "", chip)
    return f"{number[:-1]}.{number[-1]}"


def environment(arguments, settings, log):
    result = dict(os.environ, ASYNC_GPU_DEVICE="cuda", PTX_DEVICE_LOG=log)
    paths = [arguments.driver, os.environ.get("LD_LIBRARY_PATH")]
    result["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    if arguments.chip:
        result["PTX_DEVICE_CAPABILITY"] = capability(arguments.chip)
    result.setdefault("PTX_DEVICE_SECONDS", str(int(arguments.seconds * 0.8)))
    result.update(setting.split("=", 1) for setting in settings.split())
    return result


def is_same_output(arguments, settings, expected, actual):
    if arguments.any_order and "PTX_DEVICE_DIVERGE" in settings:
        return sorted(expected.splitlines()) == sorted(actual.splitlines())
    return expected == actual


def find_problems(arguments, settings, done, log):
    problems = []
    if done.returncode != (1 if arguments.fails else 0):
        problems.append(f"exit status {done.returncode}")
    expected = ""
    if arguments.expected:
        with open(arguments.expected) as file:
            expected = file.read()
    if not is_same_output(arguments, settings, expected, done.stdout):
        problems.append("standard output differs:\n" + "".join(
            difflib.unified_diff(expected.splitlines(keepends=True),
                                 done.stdout.splitlines(keepends=True),
                                 "expected", "actual")))
    if arguments.fails:
        name = re.escape(os.path.basename(arguments.program))
        line = rf"(?m)^.*{name}:\d+:\d+: error: .*{arguments.fails}"
        if not re.search(line, done.stderr):
            problems.append(f"standard error has no match of: {line}")
    elif done.stderr:
        problems.append("standard error is not empty")
    for line in log.splitlines():
        if "violation: " in line or (
                not arguments.fails and
                re.search(r"left on|host function|error \d+|refused", line)):
            problems.append(line)
    return problems


def run(arguments, path, settings, folder):
    """Whether one run went as it should."""
    log = os.path.join(folder, "log")
    open(log, "w").close()
    try:
        done = subprocess.run([path], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              env=environment(arguments, settings, log),
                              timeout=arguments.seconds)
    except subprocess.TimeoutExpired as late:
        print(f"no end after {arguments.seconds:g} s with '{settings}'\n"
              f"--- output:\n{(late.stdout or b'').decode(errors='replace')}")
        return False
    with open(log, errors="replace") as file:
        reported = file.read()
    problems = find_problems(arguments, settings, done, reported)
    if problems:
        print(f"settings: {settings or 'none'}")
        for problem in problems:
            print("problem: " + problem)
        print(f"--- standard error:\n{done.stderr}--- the driver:\n{reported}")
    return not problems


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = build(arguments, folder)
        results = [run(arguments, path, settings, folder)
                   for settings in ["", *arguments.set]]
    if not arguments.known_failure:
        return 0 if all(results) else 1
    if all(results):
        print(f"stale: this does not fail any more: {arguments.known_failure}")
        return 1
    print(f"known failure: {arguments.known_failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
