"""A blocked Cholesky factorisation as tasks that wait for each other by tile.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The tokens of tiles are values of the program, so that it is written out for one
number of tiles: the one that the other programs have from bench.h.
"""

import pathlib
import re

TILES = int(re.search(r"#define BENCH_TILES (\d+)", (
    pathlib.Path(__file__).parent / "tasks/bench.h").read_text())[1])


def tasks(tiles=TILES):
    """Kernel, tiles (i, j, k), and the tasks that it waits for, by number."""
    last, found = {}, []

    def add(kernel, indices, writes, reads):
        after = [last[tile] for tile in (writes, *reads) if tile in last]
        last[writes] = len(found)
        found.append((kernel, indices, sorted(set(after))))

    for k in range(tiles):
        add("potrf", (k,), (k, k), [])
        for i in range(k + 1, tiles):
            add("trsm", (i, k), (i, k), [(k, k)])
        for i in range(k + 1, tiles):
            for j in range(k + 1, i + 1):
                add("update", (i, j, k), (i, j), [(i, k), (j, k)])
    return found


def program(tiles=TILES):
    """One factorisation after the other; the result is how many were right."""
    lines = [f"    %{name} = arith.constant {number} : i64"
             for number, name in ((n, f"n{n}") for n in range(tiles))]
    ends = set(range(len(tasks(tiles))))
    for number, (kernel, indices, after) in enumerate(tasks(tiles)):
        ends -= set(after)
        waits = ", ".join(f"%t{before}" for before in after)
        operands = ", ".join(f"%n{index}" for index in indices)
        types = ", ".join("i64" for _ in indices)
        lines += [f"    %t{number} = async.execute "
                  + (f"[{waits}] " if after else "") + "{",
                  f"      func.call @bench_{kernel}({operands}) : ({types}) "
                  "-> ()", "      async.yield", "    }"]
    lines += [f"    async.await %t{number} : !async.token"
              for number in sorted(ends)]
    body = "\n".join(lines)
    return f"""func.func private @bench_potrf(i64)
func.func private @bench_trsm(i64, i64)
func.func private @bench_update(i64, i64, i64)
func.func private @bench_begin_cholesky()
func.func private @bench_end_cholesky() -> i64

func.func @cholesky(%n: i64) -> i64 {{
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %right = scf.for %i = %none to %n step %one iter_args(%sum = %none)
      -> i64 : i64 {{
    func.call @bench_begin_cholesky() : () -> ()
    func.call @factorise() : () -> ()
    %fine = func.call @bench_end_cholesky() : () -> i64
    %next = arith.addi %sum, %fine : i64
    scf.yield %next : i64
  }}
  return %right : i64
}}

func.func private @factorise() {{
{body}
    return
}}
"""


if __name__ == "__main__":
    print(program(), end="")
