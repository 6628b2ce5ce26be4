#!/usr/bin/env -S python3 -B
"""Lets calls of the C library fail, one in each run, and looks how a program ends.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_failing_calls.py --shim LIBRARY [--most N] [--seconds N] [--llvm]
        [--tells] [NAME=VALUE...] COMMAND [ARGUMENT...]
    check_failing_calls.py --shim LIBRARY --opt ASYNC_GPU_OPT
        [--report ASYNC_GPU_REPORT] [...] FILE.mlir

The command runs once as it is, with LIBRARY (fail_calls.c) preloaded and the
settings. Then each allocation, mmap, open and start of a thread that it made
fails in turn, and all from that one on; at most --most of each kind, spread
evenly. Each run has to end within --seconds, with the exit status and the output
of the first, or with a status that is not 0 and a message: never by a signal. A
file is compiled, and the program run; with --report, once, for its trace and plan,
of which ASYNC_GPU_REPORT makes a page in each run. With --llvm the command is a compiler: LLVM
gives up by abort() and a line where memory is out, in mlir-opt as in ours. With
--tells the command's output says what it has found out about the machine.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile

KINDS = ("malloc", "mmap", "open", "thread")
SETTING = re.compile(r"[A-Z_0-9]+=")
MOST_REPORTS = 12


class Check:
    def __init__(self, arguments):
        self.shim, self.seconds = arguments.shim, arguments.seconds
        self.is_llvm, self.tells = arguments.llvm, arguments.tells
        words = arguments.command
        split = next(i for i, word in enumerate(words)
                     if not SETTING.match(word))
        self.settings = dict(word.split("=", 1) for word in words[:split])
        self.command = words[split:]

    def run(self, call, **more):
        """Exit status (None: late), output, messages."""
        environment = {**os.environ, **self.settings, **more,
                       "LD_PRELOAD": self.shim, "FAIL_CALL": call}
        try:
            done = subprocess.run(self.command, env=environment, timeout=self.seconds,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return None, b"", b""
        return done.returncode, done.stdout, done.stderr

    def count(self, kind):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "count")
            status, output, message = self.run(f"{kind}:0", FAIL_COUNT=path)
            if status != 0:
                sys.exit(f"as it is: exit status {status}\n{message.decode()}")
            with open(path) as file:
                return int(file.read()), output

    def find_problem(self, call, usual):
        status, output, message = self.run(call)
        if status is None:
            return "does not end"
        if status == -signal.SIGABRT and self.is_llvm and \
                re.search(rb"bad_alloc|out of memory", message):
            return None
        if status < 0:
            return f"ends by signal {-status}"
        if self.tells:
            return None
        if status == 0 and output != usual:
            return "exit status 0 with another output"
        if status != 0 and not message.strip():
            return f"exit status {status} without a message"
        return None


def choose(count, most):
    """Numbers of 1..count, evenly spread."""
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shim", required=True)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--llvm", action="store_true")
    parser.add_argument("--tells", action="store_true")
    parser.add_argument("--opt")
    parser.add_argument("--report")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.opt:
            program = os.path.join(folder, "program")
            subprocess.run([arguments.opt, "--emit=exe", arguments.command[-1],
                            "-o", program], check=True)
            if arguments.report:
                arguments.command = [arguments.report, *make_trace(
                    folder, arguments.opt, program, arguments.command[-1])]
            else:
                arguments.command[-1] = program
        # What a run writes as a file goes there.
        os.chdir(folder)
        return walk(Check(arguments), arguments.most)


def make_trace(folder, opt, program, source):
    """The trace of a run, and the plan."""
    trace, plan = (os.path.join(folder, name) for name in ("run.trace", "plan.json"))
    subprocess.run([program], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "ASYNC_GPU_DEVICE": "emu",
                        "ASYNC_GPU_TRACE": trace})
    subprocess.run([opt, "--emit=plan-json", source, "-o", plan], check=True)
    return trace, plan


def walk(check, most):
    calls, usual = [], b""
    for kind in KINDS:
        count, usual = check.count(kind)
        for number in choose(count, most):
            calls += [f"{kind}:{number}", f"{kind}:{number}+"]
    problems = 0
    with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))) as pool:
        found = pool.map(lambda call: check.find_problem(call, usual), calls)
        for call, problem in zip(calls, found):
            if problem:
                problems += 1
                if problems <= MOST_REPORTS:
                    print(f"FAIL_CALL={call}: {problem}")
    print(f"{len(calls)} runs, {problems} problems")
    return 1 if problems or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
