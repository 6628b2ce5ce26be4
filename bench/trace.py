#!/usr/bin/env -S python3 -B
"""What recording an event of a trace costs, beside Tracy's client in the same run.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    trace.py [--build DIR] [--tracy DIR] [--threads N] [--rounds N] [--json FILE]

--tracy is the folder `public` of Tracy's sources (github.com/wolfpld/tracy); without
it ours is measured alone. Two events are the begin and the end of a slice.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

import machine

ROOT = pathlib.Path(__file__).resolve().parents[1]


def build(arguments, folder):
    main = folder / "trace"
    flags = ["-O2", "-D_GNU_SOURCE", f"-I{ROOT}/runtime", f"-I{ROOT}/include"]
    objects = []
    if arguments.tracy:
        tracy = folder / "tracy.o"
        subprocess.run(["c++", "-O2", "-DTRACY_ENABLE", "-DTRACY_NO_SYSTEM_TRACING",
                        "-DTRACY_NO_SAMPLING", "-c",
                        f"{arguments.tracy}/TracyClient.cpp", "-o", tracy],
                       check=True)
        flags += ["-DWITH_TRACY", "-DTRACY_ENABLE", f"-I{arguments.tracy}"]
        objects.append(tracy)
    code = folder / "main.o"
    subprocess.run(["cc", "-std=c11", *flags, "-c", ROOT / "bench/trace/main.c",
                    "-o", code], check=True)
    subprocess.run(["c++" if objects else "cc", code, *objects,
                    arguments.build / "lib/libasync_gpu_runtime.a", "-o", main,
                    "-lpthread", "-ldl", "-lm"], check=True)
    return main


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--tracy", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=500000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    machine.require(arguments.build, "lib/libasync_gpu_runtime.a")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = build(arguments, folder)
        output = subprocess.run(
            [program, folder / "run.trace", str(arguments.pairs),
             str(arguments.threads), str(arguments.rounds)],
            check=True, capture_output=True, text=True).stdout
    found = {}
    for line in output.splitlines():
        who, time = line.split()
        found.setdefault(who, []).append(float(time))
    for who, times in found.items():
        print(f"{who}: {statistics.median(times):.1f} ns an event "
              f"({min(times):.1f} to {max(times):.1f})")
    if arguments.json:
        machine.save(dict(
            machine.header("trace"), threads=arguments.threads,
            ns_per_event={who: {"median": statistics.median(times),
                                "least": min(times), "most": max(times)}
                          for who, times in found.items()}), arguments.json)


if __name__ == "__main__":
    sys.exit(main())
