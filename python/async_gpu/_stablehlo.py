"""StableHLO as linalg on tensors, by the passes in torch-mlir's package.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Those passes have no loops and no branches: they become scf here, before.
"""

from __future__ import annotations

import re
from typing import Any, List, Tuple

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo
from torch_mlir.dialects import arith, scf, tensor
from torch_mlir.passmanager import PassManager

from ._errors import CompileError

_FOREIGN = ("chlo.", "stablehlo.")
_LOWER = ("builtin.module(inline,symbol-dce,stablehlo-legalize-to-linalg,"
          "stablehlo-convert-to-signless)")
_CLEAN = "builtin.module(canonicalize,cse)"

_stablehlo.register_stablehlo_passes()


def place_of(location: Any) -> str:
    """The innermost file, line and column that a location names, or nothing."""
    found = re.search(r'"([^"]*)":([0-9]+):([0-9]+)', str(location))
    return ":".join(found.groups()) if found else ""


# ---------------------------------------------------------------------------
# Loops and branches
# ---------------------------------------------------------------------------


def _scalar(value: Any) -> Any:
    return tensor.extract(value, [])


def _end(block: Any, make: Any) -> None:
    """Replaces a block's stablehlo.return by what `make` makes of its operands."""
    end = block.operations[len(block.operations) - 1]
    with ir.InsertionPoint(end), end.location:
        make(list(end.operands))
    end.operation.erase()


def _replace(op: Any, new: Any) -> None:
    for old, result in zip(op.results, new.results):
        old.replace_all_uses_with(result)
    op.erase()


def _rewrite_while(op: Any) -> None:
    """stablehlo.while's regions are scf.while's, whose first one passes on
    what it has been given."""
    loop = scf.WhileOp([r.type for r in op.results], list(op.operands))
    condition, body = (region.blocks[0] for region in op.regions)
    condition.append_to(loop.before)
    body.append_to(loop.after)
    _end(condition, lambda found: scf.condition(_scalar(found[0]), condition.arguments))
    _end(body, scf.yield_)
    _replace(op, loop)


def _move(source: Any, target: Any) -> None:
    """Moves a branch into an empty block, where it yields."""
    _end(source, scf.yield_)
    for inner in list(source.operations):
        target.append(inner.operation)


def _rewrite_case(op: Any) -> None:
    """stablehlo.if is scf.if, and stablehlo.case, whose last branch takes all
    other numbers, a chain of them."""
    branches = [region.blocks[0] for region in op.regions]
    index = _scalar(op.operands[0])

    def choose(number: int) -> Any:
        chosen = index
        if op.name == "stablehlo.case":
            chosen = arith.cmpi(arith.CmpIPredicate.eq, index,
                                arith.constant(index.type, number))
        new = scf.IfOp(chosen, [r.type for r in op.results], has_else=True)
        _move(branches[number], new.then_block)
        if number + 2 == len(branches):
            _move(branches[number + 1], new.else_block)
        else:
            with ir.InsertionPoint(new.else_block):
                scf.yield_(choose(number + 1).results)
        return new

    _replace(op, choose(0))


_CONTROL = {"stablehlo.while": _rewrite_while, "stablehlo.case": _rewrite_case,
            "stablehlo.if": _rewrite_case}


def _collect(inside: Any, wanted: Any, order: Any = ir.WalkOrder.POST_ORDER) -> List[Any]:
    """Ops whose names are `wanted`, inner ones first."""
    found: List[Any] = []

    def visit(op: Any) -> Any:
        if wanted(op.name):
            found.append(op.operation)
        return ir.WalkResult.ADVANCE
    inside.operation.walk(visit, order)
    return found


def _is_counter(value: Any) -> bool:
    shaped = ir.RankedTensorType(value.type)
    return shaped.rank == 0 and isinstance(shaped.element_type, ir.IntegerType)


def _take_counters_to_host(loop: Any) -> None:
    """Integers of rank 0 that a loop computes are counters and conditions,
    which the host asks for: no kernel should have them."""
    for op in _collect(loop, "linalg.generic".__eq__):
        if not all(map(_is_counter, [*op.operands, *op.results])):
            continue
        block = op.regions[0].blocks[0]
        with ir.InsertionPoint(op), op.location:
            for argument, operand in zip(block.arguments, op.operands):
                argument.replace_all_uses_with(_scalar(operand))
            *body, end = block.operations
            for inner in body:
                inner.operation.move_before(op)
            for result, value in zip(op.results, end.operands):
                result.replace_all_uses_with(
                    tensor.from_elements(result.type, [value]))
        op.erase()


# ---------------------------------------------------------------------------
# All of it
# ---------------------------------------------------------------------------


def lower(artifact: bytes) -> str:
    """A portable artifact of StableHLO as linalg on tensors, in MLIR's text.
    CompileError, with the place in the program that was traced, names an op
    that nothing lowers."""
    context = ir.Context()
    _stablehlo.register_dialect(context)
    said: List[Tuple[str, str]] = []

    def note(diagnostic: Any) -> bool:
        if diagnostic.severity is ir.DiagnosticSeverity.ERROR:
            said.append((diagnostic.message, place_of(diagnostic.location)))
        return True

    handler = context.attach_diagnostic_handler(note)
    try:
        with context, ir.Location.unknown():
            module = _stablehlo.deserialize_portable_artifact(context, artifact)
            for op in _collect(module, _CONTROL.__contains__):
                with ir.InsertionPoint(op), op.location:
                    _CONTROL[op.name](op)
            PassManager.parse(_LOWER).run(module.operation)
            for op in _collect(module, lambda name: name.startswith(_FOREIGN),
                               ir.WalkOrder.PRE_ORDER):
                raise CompileError("torch-mlir's passes do not lower "
                                   f"{op.name} to linalg", place_of(op.location))
            for loop in _collect(module, "scf.while".__eq__):
                _take_counters_to_host(loop)
            PassManager.parse(_CLEAN).run(module.operation)
            return str(module.operation.get_asm(enable_debug_info=True))
    except (ValueError, ir.MLIRError) as error:
        if not said:
            raise
        raise CompileError(f"torch-mlir: {said[0][0]}", said[0][1]) from error
    finally:
        handler.detach()
