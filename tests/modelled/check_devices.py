#!/usr/bin/env python3
"""Work of several devices in modelled time: no clock is read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_devices.py --runner FILE --models FOLDER devices.mlir

Kernels share the multiprocessors of their own device alone. Copies between devices take
the time of a link between them, one at a time in each direction of a device: its own, or
that to the host where the model says so. A kernel reads a peer's memory no faster.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BYTES = 1 << 24  # of an array of devices.mlir


class Devices:
    def __init__(self, runner, program, folder):
        self.runner, self.program, self.folder = runner, program, folder

    def run(self, entry, model="h100"):
        """(begin, end) of kernels and copies in their order, in microseconds."""
        trace = self.folder / "t.json"
        subprocess.run(
            [self.runner, "--device=emu", f"--model={model}", f"--trace={trace}",
             f"--entry-point={entry}", self.program], check=True, timeout=60,
            env={**os.environ, "ASYNC_GPU_NUM_THREADS": "1",
                 "ASYNC_GPU_EMU_DEVICES": "3"})
        return sorted((e["ts"], e["ts"] + e["dur"])
                      for e in json.loads(trace.read_bytes())["traceEvents"]
                      if e.get("cat") in ("kernel", "copy") and e["ph"] == "X")


def read(text, key):
    return float(re.search(rf"^{key} = ([0-9.]+)", text, re.MULTILINE)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("program")
    arguments = parser.parse_args()
    text = (arguments.models / "h100.model").read_text()
    least = BYTES / read(text, "peer_bandwidth") / 1e3
    wrong = []

    def check(what, holds, runs):
        if not holds:
            wrong.append(f"{what}: {runs}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        of = Devices(arguments.runner, arguments.program, folder)
        shared = folder / "shared.model"
        shared.write_text(text.replace("peer_links = 1", "peer_links = 0"))
        first, second = runs = of.run("two_devices")
        check("a device does not wait for another", second[0] < first[1] and
              abs((second[1] - second[0]) / (first[1] - first[0]) - 1) < 0.01, runs)
        first, second = runs = of.run("one_device")
        check("kernels share a device",
              second[1] - first[0] > 1.9 * (first[1] - first[0]), runs)
        first, second = runs = of.run("both_ways")
        check("both directions at once", second[0] < first[1], runs)
        check("a copy takes a link's time", all(
            least < end - begin < least + read(text, "copy_least") + 0.01
            for begin, end in runs), runs)
        first, second = runs = of.run("from_one")
        check("one copy in each direction", second[0] > first[1] - 0.01, runs)
        first, second = runs = of.run("beside_host")
        check("a link of its own", second[0] < first[1], runs)
        first, second = runs = of.run("beside_host", shared)
        check("the link to the host", second[0] > first[1] - 0.01, runs)
        (begin, end), = of.run("read_peer")
        check("a peer's memory", end - begin > least, (begin, end))
        (begin, end), = of.run("read_own")
        check("own memory", end - begin < least / 2, (begin, end))
        check("two runs the same", of.run("from_one") == of.run("from_one"), "")
    print("\n".join(wrong) or "devices are what they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
