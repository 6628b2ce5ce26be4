#!/usr/bin/env python3
"""What the libraries of runtime/ are made of: lines, and what one needs of another.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    libraries.py [--build DIR]

Prints the lines of each library: of the C files that are compiled for it in DIR
(build), and of the headers of runtime/ that these include; of the others, how many
of these are the runtime's, too. Ends with 1 if

  a library has more lines than MOST allows: what runs beside a card stays small
  a function is marked AGPU__SHARED, in the headers of runtime/, and no library
    that stands on the runtime needs it, or one needs a function that is not
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Target folders of the build, and the most lines.
RUNTIME, EMU, MPI = ("libasync_gpu_runtime.so", "libasync_gpu_emu.so",
                     "libasync_gpu_mpi.so")
MADE_FOR = {"async_gpu_runtime_objects": RUNTIME, "async_gpu_emu_objects": EMU,
            "async_gpu_emu": EMU, "async_gpu_mpi_objects": MPI}
# 30,600, 250 for what traces show of loops of a device (gpu/trace/body_runs.c), and
# 300 for graphs of several devices (gpu/graph).
# And 100 for the table by which messages ask for modelled time (base/sync/network.h).
# And 350 for times of nodes of graphs by events (gpu/trace/node_events.c).
# And 100 for priorities of streams and of nodes (gpu/stream/pool.c, gpu/graph).
MOST = {RUNTIME: 31800}
SHARED = re.compile(r"AGPU__SHARED\b[^;(]*?\b(agpu__\w+)\(")


def objects(build):
    """{library: {source: object}}, as the build is configured."""
    found = {library: {} for library in MADE_FOR.values()}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        output = re.search(r" -o (\S+/CMakeFiles/([^/]*)\.dir/\S+)", entry["command"])
        if output and output[2] in MADE_FOR:
            source = str(pathlib.Path(entry["file"]).relative_to(ROOT))
            found[MADE_FOR[output[2]]][source] = build / output[1]
    return found


def with_headers(sources):
    """The files and all of runtime/ that they include, in however many steps."""
    seen, left = set(), list(sources)
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        text = (ROOT / name).read_text()
        for header in re.findall(r'^ *# *include "([^"]+)"', text, re.MULTILINE):
            left += [str(found.relative_to(ROOT)) for found in
                     (ROOT / "runtime" / header, (ROOT / name).parent / header)
                     if found.is_file()]
    return seen


def count_lines(files):
    return sum(len((ROOT / name).read_text().splitlines()) for name in files)


def symbols(paths, kinds):
    listing = subprocess.run(["nm", "-P", *map(str, paths)], check=True,
                             capture_output=True, text=True).stdout
    return {words[0] for words in map(str.split, listing.splitlines())
            if len(words) > 1 and words[1] in kinds}


def shared_problems(made):
    marked = {name for path in sorted((ROOT / "runtime").rglob("*.h"))
              for name in SHARED.findall(path.read_text())}
    # Some are there in builds that check more.
    defined = symbols(made[RUNTIME].values(), "T")
    needed = symbols(made[MPI].values(), "U") & defined
    needed = {name for name in needed if name.startswith("agpu__")}
    for name in sorted(needed - marked):
        yield f"{MPI} needs {name}, which is not AGPU__SHARED"
    for name in sorted((marked & defined) - needed):
        yield f"{name} is AGPU__SHARED, and {MPI} does not need it"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=pathlib.Path)
    made = objects(parser.parse_args().build)
    problems = list(shared_problems(made))
    base = with_headers(made[RUNTIME])
    for library, sources in made.items():
        files = with_headers(sources)
        lines = count_lines(files)
        print(f"{library}: {lines} lines in {len(files)} files" +
              (f", {count_lines(files & base)} of them the runtime's"
               if library != RUNTIME else ""))
        if not sources:
            problems.append(f"{library} has no objects")
        if lines > MOST.get(library, lines):
            problems.append(f"{library} has more than {MOST[library]} lines")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
