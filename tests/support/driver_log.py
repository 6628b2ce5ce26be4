"""Reads what ASYNC_GPU_LOG=driver writes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import os
import re
import subprocess

CALL = re.compile(r"^driver: (\w+)\((.*)\) = ([\w ]+?) \[(\d+) (.*)\]$")

# `arguments` by name, as text; `thread` is its number, `thread_name` "main" for
# the process's first.
Call = collections.namedtuple("Call",
                              "name arguments result thread thread_name")


def run(command, seconds=60):
    """Runs a program that logs; its exit status and all of stderr."""
    done = subprocess.run(command, capture_output=True, text=True,
                          errors="replace", timeout=seconds,
                          stdin=subprocess.DEVNULL,
                          env=dict(os.environ, ASYNC_GPU_LOG="driver"))
    return done.returncode, done.stderr


def read_calls(log):
    """The calls in order. What a call
    makes known to other threads they learn when it has been logged, so that
    causes stand before effects."""
    calls = []
    for line in log.splitlines():
        match = CALL.match(line)
        if match:
            arguments = dict(part.split("=", 1)
                             for part in match.group(2).split(", ") if part)
            calls.append(Call(match.group(1), arguments, match.group(3),
                              int(match.group(4)), match.group(5)))
    return calls
