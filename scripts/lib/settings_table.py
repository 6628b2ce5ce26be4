#!/usr/bin/env python3
"""Prints docs/environment.md with its table of settings made anew.

    settings_table.py PAGE ASYNC_GPU_INFO

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

What each variable may be, and what for, is what async-gpu-info says of it. A variable
with a heading of its own on the page is a link to it.
"""

import json
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- settings -->\n", "<!-- end of settings -->\n"


def value_of(allowed):
    """Of "a (default) | b" and "a,b", each word as code; else what it says."""
    if "|" in allowed:
        words = [word.split() for word in allowed.split(" | ")]
        return ", ".join(" ".join([f"`{word[0]}`", *word[1:]]) for word in words)
    if re.fullmatch(r"[\w-]+(,[\w-]+)+", allowed):
        return "a list of " + ", ".join(f"`{word}`" for word in allowed.split(","))
    return allowed


def main():
    page = pathlib.Path(sys.argv[1]).read_text()
    table = json.loads(subprocess.run(
        [sys.argv[2], "--settings", "--json"], check=True, capture_output=True,
        text=True, timeout=20, env={}).stdout)
    table.pop("wrong_settings")
    rows = ["| variable | value: what for |", "| --- | --- |"]
    for name, entry in table.items():
        link = f"`{name}`"
        if re.search(rf"^#+ {link}$", page, re.MULTILINE):
            link = f"[{link}](#{name.lower()})"
        meaning = re.sub(r"(%\w)", r"`\1`", entry["meaning"])
        rows.append(f"| {link} | {value_of(entry['allowed'])}: {meaning} |")
    before, _, rest = page.partition(BEGIN)
    _, _, behind = rest.partition(END)
    sys.stdout.write(before + BEGIN + "\n".join(rows) + "\n" + END + behind)


if __name__ == "__main__":
    main()
