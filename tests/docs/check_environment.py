#!/usr/bin/env python3
"""Fails when docs/environment.md and the variables that are read disagree.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A variable is read where its name stands as a string of C ("ASYNC_GPU_LOG") in
runtime/, src/ or tools/, or is expanded in a script (${ASYNC_GPU_PRESET:-...})
or read by a Python script in scripts/, bench/ or tests/support/. It is
documented where a heading of docs/environment.md is its name. Names of CMake
variables and of header guards do not have these forms.
"""

import pathlib
import re
import sys

C_STRING = re.compile(r'"(ASYNC_GPU_[A-Z0-9_]+)(?==|")')
EXPANSION = re.compile(r"\$\{?(ASYNC_GPU_[A-Z0-9_]+)")
PYTHON = re.compile(r"""environ(?:\.get\(|\[)\s*["'](ASYNC_GPU_[A-Z0-9_]+)""")
HEADING = re.compile(r"^#+ `(ASYNC_GPU_[A-Z0-9_]+)`", re.MULTILINE)

SEARCHED = [
    ("runtime", "*.[ch]", C_STRING),
    ("src", "*.[ch]", C_STRING),
    ("tools", "*.[ch]", C_STRING),
    ("scripts", "*.sh", EXPANSION),
    (".ci", "*", EXPANSION),
    ("bench", "*.sh", EXPANSION),
    ("bench", "*.py", PYTHON),
    ("tests/support", "*.py", PYTHON),
]


def find_reads(root):
    """Maps each variable to the first file that reads it."""
    reads = {}
    for folder, pattern, expression in SEARCHED:
        for path in sorted((root / folder).rglob(pattern)):
            if not path.is_file():
                continue
            for name in expression.findall(path.read_text()):
                reads.setdefault(name, path.relative_to(root))
    return reads


def main():
    root = pathlib.Path(sys.argv[1])
    reads = find_reads(root)
    page = root / "docs" / "environment.md"
    documented = set(HEADING.findall(page.read_text()))
    failed = False
    for name, path in sorted(reads.items()):
        if name not in documented:
            failed = True
            print(f"{path}: reads {name}, which docs/environment.md has no "
                  f"heading for")
    for name in sorted(documented - set(reads)):
        failed = True
        print(f"docs/environment.md: {name} is read nowhere")
    if not reads:
        failed = True
        print("no variable found at all: does the search still fit the code?")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
