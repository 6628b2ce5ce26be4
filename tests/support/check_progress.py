#!/usr/bin/env python3
"""On a terminal a tool that takes long says so, in a line that is gone at the end.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_progress.py TOOL OPTION...

Nothing is timed: the tool reads a pipe, which gets the program when the line has come.
"""

import os
import pty
import subprocess
import sys

PROGRAM = b"func.func @main() { return }\n"
BAD = b"func.func @main() { nonesuch }\n"
CLEAR = b"\r\x1b[K"


def run(command, program):
    """What the terminal gets, and the exit status."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=end,
                               stdout=subprocess.DEVNULL,
                               env=dict(os.environ, TERM="xterm", NO_COLOR="1"))
    os.close(end)
    shown = b""
    while b" s, reading\r" not in shown:
        shown += os.read(terminal, 4096)
    process.stdin.write(program)
    process.stdin.close()
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        shown += more
    os.close(terminal)
    return shown, process.wait()


def main():
    shown, status = run(sys.argv[1:], PROGRAM)
    assert status == 0 and shown.endswith(CLEAR), (status, shown)
    shown, status = run(sys.argv[1:], BAD)
    message = shown.rpartition(CLEAR)[2]
    assert status == 1 and message.startswith(b"<stdin>:1:21: error: "), (status, shown)
    # Elsewhere nothing is shown.
    done = subprocess.run(sys.argv[1:], input=PROGRAM, capture_output=True, check=True)
    assert not done.stderr, done.stderr


main()
