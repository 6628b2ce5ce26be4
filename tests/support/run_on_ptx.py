#!/usr/bin/env python3
"""Runs a program on the PTX interpreter of the tests, as on a card.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_on_ptx.py --opt FILE --driver FOLDER [--seconds N] PROGRAM.mlir

The program is compiled ahead of time and runs with threads of a warp that part only
where they have to, and with such as part at will, which also meet work that is late,
other numbers of warps, and another number of blocks at a time. It has to do what it
says (program.py), and leave nothing on the device; where it names what its error
says on a card, one line of standard error is an error of the program's that says so.
In no case may the driver report what CUDA leaves undefined.

A program that fails so far, for the reason it gives, is an error once it does not.
Status 77 where the program needs libdevice of a CUDA toolkit, and there is none.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import compiled
import program
import run_program

SETTINGS = ("", "PTX_DEVICE_DIVERGE=1 PTX_DEVICE_BLOCKS=1",
            "PTX_DEVICE_DIVERGE=2 PTX_DEVICE_DELAY=2000 PTX_DEVICE_SEED=2 "
            "PTX_DEVICE_WARPIDS=physical")


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("program")
    return parser.parse_args()


def capability(chip):
    """9.0 of sm_90a"""
    number = re.sub(r"\D", "", chip)
    return f"{number[:-1]}.{number[-1]}"


def environment(arguments, described, settings, log):
    result = dict(os.environ, ASYNC_GPU_DEVICE="cuda", PTX_DEVICE_LOG=log)
    paths = [arguments.driver, os.environ.get("LD_LIBRARY_PATH")]
    result["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    if "CHIPS" in described.keys:
        chip = described.keys["CHIPS"].split()[0]
        result["PTX_DEVICE_CAPABILITY"] = capability(chip)
    if "DEVICES" in described.keys:
        result["PTX_DEVICE_DEVICES"] = described.keys["DEVICES"]
    result.setdefault("PTX_DEVICE_SECONDS", str(int(arguments.seconds * 0.8)))
    result.update(setting.split("=", 1) for setting in settings.split())
    return result


def find_problems(described, settings, done, log):
    case = described.main()
    problems = []
    if done.returncode != program.status_of(case):
        problems.append(f"exit status {done.returncode}")
    problems.append(program.find_wrong_output(
        case, done.stdout, any_order=(described.card == "any-order" and
                                      "PTX_DEVICE_DIVERGE" in settings)))
    said = described.keys.get("CARD-ERROR")
    if said is None:
        problems.append(program.find_wrong_errors(case, done.stderr))
    else:
        line = (rf"(?m)^.*{re.escape(described.path.name)}:\d+:\d+: error: .*" +
                program.expression_of(said))
        if not re.search(line, done.stderr):
            problems.append(f"standard error has no match of: {line}")
    for line in log.splitlines():
        if "violation: " in line or (
                not program.status_of(case) and
                re.search(r"left on|host function|error \d+|refused", line)):
            problems.append(line)
    return [problem for problem in problems if problem]


def run(arguments, described, path, settings, folder):
    """Whether one run went as it should."""
    log = os.path.join(folder, "log")
    open(log, "w").close()
    try:
        done = subprocess.run([path], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              env=environment(arguments, described, settings,
                                              log),
                              timeout=arguments.seconds)
    except subprocess.TimeoutExpired as late:
        print(f"no end after {arguments.seconds:g} s with '{settings}'\n"
              f"--- output:\n{(late.stdout or b'').decode(errors='replace')}")
        return False
    with open(log, errors="replace") as file:
        reported = file.read()
    problems = find_problems(described, settings, done, reported)
    if problems:
        print(f"settings: {settings or 'none'}")
        for problem in problems:
            print("problem: " + problem)
        print(f"--- standard error:\n{done.stderr}--- the driver:\n{reported}")
    return not problems


def main():
    arguments = parse_arguments()
    described = program.Program(arguments.program, run_program.SETS)
    try:
        path = compiled.program(arguments.opt, described.path, described.options)
    except compiled.NeedsToolkit:
        print("skipped: no CUDA toolkit was found")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        results = [run(arguments, described, path, settings, folder)
                   for settings in SETTINGS]
    if described.card != "fails":
        return 0 if all(results) else 1
    if all(results):
        print(f"this does not fail any more: {described.keys['CARD']}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
