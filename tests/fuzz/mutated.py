#!/usr/bin/env python3
"""Compiles programs with random mistakes in them, and looks for crashes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    mutated.py --opt FILE [--upstream mlir-opt-22] [--first N] [--count N]
               [--jobs N] [--seconds N] [--keep FOLDER] PROGRAM...

A PROGRAM is a file, or a folder with *.mlir in it. Input number N is the same
each time: one of the programs with one to four mistakes, such as a line that is
missing, doubled or in another place, other operands, types, numbers or
attributes, a piece of another program, characters that are lost. The tool has to
take it or to refuse it, with an error that names a place in the input: a crash,
an exit status of another kind, a failure without an error and a run of more than
--seconds are failures. Where upstream's mlir-opt crashes by parsing the same
input, or by the first of upstream's passes that the tool would run, the crash is
upstream's, and is counted apart.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WAYS = (
    ["--async-gpu-lower"],
    ["--async-gpu-lower=sequential=true"],
    ["--async-gpu-from-linalg"],
    ["--async-gpu-plan"],
    ["--emit=llvm"],
    ["--emit=obj"],
    ["--canonicalize", "--async-gpu-check-input", "--async-gpu-regions"],
)
UPSTREAM_WAYS = (
    [],
    ["--canonicalize", "--cse"],
    ["--gpu-kernel-outlining"],
    ["--one-shot-bufferize=bufferize-function-boundaries"],
    ["--convert-linalg-to-parallel-loops"],
)

VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
NUMBER = re.compile(r"(?<![\w%#@.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b")
TYPE = re.compile(r"(?:memref|tensor|vector)<[^<>]*(?:<[^<>]*>)?[^<>]*>"
                  r"|!async\.\w+(?:<[^<>]*>)?|!gpu\.[\w.]+|\b(?:[if]\d+|index|bf16)\b")
NAME = re.compile(r"@[\w$.-]+")
OP = re.compile(r"\b[a-z_]+\.[a-z_]+(?:\.[a-z_]+)*\b")
WORD = re.compile(r"[\w.%@#!-]+|[^\s\w]")
EDGES = ("0", "-1", "1", "9223372036854775807", "-9223372036854775808", "4294967296",
         "1.0e+400", "0x7FC00000", "?")
TYPES = ("i1", "i8", "i32", "i64", "i128", "index", "f16", "bf16", "f32", "f64", "none",
         "memref<*xf32>", "memref<?xf32>", "memref<4xf32, 1>", "memref<f32, 3>",
         "memref<0xi8>", "tensor<?xf32>", "vector<4xf32>", "!async.token",
         "!async.value<f32>", "!async.group", "!gpu.async.token", "tuple<i32, f32>",
         "complex<f32>")


class Mutator:
    def __init__(self, programs):
        self.programs = programs
        self.ops = sorted({op for text in programs.values() for op in OP.findall(text)})

    def make(self, number):
        """The name of the program it comes from, and its text."""
        draw = random.Random(number)
        name = draw.choice(sorted(self.programs))
        text = self.programs[name]
        for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
            text = self.mutate(draw, text)
        return name, text

    def mutate(self, draw, text):
        if draw.random() < 0.6:
            change = draw.choice((self.swap_operands, self.swap_neighbours, self.wrap,
                                  self.drop_effect, self.other_constant))
            return change(draw, text)
        change = draw.choice((
            self.drop_line, self.double_line, self.move_line, self.swap_lines,
            self.other_value, self.other_value, self.other_value, self.other_number,
            self.other_number, self.other_type, self.other_type, self.other_name,
            self.other_op, self.drop_word, self.swap_words, self.drop_attribute,
            self.take_piece, self.cut, self.character, self.drop_block))
        return change(draw, text)

    @staticmethod
    def replace(draw, text, pattern, choices):
        """One match becomes one of the others, or of `choices`."""
        matches = list(pattern.finditer(text))
        if not matches:
            return text
        match = draw.choice(matches)
        other = draw.choice([m.group() for m in matches] + list(choices))
        return text[:match.start()] + other + text[match.end():]

    def other_value(self, draw, text):
        return self.replace(draw, text, VALUE, ())

    def other_number(self, draw, text):
        return self.replace(draw, text, NUMBER, EDGES)

    def other_type(self, draw, text):
        """Half of the time everywhere, so that more of them are consistent."""
        if draw.random() < 0.5:
            return self.replace(draw, text, TYPE, TYPES)
        found = sorted(set(TYPE.findall(text)))
        if not found:
            return text
        return text.replace(draw.choice(found), draw.choice(found + list(TYPES)))

    def other_name(self, draw, text):
        return self.replace(draw, text, NAME, ("@main", "@nobody"))

    def other_op(self, draw, text):
        return self.replace(draw, text, OP, draw.sample(self.ops, min(8, len(self.ops))))

    @staticmethod
    def lines(draw, text):
        lines = text.split("\n")
        code = [i for i, line in enumerate(lines) if line.strip()
                and not line.lstrip().startswith("//")]
        return lines, (code or [0])

    def drop_line(self, draw, text):
        lines, code = self.lines(draw, text)
        del lines[draw.choice(code)]
        return "\n".join(lines)

    def double_line(self, draw, text):
        lines, code = self.lines(draw, text)
        at = draw.choice(code)
        lines.insert(at, lines[at])
        return "\n".join(lines)

    def move_line(self, draw, text):
        lines, code = self.lines(draw, text)
        line = lines.pop(draw.choice(code))
        lines.insert(draw.randint(0, len(lines)), line)
        return "\n".join(lines)

    def swap_lines(self, draw, text):
        lines, code = self.lines(draw, text)
        a, b = draw.choice(code), draw.choice(code)
        lines[a], lines[b] = lines[b], lines[a]
        return "\n".join(lines)

    # These often leave a program that is right in form.

    def swap_operands(self, draw, text):
        """Of one line."""
        lines, code = self.lines(draw, text)
        at = draw.choice(code)
        start = lines[at].find("=") + 1
        uses = [m for m in VALUE.finditer(lines[at], start)]
        if len(uses) < 2:
            return text
        a, b = sorted(draw.sample(uses, 2), key=lambda m: m.start())
        line = lines[at]
        lines[at] = (line[:a.start()] + b.group() + line[a.end():b.start()] + a.group()
                     + line[b.end():])
        return "\n".join(lines)

    def swap_neighbours(self, draw, text):
        lines, code = self.lines(draw, text)
        at = draw.choice(code)
        if at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        return "\n".join(lines)

    def effects(self, draw, text):
        """Lines that are one op without results or regions."""
        lines, code = self.lines(draw, text)
        return lines, [i for i in code if "=" not in lines[i] and "{" not in lines[i]
                       and "}" not in lines[i] and OP.match(lines[i].strip())
                       and not re.match(r"\s*(?:return|func\.|cf\.|\S+\.(?:yield|return)\b)",
                                        lines[i])]

    def drop_effect(self, draw, text):
        lines, found = self.effects(draw, text)
        if found:
            del lines[draw.choice(found)]
        return "\n".join(lines)

    def wrap(self, draw, text):
        """In control flow, or a region."""
        lines, found = self.effects(draw, text)
        if not found:
            return text
        at = draw.choice(found)
        name = draw.randrange(1_000_000)
        lines[at] = draw.choice((
            f"%w{name} = arith.constant true\nscf.if %w{name} {{\n{lines[at]}\n}}",
            f"%w{name} = arith.constant 2 : index\n%v{name} = arith.constant 1 : index\n"
            f"scf.for %i{name} = %v{name} to %w{name} step %v{name} {{\n{lines[at]}\n}}",
            f"memref.alloca_scope {{\n{lines[at]}\n}}",
            f"%w{name} = async.execute {{\n{lines[at]}\nasync.yield\n}}",
            f"%w{name} = async.execute {{\n{lines[at]}\nasync.yield\n}}\n"
            f"async.await %w{name} : !async.token"))
        return "\n".join(lines)

    def other_constant(self, draw, text):
        lines, code = self.lines(draw, text)
        found = [i for i in code if "arith.constant" in lines[i]]
        if not found:
            return text
        at = draw.choice(found)
        lines[at] = self.replace(draw, lines[at], NUMBER, EDGES)
        return "\n".join(lines)

    def drop_block(self, draw, text):
        """What stands between a brace and the one that closes it."""
        opens = [i for i, character in enumerate(text) if character == "{"]
        if not opens:
            return text
        start = draw.choice(opens)
        depth = 0
        for end in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if not depth:
                return text[:start + 1] + text[end:]
        return text

    def drop_word(self, draw, text):
        words = list(WORD.finditer(text))
        if not words:
            return text
        word = draw.choice(words)
        return text[:word.start()] + text[word.end():]

    def swap_words(self, draw, text):
        words = list(WORD.finditer(text))
        if len(words) < 2:
            return text
        a, b = sorted(draw.sample(range(len(words)), 2))
        a, b = words[a], words[b]
        return (text[:a.start()] + b.group() + text[a.end():b.start()] + a.group()
                + text[b.end():])

    def drop_attribute(self, draw, text):
        return self.replace(draw, text, re.compile(r"(?:attributes )?\{[^{}\n%]*\}"), ("{}",))

    def take_piece(self, draw, text):
        """Some lines of another program."""
        lines, code = self.lines(draw, text)
        other = self.programs[draw.choice(sorted(self.programs))].split("\n")
        start = draw.randrange(len(other))
        at = draw.choice(code)
        lines[at:at] = other[start:start + draw.randint(1, 6)]
        return "\n".join(lines)

    def cut(self, draw, text):
        return text[:draw.randint(0, len(text))]

    def character(self, draw, text):
        at = draw.randint(0, max(len(text) - 1, 0))
        return text[:at] + draw.choice(("", "\0", "\u00e9", "\"", "%", "<", ")")) + text[at + 1:]


def find_programs(paths):
    programs = {}
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*.mlir")) if path.is_dir() else [path]:
            text = file.read_text(errors="replace")
            if len(text) < 50_000:
                programs[str(file)] = text
    return programs


def run(command, seconds):
    """Its exit status (negative: the signal; None: none in time) and messages."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stderr


def problem_of(status, messages):
    if status is None:
        return "no end"
    if "crashed" in messages or "Stack dump" in messages or status not in (0, 1):
        return f"a crash, exit status {status}"
    if status and "error:" not in messages:
        return "a failure without an error"
    return None


def crashes_upstream(upstream, path, seconds):
    for way in UPSTREAM_WAYS:
        status, messages = run([upstream, path, *way], seconds)
        if status is None or status not in (0, 1) or "Stack dump" in messages:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--upstream")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep")
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    mutator = Mutator(find_programs(arguments.programs))

    with tempfile.TemporaryDirectory() as scratch:
        def check(number):
            name, text = mutator.make(number)
            way = WAYS[number % len(WAYS)]
            path = os.path.join(scratch, f"{number}.mlir")
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            status, messages = run([arguments.opt, path, *way, "-o", os.devnull],
                                   arguments.seconds)
            problem = problem_of(status, messages)
            theirs = bool(problem) and bool(arguments.upstream) and crashes_upstream(
                arguments.upstream, path, arguments.seconds)
            if problem and not theirs and arguments.keep:
                kept = pathlib.Path(arguments.keep)
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{number}.mlir").write_text(text, errors="replace")
            os.remove(path)
            return number, name, way, status, problem, theirs, messages

        refused = failures = upstream = 0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for number, name, way, status, problem, theirs, messages in pool.map(
                    check, range(arguments.first, arguments.first + arguments.count)):
                refused += status == 1 and not problem
                upstream += theirs
                if problem and not theirs:
                    failures += 1
                    print(f"input {number}, from {name}, {' '.join(way)}: {problem}\n"
                          f"{messages[-1500:]}", flush=True)
    print(f"{arguments.count} inputs, {refused} refused, {upstream} crash upstream's tools "
          f"too, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
