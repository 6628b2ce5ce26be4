#!/usr/bin/env -S python3 -B
"""Compares what launches pass with what the PTX of their kernels expects.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_param_layout.py --opt ASYNC_GPU_OPT [--lower OPTIONS] FILE.mlir...

A driver reads from the i-th address that a launch gives it as many bytes as the
i-th .param of the kernel's PTX has. In the lowered program the addresses are
stored by a function agpu_launch.N that is called with the kernel's descriptor,
@agpu_kernel.MODULE.KERNEL, and what they point to has an LLVM type: its size,
and its alignment where the PTX says one, are the .param's. So are the sizes that
the native image states.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

import check_ptx

Layout = collections.namedtuple("Layout", "bytes align")
CHIPS = ("sm_75", "sm_80", "sm_90", "sm_100")
SCALARS = {"bf16": 2, "ptr": 8, "index": 8}

PTX = re.compile(r"@agpu_ptx\.([\w.]+?)\.sm_\d+\w*\(\"(.*)\"\)")
ENTRY = re.compile(r"\.entry\s+([\w$]+)\((.*?)\)", re.DOTALL)
PARAM = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.([usfb])(\d+)\b"
                   r"(?:\s+\.ptr[^,]*?)?\s+([\w$]+)(?:\[(\d+)\])?\s*$")
SIZES = re.compile(r"@agpu_param_sizes\.([\w.$]+)\(dense<(.*?)> : "
                   r"tensor<(\d+)xi32>\)")
FUNCTION = re.compile(r"^(?=  llvm\.func )", re.MULTILINE)
STUB = re.compile(r"  llvm\.func internal @(agpu_launch(?:_with)?\.\d+)\(")
LAUNCH = re.compile(r"llvm\.call @(agpu_launch(?:_with)?\.\d+)\(%\w+, (%\w+)")
DESCRIPTOR = re.compile(r"(%\w+) = llvm\.mlir\.addressof @agpu_kernel\.([\w.$]+)")
ALLOCA = re.compile(r"(%\d+) = llvm\.alloca %\w+ x (.+?) (?:\{.*\} )?: \(i64\)")
SHAPE = re.compile(r"(%\d+) = llvm\.mlir\.addressof @agpu_shape\.")
PART = re.compile(r"(%\d+) = llvm\.getelementptr (?:inbounds )?(%\d+)"
                  r"\[\d+\] : .*, i8$", re.MULTILINE)
ELEMENT = re.compile(r"(%\d+) = llvm\.getelementptr (?:inbounds )?(%\d+)"
                     r"\[0, ([\d, ]+)\]")
STORE = re.compile(r"llvm\.store (%\w+), (%\d+) : !llvm\.ptr(?:<1>)?, !llvm\.ptr")
CALL = re.compile(r"llvm\.call @agpu_launch(?:_with)?\((.*?)\)")


#-------------------------------------------------------------------------------
# Types
#-------------------------------------------------------------------------------

def split(text):
    """What stands between the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def members(text):
    """The types inside of a struct or an array, by index."""
    text = text.removeprefix("!llvm.")
    if text.startswith("struct<"):
        return split(text[len("struct<("):-len(")>")])
    count, element = text[len("array<"):-1].split(" x ", 1)
    return [element] * int(count)


def round_up(size, align):
    return (size + align - 1) // align * align


def lay_out(text):
    """Bytes and alignment of a type of the LLVM dialect, as in an array."""
    text = text.removeprefix("!llvm.")
    if text.startswith("ptr<"):
        return Layout(8, 8)
    vector = re.fullmatch(r"vector<(?:(\d+)x)(\w+)>", text)
    if vector:
        element = vector.group(2)
        bits = int(re.sub(r"\D", "", element)) if element != "index" else 64
        size = (int(vector.group(1)) * bits + 7) // 8
        align = 1 << (size - 1).bit_length()
        return Layout(round_up(size, align), align)
    if text.startswith(("struct<", "array<")):
        size, largest = 0, 1
        for member in members(text):
            layout = lay_out(member)
            size = round_up(size, layout.align) + layout.bytes
            largest = max(largest, layout.align)
        return Layout(round_up(size, largest), largest)
    if text in SCALARS:
        return Layout(SCALARS[text], SCALARS[text])
    size = (int(re.fullmatch(r"[if](\d+)", text).group(1)) + 7) // 8
    size = 1 << (size - 1).bit_length()
    return Layout(size, size)


#-------------------------------------------------------------------------------
# The lowered program
#-------------------------------------------------------------------------------

def read_params(text):
    """{kernel: [Layout]} of each kernel's PTX. No alignment: its size."""
    kernels = {}
    for module, escaped in PTX.findall(text):
        ptx = re.sub(r"\\([0-9A-F]{2})",
                     lambda match: chr(int(match.group(1), 16)), escaped)
        for name, listed in ENTRY.findall(ptx):
            params = []
            for line in filter(None, map(str.strip, listed.split(","))):
                match = PARAM.match(line)
                if not match:
                    sys.exit(f"unknown parameter of {name}: {line}")
                size = int(match.group(3)) // 8 * int(match.group(5) or 1)
                params.append(Layout(size, int(match.group(1) or size)))
            kernels.setdefault(f"{module}.{name}", []).append(params)
    return kernels


def read_native_sizes(text):
    """{kernel: [bytes]}."""
    sizes = {}
    for kernel, listed, count in SIZES.findall(text):
        values = [int(value) for value in re.findall(r"\d+", listed)]
        sizes[kernel] = values * int(count) if len(values) == 1 else values
    return sizes


def read_launch(stub):
    """[Layout] of what a launch passes."""
    types = dict(ALLOCA.findall(stub))
    # Offsets, sizes and strides that are known stand in constants of i64.
    shapes = set(SHAPE.findall(stub))
    shapes |= {name for name, base in PART.findall(stub) if base in shapes}
    types |= dict.fromkeys(shapes, "i64")
    places = {}  # of elements: (of what, where)
    for name, base, where in ELEMENT.findall(stub):
        places[name] = base, [int(index) for index in where.split(", ")]
    array = CALL.search(stub).group(1).split(", ")[-2]
    passed = {}
    for value, target in STORE.findall(stub):
        if target in places and places[target][0] == array:
            passed[places[target][1][0]] = value
    layouts = []
    for number in range(len(passed)):
        value, where = places.get(passed[number], (passed[number], []))
        type_ = types[value]
        for index in where:
            type_ = members(type_)[index]
        layouts.append(lay_out(type_))
    return layouts


def read_launches(text):
    """{(kernel, what its launches pass)}; each kernel has one stub or more."""
    # Without the globals behind one, some of which name kernels, too.
    functions = [part.split("\n  }\n", 1)[0] for part in FUNCTION.split(text)]
    stubs = {match.group(1): tuple(read_launch(function)) for function in functions
             if (match := STUB.match(function))}
    launches = set()
    for function in functions:
        descriptors = dict(DESCRIPTOR.findall(function))
        launches |= {(descriptors[value], stubs[name])
                     for name, value in LAUNCH.findall(function)
                     if value in descriptors}  # names in quotes are left out
    return sorted(launches)


def compare(text):
    """(kernels that are launched, what is wrong)."""
    params, sizes = read_params(text), read_native_sizes(text)
    launches = read_launches(text)
    problems = []
    for kernel, passed in launches:
        passed = list(passed)
        for expected in params.get(kernel, [None]):
            if expected is None:
                problems.append(f"{kernel} has no PTX")
            elif expected != passed:
                problems.append(f"{kernel} passes {passed},\n"
                                f"  its PTX expects {expected}")
        # A kernel without parameters needs no table.
        native = sizes.get(kernel, [] if sizes else None)
        if native is not None and native != [layout.bytes for layout in passed]:
            problems.append(f"{kernel}: its native image expects {native},\n"
                            f"  passed is {passed}")
    return len(launches), problems


def lower(arguments, path):
    """The lowered program; nothing where it launches no kernels."""
    with open(path) as file:
        if "gpu.launch" not in file.read():
            return ""
    # Layouts are the same for all chips: the first that knows the file's ops.
    chips = [name for chip in CHIPS for name in check_ptx.chips_of(path, chip)]
    if not chips:
        return ""
    done = subprocess.run(
        [arguments.opt,
         f"--async-gpu-lower=gpu-chip={chips[0]} {arguments.lower}", path],
        capture_output=True, text=True)
    if "needs libdevice of a CUDA toolkit, and none was found" in done.stderr:
        print(f"{path}: left out, no CUDA toolkit was found")
        return ""
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--lower", default="")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    total, failed = 0, False
    with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))) as pool:
        lowered = pool.map(lambda path: lower(arguments, path), arguments.files)
        for path, text in zip(arguments.files, lowered):
            launches, problems = compare(text)
            total += launches
            for problem in problems:
                failed = True
                print(f"{path}: {problem}")
    print(f"{total} kernels that are launched")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
