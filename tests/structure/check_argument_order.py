#!/usr/bin/env python3
"""Of the arguments of a call, one at most builds operations.

    check_argument_order.py [--root DIR]

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

C does not say in which order arguments are evaluated: GCC goes from the last to the
first on x86-64, and from the first to the last on 64-bit ARM, as clang does on both.
What builds is a function of src/ whose first parameter is a builder or has one, or
LLVM's LLVMBuild...; with two such calls among the arguments of one, the order of operations
would be the C compiler's choice. Prints how many there are. Ends with 1 if there is one.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Those that return types build nothing.
DECLARED = re.compile(
    r"(?<!Type )(?<!TypeRef )\b(\w+)\(\s*"
    r"(?:(?:const )?(?:struct )?(?:\w*builder \*|LLVMBuilderRef )|agpu__lowering \*)\w*[,)]")
CALL = re.compile(r"\b([a-zA-Z_]\w*)\(")
WORDS = {"if", "while", "for", "switch", "return", "sizeof"}


def arguments(text, begin):
    """The arguments of the call whose parenthesis is open at `begin`."""
    depth, start = 0, begin
    for at in range(begin, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            if not depth:
                yield text[start:at]
                return
            depth -= 1
        elif text[at] == "," and not depth:
            yield text[start:at]
            start = at + 1
        elif text[at] == ";" and not depth:
            return


def offenders(name, text, builds):
    plain = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"',
                   lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)
    for call in CALL.finditer(plain):
        if call[1] in WORDS:
            continue
        several = [each for each in arguments(plain, call.end())
                   if any(inner in builds for inner in CALL.findall(each))]
        if len(several) > 1:
            line = plain.count("\n", 0, call.start()) + 1
            yield f"{name}:{line}: several arguments of {call[1]} build operations"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    root = parser.parse_args().root
    texts = {path.relative_to(root).as_posix(): path.read_text()
             for path in sorted((root / "src").rglob("*.[ch]"))}
    shared = {found for name, text in texts.items() if name.endswith(".h")
              for found in DECLARED.findall(text)}
    found = []
    for name, text in texts.items():
        builds = shared | set(DECLARED.findall(text))
        builds |= set(re.findall(r"\bLLVMBuild\w+(?=\()", text))
        found += offenders(name, text, builds)
    print("\n".join([*found, f"{len(found)} in {len(texts)} files"]))
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
