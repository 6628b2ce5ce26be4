#!/usr/bin/env python3
"""Compares what two compilers make of the same random programs.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    compare_plans.py --old FILE --new FILE [--kind sequential|formed|gpu|async]
                     [--first N] [--count N] [--new-options OPTIONS] [--keep FOLDER]
                     [PROGRAM.mlir...]

Each FILE is an async-gpu-opt. The calls of the runtime in the code that each of
them makes of a program are counted by kind: streams acquired, events recorded and
so on. Printed are each program of whose calls the new compiler has more, in
how many programs it has as many, fewer and more, and why:

    equal     as many of each kind
    fewer     more of no kind
    weaker    the new one's remarks tell of accesses that it has proved to need no
              order: more regions run beside each other
    other     it forms other regions without that
    plan      it plans as many regions with more of a kind

Tasks, which need no stream, event or wait, are no reason. It ends with status 1 if the
new compiler refuses what the old one does not, and if there are programs of the last
two kinds. OPTIONS are for the new compiler's async-gpu-lower: device=emu counts what
kernels cost as compilers without that option do. PROGRAMs are compared in place of
random ones, once as they are and once with sequential=true. Of kind formed are
sequential programs in which the new compiler has formed regions. With --keep the
programs printed are left in FOLDER, to be compiled by hand.
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
# Those that make a difference.
REASONS = [kind for kind in KINDS if kind != "tasks"]
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}
# A call, or the head of a function: the arrays that some functions take are built by
# functions of the same name with a number, whose own calls do not count.
CALL = re.compile(r"llvm\.(call|func)[^@\n]*@(?:agpu_)?(\w+)(?:\.\d+)?\(")


# What async-gpu-lower runs of sequential programs, as far as regions are formed.
FORM = ("builtin.module(expand-realloc,func.func(lower-affine),"
        "async-gpu-place-data{{memory={memory}}},async-gpu-host-memory,"
        "gpu-kernel-outlining,async-gpu-merge-kernels,async-gpu-form-regions{{{least}}})")
# How many regions a function has, in remarks, and what is said of orders.
FORMED = re.compile(r"remark: (\d+ tasks? forms? (?:no|\d+) region)")
PROVED = "needs no order with accesses of it"


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


def remarks(compiler, text, options):
    """What a compiler says of the regions that it forms."""
    done = subprocess.run(
        [compiler, f"--async-gpu-plan=remarks=true {options}"],
        input=text, capture_output=True, text=True, timeout=300)
    return done.stderr


def compare(options, text, lowering, refused):
    """The calls of both compilers, or None, and the class of the difference."""
    for_new = f"{lowering} {options.new_options}"
    old = calls(options.old, text, lowering)
    new = calls(options.new, text, for_new)
    if old is None or new is None:
        refused["both" if old is new else "old" if old is None else "new"] += 1
        return None
    if all(new[kind] <= old[kind] for kind in REASONS):
        return old, new, "equal" if all(new[kind] == old[kind] for kind in REASONS) \
            else "fewer"
    says = remarks(options.new, text, for_new)
    if PROVED in says:
        return old, new, "weaker"
    said = remarks(options.old, text, lowering)
    return old, new, "plan" if FORMED.findall(said) == FORMED.findall(says) else "other"


def programs(options, refused):
    """Name, text and options of each program."""
    for path in options.programs:
        for lowering in ("", "sequential=true"):
            yield f"{path} {lowering}".strip(), path.read_text(), lowering
    if options.programs:
        return
    for number in range(options.first, options.first + options.count):
        text, lowering = program(options.kind, number, options.new)
        if text is None:
            by_old, _ = program(options.kind, number, options.old)
            refused["both" if by_old is None else "new"] += 1
            continue
        yield f"{options.kind} {number}", text, lowering


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("--kind", default="sequential",
                        choices=["sequential", "formed", "gpu", "async"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--new-options", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    sums = {kind: collections.Counter() for kind in KINDS}
    refused, classes = collections.Counter(), collections.Counter()
    for name, text, lowering in programs(options, refused):
        found = compare(options, text, lowering, refused)
        if not found:
            continue
        old, new, kind_of = found
        classes[kind_of] += 1
        for kind, row in sums.items():
            row["old"] += old[kind]
            row["new"] += new[kind]
            row["fewer" if new[kind] < old[kind] else
                "more" if new[kind] > old[kind] else "equal"] += 1
        more = [f"{kind} {old[kind]} -> {new[kind]}" for kind in REASONS
                if new[kind] > old[kind]]
        if more:
            print(f"{name}: {kind_of}: {', '.join(more)}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                file = re.sub(r"\W+", "_", name) + ".mlir"
                (options.keep / file).write_text(text)
    print(f"{'':14}{'old':>8}{'new':>8}{'equal':>8}{'fewer':>8}{'more':>8}")
    for kind, row in sums.items():
        print(f"{kind:14}" + "".join(f"{row[column]:8}" for column in
                                     ("old", "new", "equal", "fewer", "more")))
    print(", ".join(f"{count} {kind_of}" for kind_of, count in classes.items()))
    print(", ".join(f"{count} programs refused by {who}"
                    for who, count in sorted(refused.items())) or "none refused")
    return 1 if refused["new"] or classes["other"] or classes["plan"] else 0


if __name__ == "__main__":
    sys.exit(main())
