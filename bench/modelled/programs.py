"""Programs whose work published figures are of.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

SUITES has a function for each suite, which makes batches of the figures of one card. A
batch is a program, and the figures that its work gives, in their order. Arrays are smaller
than those that were measured, where a kernel's rate does not depend on it.
"""

import statistics

STREAMED = 1 << 24  # elements of an array that kernels stream: beyond any cache
SHARED = 47 << 10  # of a block of kernels that stream
# Of blocks with 47 KiB; the emulated device gives none more than 48, where cards do.
TWO_BLOCKS = {"workgroup_memory": "96 KiB"}


class Batch:
    """`changes`: of the model's numbers, by key."""

    def __init__(self, text, figures, judge, options=(), changes=()):
        self.text, self.figures, self.judge = text, figures, judge
        self.options, self.changes = options, dict(changes)


def program(body):
    return f"func.func @main() {{\n{body}  return\n}}\n"


def constants(**values):
    return "".join(f"  %{name} = arith.constant {value} : index\n"
                   for name, value in values.items())


def launch(blocks, threads, body, shared=0):
    """A launch of `body`, in which %i is the number of the thread and %t that in its
    block."""
    return f"""  %g{{n}} = arith.constant {blocks} : index
  %s{{n}} = arith.constant {threads} : index
  %m{{n}} = arith.constant {shared} : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g{{n}}, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %s{{n}}, %sy = %c1, %sz = %c1)
             dynamic_shared_memory_size %m{{n}} {{{{
    %first = arith.muli %bx, %sx : index
    %i = arith.addi %first, %t : index
{body}    gpu.terminator
  }}}}
"""


def guarded(size, body, low=0):
    """`body` for elements from `low` to `size - low`."""
    return f"""    %low = arith.constant {low} : index
    %high = arith.constant {size - low} : index
    %above = arith.cmpi uge, %i, %low : index
    %below = arith.cmpi ult, %i, %high : index
    %inside = arith.andi %above, %below : i1
    scf.if %inside {{{{
{body}    }}}}
"""


def array(size, kind="f64"):
    return f"memref<{size}x{kind}>"


def load(name, where, size, kind="f64"):
    return f"      %{name} = memref.load %{where} : {array(size, kind)}\n"


def stencil(size):
    return ("      %w = arith.constant 0.5 : f64\n"
            "      %one = arith.constant 1 : index\n"
            "      %il = arith.subi %i, %one : index\n"
            "      %ir = arith.addi %i, %one : index\n"
            + load("l", "b[%il]", size) + load("m", "b[%i]", size)
            + load("r", "b[%ir]", size) +
            "      %lr = arith.addf %l, %r : f64\n"
            "      %h = arith.mulf %lr, %w : f64\n"
            "      %v = arith.subf %h, %m : f64\n"
            f"      memref.store %v, %a[%i] : {array(size)}\n")


def streaming(kernel, size):
    """What a thread of the kernel does, and how many arrays it streams."""
    factor = "      %f = arith.constant 1.2 : f64\n"
    store = f"      memref.store %v, %a[%i] : {array(size)}\n"
    if kernel == "init":
        return guarded(size, "      %v = arith.constant 0.23 : f64\n" + store), 1
    if kernel == "read":
        return guarded(size, load("v", "b[%i]", size) +
                       "      %k = arith.constant 123.0 : f64\n"
                       "      %is = arith.cmpf oeq, %v, %k : f64\n"
                       f"      scf.if %is {{{{\n  {store}      }}}}\n"), 1
    if kernel == "scale":
        return guarded(size, factor + load("x", "b[%i]", size) +
                       "      %v = arith.mulf %x, %f : f64\n" + store), 2
    if kernel == "triad":
        return guarded(size, factor + load("x", "b[%i]", size) + load("y", "c[%i]", size) +
                       "      %v = math.fma %x, %f, %y : f64\n" + store), 3
    assert kernel == "3pt"
    return guarded(size, stencil(size), 1), 2


def allocate(names, size, kind="f64"):
    return "".join(f"  %{name} = gpu.alloc() : {array(size, kind)}\n" for name in names)


def free(names, size, kind="f64"):
    return "".join(f"  gpu.dealloc %{name} : {array(size, kind)}\n" for name in names)


def number(parts):
    return "".join(part.format(n=n) for n, part in enumerate(parts))


def make_stream(figures, size=STREAMED, shared=SHARED, changes=TWO_BLOCKS):
    """Two blocks at a time on each multiprocessor: workgroup memory keeps others away."""
    parts, arrays = [], []
    for figure in figures:
        body, count = streaming(figure["kernel"], size)
        parts.append(launch(size // figure["block"] + 1, figure["block"], body, shared))
        arrays.append(count)
    text = program(constants(c1=1) + allocate("abc", size) + number(parts) +
                   free("abc", size))
    return [Batch(text, figures, lambda work: [
        count * 8 * size / time for count, (_, _, time) in zip(arrays, work)],
        changes=changes)]


def for_card(text, workgroup_memory):
    """The program for a card whose multiprocessors have so many bytes of workgroup memory:
    there two blocks take all of it, and no third one finds room."""
    return text.replace(f"arith.constant {SHARED} : i32",
                        f"arith.constant {workgroup_memory // 2 - 2048} : i32")


def make_triad(figures):
    return make_stream(figures, 1 << 25, 0, {})


def get_period(work, rounds):
    """Nanoseconds from one begin to the next, of the last ones."""
    begins = [begin for _, begin, _ in work][-rounds:]
    return statistics.median(b - a for a, b in zip(begins, begins[1:]))


def make_chain(figures):
    """Kernels that scale one array into another and back, one after the other."""
    for figure in figures:
        size, block = figure["size"], figure["block"]
        grid = size // block + 1
        there, _ = streaming("scale", size)
        back = there.replace("%a[", "%x[").replace("%b[", "%a[").replace("%x[", "%b[")
        text = program(
            constants(c0=0, c1=1, rounds=24) + allocate("ab", size) +
            "  scf.for %round = %c0 to %rounds step %c1 {\n" +
            number([launch(grid, block, there), launch(grid, block, back)]) + "  }\n" +
            free("ab", size))
        yield Batch(text, [figure], lambda work, size=size:
                    [16 * size / get_period(work, 20)],
                    ["--graphs=on" if figure["way"] == "graph" else "--graphs=off"])


def make_roofline(figures):
    """Each thread reads values, 256 elements apart, and multiplies and adds them: in
    unrolled code, as the measured kernel's was."""
    each, block, unrolled = 16, 256, 64
    for figure in figures:
        rounds = max(1, figure["steps"] // unrolled)
        steps = "".join(f"        %u{i + 1} = math.fma %u{i}, %x, %minus : f32\n"
                        for i in range(figure["steps"] // rounds))
        size = figure["blocks"] * block * each
        body = f"""    %n = arith.constant {each} : index
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rounds = arith.constant {rounds} : index
    %zero = arith.constant 0.0 : f32
    %width = arith.constant {block} : index
    %length = arith.constant {block * each} : index
    %offset = arith.muli %bx, %length : index
    %start = arith.addi %offset, %t : index
    %sum = scf.for %k = %c0 to %n step %one iter_args(%s = %zero) -> f32 {{{{
      %k0 = arith.muli %k, %width : index
      %at = arith.addi %start, %k0 : index
{load("x", "a[%at]", size, "f32")}{load("y", "b[%at]", size, "f32")}\
      %d = arith.subf %x, %y : f32
      %minus = arith.negf %y : f32
      %v = scf.for %l = %c0 to %rounds step %one iter_args(%u0 = %d) -> f32 {{{{
{steps}        scf.yield %u{figure["steps"] // rounds} : f32
      }}}}
      %q = arith.addf %s, %v : f32
      scf.yield %q : f32
    }}}}
    memref.store %sum, %c[%i] : {array(figure["blocks"] * block, "f32")}
"""
        text = program(
            constants(c1=1) + allocate("ab", size, "f32") +
            allocate("c", figure["blocks"] * block, "f32") +
            number([launch(figure["blocks"], block, body)]) +
            free("ab", size, "f32") + free("c", figure["blocks"] * block, "f32"))
        work = (2 + 2 * figure["steps"]) * size
        yield Batch(text, [figure], lambda ran, work=work: [work / ran[0][2]])


def make_copies(figures):
    """Copies of pinned memory, each of which the host waits for."""
    for figure in figures:
        size = figure["kib"] * 128
        text = program(
            constants(c0=0, c1=1, rounds=8) + allocate("a", size) + f"""\
  %host = memref.alloc() : {array(size)}
  %unranked = memref.cast %host : {array(size)} to memref<*xf64>
  gpu.host_register %unranked : memref<*xf64>
  scf.for %round = %c0 to %rounds step %c1 {{
    %token = async.execute {{
      gpu.memcpy %a, %host : {array(size)}, {array(size)}
      async.yield
    }}
    async.await %token : !async.token
  }}
  gpu.host_unregister %unranked : memref<*xf64>
  memref.dealloc %host : {array(size)}
""" + free("a", size))
        yield Batch(text, [figure], lambda work, size=size:
                    [8 * size / get_period(work, 7)])


# Of a product of a warp: the shape, types of factors and of sums.
PRODUCTS = {"f16": ((16, 16, 16), "f16", "f32"), "tf32": ((16, 16, 8), "f32", "f32"),
            "int8": ((16, 16, 16), "si8", "i32")}


def multiply(kind, rounds):
    """Products of a warp, each added to the one before."""
    (m, n, k), factor, total = PRODUCTS[kind]
    a, b, c = (f'!gpu.mma_matrix<{rows}x{columns}x{element}, "{operand}Op">'
               for rows, columns, element, operand in
               ((m, k, factor, "A"), (k, n, factor, "B"), (m, n, total, "C")))
    stored = factor.removeprefix("s")
    zero = "0.0" if total == "f32" else "0"
    return f"""    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rounds = arith.constant {rounds} : index
    %zero = arith.constant {zero} : {total}
    %x = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {{{{leadDimension = {k} : index}}}}
      : memref<{m}x{k}x{stored}> -> {a}
    %y = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {{{{leadDimension = {n} : index}}}}
      : memref<{k}x{n}x{stored}> -> {b}
    %z = gpu.subgroup_mma_constant_matrix %zero : {c}
    %r = scf.for %l = %c0 to %rounds step %one iter_args(%s = %z) -> ({c}) {{{{
      %v = gpu.subgroup_mma_compute %x, %y, %s : {a}, {b} -> {c}
      scf.yield %v : {c}
    }}}}
    gpu.subgroup_mma_store_matrix %r, %c[%c0, %c0] {{{{leadDimension = {n} : index}}}}
      : {c}, memref<{m}x{n}x{total}>
"""


def make_peak(figures):
    """Two blocks of 1,024 threads on each multiprocessor of the A100, whose warps do
    nothing but multiply matrices."""
    blocks, threads, rounds = 216, 1024, 512
    for figure in figures:
        (m, n, k), factor, total = PRODUCTS[figure["kind"]]
        arrays = {"a": f"{m}x{k}x{factor.removeprefix('s')}",
                  "b": f"{k}x{n}x{factor.removeprefix('s')}", "c": f"{m}x{n}x{total}"}
        text = program(
            constants(c1=1) +
            "".join(f"  %{name} = gpu.alloc() : memref<{of}>\n" for name, of in arrays.items()) +
            number([launch(blocks, threads, multiply(figure["kind"], rounds))]) +
            "".join(f"  gpu.dealloc %{name} : memref<{of}>\n" for name, of in arrays.items()))
        work = 2 * m * n * k * rounds * blocks * threads // 32
        yield Batch(text, [figure], lambda ran, work=work: [work / ran[0][2] / 1e3])


SUITES = {"gpu-stream": make_stream, "gpu-small-kernels": make_chain,
          "gpu-roofline": make_roofline, "cuda-memcpy": make_copies,
          "STREAM": make_triad, "peakflops": make_peak}
