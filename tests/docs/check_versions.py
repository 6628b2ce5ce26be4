#!/usr/bin/env python3
"""Fails when what says async-gpu's version says different ones.

    check_versions.py --source FOLDER --build FOLDER

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

CMakeLists.txt has it. The Python package, the newest release in CHANGELOG.md, which has
a date, the pages that name files or commands of it, the tools and their pages of the
manual, and the packages have to agree.
"""

import argparse
import pathlib
import re
import subprocess
import sys

PLACES = [
    ("python/async_gpu/__init__.py", r'^__version__ = "([^"]+)"$'),
    ("CHANGELOG.md", r"^## ([\d.]+) \(\d{4}-\d\d-\d\d\)$"),
    ("docs/installing.md", r"async-gpu-([\d.]+)\.tar"),
    ("CONTRIBUTING.md", r"^    v=([\d.]+)$"),
]
TOOLS = ["async-gpu-opt", "async-gpu-runner", "async-gpu-info", "async-gpu-report"]


def ask(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          timeout=20).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    cmake = (arguments.source / "CMakeLists.txt").read_text()
    version = re.search(r"project\(async_gpu VERSION ([\d.]+)", cmake)[1]
    said = {}
    for file, pattern in PLACES:
        found = re.search(pattern, (arguments.source / file).read_text(), re.MULTILINE)
        said[file] = found and found[1]
    for tool in TOOLS:
        path = arguments.build / "bin" / tool
        for form in ("--version", "--help=man"):
            found = re.search(rf"\basync-gpu(?:[\w-]*) \"?([\d.]+\d)",
                              ask(path, form))
            said[f"{tool} {form}"] = found and found[1]
    for config in ("CPackConfig.cmake", "CPackSourceConfig.cmake"):
        found = re.search(r'CPACK_PACKAGE_VERSION "([^"]+)"',
                          (arguments.build / config).read_text())
        said[config] = found and found[1]
    problems = [f"{where} says {what}, CMakeLists.txt {version}"
                for where, what in said.items() if what != version]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
