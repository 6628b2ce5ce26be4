#!/usr/bin/env python3
"""Models of PyTorch as libraries for a machine that has a GPU and no compiler.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/card_models_pack.py FOLDER [NAME...] [--build build] [--chip sm_75]
                              [--count]

Compiles the models of bench/torch_models.py, or those that are named, ahead of time:
FOLDER gets NAME.so and NAME.json of each, the runtime library and
card_models.py, which runs there and needs PyTorch alone. Needs torch, torch-mlir and a
C compiler.

Parameters, inputs and results are arguments, memory of the device. Transposes of
parameters are made once, when the model is loaded. NAME.so has two functions, which
take the addresses of descriptors of memrefs: NAME_call, and NAME_call_graph, whose
work becomes a CUDA graph. NAME.json says what each argument is: [kind, which,
permutation], of a parameter or buffer, an input or a constant (NAME.constants.npz).
--count: kernels for the emulated device alone, which say what they execute there; what
bench/modelled.py --models runs.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import numpy

import machine
import torch_models

ATEN_PERMUTATIONS = ("permute", "transpose", "t")


def permutation_of(node):
    """What dimensions of its source a node's are, if it does no more than permute
    them."""
    name = str(node.target).split(".")
    if node.op != "call_function" or name[0] != "aten" or \
            name[1] not in ATEN_PERMUTATIONS:
        return None
    rank = len(node.args[0].meta["val"].shape)
    order = list(range(rank))
    if name[1] == "permute":
        return [axis % rank for axis in node.args[1]]
    first, second = node.args[1:] if name[1] == "transpose" else (0, rank - 1)
    order[first], order[second] = order[second], order[first]
    return order


def take_out_permutations(graph, sources):
    """Has each permutation of a parameter be an input of its own."""
    nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
    last = nodes[-1]
    for number, node in enumerate(nodes):
        if sources[number][0] == "input":
            continue
        for user in list(node.users):
            order = permutation_of(user)
            if order is None or order == sorted(order):
                continue
            with graph.graph.inserting_after(last):
                new = graph.graph.placeholder(f"{node.name}_{len(sources)}")
            new.meta = {"val": user.meta["val"].contiguous()}
            user.replace_all_uses_with(new)
            graph.graph.erase_node(user)
            sources.append([*sources[number][:2], order])
            last = new
    graph.recompile()


def export(model, arguments):
    """Linalg on tensors, what each argument is, and the constants by name."""
    import torch
    from torch.export.graph_signature import InputKind
    from torch.nn.attention import SDPBackend, sdpa_kernel
    import async_gpu.torch  # noqa: F401
    from async_gpu import _graphs
    with sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        program = torch.export.export(model, tuple(arguments))
        program = program.run_decompositions(_graphs.decompositions())
    sources, inputs = [], 0
    for spec in program.graph_signature.input_specs:
        if spec.kind is InputKind.USER_INPUT:
            sources.append(["input", inputs, None])
            inputs += 1
        elif spec.kind is InputKind.CONSTANT_TENSOR:
            sources.append(["constant", spec.target, None])
        else:
            sources.append(["state", spec.target, None])
    graph = _graphs.copy(program.graph_module)
    take_out_permutations(graph, sources)
    used, outputs, results = _graphs.trim(graph)
    if [kind for kind, _ in outputs] != ["result"] * len(results):
        raise ValueError("an output is none of the program's results")
    return (_graphs.lower(graph, "forward"), [sources[i] for i in used],
            {name: numpy.ascontiguousarray(value.detach().numpy())
             for name, value in program.constants.items()
             if isinstance(value, torch.Tensor)})


WRAPPER = """func.func @{name}({parameters}) attributes {{llvm.emit_c_interface,
    async_gpu.graphs = "{graphs}"}} {{
  {casts}
  call @forward({values}) : ({types}) -> ()
  return
}}
"""


def wrap(text, name):
    """Functions that are given memory of the device, around @forward, and the types
    of what they are given."""
    line = next(line for line in text.splitlines() if "func.func @forward(" in line)
    types = re.findall(r"%arg\d+: (memref<[^>]*>)", line)
    if line.count("%arg") != len(types) or "->" in line:
        raise ValueError(f"memrefs and no more, not {line.strip()[:200]}")
    device = [f"{kind[:-1]}, #gpu.address_space<global>>" for kind in types]
    added = "".join(WRAPPER.format(
        name=name + suffix, graphs=graphs, types=", ".join(types),
        parameters=", ".join(f"%p{i}: {kind}" for i, kind in enumerate(device)),
        casts="\n  ".join(f"%v{i} = memref.memory_space_cast %p{i} : {a} to {b}"
                          for i, (a, b) in enumerate(zip(device, types))),
        values=", ".join(f"%v{i}" for i in range(len(types))))
        for suffix, graphs in (("", "off"), ("_graph", "on")))
    text = text.replace("func.func @forward(", "func.func private @forward(")
    return text[:text.rindex("}")] + added + "}\n", types


SHIM = """void _mlir_ciface_{name}({parameters});
void {name}_call{suffix}(void **values) {{ _mlir_ciface_{name}({values}); }}
"""


def shims(name, count):
    """Functions that take all in one array."""
    whole = "".join(SHIM.format(
        name=name + suffix, suffix="", parameters=", ".join(["void *"] * count),
        values=", ".join(f"values[{i}]" for i in range(count)))
        for suffix in ("", "_graph"))
    return whole.replace(f"{name}_graph_call", f"{name}_call_graph")


class Packer:
    def __init__(self, arguments):
        self.arguments, self.folder = arguments, arguments.folder
        self.opt = arguments.build / "bin/async-gpu-opt"

    def run_opt(self, source, passes, *more):
        done = subprocess.run(
            [self.opt, source, f"--pass-pipeline=builtin.module({passes})", *more],
            capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stderr.strip()[:2000])
        return done.stderr

    def pack(self, name, make):
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        begin = time.perf_counter()
        text, sources, constants = export(*torch_models.build(make))
        exported = time.perf_counter()
        source, inside = work / f"{name}.mlir", work / f"{name}.memrefs.mlir"
        source.write_text(text)
        # Kernels first: a result that is allocated is what ops are fused into.
        said = self.run_opt(
            source, "async-gpu-bufferize{fuse=true},async-gpu-map-linalg,"
            "expand-realloc,canonicalize,cse,buffer-results-to-out-params{"
            "modify-public-functions=true hoist-static-allocs=true}",
            "--async-gpu-remarks", "-o", inside)
        launches = said.count("remark: a kernel with")
        text, types = wrap(inside.read_text(), name)
        inside.write_text(text)
        lower = ("inline,symbol-dce,async-gpu-place-data{noalias-arguments=true},"
                 "async-gpu-form-regions{noalias-arguments=true},"
                 f"async-gpu-lower{{gpu-chip={self.arguments.chip} "
                 f"gpu-targets={self.arguments.targets}"
                 f"{' gpu-count=true' if self.arguments.count else ''}}}")
        said += self.run_opt(inside, lower, "--emit=obj", "--async-gpu-remarks",
                             "-o", work / f"{name}.o")
        (work / f"{name}.remarks").write_text(said)
        kernels = None
        if "ptx" in self.arguments.targets:
            ptx = work / f"{name}.ptx"
            self.run_opt(inside, lower, "--emit=ptx", "-o", ptx)
            kernels = ptx.read_text().count(".entry")
        shim = work / f"{name}.c"
        shim.write_text(shims(name, len(types)))
        libraries = self.arguments.build / "lib"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O2", "-s", work / f"{name}.o", shim, "-o",
             self.folder / f"{name}.so", f"-L{libraries}", "-lasync_gpu_utils",
             "-lasync_gpu_runtime", "-lm", "-Wl,-rpath,$ORIGIN"], check=True)
        used = {which: constants[which] for kind, which, _ in sources
                if kind == "constant"}
        if used:
            numpy.savez_compressed(self.folder / f"{name}.constants.npz", **used)
        (self.folder / f"{name}.json").write_text(json.dumps(
            {"arguments": sources, "types": types,
             "kernels": kernels,
             "launches": launches,
             "compile_seconds": time.perf_counter() - exported}))
        machine.say(f"{name}: {len(types)} arguments, exported in "
                    f"{exported - begin:.1f} s, compiled in "
                    f"{time.perf_counter() - exported:.1f} s")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", type=pathlib.Path, default=machine.ROOT / "build")
    parser.add_argument("--chip", default="sm_75")
    parser.add_argument("--targets", default="ptx,native")
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    if arguments.count:
        arguments.targets = "native"
    machine.require(arguments.build, "bin/async-gpu-opt",
                    "lib/libasync_gpu_runtime.so.0")
    os.environ["ASYNC_GPU_BUILD_DIR"] = str(arguments.build.resolve())
    sys.path.insert(0, str(machine.ROOT / "python"))
    known = {**torch_models.models(), **torch_models.large()}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"no model is called {unknown[0]}: {', '.join(known)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for file in ("libasync_gpu_runtime.so.0", "libasync_gpu_emu.so.0"):
        shutil.copy(arguments.build / "lib" / file, arguments.folder)
        subprocess.run(["strip", "--strip-unneeded", arguments.folder / file],
                       check=True)
    for file in ("card_models.py", "torch_models.py"):
        shutil.copy(machine.ROOT / "bench" / file, arguments.folder)
    packer, failed = Packer(arguments), []
    for name in arguments.names or known:
        try:
            packer.pack(name, known[name])
        except Exception as error:
            machine.say(f"{name}: FAILED: {str(error)[:2000]}")
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
