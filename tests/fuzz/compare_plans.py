#!/usr/bin/env python3
"""Compares what two compilers make of the same random programs.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    compare_plans.py --old FILE --new FILE [--kind sequential|formed|gpu|async]
                     [--first N] [--count N] [--keep FOLDER]

Each FILE is an async-gpu-opt. The calls of the runtime in the code that each of
them makes of a program are counted by kind: streams acquired, events recorded and
so on. Printed are each program of whose calls the new compiler has more, and in
how many programs it has as many, fewer and more. It ends with status 1 if the new
compiler refuses what the old one does not. Of kind formed are sequential programs in
which the new compiler has formed regions: where those of kind sequential differ and
these do not, the two form other regions, and plan what is formed alike. With --keep the programs printed are
left in FOLDER, to be compiled by hand.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

import async_programs
import gpu_programs
import sequential_programs

KINDS = {
    "streams": ["stream_acquire", "graph_stream_acquire"],
    "events": ["stream_record"],
    "stream waits": ["stream_wait"],
    "host waits": ["object_await", "object_await_enqueued", "object_await_either",
                   "task_await"],
    "copies": ["memcpy", "memcpy_strided"],
    "fills": ["memset", "memset_strided"],
    "launches": ["launch", "launch_with"],
    "tasks": ["execute", "execute_after", "execute_brief", "task_start_after",
              "object_await_and_execute", "object_enqueued_or_execute"],
    "graphs": ["graph_begin"],
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}
# A call, or the head of a function: the arrays that some functions take are built by
# functions of the same name with a number, whose own calls do not count.
CALL = re.compile(r"llvm\.(call|func)[^@\n]*@(?:agpu_)?(\w+)(?:\.\d+)?\(")


# What async-gpu-lower runs of sequential programs, as far as regions are formed.
FORM = ("builtin.module(expand-realloc,func.func(lower-affine),"
        "async-gpu-place-data{{memory={memory}}},async-gpu-host-memory,"
        "gpu-kernel-outlining,async-gpu-merge-kernels,async-gpu-form-regions{{{least}}})")


def program(kind, number, former):
    """Its text, or None where it cannot be formed, and the options of async-gpu-lower."""
    if kind == "gpu":
        return gpu_programs.Generator(number).program()[0], ""
    if kind == "async":
        return async_programs.Generator(number, errors=False).program().text(), ""
    least = sequential_programs.LEAST[number % len(sequential_programs.LEAST)]
    memory = sequential_programs.KINDS[number % len(sequential_programs.KINDS)]
    options = [option.removeprefix("--") for option in least]
    text = sequential_programs.Generator(number).program()[0]
    if kind == "formed":
        pipeline = FORM.format(memory=memory, least=" ".join(options))
        done = subprocess.run([former, f"--pass-pipeline={pipeline}"], input=text,
                              capture_output=True, text=True, timeout=300)
        return None if done.returncode else done.stdout, ""
    return text, " ".join(["sequential=true", f"memory={memory}", *options])


def calls(compiler, text, options):
    """How many calls of each kind are in a program, or None if it is refused."""
    done = subprocess.run(
        [compiler, f"--async-gpu-lower=gpu-targets=native {options}"], input=text,
        capture_output=True, text=True, timeout=300)
    if done.returncode:
        return None
    found = collections.Counter()
    is_stub = False
    for what, name in CALL.findall(done.stdout):
        if what == "func":
            is_stub = name in KIND_OF
        elif name in KIND_OF and not is_stub:
            found[KIND_OF[name]] += 1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("--kind", default="sequential",
                        choices=["sequential", "formed", "gpu", "async"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    sums = {kind: collections.Counter() for kind in KINDS}
    refused = collections.Counter()
    for number in range(options.first, options.first + options.count):
        text, lowering = program(options.kind, number, options.new)
        if text is None:
            by_old, _ = program(options.kind, number, options.old)
            refused["both" if by_old is None else "new"] += 1
            continue
        old, new = (calls(compiler, text, lowering)
                    for compiler in (options.old, options.new))
        if old is None or new is None:
            refused["both" if old is new else "old" if old is None else "new"] += 1
            continue
        more = []
        for kind, row in sums.items():
            row["old"] += old[kind]
            row["new"] += new[kind]
            row["fewer" if new[kind] < old[kind] else
                "more" if new[kind] > old[kind] else "equal"] += 1
            if new[kind] > old[kind]:
                more.append(f"{kind} {old[kind]} -> {new[kind]}")
        if more:
            print(f"program {number}: {', '.join(more)}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{options.kind}{number}.mlir").write_text(text)
    print(f"{'':14}{'old':>8}{'new':>8}{'equal':>8}{'fewer':>8}{'more':>8}")
    for kind, row in sums.items():
        print(f"{kind:14}" + "".join(f"{row[column]:8}" for column in
                                     ("old", "new", "equal", "fewer", "more")))
    print(", ".join(f"{count} programs refused by {who}"
                    for who, count in sorted(refused.items())) or "none refused")
    return 1 if refused["new"] else 0


if __name__ == "__main__":
    sys.exit(main())
