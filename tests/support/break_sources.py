"""Puts faults into the sources, and takes them out again.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def put_in(fault):
    """Returns the sources as they were."""
    before = {}
    for name, old, new in fault:
        path = ROOT / name
        text = path.read_text()
        before.setdefault(path, text)
        if text.count(old) != 1:
            put_back(before)
            sys.exit(f"{name} has {text.count(old)} times:\n{old}")
        path.write_text(text.replace(old, new))
    return before


def put_back(before):
    for path, text in before.items():
        path.write_text(text)
