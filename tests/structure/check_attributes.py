#!/usr/bin/env python3
"""Attributes that passes leave each other stand in one table.

    check_attributes.py [--root DIR]

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

No file of src/ but src/lower/dialect/attributes.h, and src/lower/ir/symbols.h below it,
has a string that is the name of one, each that is defined there is a row of
attribute_table.c, and something else uses it. `agpu.NAME` is none where the dialect has an
op of that name. Prints how many there are. Ends with 1 if one breaks this.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "src/lower/dialect/"
DEFINED = re.compile(r'^#define (AGPU__\w+) "((?:async_gpu|agpu)\.\w+|how|brief)"$', re.MULTILINE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    root = parser.parse_args().root
    texts = {path.relative_to(root).as_posix(): path.read_text()
             for path in sorted((root / "src").rglob("*.[ch]"))}
    header = texts.pop(FOLDER + "attributes.h") + texts.pop("src/lower/ir/symbols.h")
    table = texts.pop(FOLDER + "attribute_table.c")
    ops = set(re.findall(r"irdl\.operation @(\w+)",
                         (root / FOLDER / "agpu.irdl.mlir").read_text()))
    found = [f'{name}: the name "{literal}" belongs into {FOLDER}attributes.h'
             for name, text in texts.items()
             for words in re.findall(r'"([\w. ]+)"', text)
             for literal, own in re.findall(
                 r"(?<!\S)(async_gpu\.\w+|agpu\.(\w+))(?!\S)", words)
             if own not in ops]
    defined = DEFINED.findall(header)
    for constant, name in defined:
        if "{" + constant not in table:
            found.append(f"{name}: has no row in {FOLDER}attribute_table.c")
        if not any(re.search(rf"\b{constant}\b", text) for text in texts.values()):
            found.append(f"{name}: nothing uses it")
    print("\n".join([*found, f"{len(defined)} attributes"]))
    return 1 if found or not defined else 0


if __name__ == "__main__":
    sys.exit(main())
