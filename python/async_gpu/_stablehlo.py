"""StableHLO as linalg on tensors, by the passes in torch-mlir's package.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Those passes have no loops, branches and sorts: they become scf here, before,
and torch-mlir's own tm_tensor.sort.
"""

from __future__ import annotations

import re
from typing import Any, List, Tuple

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo
from torch_mlir.dialects import arith, func, scf, tensor
from torch_mlir.passmanager import PassManager

from ._errors import CompileError

_FOREIGN = ("chlo.", "stablehlo.")
_INLINE = "builtin.module(inline,symbol-dce)"
_LOWER = "builtin.module(stablehlo-legalize-to-linalg,stablehlo-convert-to-signless)"
_CLEAN = "builtin.module(canonicalize,cse)"

_stablehlo.register_stablehlo_passes()


def place_of(location: Any) -> str:
    """The innermost file, line and column that a location names, or nothing."""
    found = re.search(r'"([^"]*)":([0-9]+):([0-9]+)', str(location))
    return ":".join(found.groups()) if found else ""


# ---------------------------------------------------------------------------
# Loops, branches and sorts
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


def _rewrite_sort(op: Any) -> None:
    """tm_tensor.sort asks whether `a` may stand in front of `b`: it may unless
    `b` has to, so that what is equal keeps its order. What compares is a
    function until it has been lowered: passes fail in ops that they do not
    know."""
    made = ir.Operation.create(
        "tm_tensor.sort", [r.type for r in op.results], list(op.operands),
        {"dimension": op.attributes["dimension"]})
    elements = [v.type.element_type for v in op.operands for _ in "ab"]
    table = ir.SymbolTable(_module_of(op))
    compare = func.FuncOp("compares", (elements, [ir.IntegerType.get_signless(1)]),
                          visibility="private", ip=ir.InsertionPoint.at_block_begin(
                              _module_of(op).regions[0].blocks[0]))
    made.attributes["compares"] = table.insert(compare)
    block, source = compare.add_entry_block(), op.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        for i, argument in enumerate(source.arguments):
            argument.replace_all_uses_with(
                tensor.from_elements(argument.type, [block.arguments[i ^ 1]]))
    *body, end = source.operations
    for inner in body:
        block.append(inner.operation)
    with ir.InsertionPoint(block):
        is_behind = _scalar(end.operands[0])
        func.ReturnOp([arith.xori(is_behind, arith.constant(is_behind.type, 1))])
    end.operation.erase()
    _replace(op, made)


def _finish_sort(op: Any) -> None:
    """Gives a tm_tensor.sort its region."""
    compare = ir.SymbolTable(_module_of(op))[op.attributes["compares"].value]
    _inline_scalars(compare, _is_scalar)
    with ir.InsertionPoint(op), op.location:
        made = ir.Operation.create(
            "tm_tensor.sort", [r.type for r in op.results], list(op.operands),
            {"dimension": op.attributes["dimension"]}, regions=1)
    block = compare.regions[0].blocks[0]
    block.append_to(made.regions[0])
    _end(block, lambda found: ir.Operation.create("tm_tensor.yield", [], found))
    _replace(op, made)
    compare.operation.erase()


def _module_of(op: Any) -> Any:
    while op.name != "builtin.module":
        op = op.parent
    return op


_CONTROL = {"stablehlo.while": _rewrite_while, "stablehlo.case": _rewrite_case,
            "stablehlo.if": _rewrite_case, "stablehlo.sort": _rewrite_sort}


def _collect(inside: Any, wanted: Any, order: Any = ir.WalkOrder.POST_ORDER) -> List[Any]:
    """Ops whose names are `wanted`, inner ones first."""
    found: List[Any] = []

    def visit(op: Any) -> Any:
        if wanted(op.name):
            found.append(op.operation)
        return ir.WalkResult.ADVANCE
    inside.operation.walk(visit, order)
    return found


def _is_scalar(value: Any) -> bool:
    return bool(ir.RankedTensorType(value.type).rank == 0)


def _is_counter(value: Any) -> bool:
    return _is_scalar(value) and isinstance(value.type.element_type, ir.IntegerType)


def _inline_scalars(inside: Any, wanted: Any) -> None:
    """Arithmetic on tensors of rank 0 for which all values are `wanted` becomes
    arithmetic on numbers: in a sort, what compares; in a loop, counters and
    conditions, which the host asks for, and no kernel should have."""
    for op in _collect(inside, "linalg.generic".__eq__):
        if not all(map(wanted, [*op.operands, *op.results])):
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
    context.allow_unregistered_dialects = True  # tm_tensor
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
            PassManager.parse(_INLINE).run(module.operation)
            for op in _collect(module, _CONTROL.__contains__):
                with ir.InsertionPoint(op), op.location:
                    _CONTROL[op.name](op)
            PassManager.parse(_LOWER).run(module.operation)
            for op in _collect(module, lambda name: name.startswith(_FOREIGN),
                               ir.WalkOrder.PRE_ORDER):
                raise CompileError("torch-mlir's passes do not lower "
                                   f"{op.name} to linalg", place_of(op.location))
            for loop in _collect(module, "scf.while".__eq__):
                _inline_scalars(loop, _is_counter)
            for sort in _collect(module, "tm_tensor.sort".__eq__):
                _finish_sort(sort)
            PassManager.parse(_CLEAN).run(module.operation)
            return str(module.operation.get_asm(enable_debug_info=True))
    except (ValueError, ir.MLIRError) as error:
        if not said:
            raise
        raise CompileError(f"torch-mlir: {said[0][0]}", said[0][1]) from error
    finally:
        handler.detach()
