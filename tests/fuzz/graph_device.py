"""Where random programs with graphs run.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The emulated device, under its checks, or a driver that interprets PTX (tests/ptx).
"""

import subprocess


def add_arguments(parser):
    parser.add_argument("--runner", required=True)
    parser.add_argument("--ptx", help="folder of a driver that interprets PTX")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--keep", help="where programs go that fail")


def run(arguments, path, graphs, threads, seed, options=()):
    """What is finished, and the settings."""
    settings = {"ASYNC_GPU_NUM_THREADS": str(threads), "ASYNC_GPU_LOG": "driver,device"}
    if arguments.ptx:
        settings |= {"LD_LIBRARY_PATH": arguments.ptx, "PTX_DEVICE_SEED": str(seed)}
    else:
        settings |= {"ASYNC_GPU_EMU_SEED": str(seed),
                     "ASYNC_GPU_EMU_CHECK": "races,memory"}
    return subprocess.run(
        ["env", *(f"{name}={value}" for name, value in settings.items()), arguments.runner,
         f"--device={'cuda' if arguments.ptx else 'emu'}", f"--graphs={graphs}", *options,
         str(path)], capture_output=True, text=True, timeout=120), settings
