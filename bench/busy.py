"""Other work on the machine, for measurements beside it.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import os
import subprocess
import sys

# What there is beside a sample: so many processes, and how much nicer than the
# sample they are.
LOWER = 10
CONDITIONS = [(count, nicer) for nicer in (0, LOWER) for count in (1, 2, 4)]


def title(condition):
    count, nicer = condition
    return (f"{count} busy process{'es' if count > 1 else ''} of "
            f"{'lower' if nicer else 'the same'} priority")


@contextlib.contextmanager
def beside(condition, cpus):
    """So much other work on these CPUs, until the end of the block."""
    count, nicer = condition

    def begin():
        os.sched_setaffinity(0, cpus)
        os.nice(nicer)

    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"],
                                  preexec_fn=begin) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
