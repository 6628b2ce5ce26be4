#!/usr/bin/env python3
"""Writes the program of tasks for a command line of Task Bench.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    program.py [--ranks N] CORE -- [ARGUMENT ...] > task_bench.mlir

CORE is the suite's core as a shared library; the arguments are those of the suite's own
implementations. The number of steps, the kernels and the sizes are read when the program
runs: it may be run with any of them, but with no other pattern, width, radix or period.

Each task is an `async.execute` that depends on the tokens of the tasks of the step before
whose outputs it reads. Each graph is a loop over steps, in a region of its own, whose
tokens are values of the loop. Patterns whose dependences change have a case for each step
of a period. shim.c is what the tasks call.

With several ranks each has a part of the points, as in the suite's mpi/nonblock.cc. A
region sends an output once its task has ended, and another one receives it. Messages of a
point have a tag of their own, and tokens keep them in the order of steps.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from core import read_graphs  # noqa: E402

TOKEN = "!async.token"
BYTES = "memref<?xi8, strided<[1], offset: ?>>"
# The task neither waits nor is waited for other than by its token.
HEAD = """func.func private @task_bench_point(index, index, index)
  attributes {async_gpu.non_blocking}
func.func private @task_bench_steps(index) -> index
func.func private @task_bench_has(index, index, index) -> i1
func.func private @task_bench_count(index, index, index) -> index
func.func private @task_bench_outputs(index) -> memref<?x?x?xi8>
  attributes {llvm.emit_c_interface}
"""
ALONE = """
func.func @task_bench_begin() -> i32 {
  %first = arith.constant 0 : i32
  return %first : i32
}

func.func @task_bench_barrier() {
  return
}

func.func @task_bench_end() {
  return
}
"""
WITH_OTHERS = """
func.func @task_bench_begin() -> i32 {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  return %rank : i32
}

func.func @task_bench_barrier() {
  %world = mpi.comm_world : !mpi.comm
  mpi.barrier(%world)
  return
}

func.func @task_bench_end() {
  mpi.finalize
  return
}
"""


def types(tokens):
    return ", ".join([TOKEN] * len(tokens))


class Writer:
    """Lines of a program, and names that are not used yet."""

    def __init__(self):
        self.lines, self.used, self.depth = [], 0, 1

    def name(self):
        self.used += 1
        return f"%{self.used}"

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def open(self, text):
        self.line(text)
        self.depth += 1

    def close(self, text="}"):
        self.depth -= 1
        self.line(text)

    def next(self, text):
        """Ends a region and begins the op's next one."""
        self.close(text)
        self.depth += 1

    def value(self, text):
        """The name of the one result of an op."""
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def index(self, number):
        return self.value(f"arith.constant {number} : index")

    def give(self, tokens):
        """The end of a region that gives tokens."""
        self.line(f"scf.yield {', '.join(tokens)} : {types(tokens)}")


class Part:
    """What a rank runs of a graph."""

    def __init__(self, writer, number, graph, rank, ranks):
        self.w, self.number, self.graph, self.rank = writer, number, graph, rank
        width = graph.width
        self.bounds = [r * width // ranks for r in range(ranks + 1)]
        self.own = range(self.bounds[rank], self.bounds[rank + 1])
        period = range(len(graph.needs))
        # Of each step of a period, what comes from other ranks, and what goes to which:
        # point and rank, and the points there that need it.
        self.comes = [self.messages(step, rank) for step in period]
        self.goes = [{(p, r): needed for r in range(ranks) if r != rank
                      for p, needed in self.messages(step, r).items() if p in self.own}
                     for step in period]
        self.received = sorted({p for step in self.comes for p in step})
        self.sent = sorted({pair for step in self.goes for pair in step})
        # Tasks that none of the next step waits for.
        self.ends = graph.varies or any(
            p not in self.goes_on(step) for step in period for p in self.own)

    def messages(self, step, rank):
        """Points of other ranks that `rank` needs in a step, and which of its own do."""
        needs, own = self.graph.needs[step], range(self.bounds[rank], self.bounds[rank + 1])
        found = {}
        for point in own:
            for needed in needs[point]:
                if needed not in own:
                    found.setdefault(needed, []).append(point)
        return found

    def goes_on(self, step):
        """Points whose task of the step before is waited for, here or by a send."""
        return ({needed for p in self.own for needed in self.graph.needs[step][p]}
                | {p for p, _ in self.goes[step]})

    def has(self, step, point):
        return self.w.value(f"func.call @task_bench_has(%graph, {step}, %p{point}) "
                            ": (index, index, index) -> i1")

    def where(self, condition, otherwise, write):
        """The token of `write`, or `otherwise` where the condition, if any, is false."""
        if not condition:
            return write()
        name = self.w.name()
        self.w.open(f"{name} = scf.if {condition} -> {TOKEN} {{")
        self.w.line(f"scf.yield {write()} : {TOKEN}")
        self.w.next("} else {")
        self.w.line(f"scf.yield {otherwise} : {TOKEN}")
        self.w.close()
        return name

    def region(self, waits, lines):
        waits = list(dict.fromkeys(waits))
        name = self.w.name()
        self.w.open(f"{name} = async.execute " + (f"[{', '.join(waits)}] " if waits else "") + "{")
        for line in lines:
            self.w.line(line)
        self.w.line("async.yield")
        self.w.close()
        return name

    def task(self, step, point, waits):
        token = self.region(waits, [
            f"func.call @task_bench_point(%graph, {step}, %p{point}) "
            ": (index, index, index) -> ()"])
        if self.ends:
            self.w.line(f"{self.w.name()} = async.add_to_group {token}, %all : {TOKEN}")
        return token

    def tasks(self, step, before, needs):
        """One for each point, by tokens of the step before."""
        return {p: self.where(self.has(step, p) if self.graph.varies else None, before[p],
                              lambda p=p: self.task(step, p, [before[n] for n in needs[p]]))
                for p in self.own}

    def is_message(self, step, point, needed):
        """Whether a point had a task in the step before, and one that needs it has one."""
        if not self.graph.varies:
            return None
        some = self.has(step, needed[0])
        for other in needed[1:]:
            some = self.w.value(f"arith.ori {some}, {self.has(step, other)} : i1")
        return self.w.value(f"arith.andi {some}, {self.has('%before', point)} : i1")

    def message(self, what, point, peer, waits):
        """A region that sends or receives the output of the step before."""
        view = self.w.value(
            f"memref.subview %outputs[%before, %p{point}, 0] [1, 1, %bytes] [1, 1, 1] "
            f": memref<?x?x?xi8> to {BYTES}")
        return self.region(waits, [
            f"mpi.{what}({view}, %tag{point}, %rank{peer}, %world) : {BYTES}, i32, i32"])

    def rank_of(self, point):
        return next(r for r in range(len(self.bounds) - 1) if point < self.bounds[r + 1])

    def step(self, step, before):
        """All of a step but the first; gives the tokens after it."""
        after = dict(before)
        for point, needed in self.comes[step].items():
            after[point] = self.where(
                self.is_message("%step", point, needed), before[point],
                lambda p=point: self.message("recv", p, self.rank_of(p), [before[p]]))
        for (point, peer), needed in self.goes[step].items():
            after[point, peer] = self.where(
                self.is_message("%step", point, needed), before[point, peer],
                lambda p=point, r=peer: self.message("send", p, r, [before[p], before[p, r]]))
        needs = self.graph.needs[step]
        come = {p: after[p] for p in self.received}
        after.update(self.tasks("%step", {**before, **come}, needs))
        return after

    def steps(self, before):
        """A step of the loop: a case for each of a period."""
        period = len(self.graph.needs)
        if period == 1:
            return self.step(0, before)
        keys, w = list(before), self.w
        chosen = w.value(f"arith.remui %step, {w.index(period)} : index")
        name = w.name()
        w.line(f"{name}:{len(keys)} = scf.index_switch {chosen} -> {types(keys)}")
        for step in range(period):
            w.open(f"case {step} {{" if step < period - 1 else "default {")
            after = self.step(step, before)
            w.give([after[k] for k in keys])
            w.close()
        return {k: f"{name}#{i}" for i, k in enumerate(keys)}

    def write(self):
        """A region that ends when all is done; gives its token."""
        w, name = self.w, self.w.name()
        w.open(f"{name} = async.execute {{")
        w.line(f"%graph = arith.constant {self.number} : index")
        w.line("%c0 = arith.constant 0 : index")
        w.line("%c1 = arith.constant 1 : index")
        points = sorted({*self.own, *self.received, *(
            p for step in self.goes for needed in step.values() for p in needed)})
        for point in points:
            w.line(f"%p{point} = arith.constant {point} : index")
        w.line("%steps = func.call @task_bench_steps(%graph) : (index) -> index")
        if self.sent or self.received:
            self.write_messages()
        if self.ends:
            w.line("%count = func.call @task_bench_count(%graph, "
                   f"{w.index(self.own.start)}, {w.index(self.own.stop)}) "
                   ": (index, index, index) -> index")
            w.line("%all = async.create_group %count : !async.group")
        none = self.region([], [])
        tokens = self.tasks("%c0", dict.fromkeys(self.own, none),
                            [[] for _ in range(self.graph.width)])
        tokens.update(dict.fromkeys([*self.received, *self.sent], none))
        tokens = self.loop(tokens)
        for token in tokens.values():
            w.line(f"async.await {token} : {TOKEN}")
        if self.ends:
            w.line("async.await_all %all")
        w.line("async.yield")
        w.close()
        return name

    def loop(self, tokens):
        w, keys = self.w, list(tokens)
        if not keys:
            return tokens
        name = w.name()
        carried = {k: w.name() for k in keys}
        w.line(f"{name}:{len(keys)} = scf.for %step = %c1 to %steps step %c1 iter_args("
               + ", ".join(f"{carried[k]} = {tokens[k]}" for k in keys) + ")")
        w.open(f"    -> ({types(keys)}) {{")
        w.line("%before = arith.subi %step, %c1 : index")
        after = self.steps(carried)
        w.give([after[k] for k in keys])
        w.close()
        return {k: f"{name}#{i}" for i, k in enumerate(keys)}

    def write_messages(self):
        """What sends and receives need."""
        w = self.w
        w.line("%world = mpi.comm_world : !mpi.comm")
        w.line("%outputs = func.call @task_bench_outputs(%graph) : (index) -> memref<?x?x?xi8>")
        w.line("%c2 = arith.constant 2 : index")
        w.line("%bytes = memref.dim %outputs, %c2 : memref<?x?x?xi8>")
        for point in sorted({*self.received, *(p for p, _ in self.sent)}):
            # Another number for each point of all graphs.
            tag = self.first_tag + point
            w.line(f"%tag{point} = arith.constant {tag} : i32")
        for peer in sorted({r for _, r in self.sent} | {self.rank_of(p) for p in self.received}):
            w.line(f"%rank{peer} = arith.constant {peer} : i32")


def program(graphs, ranks=1):
    """The text of the program."""
    text = HEAD + (WITH_OTHERS if ranks > 1 else ALONE)
    text += f"\nfunc.func @task_bench_ranks() -> i32 {{\n  %n = arith.constant {ranks} : i32\n"
    text += "  return %n : i32\n}\n"
    for rank in range(ranks):
        writer, tag, ends = Writer(), 0, []
        for number, graph in enumerate(graphs):
            part = Part(writer, number, graph, rank, ranks)
            part.first_tag = tag
            tag += graph.width
            ends.append(part.write())
        for end in ends:
            writer.line(f"async.await {end} : {TOKEN}")
        text += (f"\nfunc.func private @run_{rank}() {{\n" + "\n".join(writer.lines)
                 + "\n  return\n}\n")
    text += "\nfunc.func @task_bench() {\n"
    if ranks == 1:
        text += "  func.call @run_0() : () -> ()\n"
    else:
        text += ("  %world = mpi.comm_world : !mpi.comm\n"
                 "  %number = mpi.comm_rank(%world) : i32\n"
                 "  %rank = arith.index_cast %number : i32 to index\n"
                 "  scf.index_switch %rank\n")
        for rank in range(ranks):
            text += (f"  case {rank} {{\n" if rank < ranks - 1 else "  default {\n")
            text += f"    func.call @run_{rank}() : () -> ()\n    scf.yield\n  }}\n"
    return text + "  return\n}\n"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("core", type=pathlib.Path)
    p.add_argument("--ranks", type=int, default=1)
    own = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = p.parse_args(sys.argv[1:own])
    graphs = read_graphs(options.core.resolve(), sys.argv[own + 1:])
    sys.stdout.write(program(graphs, options.ranks))


if __name__ == "__main__":
    main()
