"""Runs a command whose stdout is a terminal, and prints what it wrote.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    terminal.py COMMAND ...
"""

import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=theirs,
                         stderr=subprocess.STDOUT)
os.close(theirs)
written = b""
while True:
    try:
        part = os.read(ours, 4096)
    except OSError:  # the other side is closed
        break
    if not part:
        break
    written += part
print(written.decode(errors="replace"))
print("exit status", child.wait(timeout=60))
