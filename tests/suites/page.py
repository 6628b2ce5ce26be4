#!/usr/bin/env python3
"""Writes the totals of the suites' tables into docs/suites.md.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    tests/suites/page.py             writes them
    tests/suites/page.py --check     ends with 1 where the page has others
"""

import collections
import pathlib
import sys

import suite

PAGE = suite.ROOT / "docs/suites.md"
BEGIN, END = "<!-- totals of the tables -->\n", "<!-- end -->\n"


def read_head(path):
    """The lines `# name: value` of a table, and its title."""
    lines = [l[2:] for l in path.read_text().splitlines() if l.startswith("# ")]
    return lines[0], dict(l.split(": ") for l in lines[1:])


def share(head):
    """How many cases pass with upstream's tools, and how much of these passes here. Where
    the table has not counted them, all do that are not `upstream` or `input`."""
    missed = sum(int(head[s]) for s in ("refused", "differs", "failed"))
    passed = int(head.get("reference", 0)) or int(head["ok"]) + missed
    return f"{passed} | {100 * (passed - missed) / passed:.1f} %"


def totals():
    states = suite.STATES
    text = (f"| suite | revision | cases | {' | '.join(states)} "
            "| pass upstream, at most | of these, ok |\n")
    text += "| --- | --- |" + " ---: |" * (len(states) + 3) + "\n"
    for path in sorted(suite.FOLDER.glob("*.tsv")):
        title, head = read_head(path)
        rows = collections.Counter(r.state for r in suite.Table(path).rows.values())
        rows["ok"] = int(head["cases"]) - sum(rows.values())
        for state in states:
            if int(head[state]) != rows[state]:
                sys.exit(f"error: {path.name} has {rows[state]} rows of state '{state}', and "
                         f"says {head[state]}")
        text += (f"| {title} | {head['revision']} | {head['cases']} | "
                 + " | ".join(head[s] for s in states) + f" | {share(head)} |\n")
    return text


def main():
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    made = before + BEGIN + totals() + END + after
    if "--check" not in sys.argv:
        PAGE.write_text(made)
    elif made != page:
        sys.exit("error: docs/suites.md is not what the tables say: run tests/suites/page.py")


if __name__ == "__main__":
    main()
