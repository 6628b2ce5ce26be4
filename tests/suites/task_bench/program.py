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

With several ranks each has a part of the points, as in the suite's mpi/nonblock.cc. The
region of a task sends its output to the ranks that need it. In each step the loop begins to
receive what it needs, spawns the tasks that need none of that, awaits the requests, and then
spawns the others, those that send first. Messages of a point have a tag of their own. They
are in the order of steps: a task that sends waits for that of its point in the step before.
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
        self.senders = {p for step in self.goes for p, _ in step}
        self.waits = [{p: self.waits_for(step, p) for p in self.own} for step in period]
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
        """Points whose task of the step before is waited for here."""
        return {needed for p in self.own for needed in self.waits_for(step, p)}

    def waits_for(self, step, point):
        """Points of the step before whose tokens a task depends on."""
        needs = self.graph.needs[step][point]
        return [*needs, point] if point in self.senders and point not in needs else needs

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

    def task(self, step, point, waits, goes):
        """goes: which ranks need the output of a point, and for which points."""
        lines = [f"func.call @task_bench_point(%graph, {step}, %p{point}) "
                 ": (index, index, index) -> ()"]
        for (sender, peer), needed in goes.items():
            if sender == point:
                lines += self.send(step, point, peer, needed)
        token = self.region(waits, lines)
        if self.ends:
            self.w.line(f"{self.w.name()} = async.add_to_group {token}, %all : {TOKEN}")
        return token

    def tasks(self, step, points, before, waits, goes):
        """One for each of these points, by tokens of the step before."""
        return {p: self.where(self.has(step, p) if self.graph.varies else None, before[p],
                              lambda p=p: self.task(step, p, [before[n] for n in waits[p]],
                                                    goes))
                for p in points}

    def any_has(self, step, points):
        """Whether one of these has a task."""
        some = self.has(step, points[0])
        for other in points[1:]:
            some = self.w.value(f"arith.ori {some}, {self.has(step, other)} : i1")
        return some

    def output(self, step, point):
        return self.w.value(
            f"memref.subview %outputs[{step}, %p{point}, 0] [1, 1, %bytes] [1, 1, 1] "
            f": memref<?x?x?xi8> to {BYTES}")

    def send(self, step, point, peer, needed):
        """What a task does with its output, unless nobody needs it."""
        view = self.output(step, point)
        condition = self.w.value(f"arith.cmpi ult, {step}, %last : index")
        if self.graph.varies:
            after = self.w.value(f"arith.addi {step}, %c1 : index")
            condition = self.w.value(
                f"arith.andi {condition}, {self.any_has(after, needed)} : i1")
        return [f"scf.if {condition} {{",
                f"  mpi.send({view}, %tag{point}, %rank{peer}, %world) : {BYTES}, i32, i32",
                "}"]

    def receive(self, point):
        """The token of a request for an output of the step before."""
        request = self.w.value(
            f"mpi.irecv({self.output('%before', point)}, %tag{point}, "
            f"%rank{self.rank_of(point)}, %world) : {BYTES}, i32, i32 -> !mpi.request")
        return self.w.value(
            f"builtin.unrealized_conversion_cast {request} : !mpi.request to {TOKEN}")

    def is_received(self, point, needed):
        """Whether a point had a task in the step before, and one that needs it has one."""
        if not self.graph.varies:
            return None
        return self.w.value(f"arith.andi {self.any_has('%step', needed)}, "
                            f"{self.has('%before', point)} : i1")

    def rank_of(self, point):
        return next(r for r in range(len(self.bounds) - 1) if point < self.bounds[r + 1])

    def step(self, step, before):
        """All of a step but the first; gives the tokens after it."""
        comes, needs = self.comes[step], self.waits[step]
        come = {p: self.where(self.is_received(p, needed), self.none,
                              lambda p=p: self.receive(p)) for p, needed in comes.items()}
        goes = self.goes[(step + 1) % len(self.goes)]
        waiting = [p for p in self.own if any(n in comes for n in needs[p])]
        tokens = {**before, **come}
        after = self.tasks("%step", [p for p in self.own if p not in waiting], tokens, needs,
                           goes)
        for token in come.values():
            self.w.line(f"async.await {token} : {TOKEN}")
        senders = {p for p, _ in goes}
        waiting.sort(key=lambda p: p not in senders)
        after.update(self.tasks("%step", waiting, tokens, needs, goes))
        return {p: after[p] for p in before}

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
        if self.senders or self.received:
            self.write_messages()
        if self.ends:
            w.line("%count = func.call @task_bench_count(%graph, "
                   f"{w.index(self.own.start)}, {w.index(self.own.stop)}) "
                   ": (index, index, index) -> index")
            w.line("%all = async.create_group %count : !async.group")
        self.none = self.region([], [])
        tokens = self.tasks("%c0", self.own, dict.fromkeys(self.own, self.none),
                            dict.fromkeys(self.own, []), self.goes[1 % len(self.goes)])
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
        for point in sorted(self.senders):
            w.line(f"async.await {carried[point]} : {TOKEN}")
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
        w.line("%last = arith.subi %steps, %c1 : index")
        for point in sorted({*self.received, *self.senders}):
            # Another number for each point of all graphs.
            tag = self.first_tag + point
            w.line(f"%tag{point} = arith.constant {tag} : i32")
        for peer in sorted({r for step in self.goes for _, r in step}
                           | {self.rank_of(p) for p in self.received}):
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
