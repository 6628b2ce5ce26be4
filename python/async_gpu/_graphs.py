"""Graphs of PyTorch's functional ops on their way to torch-mlir.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import re
from typing import Any, List, Optional, Sequence, Tuple

import sympy
import torch
import torch_mlir.fx
from torch_mlir import ir
from torch_mlir.compiler_utils import TorchMlirCompilerError
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_decomp_util import get_decomposition_table
from torch_mlir.extras.fx_importer import FxImporter

from ._errors import CompileError

_aten = torch.ops.aten


def copy(graph: "torch.fx.GraphModule") -> "torch.fx.GraphModule":
    """A graph that may be changed."""
    new = torch.fx.Graph()
    new.output(new.graph_copy(graph.graph, {}))
    return torch.fx.GraphModule(graph, new)


def trim(graph: "torch.fx.GraphModule") -> Any:
    """Takes out of a graph what no program computes: which inputs are left, of
    what each output is made ("result", "input" or "constant"), and the nodes
    of results."""
    nodes = list(graph.graph.nodes)
    placeholders = [n for n in nodes if n.op == "placeholder"]
    end = nodes[-1]
    (given,) = end.args
    outputs: List[Tuple[str, Any]] = []
    results: List[Any] = []
    for value in given if isinstance(given, (list, tuple)) else [given]:
        if not isinstance(value, torch.fx.Node):
            outputs.append(("constant", value))
        elif value.op == "placeholder":
            outputs.append(("input", placeholders.index(value)))
        else:
            if value not in results:
                results.append(value)
            outputs.append(("result", results.index(value)))
    end.args = (tuple(results),)
    graph.graph.eliminate_dead_code()
    inputs = []
    for i, node in enumerate(placeholders):
        if node.users:
            inputs.append(i)
        else:
            graph.graph.erase_node(node)
    graph.recompile()
    return inputs, outputs, results


# ---------------------------------------------------------------------------
# Views
# ---------------------------------------------------------------------------


def _expression(size: Any) -> Any:
    return size.node.expr if isinstance(size, torch.SymInt) else \
        sympy.Integer(size)


def _is_multiple(a: Any, b: Any) -> bool:
    return bool(sympy.fraction(sympy.cancel(a / b))[1] == 1)


def _group(source: Sequence[Any], target: Sequence[Any]) \
        -> Optional[List[Tuple[int, int]]]:
    """How many dimensions of `source` next to each other become how many of
    `target`; None where sizes do not tell."""
    source, target = [[_expression(size) for size in sizes]
                      for sizes in (source, target)]
    if not source or not target or 0 in source or 0 in target:
        return None
    groups, i, j = [], 0, 0
    while i < len(source) and j < len(target):
        begin, a, b = (i, j), source[i], target[j]
        i, j = i + 1, j + 1
        while sympy.expand(a - b) != 0:
            if i < len(source) and _is_multiple(b, a):
                a, i = a * source[i], i + 1
            elif j < len(target) and _is_multiple(a, b):
                b, j = b * target[j], j + 1
            else:
                return None
        groups.append((i - begin[0], j - begin[1]))
    # What is left over has a size of 1.
    groups[-1] = (groups[-1][0] + len(source) - i,
                  groups[-1][1] + len(target) - j)
    return groups


def _values(value: Any) -> Any:
    """What a trace has computed for a node, or for nodes in a list."""
    if isinstance(value, (list, tuple)):
        return [_values(v) for v in value]
    return value.meta["val"] if isinstance(value, torch.fx.Node) else value


def _rewrite_views(graph: "torch.fx.Graph") -> None:
    """Replaces views that merge and split dimensions of sizes that only a run
    tells by flatten and unflatten: torch-mlir takes a merged dimension for one
    of those that it was made of. Torch-mlir must not make views of them."""
    for node in list(graph.nodes):
        if node.target not in (_aten.view.default, _aten.reshape.default,
                               _aten._unsafe_view.default):
            continue
        source, sizes = node.args
        target = node.meta["val"].shape
        known = [*source.meta["val"].shape, *target]
        groups = _group(source.meta["val"].shape, target)
        if groups is None or all(isinstance(size, int) for size in known):
            continue
        value, begin, end = source, len(known) - len(target), len(target)

        def call(op: Any, *args: Any) -> Any:
            with graph.inserting_before(node):
                made = graph.call_function(op, args)
            made.meta = {**node.meta, "val": op(*_values(args))}
            made.meta.pop("tensor_meta", None)
            return made

        for had, _ in reversed(groups):
            begin -= had
            if had > 1:
                value = call(_aten.flatten.using_ints, value, begin,
                             begin + had - 1)
        for at, (_, has) in reversed(list(enumerate(groups))):
            end -= has
            if has > 1:
                value = call(_aten.unflatten.int, value, at,
                             list(sizes[end:end + has]))
        if value is source:
            value = call(_aten.alias.default, value)
        node.replace_all_uses_with(value)
        graph.erase_node(node)


def decompositions() -> Any:
    """torch-mlir's, and PyTorch's own of gelu, whose constants torch-mlir has
    rounded to 4 digits."""
    return {**get_decomposition_table(),
            **torch._decomp.get_decompositions([_aten.gelu])}


def lower(graph: "torch.fx.GraphModule", name: str) -> str:
    """A graph, which is changed, as a function of linalg on tensors, in MLIR's
    text."""
    for node in graph.graph.nodes:
        device = getattr(node.meta.get("val"), "device", None)
        if device is not None and device.type != "cpu":
            raise CompileError(f"a tensor is on {device}: models and their "
                               f"inputs have to be on the CPU (model.cpu())")
    _rewrite_views(graph.graph)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    said: List[Any] = []

    def note(diagnostic: Any) -> bool:
        if diagnostic.severity is ir.DiagnosticSeverity.ERROR:
            said.append((diagnostic.message, str(diagnostic.location)))
        return True

    # What it prints otherwise, and its exceptions lack.
    handler = context.attach_diagnostic_handler(note)
    try:
        module = torch_mlir.fx.stateless_fx_import(
            graph, output_type="linalg-on-tensors", model_name=name,
            fx_importer=FxImporter(context=context),
            backend_legal_ops=["aten.flatten.using_ints", "aten.unflatten.int"])
    except TorchMlirCompilerError as error:
        if not said:
            raise
        place = re.search(r'"([^"]*)":([0-9]+):([0-9]+)', said[-1][1])
        location = ":".join(place.groups()) if place else ""
        raise CompileError(f"torch-mlir: {said[-1][0]}", location) from error
    finally:
        handler.detach()
    return str(module.operation.get_asm(enable_debug_info=True))
