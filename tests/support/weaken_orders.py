#!/usr/bin/env python3
"""Weakens memory orders of the runtime one after the other: the tests have to
see it.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    weaken_orders.py [--genmc PROGRAM] [--only TEXT] [--seconds N]
    weaken_orders.py --few

To be run by hand, after a change to a lock-free structure or to its tests. Each
order that a source below names, and that of each call which names none, is
replaced by the next weaker ones, in a copy; the tests of interleavings in weak
memory (tests/unit/weak_memory.c) that include the source are compiled with that
copy and run, and small programs over it by GenMC, where that is given (v0.10.1
of github.com/MPI-SWS/genmc, built over LLVM 14). An order that no test needs is
weakened further; SUPERFLUOUS says why.

What it found last, by source: orders, those found when weakened, others.

    base/sync/lock           4   4   0
    base/sync/park           4   4   0
    base/sync/fence          1   1   0
    base/memory/magazine     2   0   2
    exec/queue/deque        13   8   5
    exec/queue/outbox       13   5   8
    exec/queue/outside       4   2   2
    exec/sleep              11   5   6
    exec/census              3   2   1
    exec/executor            2   1   1
    exec/loop               19  19   0
    async/lifecycle          9   6   3
    async/state              9   8   1
    async/object             5   5   0
    async/group              1   1   0
    gpu/stream/event        10  10   0
    gpu/stream/pool          2   1   1
    gpu/stream/completion   10   4   6
    gpu/process/devices     11   7   4
    gpu/driver/gate          5   5   0
    gpu/kernel/module        9   9   0

Only GenMC finds one order of the deque and one of the outbox. Bounds: two to four
threads, one to four preemptions, and one or two stale reads in a run. Writes take
effect in the order of the run; only GenMC explores load buffering. Not tried:
reference counts with release and acquire, pointers that are published once beside
a lock, threads that wait in the driver, counters of runtime/mpi, rings of traces.

--few takes a handful, each of another kind: that is what CTest runs. Ends with 1
where what is found is not what SUPERFLUOUS says.
"""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests/unit"

# Sources, and the tests that include them, fastest first.
TESTS = {
    "base/sync/lock": ["base/lock"],
    "base/sync/fence": ["base/ring", "gpu/gate"],
    "base/sync/park": ["base/park", "exec/sleep"],
    "base/memory/magazine": ["base/magazine"],
    "exec/queue/deque": ["exec/deque", "exec/wake"],
    "exec/queue/outbox": ["exec/outbox", "exec/wake"],
    "exec/queue/outside": ["exec/outside"],
    "exec/sleep": ["exec/wake", "exec/sleep"],
    "exec/census": ["exec/start", "exec/wake", "exec/sleep"],
    "exec/executor": ["exec/start"],
    "exec/loop/loop": ["exec/loop", "exec/parallel"],
    "exec/loop/parallel": ["exec/parallel"],
    "async/lifecycle": ["async/lifecycle"],
    "async/state": ["async/state", "async/group"],
    "async/object": ["async/state", "async/group"],
    "async/group": ["async/group"],
    "gpu/stream/event": ["gpu/event", "gpu/pool", "gpu/completion"],
    "gpu/stream/pool": ["gpu/pool"],
    "gpu/stream/completion": ["gpu/completion"],
    "gpu/process/devices": ["gpu/devices"],
    "gpu/driver/gate": ["gpu/gate"],
    "gpu/kernel/module": ["gpu/module"],
}

# Programs of tests/unit/runtime/exec/queues_genmc.c, and memory models of GenMC.
GENMC = {
    "base/memory/magazine": ["base/magazine"],
    "exec/queue/deque": [["-DDEQUE", "-DBEFORE=2", "-DTAKERS=1", "-DPOPS=0"],
                         ["-DDEQUE", "-DBEFORE=2", "-DTAKERS=2", "-DPOPS=1"],
                         ["-DDEQUE", "-DBEFORE=3", "-DTAKERS=2", "-DPOPS=2"],
                         ["-DDEQUE", "-DPUSHED=1", "-DBEFORE=0", "-DTAKERS=1",
                          "-DPOPS=1"]],
    "exec/queue/outbox": [["-DBEFORE=2", "-DTAKERS=1"],
                          ["-DBEFORE=2", "-DTAKERS=2"]],
}
GENMC_MODELS = {"rc11": [], "imm": ["--disable-instruction-caching"]}

# (source, function, number of the order in it): the weaker ones that no test
# needs, and why. They stand as they are
# since that costs nothing on x86-64, and less has to be thought of.
LETTER = ("a branch is between the two, which no machine and no compiler turns "
          "around; C11 by its letter might")
SEARCHER = ("entering `searching` or leaving `sleeping` is relied on by nobody: "
            "leaving the first and entering the second are")
SWAP = "the swap fails if what was read is old"
FAILING = "C11 wants it as strong as that of the swap that fails"
RESTART = "the program has a shutdown come before the next start"
FIRST = "who adds to nothing wakes the thread, whatever that has read"
DEFAULT = "the order of a call that names none; release and acquire are needed"
VISITOR = "who visits a pool is alone with it"
LOOKS = "what is looked at behind it has orders of its own"
SUPERFLUOUS = {
    ("exec/queue/deque.c", "agpu__deque_push", 2): (["relaxed"], LETTER),
    ("exec/queue/deque.c", "agpu__deque_push_all", 2): (["relaxed"], LETTER),
    ("exec/queue/deque.c", "agpu__deque_pop", 5):
        (["acq_rel", "release"], SWAP),
    ("exec/queue/deque.c", "agpu__deque_pop", 7): (["relaxed"], LETTER),
    ("exec/queue/deque.c", "agpu__deque_is_empty", 1):
        (["acquire", "relaxed"], "an older top says that there may be a task"),
    ("exec/queue/outbox.c", "agpu__outbox_push", 2): (["relaxed"], LETTER),
    ("exec/queue/outbox.c", "agpu__outbox_take", 1):
        (["acquire", "relaxed"], SWAP),
    ("exec/queue/outbox.c", "agpu__outbox_take", 2):
        (["acquire"], "who sleeps looks by agpu__outbox_is_empty"),
    ("exec/queue/outbox.c", "agpu__outbox_take", 3):
        (["acquire", "relaxed"], SWAP),
    ("exec/queue/outbox.c", "agpu__outbox_take", 4): (["release"], FAILING),
    ("exec/queue/outbox.c", "agpu__outbox_take", 5): (["relaxed"], SWAP),
    ("exec/queue/outbox.c", "agpu__outbox_begin_help", 4):
        (["release"], SWAP),
    ("exec/queue/outbox.c", "agpu__outbox_is_empty", 1):
        (["acquire"], "an older head says that there may be a task"),
    ("exec/sleep.c", "wake", 1):
        (["acq_rel", "acquire", "release", "relaxed"], SEARCHER),
    ("exec/sleep.c", "agpu__exec_notify", 3):
        (["acq_rel", "acquire", "release", "relaxed"], SEARCHER),
    ("exec/sleep.c", "agpu__exec_notify", 4):
        (["acquire", "relaxed"], "the load before it has read what is older"),
    ("exec/sleep.c", "agpu__exec_begin_search", 2):
        (["acq_rel", "acquire", "release", "relaxed"], SEARCHER),
    ("exec/sleep.c", "agpu__exec_leave_search", 2):
        (["acquire", "relaxed"], "the look at the queues before it has seen what "
         "came after"),
    ("exec/sleep.c", "agpu__exec_sleep", 2):
        (["acq_rel", "acquire", "release", "relaxed"], SEARCHER),
    ("exec/census.c", "agpu__exec_unlist", 1):
        (["acq_rel", "acquire", "release", "relaxed"], SEARCHER),
    ("async/state.c", "agpu__object_add_awaiter", 1): (["release"], FAILING),
    ("base/memory/magazine.c", "new_chunk", 2): (["relaxed"], VISITOR),
    ("base/memory/magazine.c", "agpu__pool_visit", 1): (["relaxed"], VISITOR),
    ("exec/queue/outside.c", "agpu__outside_take", 1):
        (["acquire"], "who sleeps looks by agpu__outside_is_empty"),
    ("exec/queue/outside.c", "agpu__outside_has_help", 1):
        (["acquire"], "who asks has looked for tasks, too"),
    ("exec/executor.c", "reset", 4): (["relaxed"], RESTART),
    ("async/lifecycle.c", "agpu_runtime_settle", 1): (["relaxed"], LOOKS),
    ("async/lifecycle.c", "shut_down", 1): (["relaxed"], LOOKS),
    ("async/lifecycle.c", "shut_down", 2): (["relaxed"], RESTART),
    ("gpu/stream/completion.c", "add", 1):
        (["acq_rel", "acquire", "release", "relaxed"], FIRST),
    ("gpu/stream/completion.c", "ask", 2):
        (["relaxed"], "who has enqueued the event has seen that device"),
    ("gpu/stream/completion.c", "finish", 1): (["acq_rel", "release"], DEFAULT),
    ("gpu/stream/completion.c", "run_thread", 1):
        (["acquire", "relaxed"], FIRST),
    ("gpu/stream/completion.c", "agpu__completion_is_pending", 1):
        (["acquire"], DEFAULT),
    ("gpu/stream/completion.c", "agpu__completion_drain", 1):
        (["acquire"], DEFAULT),
    ("gpu/process/devices.c", "agpu__devices_next", 1): (["relaxed"], LOOKS),
    ("gpu/process/devices.c", "shut_down", 1):
        (["acq_rel", "acquire", "release", "relaxed"], RESTART),
    ("gpu/process/devices.c", "shut_down", 2):
        (["acq_rel", "acquire", "release", "relaxed"], RESTART),
    ("gpu/process/devices.c", "shut_down", 3):
        (["release", "relaxed"], RESTART),
    ("gpu/stream/event.c", "agpu__event_pool_visit", 1):
        (["relaxed"], "who visits a recorder's events has made them"),
    ("gpu/stream/pool.c", "agpu__stream_pool_take_over", 1):
        (["relaxed"], "who goes on behind a loan has heard of it by an object"),
}

# What --few weakens: an order of each kind.
FEW = [
    ("base/sync/lock.h", "agpu__lock_release", 1, "relaxed"),
    ("base/sync/park.c", "agpu__parker_clear", 1, "relaxed"),
    ("exec/queue/deque.c", "publish", 2, "release"),
    ("exec/queue/outbox.c", "agpu__outbox_helps", 1, "relaxed"),
    ("exec/loop/loop.c", "leave", 1, "release"),
    ("async/state.c", "finish", 1, "acquire"),
    ("gpu/driver/gate.c", "enter_any", 1, "acquire"),
    ("base/sync/fence.h", "agpu__fence_store", 2, "release"),
]

WEAKER = {
    "load": {"seq_cst": ["acquire"], "acquire": ["relaxed"], "relaxed": []},
    "store": {"seq_cst": ["release"], "release": ["relaxed"], "relaxed": []},
    "change": {"seq_cst": ["acq_rel"], "acq_rel": ["acquire", "release"],
               "acquire": ["relaxed"], "release": ["relaxed"], "relaxed": []},
}
ORDER = re.compile(r"\bmemory_order_(\w+)")
CALL = re.compile(r"\b(?:atomic_(\w+)_explicit|atomic_(signal|thread)_fence"
                  r"|(atomic_(?!init\b|is_|flag)\w+))\s*\(")
FUNCTION = re.compile(r"^(?:[A-Za-z][^\n;=]*?\b)?(\w+)\((?!\()", re.M)


@dataclasses.dataclass
class Place:
    source: str  # without the folder, with the ending
    text: str
    edits: list  # (begin, end, text with {} for the order), last first
    order: str
    kind: str
    call: str
    function: str
    number: int  # of the order, in its function

    def __str__(self):
        line = self.text.count("\n", 0, self.edits[-1][0]) + 1
        return f"{self.source}:{line}: {self.function} {self.number}"

    @property
    def key(self):
        return self.source, self.function, self.number

    def weakened(self, order):
        text = self.text
        for begin, end, new in self.edits:
            text = text[:begin] + new.format(order) + text[end:]
        return text


def without_comments(text):
    """As long as the text."""
    return re.sub(r"//[^\n]*", lambda found: " " * len(found[0]), text)


def end_of(code, call):
    """Where the parenthesis of a call closes."""
    depth, at = 1, call.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
    return at - 1


def kind_of(operation):
    return operation if operation in ("load", "store") else "change"


def find_orders(code):
    """(edits, order, kind, name of the call), of calls that give orders and of
    those that are sequentially consistent since they give none."""
    calls = [(call, end_of(code, call)) for call in CALL.finditer(code)]
    for found in ORDER.finditer(code):
        # The innermost one.
        around = [(call, end) for call, end in calls
                  if call.start() < found.start() < end]
        if not around or around[-1][0][2] == "signal":
            continue  # a compiler's alone
        call = around[-1][0]
        operation = call[1] or "fence"
        kind = kind_of(operation)
        # The second order of a compare-and-swap is that of a read.
        if operation.startswith("compare") and ORDER.search(
                code, call.end(), found.start()):
            kind = "load"
        yield [(found.start(1), found.end(1), "{}")], found[1], kind, operation
    for call, end in calls:
        if call[3] and not call[3].startswith("atomic_compare"):
            yield ([(end, end, ", memory_order_{}"),
                    (call.start(3), call.end(3), call[3] + "_explicit")],
                   "seq_cst", kind_of(call[3].removeprefix("atomic_")),
                   call[3].removeprefix("atomic_"))


def find_places(source):
    path = ROOT / "runtime" / source
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    code = without_comments(text)
    functions = [(found.start(), found[1]) for found in FUNCTION.finditer(code)]
    places, numbers = [], {}
    for edits, order, kind, call in sorted(find_orders(code),
                                           key=lambda found: found[0][-1]):
        function = [name for at, name in functions if at < edits[-1][0]][-1]
        number = numbers[function] = numbers.get(function, 0) + 1
        places.append(Place(source, text, edits, order, kind, call, function,
                            number))
    return places


class Bench:
    """Compiles tests over a copy of one source, and runs them."""

    def __init__(self, folder, arguments):
        self.folder, self.arguments = pathlib.Path(folder), arguments
        self.flags = ["-std=c11", "-O1", "-w", "-D_GNU_SOURCE",
                      "-DINTERLEAVE_WEAK", f"-I{self.folder}/runtime",
                      f"-I{UNIT}", f"-I{ROOT}/runtime", f"-I{ROOT}/include"]
        self.machine = []
        for path in sorted({*UNIT.glob("interleave*.c"), *UNIT.glob("weak_*.c")}):
            made = self.folder / f"{path.stem}.o"
            self.compile(["-O2", "-c", path, "-o", made])
            self.machine.append(made)

    def compile(self, words):
        subprocess.run([self.arguments.cc, *self.flags, *map(str, words)],
                       check=True)

    def run(self, words):
        """Whether the program has failed; if it does not end, it has not."""
        try:
            return subprocess.run(words, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False,
                                  timeout=self.arguments.seconds).returncode
        except subprocess.TimeoutExpired:
            return 0

    def fails(self, test):
        """Whether the test fails, over what stands in the copies."""
        tested, program = self.folder / "tested.o", self.folder / "program"
        folder, name = test.split("/")
        self.compile(["-fsanitize=thread", "-c",
                      UNIT / f"runtime/{folder}/{name}_interleaved.c",
                      "-o", tested])
        self.compile([tested, *self.machine, "-o", program, "-lpthread"])
        return self.run([program]) != 0

    def fails_genmc(self, model, program):
        """The same of GenMC's programs, where an error of GenMC is none."""
        code = self.run(
            [self.arguments.genmc, f"--{model}", "--disable-estimation",
             *GENMC_MODELS[model], "--", "-O1", "-fno-builtin", *program,
             *self.flags, UNIT / "runtime/exec/queues_genmc.c"])
        if code not in (0, 42):
            sys.exit(f"GenMC ends with {code}: {' '.join(program)}")
        return code == 42

    def needs(self, place, order):
        """The test that fails where that order stands in the place, or None."""
        copy = self.folder / "runtime" / place.source
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(place.weakened(order), encoding="utf-8")
        stem = place.source.rpartition(".")[0]
        try:
            for test in TESTS[stem]:
                if self.fails(test):
                    return test
            for program in GENMC.get(stem, []) if self.arguments.genmc else []:
                for model in GENMC_MODELS:
                    if self.fails_genmc(model, program):
                        return f"GenMC, {model}"
        finally:
            copy.unlink()
        return None


def weakest(bench, place):
    """What was tried, as (order, the test that needs a stronger one or None)."""
    tried, todo = {}, list(WEAKER[place.kind][place.order])
    while todo:
        order = todo.pop(0)
        if order in tried:
            continue
        tried[order] = bench.needs(place, order)
        if tried[order] is None:
            todo += WEAKER[place.kind][order]
    return tried


def try_few(bench):
    """How many of FEW no test needs."""
    missed = 0
    for source, function, number, order in FEW:
        place = next(place for place in find_places(source)
                     if place.key == (source, function, number))
        test = bench.needs(place, order)
        missed += test is None
        print(f"{place} {place.order}: {order}: {found(test)}", flush=True)
    return missed


def found(test):
    return f"found by {test}" if test else "not found"


def judge(bench, place):
    """Whether all is as it should be; says what was found."""
    tried = weakest(bench, place)
    line = "; ".join(f"{order}: {found(test)}" for order, test in tried.items())
    unneeded = [order for order, test in tried.items() if test is None]
    expected, why = SUPERFLUOUS.get(place.key, ([], ""))
    wrong = set(unneeded) != set(expected)
    if wrong:
        why = "NOT WHAT IS EXPECTED"
    print(f"{place} {place.call} {place.order}: {line}"
          + (f" ({why})" if why else ""), flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--genmc", help="GenMC's program, which is asked, too: "
                        "without it some orders of queues are not found")
    parser.add_argument("--only", default="", help="places whose name has this")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--seconds", type=float, default=300,
                        help="for one run of a test (default: 300)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, arguments)
        if arguments.few:
            return 1 if try_few(bench) else 0
        places = [place for stem in TESTS for ending in (".h", ".c")
                  for place in find_places(stem + ending)
                  if arguments.only in str(place)
                  and WEAKER[place.kind][place.order]]
        wrong = [place for place in places if not judge(bench, place)]
    print(f"{len(places)} orders; "
          + ("not as expected: " + ", ".join(map(str, wrong)) if wrong
             else "all as expected"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
