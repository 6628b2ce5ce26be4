#!/usr/bin/env python3
# Memory of integers of every width, and of vectors of every length.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills memrefs of many types side by side, copies each to the device, where a
kernel takes it through workgroup and private memory and doubles it, copies it
back into new memory, passes its elements through async values, and prints a sum
per type. All memory of one kind is there at once, so that an element that is
larger than what was allocated for it is seen in a neighbour.

    tests/fuzz/widths.py --runner build/bin/async-gpu-runner --part 0/4"""

import argparse
import sys
import tempfile

from arithmetic import cut, run

COUNT = 7
SHARED = 3
FACTOR = 0x9e3779b97f4a7c15f39cc0605cedc835

TYPES = [(f"i{w}", w, 0) for w in range(1, 129)]
TYPES += [(f"vector<{n}xi{w}>", w, n) for w in (8, 16, 32, 64) for n in (1, 2, 3, 5, 6, 7)]


def number(k, i, width, lane):
    return cut(FACTOR * (k * 1000 + i * 10 + lane + 1) >> 3, width)


class Type:
    """The text and the result for one type."""

    def __init__(self, k):
        self.k, (self.name, self.width, self.lanes) = k, TYPES[k]
        self.memref = f"memref<{COUNT}x{self.name}>"

    def globals(self):
        values = ", ".join(self.value(i) for i in range(COUNT))
        return (f"  memref.global \"private\" constant @g{self.k} : memref<{COUNT}x"
                f"{max(self.lanes, 1)}xi128> = dense<[{values}]>\n")

    def value(self, i):
        return "[" + ", ".join(str(number(self.k, i, self.width, lane))
                               for lane in range(max(self.lanes, 1))) + "]"

    def kernel(self):
        t, add = self.name, f"arith.addi %x, %y : {self.name}"
        return f"""    gpu.func @k{self.k}(%d: {self.memref})
        workgroup(%s: memref<{SHARED}x{t}, #gpu.address_space<workgroup>>)
        private(%p: memref<{SHARED}x{t}, #gpu.address_space<private>>) kernel {{
      %i = gpu.thread_id x
      %two = arith.constant 2 : index
      %three = arith.constant {SHARED} : index
      %x = memref.load %d[%i] : {self.memref}
      memref.store %x, %p[%two] : memref<{SHARED}x{t}, #gpu.address_space<private>>
      %few = arith.cmpi ult, %i, %three : index
      scf.if %few {{
        memref.store %x, %s[%i] : memref<{SHARED}x{t}, #gpu.address_space<workgroup>>
      }}
      gpu.barrier
      %y = scf.if %few -> ({t}) {{
        %z = memref.load %s[%i] : memref<{SHARED}x{t}, #gpu.address_space<workgroup>>
        scf.yield %z : {t}
      }} else {{
        %z = memref.load %p[%two] : memref<{SHARED}x{t}, #gpu.address_space<private>>
        scf.yield %z : {t}
      }}
      %sum = {add}
      memref.store %sum, %d[%i] : {self.memref}
      gpu.return
    }}
"""

    def make(self, element):
        """%made of the constant's lanes at %i."""
        k, w = self.k, self.width
        lines = [f"%g = memref.get_global @g{k} : memref<{COUNT}x{max(self.lanes, 1)}xi128>"]
        for lane in range(max(self.lanes, 1)):
            lines += [f"%l{lane} = arith.constant {lane} : index",
                      f"%w{lane} = memref.load %g[%i, %l{lane}] : "
                      f"memref<{COUNT}x{max(self.lanes, 1)}xi128>"]
            name = f"%n{lane}" if self.lanes else element
            lines.append(f"{name} = arith.trunci %w{lane} : i128 to i{w}" if w < 128 else
                         f"{name} = arith.addi %w{lane}, %zero : i128")
        if self.lanes:
            names = ", ".join(f"%n{lane}" for lane in range(self.lanes))
            lines.append(f"{element} = vector.from_elements {names} : {self.name}")
        return "\n      ".join(lines)

    def fill(self):
        return f"""  func.func @fill{self.k}(%a: {self.memref}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {COUNT} : index
    %zero = arith.constant 0 : i128
    scf.for %i = %c0 to %n step %c1 {{
      {self.make("%made")}
      memref.store %made, %a[%i] : {self.memref}
    }}
    return
  }}
"""

    def sum(self):
        t, w = self.name, self.width
        lines = []
        for lane in range(max(self.lanes, 1)):
            x = "%got"
            if self.lanes:
                lines.append(f"%x{lane} = vector.extract %got[{lane}] : i{w} from {t}")
                x = f"%x{lane}"
            lines.append(f"%w{lane} = arith.extui {x} : i{w} to i128" if w < 128 else
                         f"%w{lane} = arith.addi {x}, %zero : i128")
            before = "%before" if lane == 0 else f"%s{lane - 1}"
            lines += [f"%p{lane} = arith.muli {before}, %factor : i128",
                      f"%s{lane} = arith.addi %p{lane}, %w{lane} : i128"]
        body = "\n      ".join(lines)
        return f"""  func.func @sum{self.k}(%a: {self.memref}) -> i64 {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {COUNT} : index
    %zero = arith.constant 0 : i128
    %factor = arith.constant 1099511628211 : i128
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (i128) {{
      %t, %v = async.execute -> !async.value<{t}> {{
        %x = memref.load %a[%i] : {self.memref}
        async.yield %x : {t}
      }}
      %got = async.await %v : !async.value<{t}>
      {body}
      scf.yield %s{max(self.lanes, 1) - 1} : i128
    }}
    %high = arith.constant 64 : i128
    %up = arith.shrui %all, %high : i128
    %both = arith.xori %all, %up : i128
    %r = arith.trunci %both : i128 to i64
    return %r : i64
  }}
"""

    def expected(self):
        all_of_them = 0
        for i in range(COUNT):
            for lane in range(max(self.lanes, 1)):
                value = cut(2 * number(self.k, i, self.width, lane), self.width)
                all_of_them = cut(all_of_them * 1099511628211 + value, 128)
        return cut(all_of_them ^ all_of_them >> 64, 64)


def program(types):
    main = ""
    for step in ("    %a{k} = memref.alloc() : {m}\n",
                 "    call @fill{k}(%a{k}) : ({m}) -> ()\n",
                 "    %d{k} = gpu.alloc () : {m}\n    gpu.memcpy %d{k}, %a{k} : {m}, {m}\n",
                 "    gpu.launch_func @kernels::@k{k} blocks in (%c1, %c1, %c1) "
                 "threads in (%n, %c1, %c1) args(%d{k} : {m})\n",
                 "    %b{k} = memref.alloc() : {m}\n    gpu.memcpy %b{k}, %d{k} : {m}, {m}\n",
                 "    %r{k} = call @sum{k}(%b{k}) : ({m}) -> i64\n"
                 "    %o{k} = arith.constant {at} : index\n"
                 "    memref.store %r{k}, %out[%o{k}] : memref<{count}xi64>\n",
                 "    gpu.dealloc %d{k} : {m}\n    memref.dealloc %a{k} : {m}\n"
                 "    memref.dealloc %b{k} : {m}\n"):
        main += "".join(step.format(k=t.k, m=t.memref, at=at, count=len(types))
                        for at, t in enumerate(types))
    return f"""module attributes {{gpu.container_module}} {{
{"".join(t.globals() for t in types)}  gpu.module @kernels {{
{"".join(t.kernel() for t in types)}  }}
{"".join(t.fill() + t.sum() for t in types)}
  func.func private @printMemrefI64(memref<*xi64>) attributes {{llvm.emit_c_interface}}
  func.func @main() {{
    %c1 = arith.constant 1 : index
    %n = arith.constant {COUNT} : index
    %out = memref.alloc() : memref<{len(types)}xi64>
{main}    %u = memref.cast %out : memref<{len(types)}xi64> to memref<*xi64>
    call @printMemrefI64(%u) : (memref<*xi64>) -> ()
    memref.dealloc %out : memref<{len(types)}xi64>
    return
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True, help="async-gpu-runner")
    parser.add_argument("--ptx", help="folder of a driver that interprets PTX")
    parser.add_argument("--part", default="0/1", help="k/n: each n-th type from the k-th on")
    parser.add_argument("--keep", help="where to write the program")
    arguments = parser.parse_args()
    part, parts = (int(x) for x in arguments.part.split("/"))
    types = [Type(k) for k in range(part, len(TYPES), parts)]
    text = program(types)
    if arguments.keep:
        with open(arguments.keep, "w", encoding="utf-8") as file:
            file.write(text)
    settings = {"ASYNC_GPU_DEVICE": "emu"}
    if arguments.ptx:
        settings = {"ASYNC_GPU_DEVICE": "cuda", "LD_LIBRARY_PATH": arguments.ptx}
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        got = run(arguments.runner, file.name, settings)
    if isinstance(got, str):
        print(got[:2000])
        return 1
    wrong = [t.name for t, word in zip(types, got) if word != t.expected()]
    if wrong or len(got) != len(types):
        print(f"wrong: {', '.join(wrong)}")
        return 1
    print(f"{len(types)} types are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
