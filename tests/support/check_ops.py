#!/usr/bin/env python3
"""Compares the table of ops with what upstream declares of them.

  tests/support/check_ops.py --rows PROGRAM --include DIRECTORY --tblgen PROGRAM

PROGRAM prints the rows of src/lower/ir/ops.def (tests/unit/compiler/lower/op_rows.c).
Upstream's ODS files say of most ops what they do to memory; of the others upstream's
code decides, which is no difference. Each difference has its reason below; a reason
without a difference is an error, too.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

# The dialects of which each op has a row, or a reason to have none.
COMPLETE = ("affine", "arith", "async", "cf", "complex", "func", "gpu", "index",
            "linalg", "math", "memref", "scf", "ub", "vector")

FILES = """Affine/IR/AffineOps Arith/IR/ArithOps Async/IR/AsyncOps
Complex/IR/ComplexOps ControlFlow/IR/ControlFlowOps Func/IR/FuncOps GPU/IR/GPUOps
Index/IR/IndexOps LLVMIR/LLVMIntrinsicOps LLVMIR/LLVMOps Linalg/IR/LinalgOps
Linalg/IR/LinalgRelayoutOps Linalg/IR/LinalgStructuredOps Math/IR/MathOps
MemRef/IR/MemRefOps SCF/IR/SCFOps UB/IR/UBOps Vector/IR/VectorOps"""

REASONS = {
    "a hint, on which no result depends": "affine.prefetch memref.prefetch",
    "threads meet or exchange values, which is nothing to memory":
        "gpu.barrier gpu.subgroup_reduce",
    "results are names of operands, which upstream does not say":
        "llvm.bitcast memref.distinct_objects memref.transpose",
    "workgroup memory, which nobody else knows": "gpu.dynamic_shared_memory",
    "what counts is the region": "gpu.all_reduce",
    "it waits on the stream": "gpu.wait",
    "a driver reads and writes the pages": "gpu.host_register gpu.host_unregister",
    "a buffer that has ended is written by nobody":
        "llvm.intr.lifetime.end llvm.intr.lifetime.start",
    "one word, which upstream says nothing of": "llvm.atomicrmw llvm.cmpxchg",
    "regions become such functions": "async.func",
    "of one operand memory is freed, and the result is other memory": "memref.realloc",
    "it is no op of host code or of kernels that are analysed: unknown":
        "async.call gpu.module gpu.binary memref.dma_start "
        "memref.dma_wait memref.global func.call_indirect",
    "a library for sparse matrices, which nothing here lowers": """
        gpu.create_2to4_spmat gpu.create_bsr gpu.create_coo gpu.create_coo_aos
        gpu.create_csc gpu.create_csr gpu.create_dn_tensor gpu.destroy_dn_tensor
        gpu.destroy_sp_mat gpu.sddmm gpu.sddmm_buffer_size gpu.set_csr_pointers
        gpu.spgemm_copy gpu.spgemm_create_descr gpu.spgemm_destroy_descr
        gpu.spgemm_work_estimation_or_compute gpu.spmat_get_size gpu.spmm
        gpu.spmm_buffer_size gpu.spmv gpu.spmv_buffer_size""",
}


def load(tblgen, include, name):
    """The records of one ODS file, by their names."""
    run = subprocess.run(
        [tblgen, "-dump-json", "-I", include],
        input=f'include "mlir/Dialect/{name}.td"\n', capture_output=True, text=True,
        check=True)
    return json.loads(run.stdout)


def traits_of(records, traits):
    """The names of all traits, and the effects that are declared for the whole op."""
    names, effects = set(), set()
    for trait in traits:
        record = records[trait["def"]]
        if "traits" in record:
            inner = traits_of(records, record["traits"])
            names |= inner[0]
            effects |= inner[1]
        names.add(trait["def"])
        names |= {str(record.get(key)) for key in ("trait", "cppInterfaceName")}
        if "DeclareInterfaceMethods" in record["!superclasses"]:
            names.add(f"code:{record.get('cppInterfaceName')}")
        for effect in record.get("effects") or []:
            effects.add(records[effect["def"]]["effect"].split("::")[-1])
    return names, effects


def effects_of(records, arguments):
    """The effects on each operand or result, as sets."""
    found = []
    for argument, _ in arguments["args"]:
        record = records[argument["def"]]
        constraint = record.get("constraint")
        kinds = records[constraint["def"]] if constraint else record
        if "TypeConstraint" in kinds["!superclasses"]:
            found.append({records[one["def"]]["effect"].split("::")[-1]
                          for one in record.get("decorators") or []})
    return found


class Op:
    """What upstream declares of an op."""

    def __init__(self, records, record):
        self.traits, self.whole = traits_of(records, record["traits"])
        operands = effects_of(records, record["arguments"])
        if self.has("AsyncOpInterface"):
            operands = operands[1:]  # the tokens
        self.reads = bits(operands, {"Read"})
        self.writes = bits(operands, {"Write", "Free"})
        self.frees = bits(operands, {"Free"}) != 0
        self.allocates = any("Allocate" in one
                             for one in effects_of(records, record["results"]))
        self.is_declared = bool(self.whole or self.reads or self.writes
                                or self.allocates)
        self.is_pure = not self.is_declared and bool(
            {"Pure", "NoMemoryEffect"} & self.traits)
        self.is_structure = bool(
            {"IsTerminator", "Terminator", "HasRecursiveMemoryEffects"} & self.traits)
        self.in_code = not self.is_pure and "MemoryEffectOpInterface::Trait" in self.traits

    def has(self, name):
        return any(name in trait for trait in self.traits)


def bits(operands, effects):
    return sum(1 << i for i, one in enumerate(operands) if one & effects)


def difference(row, op):
    """How a row differs from what upstream declares, or None."""
    kind, reads, writes, traits = row
    for trait, upstream in (("SCOPE", op.has("AutomaticAllocationScope")),
                            ("LOOP", op.has("LoopLikeOpInterface")),
                            ("TOKENS", op.has("AsyncOpInterface")),
                            ("RELEASES", op.frees)):
        if (trait in traits) != upstream:
            return f"{trait} {'only here' if trait in traits else 'only upstream'}"
    if (kind == "VIEW") != op.has("ViewLikeOpInterface"):
        return f"{kind}, upstream: {sorted(op.traits)}"
    told = {
        "PURE": op.is_pure or (op.in_code and not op.is_declared),
        "GLOBAL": op.is_pure,
        "VIEW": op.has("Pure"),
        "ALLOCATES": op.allocates,
        "ACCESSES": op.is_declared or op.in_code,
        "LINALG": op.in_code or op.has("DestinationStyleOpInterface"),
        "STRUCTURE": op.is_structure,
        "OUTSIDE": op.in_code,
    }
    if not told.get(kind, True):
        return f"{kind}, upstream: {sorted(op.traits)}"
    if (kind in ("ACCESSES", "VIEW") and (op.reads or op.writes)
            and (reads, writes) != (op.reads, op.writes)):
        return (f"reads {reads:b}, writes {writes:b}; "
                f"upstream: {op.reads:b}, {op.writes:b}")
    if kind in ("PURE", "GLOBAL", "STRUCTURE", "LINALG") and (op.reads or op.writes):
        return f"{kind}, upstream reads {op.reads:b}, writes {op.writes:b}"
    return None


def upstream_ops(tblgen, include):
    ops = {}
    for name in FILES.split():
        records = load(tblgen, include, name)
        for one in records["!instanceof"].get("Op", []):
            record = records[one]
            dialect = records[record["opDialect"]["def"]]["name"]
            ops[f"{dialect}.{record['opName']}"] = Op(records, record)
    return ops


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--tblgen", required=True)
    arguments = parser.parse_args()
    tblgen = shutil.which(arguments.tblgen)
    ods = pathlib.Path(arguments.include, "mlir/Dialect/MemRef/IR/MemRefOps.td")
    if not tblgen or not ods.exists():
        print(f"skipped: needs {arguments.tblgen} and MLIR's ODS files")
        return 77
    rows = {}
    for line in subprocess.run([arguments.rows, "print"], check=True, text=True,
                               capture_output=True).stdout.splitlines():
        name, kind, reads, writes, *traits = line.split()
        rows[name] = kind, int(reads), int(writes), set(traits)
    ops = upstream_ops(tblgen, arguments.include)
    reasons = {name for names in REASONS.values() for name in names.split()}
    found = {}
    for name, op in ops.items():
        if name in rows:
            text = difference(rows[name], op)
        else:
            text = "no row" if name.split(".")[0] in COMPLETE else None
        if text:
            found[name] = text
    for name in sorted(found.keys() - reasons):
        print(f"{name}: {found[name]}; mend src/lower/ir/ops.def, or give a reason in "
              f"{pathlib.Path(__file__).name}")
    for name in sorted(reasons - found.keys()):
        print(f"{name}: the reason for a difference is stale: there is none")
    if len(ops) < 600:
        print(f"only {len(ops)} ops were found in {arguments.include}")
        return 1
    return 1 if found.keys() ^ reasons else 0


if __name__ == "__main__":
    sys.exit(main())
