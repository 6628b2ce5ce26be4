"""Where random programs with graphs run.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The emulated device, under its checks, or a driver that interprets PTX (tests/ptx).
"""

import collections
import pathlib
import random
import subprocess
import tempfile


def add_arguments(parser):
    parser.add_argument("--runner", required=True)
    parser.add_argument("--ptx", help="folder of a driver that interprets PTX")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--keep", help="where programs go that fail")


def run(arguments, path, graphs, threads, seed, options=(), devices=1):
    """What is finished, and the settings."""
    settings = {"ASYNC_GPU_NUM_THREADS": str(threads), "ASYNC_GPU_LOG": "driver,device"}
    if arguments.ptx:
        settings |= {"LD_LIBRARY_PATH": arguments.ptx, "PTX_DEVICE_SEED": str(seed),
                     "PTX_DEVICE_DEVICES": str(devices)}
    else:
        settings |= {"ASYNC_GPU_EMU_SEED": str(seed), "ASYNC_GPU_EMU_DEVICES": str(devices),
                     # Under that for memory none is kept from round to round.
                     "ASYNC_GPU_EMU_CHECK": "races,memory" if seed % 2 else "races"}
    return subprocess.run(
        ["env", *(f"{name}={value}" for name, value in settings.items()), arguments.runner,
         f"--device={'cuda' if arguments.ptx else 'emu'}", f"--graphs={graphs}", *options,
         str(path)], capture_output=True, text=True, timeout=120), settings


def run_programs(arguments, make, count, most_threads=8, options=()):
    """Runs program `make(number)` of each number, which has `text` and `expected`, and may
    have a number of `devices`, with each setting of graphs and seed. `count` gives, of the lines on standard error, how
    often things were seen that have to be. Returns the number of runs, of failures, and
    the sums of what was seen.
    """
    failures = runs = 0
    seen = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlir"
        for number in range(arguments.first, arguments.first + arguments.count):
            program = make(number)
            path.write_text(program.text())
            expected = program.expected()
            draw = random.Random(number)
            for seed in range(1, arguments.seeds + 1):
                for graphs in ("off", "on", "auto"):
                    done, settings = run(arguments, path, graphs,
                                         draw.randrange(1, most_threads + 1), seed, options,
                                         getattr(program, "devices", 1))
                    runs += 1
                    lines = done.stderr.splitlines()
                    seen.update(count(lines))
                    if done.returncode == 0 and done.stdout.split() == expected:
                        continue
                    failures += 1
                    rest = [line for line in lines
                            if not line.startswith(("driver: ", "device: "))]
                    print(f"program {number}, graphs={graphs}, {settings}: "
                          f"{done.stdout.split()}, not {expected}",
                          *rest[-5:], sep="\n", flush=True)
                    if arguments.keep:
                        (pathlib.Path(arguments.keep) / f"{number}.mlir").write_text(
                            program.text())
    return runs, failures, seen


def count_calls(lines, **calls):
    """How many lines begin a call of the driver, by the name that it is to have."""
    return {name: sum(f"driver: {call}(" in line for line in lines)
            for name, call in calls.items()}
