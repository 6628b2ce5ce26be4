#!/usr/bin/env python3
"""The structure of the sources: layers, circles, sizes, what files say on top.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check.py [--build DIR] [--root DIR] [--update | --figures]

Of src/ and runtime/, as they are built in DIR (build), says what breaks a rule:

  layer FILE NEEDED     a file includes a header, or uses a symbol of a file,
                        that is not in its folder nor in one that MAY_USE below
                        allows it
  circle FILE           files of a folder need each other's symbols, and this is
                        one of them
  long FILE             a file has over 500 lines
  silent FILE           a file of src/ ends the process by abort() where an
                        allocation fails: agpu__out_of_memory says so
  clock FILE            a file of the emulated device waits by a clock that a
                        model may set: linked to the runtime, it never ends
  paragraph FILE        a .c file does not say on top, between the licence and
                        the first line of code, what it does
  rank FILE LOCK        a lock of runtime/ has no row in base/sync/ranks.h that
                        names its file, or a row has no lock
  state FILE            a file of runtime/ has several variables of the process
                        of its own, where one object would do; or one of a
                        thread, whose place is the block of base/os/self.h

What exceptions.txt lists is let through, and an exception that nothing needs
any longer is an error too. --update takes those out; it adds none, but follows
files that have moved. --figures prints counts instead, of the sources in --root
(those that this file belongs to). Ends with 1 if a rule is broken.
"""

import argparse
import collections
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCEPTIONS = pathlib.Path(__file__).with_name("exceptions.txt")
LINES = 500
# Less than this is a name, not a paragraph.
PARAGRAPH = 80
SILENT = re.compile(r"\b(?:malloc|calloc|realloc|strdup|asprintf)\([^}]*?"
                    r"\bif \([^{}]*?\)\s*abort\(\)")
THREAD_BLOCKS = ("runtime/base/os/hot.c", "runtime/base/os/self.c")

# What a folder may use beside itself, folders in it that have no line of their
# own, and include/: files right in the folders named, or, with "/*", in those
# below them too. docs/architecture.md says the same in words.
IR = ["src/lower/ir/*"]
LOWER = ["src/lower/*"]
HOST = ["src/host", *LOWER]
GPU = ["src/gpu", *LOWER]
BASE = ["runtime/base/" + name for name in
        ("os", "report", "sync", "memory", "trace")]
DRIVER_API = "runtime/driver_api"
BELOW_GPU = ["runtime/base/*", "runtime/exec/*", "runtime/async/*", DRIVER_API]
GPU_FOLDERS = ["runtime/gpu/" + name for name in
               ("driver", "trace", "device", "stream", "memory", "kernel",
                "graph", "process", "calls")]
# A library of its own, which has copies of these.
EMU = [*("runtime/base/" + name for name in ("os", "report", "sync", "memory")),
       DRIVER_API]
MAY_USE = {
    "runtime/base": BASE,
    "runtime/base/os": [],
    "runtime/base/report": BASE[:1],
    "runtime/base/sync": BASE[:2],
    "runtime/base/memory": BASE[:3],
    "runtime/base/trace": BASE[:4],
    DRIVER_API: [],
    "runtime/exec/queue": ["runtime/base/*"],
    "runtime/exec": ["runtime/base/*", "runtime/exec/queue"],
    "runtime/exec/spawn": ["runtime/base/*", "runtime/exec",
                           "runtime/exec/queue"],
    "runtime/exec/loop": ["runtime/base/*", "runtime/exec/*"],
    "runtime/async": ["runtime/base/*", "runtime/exec/*"],
    "runtime/gpu": BELOW_GPU,
    "runtime/gpu/driver": BELOW_GPU,
    "runtime/gpu/trace": [*BELOW_GPU, *GPU_FOLDERS[:1]],
    "runtime/gpu/device": [*BELOW_GPU, *GPU_FOLDERS[:2]],
    "runtime/gpu/stream": [*BELOW_GPU, *GPU_FOLDERS[:3]],
    "runtime/gpu/memory": [*BELOW_GPU, *GPU_FOLDERS[:4]],
    "runtime/gpu/kernel": [*BELOW_GPU, *GPU_FOLDERS[:5]],
    "runtime/gpu/graph": [*BELOW_GPU, *GPU_FOLDERS[:6]],
    "runtime/gpu/process": [*BELOW_GPU, *GPU_FOLDERS[:7]],
    "runtime/gpu/calls": [*BELOW_GPU, *GPU_FOLDERS[:8]],
    "runtime/gpu/upstream": [*BELOW_GPU, *GPU_FOLDERS[:9]],
    "runtime/emu": [*EMU, "runtime/emu/*"],
    "runtime/emu/base": EMU,
    "runtime/emu/memory": [*EMU, "runtime/emu/base"],
    "runtime/emu/matrix": [],
    "runtime/emu/simt": [*EMU, "runtime/emu/base", "runtime/emu/memory",
                         "runtime/emu/matrix"],
    "runtime/emu/device": [*EMU, "runtime/emu/base", "runtime/emu/memory",
                           "runtime/emu/simt"],
    "runtime/emu/check": [*EMU, "runtime/emu/base", "runtime/emu/memory",
                          "runtime/emu/simt", "runtime/emu/device"],
    "runtime/emu/model": [*EMU, "runtime/emu/base", "runtime/emu/memory",
                          "runtime/emu/simt", "runtime/emu/device"],
    "runtime/mpi": [*BASE, "runtime/exec", "runtime/async",
                    "runtime/gpu/process"],
    "runtime/utils": [],

    "src/lower": [],
    "src/lower/ir": [],
    "src/lower/dialect": IR,
    "src/lower/pass": [*IR, "src/lower/dialect"],
    "src/lower/convert": [*IR, "src/lower/dialect", "src/lower/pass"],
    "src/lower/check": [*IR, "src/lower/dialect", "src/lower/pass",
                        "src/lower/convert"],

    "src/host": LOWER,
    "src/host/async": HOST,
    "src/host/references": HOST,
    "src/host/mpi": HOST,
    "src/host/parallel": HOST,
    "src/host/check": HOST,
    "src/host/native": HOST,

    "src/gpu": LOWER,
    "src/gpu/plan": GPU,
    "src/gpu/memory": [*GPU, "src/gpu/plan"],
    "src/gpu/form": [*GPU, "src/gpu/plan", "src/gpu/memory"],
    "src/gpu/place": [*GPU, "src/gpu/plan", "src/gpu/memory"],
    "src/gpu/linalg": GPU,
    "src/gpu/kernels": GPU,
    "src/gpu/nvvm/expand": GPU,
    "src/gpu/nvvm": [*GPU, "src/gpu/kernels", "src/gpu/nvvm/expand"],
    "src/gpu/ptx": [*GPU, "src/gpu/kernels", "src/gpu/nvvm"],
    "src/gpu/native/base": [*GPU, "src/gpu/kernels", "src/gpu/nvvm"],
    "src/gpu/native/instructions": [*GPU, "src/gpu/native/base"],
    "src/gpu/native/loops": [*GPU, "src/gpu/kernels", "src/gpu/native/base"],
    "src/gpu/native": [*GPU, "src/gpu/kernels", "src/gpu/nvvm", "src/gpu/ptx",
                       "src/gpu/native/base", "src/gpu/native/instructions",
                       "src/gpu/native/loops"],
    "src/gpu/images": [*GPU, "src/gpu/kernels", "src/gpu/nvvm", "src/gpu/ptx",
                       "src/gpu/native/base", "src/gpu/native"],
    "src/gpu/streams": [*GPU, "src/gpu/plan", "src/gpu/kernels",
                        "src/gpu/images"],
}
# The table of passes names what is above it: that is what it is for.
TABLE = ("src/lower/pass/pass_table.c",
         re.compile(r"agpu__(pass|pipeline)_\w+"))

# Locks: what declares one, the table of all, and what the kinds are made of.
LOCK = re.compile(r"^\s*(?:AGPU__CACHE_(?:ALIGNED|APART) )?(?:static )?"
                  r"agpu__(?:mutex|rwlock|lock) \w+(?:;| = )", re.MULTILINE)
RANKS = "runtime/base/sync/ranks.h"
LOCKS = "runtime/base/sync/"

Violation = collections.namedtuple("Violation", "kind name told")


def folder_of(name):
    return name.rpartition("/")[0]


def line_of(folder):
    """The folder, here or above, that has a line in the table."""
    while folder and folder not in MAY_USE:
        folder = folder_of(folder)
    return folder


def may_use(user, used):
    user, used = line_of(folder_of(user)), line_of(folder_of(used))
    return used == user or any(
        used == entry or entry.endswith("/*")
        and (used + "/").startswith(entry[:-1]) for entry in MAY_USE[user])


def sources(root):
    """Files of src/ and runtime/ by name, with their text."""
    return {str(path.relative_to(root)): path.read_text()
            for top in ("src", "runtime")
            for path in sorted((root / top).rglob("*"))
            if path.is_file() and path.name != "CMakeLists.txt"}


def objects(build, files):
    """Object files by the source they are made from."""
    found = {}
    for top in ("src", "runtime"):
        for path in sorted((build / top).rglob("*.c.o")):
            inside = str(path.relative_to(build))
            source = re.sub(r"CMakeFiles/[^/]*\.dir/", "", inside)[:-len(".o")]
            if source in files:
                found[source] = path
    return found


def symbol_edges(made):
    """{file: {other file: symbols that it needs of it}}"""
    defined, undefined = {}, collections.defaultdict(set)
    by_object = {str(path): source for source, path in made.items()}
    listing = subprocess.run(["nm", "-A", "-P", *by_object], check=True,
                             capture_output=True, text=True).stdout
    for line in listing.splitlines():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if kind == "U":
            undefined[by_object[path]].add(name)
        elif kind.isupper():
            defined[name] = by_object[path]
    edges = {source: collections.defaultdict(set) for source in made}
    for source, names in undefined.items():
        for name in names:
            other = defined.get(name, source)
            if other != source and not (source == TABLE[0]
                                        and TABLE[1].fullmatch(name)):
                edges[source][other].add(name)
    return edges


def circles(edges):
    """Strongly connected components of several files (Tarjan's algorithm)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            start = stack.index(node)
            if len(stack) - start > 1:
                found.append(sorted(stack[start:]))
            del stack[start:]

    sys.setrecursionlimit(10000)
    for node in sorted(edges):
        if node not in order:
            visit(node)
    return found


def includes(files):
    """(file, header of src/ or runtime/ that it includes)"""
    for name, text in files.items():
        top = name.partition("/")[0]
        for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            for found in (f"{top}/{header}", f"{folder_of(name)}/{header}"):
                if found in files:
                    yield name, found


def paragraph_of(text):
    """What comments say between the licence and the first line of code."""
    said = []
    for line in text.partition("SPDX-License-Identifier")[2].splitlines()[1:]:
        if line and not line.startswith("//"):
            break
        if not line.startswith("//==="):
            said.append(line.lstrip("/ "))
    return " ".join(filter(None, said))


def ranks(files):
    """(file, what is wrong with its locks' ranks)

    A row of the table names the file that declares the lock. That each lock is
    given a rank where it is made is for the check at run time.
    """
    table = files.get(RANKS, "").replace("\\\n", "\n")
    rows = dict(re.findall(r'X\((\w+),\s*\w+,\s*"([\w/.]+): [^"]*"\)', table))
    declared = collections.Counter(
        name for name, text in files.items()
        if name.startswith("runtime/") and not name.startswith(LOCKS)
        for _ in LOCK.findall(text))
    told = collections.Counter("runtime/" + file for file in rows.values())
    for name in sorted(declared | told):
        if declared[name] != told[name]:
            yield name, (f"declares {declared[name]} locks, of which {RANKS} "
                         f"has {told[name]}")
    given = collections.Counter(
        rank for name, text in files.items() if name != RANKS
        for rank in set(re.findall(r"\bAGPU__RANK_([A-Z_]+)\b", text)))
    for rank in sorted(rows):
        if not given[rank]:
            yield RANKS, f"no lock is given the rank {rank}"


def variables(made):
    """(file, name, whether it is one for each thread, whether others see it)"""
    for source, path in made.items():
        listing = subprocess.run(["objdump", "-t", str(path)], check=True,
                                 capture_output=True, text=True).stdout
        for seen, section, name in re.findall(
                r"^\S+ (.).{4}[^d]. (\.\S+)\t\S+ (?:\.\w+ )?(.*)$", listing,
                re.MULTILINE):
            thread = section.startswith((".tbss", ".tdata"))
            if thread or re.match(r"\.(bss|data(?!\.rel\.ro))", section):
                yield source, name, thread, seen != "l"


def broken_rules(files, edges, state):
    """All violations, once each."""
    found = {}

    def add(kind, name, told):
        found.setdefault((kind, name), Violation(kind, name, told))

    for user, header in includes(files):
        if not may_use(user, header):
            add("layer", f"{user} {header}", "includes it")
    for user, others in edges.items():
        for used, names in others.items():
            hidden = sorted(name for name in names if name.startswith("agpu__"))
            if hidden and not may_use(user, used):
                add("layer", f"{user} {used}", f"needs {', '.join(hidden)}")
    for circle in circles(edges):
        for user in circle:
            needed = [f"{', '.join(sorted(edges[user][used]))} of {used}"
                      for used in circle if edges[user].get(used)]
            add("circle", user, f"one of {len(circle)} that need each other: "
                f"it needs {'; '.join(needed)}")
    for name, text in files.items():
        if len(text.splitlines()) > LINES:
            add("long", name, f"has {len(text.splitlines())} lines")
        if name.startswith("src/") and SILENT.search(text):
            add("silent", name, "has an abort() after an allocation: "
                "agpu__out_of_memory() says what is wrong")
        if name.startswith("runtime/emu/") and "agpu__clock_now_ns" in text:
            add("clock", name, "asks for agpu__clock_now_ns(), which may be "
                "modelled: agpu__clock_machine_ns() goes on")
        if name.endswith(".c") and len(paragraph_of(text)) < PARAGRAPH:
            add("paragraph", name, "does not say on top what it does")
    for name, told in ranks(files):
        add("rank", name, told)
    own = collections.defaultdict(list)
    for source, name, thread, seen in state:
        if source.startswith("runtime/") and (
                source not in THREAD_BLOCKS if thread else not seen):
            own[source] += [name, "of a thread"] if thread else [name]
    for source, names in own.items():
        if len(names) > 1:
            add("state", source, f"has {', '.join(names)}")
    return found


def read_exceptions():
    """(kind, name) of each, with its line. Lines of a merge that has not been
    resolved are passed over: --update gets right what both sides left."""
    listed = {}
    for line in EXCEPTIONS.read_text().splitlines():
        words = line.partition("#")[0].split()
        if words and not re.match("<<<<<<<|=======|>>>>>>>|[|]{7}", line):
            listed[(words[0], " ".join(words[1:]))] = line
    return listed


def moved(key):
    """What stays the same of a violation when its files move."""
    kind, name = key
    return kind, *(path.rpartition("/")[2] for path in name.split())


def update(found):
    listed = read_exceptions()
    gone = {moved(key): line for key, line in listed.items()
            if key not in found}
    left = {}
    for key in found:
        if key in listed:
            left[key] = listed[key]
        elif moved(key) in gone:
            reason = gone[moved(key)].partition("#")[2]
            left[key] = " ".join(key) + (f"  #{reason}" if reason else "")
    text = EXCEPTIONS.read_text().partition("\n\n")[0] + "\n"
    # A paragraph for each folder, so that changes in two of them merge.
    folder = None
    for _, key in sorted((folder_of(key[1].split()[0]), key) for key in left):
        if folder != folder_of(key[1].split()[0]):
            folder = folder_of(key[1].split()[0])
            text += "\n"
        text += left[key] + "\n"
    EXCEPTIONS.write_text(text)
    print(f"{len(left)} exceptions, {len(listed) - len(left)} fewer")


def figures(files, made, edges):
    """What the rules are about, in numbers."""
    lines = {name: len(text.splitlines()) for name, text in files.items()}
    code = {name: count for name, count in lines.items()
            if name.endswith((".c", ".h"))}
    found = circles(edges)
    print(f"circles: {len(found)}, of {sum(map(len, found))} files "
          f"({', '.join(str(len(circle)) for circle in found)})")
    over = sorted(name for name, count in lines.items() if count > LINES)
    print(f"files over {LINES} lines: {len(over)} ({', '.join(over)})")
    bare = sum(name.endswith(".c") and len(paragraph_of(text)) < PARAGRAPH
               for name, text in files.items())
    print(f"files without a paragraph: {bare}")
    process, thread = collections.Counter(), collections.Counter()
    for source, _, is_thread, _ in variables(made):
        (thread if is_thread else process)[source.partition("/")[0]] += 1
    for top in ("src", "runtime"):
        inside = {name: count for name, count in code.items()
                  if name.startswith(top + "/")}
        rest = sum(count for name, count in lines.items()
                   if name.startswith(top + "/") and name not in code)
        largest = max(inside, key=inside.get)
        print(f"{top}: {sum(inside.values())} lines of C in {len(inside)} files, "
              f"{rest} other lines\n"
              f"{top}: median {statistics.median(inside.values())} lines, largest "
              f"{inside[largest]} ({largest})\n"
              f"{top}: {process[top]} variables of the process, "
              f"{thread[top]} of threads")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--update", action="store_true")
    mode.add_argument("--figures", action="store_true")
    arguments = parser.parse_args()
    files = sources(arguments.root)
    made = objects(arguments.build, files)
    missing = sorted(name for name in files if name.endswith(".c")
                     and name not in made)
    if missing:
        sys.exit(f"{arguments.build} has no objects of {' '.join(missing)}")
    edges = symbol_edges(made)
    if arguments.figures:
        return figures(files, made, edges)
    found = broken_rules(files, edges, variables(made))
    if arguments.update:
        return update(found)
    listed = read_exceptions()
    new = [found[key] for key in sorted(found) if key not in listed]
    for violation in new:
        print(f"{violation.kind} {violation.name}: {violation.told}")
    stale = [key for key in listed if key not in found]
    for key in stale:
        print(f"{' '.join(key)}: keeps the rule, take it out of "
              f"{EXCEPTIONS.name} (check.py --update)")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
