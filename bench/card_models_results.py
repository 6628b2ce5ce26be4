#!/usr/bin/env -S python3 -B
"""Keeps what bench/card_models.py has measured, with the device's time by its trace.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/card_models_results.py MODELS.json models.trace --json FILE [--build build]

The trace has some calls of each model. What its kernels took, of one call, is
device_us; how many there were, launches.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import machine

TRACED = 3  # calls: as in card_models.py


def kernels_of(build, trace):
    """By model: nanoseconds and number of its kernels."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile.json"
        subprocess.run([build / "bin/async-gpu-report", trace,
                        f"--profile={profile}"], check=True, capture_output=True)
        rows = json.loads(profile.read_text())["rows"]
    found = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        if row["kind"] == "kernel":
            of = found[row["name"].rpartition("_kernel")[0]]
            of[0] += row["total_ns"]
            of[1] += row["count"]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--json")
    parser.add_argument("--build", type=pathlib.Path, default=machine.ROOT / "build")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-report")
    document = json.loads(arguments.models.read_text())
    document.pop("logs", None)
    # Folders there are nobody's business.
    document["command"] = re.sub(r"/\S*/", "", document["command"])
    document["commit"] = machine.header("card models")["commit"]
    found = kernels_of(arguments.build, arguments.trace)
    for result in document["results"]:
        took, count = found[result["model"]]
        if count:
            result["device_us"] = took / TRACED / 1e3
            result["launches"] = count // TRACED
    machine.save(document, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
