#!/usr/bin/env python3
"""Passes on what ctest prints, and puts in front of its summary why tests were skipped.

    ctest ... | tell_skipped.py BUILD_FOLDER

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A test that is skipped says why in the last line that it prints, which ctest keeps in
Testing/Temporary/LastTest.log alone.
"""

import pathlib
import re
import sys

SKIPPED = re.compile(r"Test +#\d+: (.*?) *\.*\*\*\*Skipped")
SUMMARY = re.compile(r"\d+% tests passed")


def reasons_of(log, skipped):
    """{reason: [test]} of the tests named in `skipped`, from a log."""
    reasons = {}
    for part in re.split(r"(?m)^\d+/\d+ Test: ", log)[1:]:
        name = part.splitlines()[0]
        output = re.search(r"(?s)\nOutput:\n-+\n(.*?)<end of output>", part)
        if name not in skipped or not output:
            continue
        lines = [line for line in output[1].splitlines() if line.strip()]
        reason = re.sub(r"^(skipped|left out): ", "", lines[-1]) if lines else (
            "it does not say why")
        reasons.setdefault(reason, []).append(name)
    return reasons


def main():
    summary, skipped = [], set()
    for line in sys.stdin:
        if found := SKIPPED.search(line):
            skipped.add(found[1])
        if summary or SUMMARY.match(line):
            summary.append(line)
        else:
            print(line, end="", flush=True)
    log = pathlib.Path(sys.argv[1], "Testing/Temporary/LastTest.log")
    reasons = reasons_of(log.read_text(errors="replace"), skipped) if (
        skipped and log.exists()) else {}
    if reasons:
        print("Skipped:")
        for reason, tests in sorted(reasons.items()):
            shown = ", ".join(tests[:4]) + (
                f" and {len(tests) - 4} more" if len(tests) > 4 else "")
            print(f"  {reason}: {shown}")
        print()
    print("".join(summary), end="")


if __name__ == "__main__":
    main()
