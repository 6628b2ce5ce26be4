"""What a program of integration/ or examples/ says of itself.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

How it runs and what comes of it stands in comments above the function that runs:

    // RUN: WORD...       how; several right below each other share what follows
    // CHECK: TEXT        a line of standard output
    // RUNNER: TEXT       one that only async-gpu-runner prints: what main returns
    // ERROR: TEXT        a line of standard error; the exit status is 1
    // WARNING: TEXT      the same, and the exit status is 0
    // SAME: TEXT         what that line has as well, in front of it or behind

All these lines have to come, and no others. Those of standard output come in this
order, and are TEXT from end to end; those of standard error have it somewhere, and
"..." stands for any lines. In TEXT, {{...}} is a regular expression, and [[@LINE+1]] the number of
the next line of the program. The words of a RUN line:

    @FUNCTION             what runs; "main" where none is named
    device, kernel, ...   a set of settings of run_program.py: once with each
    EMU_CHECK=a|b         ASYNC_GPU_EMU_CHECK: once with each, beside all others
    env:NAME=a|b          the same, of another variable of the environment
    --OPTION              of the compiler, in the runner and ahead of time
    schedules=200         also ahead of time, in so many schedules of the device
    host-schedules=60     also in so many of device and host together
    ahead-of-time         never in the runner
    runner                never ahead of time
    seconds=120           a time limit (30)
    peak-mib=64           may never have more memory in use
    valgrind              also under valgrind
    endless               its work on the device does not end
    not=SANITIZER         not with this sanitizer; "not=sanitizer": with none
    ranks=, shim:, dies   of integration/mpi: run_ranks.py

Of the program as a whole, wherever it stands:

    // CHIPS: sm_90 ...   the chips that it is made for; it runs as for the first
    // FLAGS: --OPTION... of both tools, however it runs
    // LOWER: OPTIONS     of async-gpu-lower; the runner has none, and does not run it
    // LINK: FILE         a C file beside it that it calls
    // STREAMS: N         it takes so many streams (run-on-device)
    // THREADS: N         and so many threads
    // DEVICES: N         and so many devices
    // CARD: never, WHY       it runs on the emulated device alone
    // CARD: unpacked, WHY    and on the interpreter of PTX, but run-on-device
    //                        leaves it out
    // CARD: any-order, WHY   it prints its lines in any order there
    // CARD: fails, WHY       it does not do what it should so far
    // CARD-ERROR: TEXT       what its error says there
    // FAULTS: brief, WHY     few calls of the driver fail in turn (check_faults.py)
    // FAULTS: may-hang, WHY  the same, and its kernel may keep what it holds
    // FAULTS: none, WHY
    // RULES: none, WHY       it asks of the driver what its manual forbids
    // MATRIX: CELL..., WHY   the lowerings and runtimes that it takes (run_matrix.py)
    // UPSTREAM-ERROR: TEXT   how it ends as upstream lowers it, on our runtime:
    // UPSTREAM-ABORT: TEXT   with a status, or a signal
"""

import collections
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = re.compile(r"^\s*// (RUN|CHECK|RUNNER|ERROR|WARNING|SAME):(?: (.*))?$")
KEY = re.compile(r"^// (CHIPS|FLAGS|LOWER|LINK|STREAMS|THREADS|DEVICES|CARD|CARD-ERROR|"
                 r"MATRIX|UPSTREAM-ERROR|UPSTREAM-ABORT): (.*)$", re.MULTILINE)
TEXT = re.compile(r"\{\{(.*?)\}\}|\[\[@LINE([+-]\d+)\]\]")

# One way to run: `function`, `sets`, `settings` as pairs of a name and its values,
# `options` of the compiler, and other words with their values.
Way = collections.namedtuple("Way", "line function sets settings options words")
# A line that has to come: what stands in front of it, and its expressions.
Line = collections.namedtuple("Line", "kind expressions text")
# Ways, and the lines that each of them gives.
Case = collections.namedtuple("Case", "ways lines")

WORDS = {"ahead-of-time", "runner", "valgrind", "endless", "dies"}
NUMBERS = {"schedules", "host-schedules", "seconds", "peak-mib"}


class Malformed(Exception):
    pass


def expression_of(text, line=0):
    """The regular expression of TEXT in this line of the program."""
    result, end = "", 0
    for match in TEXT.finditer(text):
        result += re.escape(text[end:match.start()])
        result += f"(?:{match[1]})" if match[2] is None else \
            str(line + int(match[2]))
        end = match.end()
    return result + re.escape(text[end:])


def read_way(text, line, sets):
    way = Way(line, "main", [], [], [], {})
    for word in text.split():
        name, equals, value = word.partition("=")
        if word.startswith("@"):
            way = way._replace(function=word[1:])
        elif word.startswith("-"):
            way.options.append(word)
        elif name in NUMBERS:
            way.words[name] = float(value)
        elif name in ("not", "ranks"):
            way.words[name] = value
        elif equals and name.removeprefix("env:").removeprefix("shim:").isupper():
            way.settings.append((name, value.split("|")))
        elif word in WORDS:
            way.words[word] = True
        elif word in sets:
            way.sets.append(word)
        else:
            raise Malformed(f"line {line}: RUN knows no '{word}'")
    return way


class Program:
    """A program, from its file."""

    def __init__(self, path, sets=()):
        self.path = pathlib.Path(path).resolve()
        text = self.path.read_text()
        try:
            self.name = str(self.path.relative_to(ROOT).with_suffix(""))
        except ValueError:
            self.name = self.path.stem
        self.keys = dict(KEY.findall(text))
        self.cases = []
        for number, line in enumerate(text.splitlines(), 1):
            found = RUN.match(line)
            if not found:
                continue
            kind, said = found[1], found[2] or ""
            if kind == "RUN":
                if not self.cases or self.cases[-1].lines or \
                        self.cases[-1].ways[-1].line != number - 1:
                    self.cases.append(Case([], []))
                self.cases[-1].ways.append(read_way(said, number, sets))
            elif not self.cases:
                raise Malformed(f"line {number}: {kind} without RUN")
            elif kind == "SAME":
                self.cases[-1].lines[-1].expressions.append(
                    expression_of(said, number))
            else:
                self.cases[-1].lines.append(
                    Line(kind, [expression_of(said, number)], said))
        self.uses_device = bool(re.search(r"\bgpu\.", text))
        self.has_main = "func.func @main()" in text

    @property
    def flags(self):
        return self.keys.get("FLAGS", "").split()

    @property
    def options(self):
        """How async-gpu-opt compiles it."""
        options = self.flags
        if "CHIPS" in self.keys:
            options.append(f"--gpu-chip={self.keys['CHIPS'].split()[0]}")
        if "LOWER" in self.keys:
            options.append(f"--async-gpu-lower={self.keys['LOWER']}")
        if "LINK" in self.keys:
            options.append(f"--link={self.path.parent / self.keys['LINK']},"
                           f"-I{ROOT / 'include'}")
        return options

    @property
    def card(self):
        """"never", "unpacked", "any-order", "fails" or None"""
        return self.keys.get("CARD", "").partition(",")[0] or None

    @property
    def is_packed(self):
        """Whether run-on-device takes it along."""
        return (self.has_main and self.card not in ("never", "unpacked") and
                not self.keys.keys() & {"CHIPS", "LOWER"})

    def main(self):
        """The case of @main as it is."""
        for case in self.cases:
            if any(way.function == "main" for way in case.ways):
                return case
        raise Malformed(f"{self.path}: no RUN line for main")

    def main_way(self):
        return next(way for way in self.main().ways if way.function == "main")


def status_of(case):
    return int(any(line.kind == "ERROR" for line in case.lines))


def output_of(case, runner=False):
    """Standard output, where no line has an expression in it."""
    kinds = {"CHECK", "RUNNER"} if runner else {"CHECK"}
    return "".join(re.sub(r"\{\{(.*?)\}\}", r"\1", line.text) + "\n"
                   for line in case.lines if line.kind in kinds)


def find_wrong_output(case, output, runner=False, any_order=False):
    """What is wrong with standard output, or None."""
    expected = output_of(case, runner)
    is_right = sorted(expected.splitlines()) == sorted(output.splitlines()) \
        if any_order else expected == output
    if is_right:
        return None
    import difflib
    return "standard output differs:\n" + "".join(difflib.unified_diff(
        expected.splitlines(keepends=True), output.splitlines(keepends=True),
        "expected", "actual"))


def find_wrong_errors(case, errors):
    """What is wrong with standard error, or None. Threads that fail together say
    so in any order."""
    left = errors.splitlines()
    may_have_more = False
    for wanted in case.lines:
        if wanted.kind not in ("ERROR", "WARNING"):
            continue
        if wanted.text == "...":
            may_have_more = True
            continue
        for line in left:
            if all(re.search(each, line) for each in wanted.expressions):
                left.remove(line)
                break
        else:
            return f"standard error has no line with: {wanted.text}"
    if left and not may_have_more:
        return "standard error has another line: " + left[0]
    return None


def find_all(root=ROOT):
    """The programs of integration/ and examples/."""
    return sorted(path for folder in ("integration", "examples")
                  for path in (root / folder).rglob("*.mlir")
                  if not {"upstream", "mpi", "shard"} & set(path.parts))
