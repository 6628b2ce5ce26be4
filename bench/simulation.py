"""Models of what bench/scaling.py measures, for more threads than there are.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

What differs between the programs is their structure, as far as their sources
say, and figures that are measured of each in the same way:

async-gpu   a deque for each thread; each thread that has been woken wakes two
            (runtime/exec/sleep.c); a spawner keeps its first tasks for a moment,
            the shorter the more threads there are (runtime/exec/spawn/enough.c)
oneTBB      a deque for each thread; each thread that has been woken wakes two
            (propagate_chain_reaction in private_server.cpp)
libgomp     one queue of a team, under one lock; tasks run inside the spawn while
            64 for each thread are queued (task.c)
libomp      a deque for each thread, under a lock of its own; tasks run inside the
            spawn while its 256 places are full (kmp_tasking.cpp)

Threads of an OpenMP team are there from the beginning of a region on; those of
the others only if something has run shortly before, or else they have to be
woken.
"""

import dataclasses
import heapq
import random

from workloads import fibonacci_tasks

CHAIN, PLACES, TREE = "chain", "places", "tree"

# How much of a node's time comes before its two tasks are spawned.
BEFORE = 0.6


@dataclasses.dataclass(frozen=True)
class Structure:
    name: str
    is_team: bool = False
    keeps_ns: float = 0   # for so long a spawner keeps its tasks, with two threads
    keeps_least_ns: float = 0  # and at least so long, with more
    one_lock: bool = False  # of all threads, taken twice for each task
    joins: str = CHAIN    # threads that begin and end a loop: one word that all
                          # write in turn, a TREE, or PLACES, a word for each,
                          # that its owner reads


OURS = Structure("async-gpu", keeps_ns=50e3, keeps_least_ns=5e3, joins=PLACES)
STRUCTURES = [
    OURS,
    Structure("onetbb"),
    Structure("libgomp", is_team=True, one_lock=True),
    Structure("libomp", is_team=True, joins=TREE),
]


def arrival(structure, worker, threads, start, woken):
    """Nanoseconds until a worker takes part: `start` in which a thread that is
    awake does, if there are two, and `woken` in which one wakes; 0: all are."""
    if worker == 0:
        return 0
    kept = min(structure.keeps_ns, start)
    keeps = max(kept / max(1, threads - 1), structure.keeps_least_ns)
    return start - kept + min(kept, keeps) + worker.bit_length() * woken


# Calls below that many levels under the first are one task each, which takes as
# long as they do together: nobody steals as little as they leave.
LEVELS = 16


def fib(structure, n, threads, task, steal, start, woken=0, lock=0, seed=1):
    """Nanoseconds that fib(n) takes with two tasks a call; the others are
    nanoseconds, too: of a task, a steal, until a thread takes part (arrival), and
    of the time that a task holds the lock of all."""
    grain = max(1, n - LEVELS)
    together = {below: fibonacci_tasks(below) for below in range(grain + 1)}
    draw = random.Random(seed)
    # A task is [n, parent, tasks below that have not ended].
    root = [n, None, 0]
    deques = [[] for _ in range(threads)]
    first = [0] * threads  # of each deque: what lies before has been stolen
    deques[0].append(root)
    events = [(arrival(structure, worker, threads, start, woken), worker)
              for worker in range(threads)]
    heapq.heapify(events)
    unlocked = 0.0
    while True:
        now, worker = heapq.heappop(events)
        own = deques[worker]
        if len(own) > first[worker]:
            node = own.pop()
        else:
            own.clear()
            first[worker] = 0
            victim = draw.randrange(threads)
            # A failed look takes less than a steal: nothing is moved.
            if victim == worker or len(deques[victim]) <= first[victim]:
                heapq.heappush(events, (now + steal / 4 + 1, worker))
                continue
            node = deques[victim][first[victim]]
            first[victim] += 1
            now += steal
        if lock and threads > 1:
            unlocked = max(unlocked, now) + lock * together.get(node[0], 1)
            now = unlocked - lock
        if node[0] > grain:
            now += task * BEFORE
            node[2] = 2
            own.append([node[0] - 2, node, 0])
            own.append([node[0] - 1, node, 0])
        else:
            now += task * together[node[0]]
            # Ends the leaf, and every node whose last task this was.
            above = node[1]
            while above:
                above[2] -= 1
                if above[2]:
                    break
                now += task * (1 - BEFORE)
                above = above[1]
            else:
                return now
        heapq.heappush(events, (now, worker))


def loop(structure, alone, threads, sharing, join):
    """Nanoseconds of a loop that takes `alone` on one thread: `sharing` with a
    second one, and `join` for each further thread, or each further level, or for
    each further place half of that."""
    if threads == 1:
        return alone
    more = threads - 2
    if structure.joins == TREE:
        more = (threads - 1).bit_length() - 1
    elif structure.joins == PLACES:
        more /= 2
    return alone / threads + sharing + more * join


def graph(tasks, nanoseconds, threads, cost):
    """Nanoseconds that tasks with dependencies take, which one thread spawns in
    order, and whoever is free runs; each costs so many, half of them where it is
    spawned."""
    waiting = [len(after) for _, _, after in tasks]
    behind = [[] for _ in tasks]
    for number, (_, _, after) in enumerate(tasks):
        for before in after:
            behind[before].append(number)
    # Thread 0 spawns, and runs tasks when it has spawned all.
    spawned = [(number + 1) * cost / 2 for number in range(len(tasks))]
    free = [0.0] * threads
    free[0] = spawned[-1]
    heapq.heapify(free)
    ready = [(spawned[number], number) for number, count in enumerate(waiting)
             if not count]
    heapq.heapify(ready)
    starts, end = [0.0] * len(tasks), 0.0
    while ready:
        at, number = heapq.heappop(ready)
        start = max(at, heapq.heappop(free))
        done = start + cost / 2 + nanoseconds[number]
        heapq.heappush(free, done)
        end = max(end, done)
        for after in behind[number]:
            starts[after] = max(starts[after], done)
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, (max(starts[after], spawned[after]),
                                       after))
    return end


def tree(alone, both, threads):
    """Nanoseconds of what one thread spawns: the second thread shows how fast
    that is if it need not run what it spawns, and more make it no faster."""
    return alone if threads == 1 else both
