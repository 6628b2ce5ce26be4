#!/usr/bin/env python3
"""Looks for the instructions that order memory in code for 64-bit ARM.

    check_barriers.py --opt FILE --objdump FILE --library FILE

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

x86-64 orders nearly all of what C11's release and acquire ask for by itself: neither
a run there nor one under QEMU shows that an order is missing. So the code is read, of
the programs in litmus/ as the compiler makes it, and of the runtime's library. A line

    // ORDER: FUNCTION: REGEX | REGEX ...

says what stands in a function, in this order, with anything between; LSE does so for
a CPU that has instructions for atomic operations. Of the runtime's functions, which
another compiler may lay out in another order, as many have to be there.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

LITMUS = pathlib.Path(__file__).with_name("litmus")
LINE = re.compile(r"^// (ORDER|LSE): (\w+): (.*)$", re.MULTILINE)

# What GCC calls of its library picks the instruction when the program starts.
CAS = r"<__aarch64_cas\d_acq_rel|casal?|ldaxr"
RUNTIME = {
    # Chase and Lev's deque: what was stored is seen before another is looked at.
    "agpu__deque_push": ["ldar", "stlr"],
    "agpu__deque_pop": ["stlr", "stlr", "stlr", "ldar", CAS],
    "agpu__deque_steal": ["ldar", "ldar", "ldar", CAS],
    # A producer and a consumer of tasks, and who sleeps.
    "agpu__outbox_push": ["stlr", "ldar"],
    "agpu__outbox_take": ["ldar", "ldar", CAS],
    # Tokens, values, groups: what was done before they are ready.
    "agpu__object_satisfies": ["ldar"],
    "agpu__object_complete": ["ldar", CAS],
    "agpu__object_emplace": ["ldar", CAS],
    "agpu__object_add_awaiter": ["ldar", CAS],
    "agpu__group_count_done": [r"<__aarch64_ldadd8_acq_rel|ldaddal|ldaxr"],
    # A lock, and a thread that sleeps until another signals it.
    "agpu__lock_wait": [r"<__aarch64_cas4_acq|casa|ldaxr",
                        r"<__aarch64_swp4_acq|swpa|ldaxr"],
    "agpu__parker_signal": [r"<__aarch64_ldset4_rel|ldsetl|stlxr"],
    "agpu__parker_poll": ["ldar"],
}


def functions_of(objdump, path):
    """{name: [instruction]} of an object or library."""
    text = subprocess.run([objdump, "-dr", "--no-show-raw-insn", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    found, current = {}, []
    for line in text.splitlines():
        if begins := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            current = found.setdefault(begins[1], [])
        elif instruction := re.match(r"^\s+[0-9a-f]+:\s+(.*)$", line):
            current.append(re.sub(r"\s+", " ", instruction[1]).strip())
    return found


def find_missing(instructions, expressions):
    """The first expression that nothing behind the others before it matches."""
    left = iter(instructions)
    for expression in expressions:
        if not any(re.search(rf"(?:^|\s)(?:{expression})", each) for each in left):
            return expression
    return None


def find_too_few(instructions, expressions):
    """The first expression that matches fewer instructions than it is named."""
    for expression in expressions:
        matching = sum(bool(re.search(rf"(?:^|\s)(?:{expression})", each))
                       for each in instructions)
        if matching < expressions.count(expression):
            return expression
    return None


def check(where, functions, wanted, find):
    """Problems with `wanted`, of pairs of a name and expressions."""
    for name, expressions in wanted:
        # A copy that GCC has made of a function has a suffix.
        parts = [code for each, code in functions.items()
                 if each == name or each.startswith(name + ".")]
        if not parts:
            yield f"{where} has no function {name}"
        missing = [find(code, expressions) for code in parts]
        if parts and all(missing):
            code = "\n    ".join(parts[0])
            yield f"{where}: {name} has no '{missing[0]}' in its place:\n    {code}"


def check_program(arguments, path, kind, options):
    wanted = [(name, [each.strip() for each in text.split(" | ")])
              for found, name, text in LINE.findall(path.read_text())
              if found == kind]
    if not wanted:
        return
    with tempfile.TemporaryDirectory() as folder:
        code = f"{folder}/code.o"
        subprocess.run([arguments.opt, "--emit=obj", "--target=aarch64-linux-gnu",
                        *options, path, "-o", code], check=True)
        yield from check(path.name, functions_of(arguments.objdump, code), wanted,
                         find_missing)


def main():
    parser = argparse.ArgumentParser()
    for name in ("opt", "objdump", "library"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    problems = []
    programs = sorted(LITMUS.glob("*.mlir"))
    for path in programs:
        for level in ("-O2", "-O3"):
            problems += check_program(arguments, path, "ORDER", [level])
        problems += check_program(arguments, path, "LSE", ["--mcpu=neoverse-v2"])
    problems += check(arguments.library,
                      functions_of(arguments.objdump, arguments.library),
                      RUNTIME.items(), find_too_few)
    print("\n".join(problems))
    print(f"{len(programs)} programs and {len(RUNTIME)} functions of the runtime, "
          f"{len(problems)} problems")
    return 1 if problems or len(programs) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
