#!/usr/bin/env python3
"""Fails where clang warns of a source, which GCC compiles, and where C leaves open
whether a variable is read before a call changes it.

    check_sources.py --libclang LIBCLANG --commands COMPILE_COMMANDS
    check_sources.py --libclang LIBCLANG --sample FILE [--include FOLDER]

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In `copy(find(source, &from), from)` the call of find sets `from`, and nothing
says that it comes before `from` is read; compilers warn where an assignment
stands there, and not for a call that gets the address. Such arguments of a call,
and operands of an operator that orders nothing, are reported: one has `&x` inside
a call, for a parameter that is no pointer to const, another reads `x`.

All files of the compilation database but unit tests are looked at, each as it is
compiled. Files that need a header that clang does not find (OpenMP's comes with a
compiler) are left out. With --sample it is that file alone, and what has to be found are the lines of it
that end in "// found". Exits with 77 where there is no libclang.
"""

import argparse
import ctypes
import json
import os
import shlex
import sys
from concurrent.futures import ProcessPoolExecutor

WARNINGS = """-Wformat-signedness -Wformat-type-confusion
    -Wimplicit-fallthrough -Wloop-analysis -Wmissing-format-attribute
    -Wnull-pointer-arithmetic -Wshadow-all -Wshift-sign-overflow -Wthread-safety
    -Wundef -Wunreachable-code -Wunused-macros -Wdocumentation
    -Wno-unknown-warning-option -Wno-unused-command-line-argument""".split()
WARNING = 2  # CXDiagnosticSeverity

# CXCursorKind
UNEXPOSED, DECL_REF, MEMBER, CALL, PAREN = 100, 101, 102, 103, 111
UNARY, BINARY, COMPOUND, SIZEOF = 112, 114, 115, 136
ADDRESS_OF = 5  # CXUnaryOperator_AddrOf
# Of CXBinaryOperator: && || and the comma order their operands; = does not.
ORDERING, ASSIGN = {20, 21, 33}, 22
POINTER = 101  # CXType_Pointer
CONTINUE = 1  # CXChildVisit_Continue


class Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int),
                ("data", ctypes.c_void_p * 3)]


class Type(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_void_p * 2)]


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class Location(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("offset", ctypes.c_uint)]


VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, Cursor, Cursor, ctypes.c_void_p)


class Clang:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name, result, parameters in [
                ("createIndex", ctypes.c_void_p, [ctypes.c_int] * 2),
                ("parseTranslationUnit", ctypes.c_void_p,
                 [ctypes.c_void_p, ctypes.c_char_p,
                  ctypes.POINTER(ctypes.c_char_p), ctypes.c_int,
                  ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint]),
                ("disposeTranslationUnit", None, [ctypes.c_void_p]),
                ("getNumDiagnostics", ctypes.c_uint, [ctypes.c_void_p]),
                ("getDiagnostic", ctypes.c_void_p,
                 [ctypes.c_void_p, ctypes.c_uint]),
                ("getDiagnosticSeverity", ctypes.c_int, [ctypes.c_void_p]),
                ("formatDiagnostic", String, [ctypes.c_void_p, ctypes.c_uint]),
                ("disposeDiagnostic", None, [ctypes.c_void_p]),
                ("getTranslationUnitCursor", Cursor, [ctypes.c_void_p]),
                ("visitChildren", ctypes.c_uint,
                 [Cursor, VISITOR, ctypes.c_void_p]),
                ("getCursorLocation", Location, [Cursor]),
                ("Location_isFromMainFile", ctypes.c_int, [Location]),
                ("getExpansionLocation", None,
                 [Location, ctypes.c_void_p] +
                 [ctypes.POINTER(ctypes.c_uint)] * 3),
                ("getCursorSpelling", String, [Cursor]),
                ("getCString", ctypes.c_char_p, [String]),
                ("disposeString", None, [String]),
                ("getCursorReferenced", Cursor, [Cursor]),
                ("getCursorUnaryOperatorKind", ctypes.c_int, [Cursor]),
                ("getCursorBinaryOperatorKind", ctypes.c_int, [Cursor]),
                ("getCursorType", Type, [Cursor]),
                ("getNumArgTypes", ctypes.c_int, [Type]),
                ("getArgType", Type, [Type, ctypes.c_uint]),
                ("getPointeeType", Type, [Type]),
                ("isConstQualifiedType", ctypes.c_uint, [Type])]:
            function = getattr(self.library, f"clang_{name}")
            function.restype = result
            function.argtypes = parameters
            setattr(self, name, function)
        self.index = self.createIndex(0, 0)

    def parse(self, command):
        """The translation unit of a line of the compilation database."""
        words = shlex.split(command["command"])
        words = [word for i, word in enumerate(words)
                 if word not in ("-c", "-o") and
                 (i == 0 or words[i - 1] != "-o")]
        while words and not words[0].startswith("-"):
            words.pop(0)  # the compiler, and what runs it
        words = [word for word in words if word != command["file"]] + WARNINGS
        arguments = (ctypes.c_char_p * len(words))(
            *(word.encode() for word in words))
        os.chdir(command["directory"])
        return self.parseTranslationUnit(
            self.index, command["file"].encode(), arguments, len(words), None,
            0, 0)

    def warnings(self, unit):
        """What it says when it reads the unit, a text each."""
        for number in range(self.getNumDiagnostics(unit)):
            said = self.getDiagnostic(unit, number)
            if self.getDiagnosticSeverity(said) >= WARNING:
                yield self.text(self.formatDiagnostic(said, 1 | 2 | 8))
            self.disposeDiagnostic(said)

    def children(self, cursor):
        found = []

        def visit(child, parent, data):
            copy = Cursor()
            ctypes.memmove(ctypes.byref(copy), ctypes.byref(child),
                           ctypes.sizeof(Cursor))
            found.append(copy)
            return CONTINUE
        self.visitChildren(cursor, VISITOR(visit), None)
        return found

    def text(self, string):
        text = self.getCString(string).decode()
        self.disposeString(string)
        return text

    def name(self, cursor):
        return self.text(self.getCursorSpelling(cursor))

    def line(self, cursor):
        line, column = ctypes.c_uint(), ctypes.c_uint()
        self.getExpansionLocation(self.getCursorLocation(cursor), None,
                                  ctypes.byref(line), ctypes.byref(column),
                                  None)
        return line.value


class Check:
    def __init__(self, clang, path):
        self.clang, self.path = clang, path
        self.problems = set()

    def may_change(self, call, index):
        """Whether the parameter lets the call change what its argument names."""
        children = self.clang.children(call)
        function = self.clang.getCursorType(children[0])
        if function.kind == POINTER:
            function = self.clang.getPointeeType(function)
        if index >= self.clang.getNumArgTypes(function):
            return True
        parameter = self.clang.getArgType(function, index)
        return parameter.kind != POINTER or not self.clang.isConstQualifiedType(
            self.clang.getPointeeType(parameter))

    def place(self, cursor):
        """The variable or field that an expression is, as the way there from a
        declaration ("p->a.b" is (p, "*", "a", "b")); None for others."""
        while cursor.kind in (PAREN, UNEXPOSED):
            children = self.clang.children(cursor)
            if len(children) != 1:
                return None
            cursor = children[0]
        if cursor.kind == DECL_REF:
            declaration = self.clang.getCursorReferenced(cursor)
            return (declaration.data[0], self.clang.name(cursor)),
        if cursor.kind != MEMBER:
            return None
        (base,) = self.clang.children(cursor)[:1] or (None,)
        inner = base and self.place(base)
        if not inner:
            return None
        if self.clang.getCursorType(base).kind == POINTER:
            inner += ("*",)
        return inner + (self.clang.name(cursor),)

    def look(self, cursor, in_call=None):
        """What `cursor` reads, and what calls in it get the address of."""
        reads, gives = set(), set()
        if cursor.kind == SIZEOF:
            return reads, gives
        place = self.place(cursor)
        if place:
            # On the way to p->a, p is read as well.
            reads.update(place[:i] for i, step in enumerate(place)
                         if step == "*")
            reads.add(place)
            return reads, gives
        children = self.clang.children(cursor)
        if (cursor.kind == UNARY and
                self.clang.getCursorUnaryOperatorKind(cursor) == ADDRESS_OF):
            place = self.place(children[0])
            if place:
                if in_call and self.may_change(*in_call):
                    gives.add(place)
                return reads, gives
        parts = []
        for number, child in enumerate(children):
            inside = in_call
            if cursor.kind == CALL:
                inside = (cursor, number - 1) if number else None
            parts.append(self.look(child, inside))
        unordered = cursor.kind == CALL or cursor.kind == COMPOUND or (
            cursor.kind == BINARY and
            self.clang.getCursorBinaryOperatorKind(cursor) not in ORDERING)
        for i, (_, given) in enumerate(parts):
            # The call's own arguments are read before it is made.
            if not unordered or (cursor.kind == CALL and self.is_address(
                    children[i])):
                continue
            for j, (read, _) in enumerate(parts):
                if i == j:
                    continue
                # What is assigned to is written after the call.
                if (j == 0 and cursor.kind == BINARY and
                        self.clang.getCursorBinaryOperatorKind(cursor) ==
                        ASSIGN):
                    read = read - {self.place(children[0])}
                self.report(cursor, given, read)
        for read, given in parts:
            reads |= read
            gives |= given
        return reads, gives

    def report(self, cursor, given, read):
        for one in given:
            for other in read:
                short, long = sorted((one, other), key=len)
                # A pointer is one thing, what it points to another.
                if long[:len(short)] == short and "*" not in long[len(short):]:
                    name = "".join("->" if step == "*" else step
                                   if before in (None, "*") else f".{step}"
                                   for before, step in zip(
                                       (None,) + one, (one[0][1],) + one[1:]))
                    self.problems.add(
                        f"{self.path}:{self.clang.line(cursor)}: '{name}' is "
                        f"read, and a call beside it may change it before or "
                        f"after")

    def is_address(self, cursor):
        """Whether an argument is &x itself, and no call that gets it."""
        while True:
            if cursor.kind == UNARY:
                return (self.clang.getCursorUnaryOperatorKind(cursor) ==
                        ADDRESS_OF)
            children = self.clang.children(cursor)
            if cursor.kind == CALL or len(children) != 1:
                return False
            cursor = children[0]

    def run(self, unit):
        root = self.clang.getTranslationUnitCursor(unit)

        def visit(child, parent, data):
            if self.clang.Location_isFromMainFile(
                    self.clang.getCursorLocation(child)):
                self.look(child)
            return CONTINUE
        self.clang.visitChildren(root, VISITOR(visit), None)


def check(job):
    library, command = job
    clang = Clang(library)
    unit = clang.parse(command)
    if not unit:
        return [f"{command['file']}: libclang cannot read it"]
    warnings = list(clang.warnings(unit))
    one = Check(clang, command["file"])
    if "-fopenmp" in command["command"] and "file not found" in "".join(warnings):
        warnings = []
    else:
        one.run(unit)
    clang.disposeTranslationUnit(unit)
    return warnings + sorted(one.problems)


def check_sample(library, path, include):
    found = {int(line.split(":")[1]) for line in check(
        (library, {"file": path, "directory": os.getcwd(), "command":
                   f"cc -std=c11 -D_GNU_SOURCE -I{include}"}))}
    with open(path, encoding="utf-8") as file:
        expected = {number for number, line in enumerate(file, 1)
                    if line.rstrip().endswith("// found")}
    for number in sorted(found ^ expected):
        print(f"{path}:{number}: "
              f"{'found' if number in found else 'not found'}")
    return 1 if found != expected or not expected else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libclang", required=True)
    parser.add_argument("--commands")
    parser.add_argument("--sample")
    parser.add_argument("--include", default=".")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.libclang):
        print("skipped: there is no libclang of LLVM 22")
        return 77
    sys.setrecursionlimit(10000)
    if arguments.sample:
        return check_sample(arguments.libclang, arguments.sample,
                            arguments.include)
    with open(arguments.commands, encoding="utf-8") as file:
        commands = {entry["file"]: entry for entry in json.load(file)
                    if entry["file"].endswith(".c") and
                    "/tests/unit/" not in entry["file"]}.values()
    failed = False
    with ProcessPoolExecutor(2) as pool:
        for problems in pool.map(
                check, [(arguments.libclang, entry) for entry in commands],
                chunksize=8):
            for line in problems:
                failed = True
                print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
