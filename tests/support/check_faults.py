#!/usr/bin/env python3
"""Lets every call of the driver fail in turn, and looks how a program ends.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_faults.py [--error NAME] [--seconds N] [--most N] -- RUNNER... FILE

Runs the program again and again, with the first, second, third ... call of the
emulated driver failing, until it makes no such call. Each run has to end within
N seconds, with exit status 1 and one message that has a location and the name
of the error, and to give back what it took. A call that gives something back,
or asks for what can be done without, may fail unnoticed.
"""

import argparse
import os
import re
import subprocess
import sys

# The program has done its work, or goes on without.
# Events are created ahead; a context is made current again by the next call.
HARMLESS = {"cuEventCreate", "cuStreamDestroy", "cuEventDestroy", "cuModuleUnload", "cuMemFree",
            "cuDevicePrimaryCtxRelease", "cuDeviceGetAttribute",
            "cuLaunchHostFunc", "cuCtxSetCurrent",
            # Without word of an event the runtime asks now and then.
            "cuEventSynchronize", "cuStreamWriteValue32", "cuMemHostAlloc",
            "cuMemFreeHost"}
# A stream is shared, memory is looked for elsewhere.
HARMLESS_OUT_OF_MEMORY = {"cuStreamCreate", "cuMemAlloc", "cuMemAllocManaged"}
PAIRS = [("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease"),
         ("cuStreamCreate", "cuStreamDestroy"),
         ("cuEventCreate", "cuEventDestroy"),
         ("cuModuleLoadDataEx", "cuModuleUnload"),
         ("cuMemHostAlloc", "cuMemFreeHost"),
         ("cuMemHostRegister", "cuMemHostUnregister")]
CALL = re.compile(r"^driver: (\w+)\((.*)\) = (\w+)$", re.MULTILINE)
MESSAGE = re.compile(r"\A\S+:\d+:\d+: error: .*\n\Z")
# Starting the driver is the runner's own business.
START = {"cuInit", "cuDeviceGetCount"}
START_MESSAGE = re.compile(r"\Aasync-gpu-runner: error: .*\n\Z")


def find_problem(done, error):
    calls = CALL.findall(done.stderr)
    failed = [name for name, _, result in calls if result == error]
    rest = "".join(line for line in done.stderr.splitlines(keepends=True)
                   if not line.startswith(("driver: ", "device: ", "async: ")))
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    if done.returncode == 0:
        if rest:
            return "exit status 0 with a message"
        harmless = HARMLESS
        if error == "CUDA_ERROR_OUT_OF_MEMORY":
            harmless = HARMLESS | HARMLESS_OUT_OF_MEMORY
        if not set(failed) <= harmless:
            return f"exit status 0 although {failed} failed"
    else:
        if done.returncode != 1:
            return f"exit status {done.returncode}"
        message = START_MESSAGE if set(failed) & START else MESSAGE
        if not message.match(rest) or rest.count("error:") != 1:
            return "not one message with a location"
        # Without a context it is the next call that fails.
        names = [error] + ["CUDA_ERROR_INVALID_CONTEXT"] * \
            ("cuCtxSetCurrent" in failed)
        if not any(name in rest for name in names):
            return f"the message has no {error}"
    if "alive at the end" in done.stderr:
        return "something was not given back"
    for take, give in PAIRS:
        taken = sum(name == take and result == "CUDA_SUCCESS"
                    for name, _, result in calls)
        given = sum(name == give for name, _, _ in calls)
        if taken != given:
            return f"{taken} {take}, {given} {give}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--error", default="CUDA_ERROR_UNKNOWN")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--most", type=int, default=400)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    problems = 0
    for number in range(1, arguments.most + 1):
        fault = f"{number}:{arguments.error}"
        environment = {**os.environ, "ASYNC_GPU_EMU_FAULT": fault,
                       "ASYNC_GPU_LOG": "driver,async"}
        try:
            done = subprocess.run(arguments.command, capture_output=True,
                                  text=True, errors="replace",
                                  stdin=subprocess.DEVNULL, env=environment,
                                  timeout=arguments.seconds)
        except subprocess.TimeoutExpired:
            print(f"{fault}: no end after {arguments.seconds:g} s")
            problems += 1
            continue
        if f"= {arguments.error}" not in done.stderr:
            if done.returncode == 0:
                break  # it makes no such call
            # Failures of calls that are not logged.
        problem = find_problem(done, arguments.error)
        if problem:
            print(f"{fault}: {problem}")
            print("  " + "\n  ".join(done.stderr.splitlines()[-12:]))
            problems += 1
        if problems > 5:
            break
    print(f"{number} calls")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
