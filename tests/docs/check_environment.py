#!/usr/bin/env python3
"""Fails when docs/environment.md, the table of settings and what is read disagree.

    check_environment.py --source FOLDER --info ASYNC_GPU_INFO

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

- The table of docs/environment.md is what async-gpu-info lists
  (runtime/base/report/settings.h); where it fails, scripts/docs.sh writes it again. Every
  heading is a setting, and the text below it names each word that is allowed.
- Every setting is read: as AGPU__SETTING_X in runtime/, or by a script (${X}, or
  environ of Python) in scripts/, .ci/, bench/ or tests/support/.
- What is read is a setting: also where a name is a string of C in runtime/,
  src/ or tools/. Names of CMake variables and of header guards are none, nor are
  prefixes, which end in _.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ENUMERATOR = re.compile(r"\bAGPU__SETTING_([A-Z0-9_]+)")
C_STRING = re.compile(r'"(ASYNC_GPU_[A-Z0-9_]*[A-Z0-9])(?==|")')
EXPANSION = re.compile(r"\$\{?(ASYNC_GPU_[A-Z0-9_]+)")
PYTHON = re.compile(r"""environ(?:\.get\(|\[)\s*["'](ASYNC_GPU_[A-Z0-9_]+)""")
HEADING = re.compile(r"^#+ `(ASYNC_GPU_[A-Z0-9_]+)`", re.MULTILINE)
NOT_SETTINGS = {"UNSET", "COUNT", "ENTRY"}

SEARCHED = [
    ("runtime", "*.[ch]", C_STRING),
    ("src", "*.[ch]", C_STRING),
    ("tools", "*.[ch]", C_STRING),
    ("scripts", "*.sh", EXPANSION),
    (".ci", "*", EXPANSION),
    ("bench", "*.sh", EXPANSION),
    ("bench", "*.py", PYTHON),
    ("tests/support", "*.py", PYTHON),
    ("tests/support", "*.sh", EXPANSION),
]


def find_reads(root):
    """Maps each variable to the first file that reads it."""
    reads = {}
    for path in sorted((root / "runtime").rglob("*.[ch]")):
        for name in ENUMERATOR.findall(path.read_text()):
            if name not in NOT_SETTINGS:
                reads.setdefault(f"ASYNC_GPU_{name}", path.relative_to(root))
    for folder, pattern, expression in SEARCHED:
        for path in sorted((root / folder).rglob(pattern)):
            if not path.is_file():
                continue
            for name in expression.findall(path.read_text()):
                reads.setdefault(name, path.relative_to(root))
    return reads


def find_sections(page):
    """Maps each heading that is a variable to what stands below it."""
    parts = HEADING.split(page)
    return dict(zip(parts[1::2], parts[2::2]))


def find_missing(allowed, text):
    """What is allowed, but not in the text."""
    words = [word.split()[0] for word in re.split(r" [|] |,", allowed)]
    return [word for word in words if len(words) > 1 and f"`{word}`" not in text]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--info", required=True)
    arguments = parser.parse_args()

    table = json.loads(subprocess.run(
        [arguments.info, "--settings", "--json"], check=True,
        capture_output=True, text=True, timeout=20, env={}).stdout)
    table.pop("wrong_settings")
    page = arguments.source / "docs" / "environment.md"
    sections = find_sections(page.read_text())
    fresh = subprocess.run(
        [sys.executable, arguments.source / "scripts/lib/settings_table.py", page,
         arguments.info], check=True, capture_output=True, text=True, timeout=20)
    reads = find_reads(arguments.source)

    problems = []
    if fresh.stdout != page.read_text():
        problems.append("docs/environment.md is stale: run scripts/docs.sh")
    for name, entry in table.items():
        missing = find_missing(entry["allowed"], sections.get(name, ""))
        if name in sections and missing:
            problems.append(f"docs/environment.md: {name} may be "
                            f"{entry['allowed']}; not said: {missing}")
        if name not in reads:
            problems.append(f"{name} is read nowhere")
    for name in sections.keys() - table.keys():
        problems.append(f"docs/environment.md: {name} is not a setting")
    for name in reads.keys() - table.keys():
        problems.append(f"{reads[name]}: {name} has no line in "
                        f"runtime/base/report/settings.h")
    print("\n".join(sorted(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
