"""PyTorch's models as programs, by way of torch-mlir's exporter.

    model = torch.compile(model, backend="async_gpu")
    y = model(x)

    import async_gpu.torch
    model = async_gpu.torch.compile(model, (x,))
    y = await model(x)        # on asyncio: no thread waits
    y = model.run(x)          # waits

Needs the packages torch and torch-mlir, which nothing else imports. Tensors
are passed as they are; those of results own memory of the program. What cannot
be lowered runs in PyTorch, with a warning, or is an error
(`options={"fallback": False}`).

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

try:
    import torch
    import torch.utils._pytree as _pytree
    from torch.export.graph_signature import InputKind, OutputKind
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from . import _graphs
except ImportError as error:
    raise ImportError(
        "async_gpu.torch needs the packages torch and torch-mlir: "
        f"pip install torch torch-mlir ({error})") from error

from . import Call, Module, _arrays, _calls

__all__ = ["Model", "backend", "compile"]

_ENTRY = "forward"


# ---------------------------------------------------------------------------
# Tensors
# ---------------------------------------------------------------------------


def _to_view(tensor: "torch.Tensor") -> _arrays.View:
    """A tensor's memory, or that of a copy whose elements lie side by side."""
    return _arrays.view_of(
        tensor.detach().resolve_conj().resolve_neg().contiguous())


def _to_tensor(dtype: "torch.dtype", result: Sequence[Any]) -> "torch.Tensor":
    """A tensor of a result's memory, which it keeps. `result` is what makers
    of arrays are given (_arrays.from_memref)."""
    first, shape, strides, wanted, memory = result
    if 0 in shape:
        return torch.empty(tuple(shape), dtype=dtype)
    last = sum((size - 1) * step for size, step in zip(shape, strides))
    raw = (ctypes.c_char * ((last + 1) * wanted.element_bytes)).from_address(first)
    raw._memory = memory
    return torch.frombuffer(raw, dtype=dtype).as_strided(tuple(shape),
                                                         tuple(strides))


class _Bound:
    """Parameters, which are looked at once."""

    def __init__(self) -> None:
        self._views: Dict[int, Tuple[Any, Any, _arrays.View]] = {}

    def view(self, position: int, tensor: "torch.Tensor") -> _arrays.View:
        """The memory of a tensor that is passed at `position` in most calls."""
        place = (tensor.data_ptr(), tensor.shape, tensor.stride())
        had = self._views.get(position)
        if had is None or had[0] is not tensor or had[1] != place:
            had = (tensor, place, _to_view(tensor))
            # A copy would not see what is written to the parameter later.
            if had[2].pointer == tensor.data_ptr():
                self._views[position] = had
        return had[2]


# ---------------------------------------------------------------------------
# Graphs
# ---------------------------------------------------------------------------


class _Graph:
    """A functional graph of ATen's ops as a program."""

    def __init__(self, graph: "torch.fx.GraphModule", remarks: bool) -> None:
        self._inputs, self._outputs, results = _graphs.trim(graph)
        self._dtypes = [getattr(node.meta["val"], "dtype", None)
                        for node in results]
        self._bound = _Bound()
        #: What passes decided, if they were asked.
        self.remarks: List[str] = []
        self._function: Any = None
        if results:
            text = _graphs.lower(graph, _ENTRY)
            module = Module(text, _ENTRY, remarks)
            self._function = module.compile([_ENTRY])[_ENTRY]
            self.remarks = [r for r in module.diagnostics if "remark: " in r]

    def start(self, values: Sequence[Any],
              finish: Callable[[List[Any]], Any]) -> Call:
        """Starts a call, which gives what `finish` makes of the outputs."""
        def outputs(results: List[Any]) -> Any:
            made = [r if dtype is None else _to_tensor(dtype, r)
                    for r, dtype in zip(results, self._dtypes)]
            return finish([made[which] if kind == "result" else
                           values[which] if kind == "input" else which
                           for kind, which in self._outputs])

        function = self._function
        arguments = [self._argument(i, values[i]) for i in self._inputs]
        return _calls.start(function._packed, function._native_signature,
                            function.signature, function._code,
                            function._source, arguments,
                            lambda *what: what, outputs)

    def run(self, *values: Any) -> Any:
        """The outputs, a list, once they are there."""
        if self._function is None:
            return [values[which] if kind == "input" else which
                    for kind, which in self._outputs]
        return self.start(values, lambda outputs: outputs).result()

    def _argument(self, position: int, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if isinstance(value, torch.nn.Parameter):
            return self._bound.view(position, value)
        return _to_view(value)


def _reason(error: BaseException) -> str:
    """The first line of an error, without the operands of ops."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]


# ---------------------------------------------------------------------------
# torch.compile
# ---------------------------------------------------------------------------

_warned: Set[str] = set()
_options = {"fallback": True, "remarks": False}


def _check_options(options: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    unknown = set(options or {}) - set(_options)
    if unknown:
        raise ValueError(f"backend async_gpu has no option "
                         f"{', '.join(map(repr, sorted(unknown)))}: it has "
                         f"{', '.join(map(repr, _options))}")
    return {**_options, **(options or {})}


def _compile_graph(graph: "torch.fx.GraphModule", _inputs: Any,
                   fallback: bool, remarks: bool) -> Any:
    from functorch.compile import make_boxed_func
    try:
        compiled = _Graph(_graphs.copy(graph), remarks)
    except Exception as error:
        if not fallback:
            raise
        reason = _reason(error)
        if reason not in _warned:
            _warned.add(reason)
            warnings.warn(f"async_gpu: a graph is left to PyTorch: {reason}",
                          stacklevel=2)
        return make_boxed_func(graph.forward)
    for remark in compiled.remarks:
        print(remark)
    return make_boxed_func(compiled.run)


def backend(graph: "torch.fx.GraphModule", inputs: Any,
            options: Optional[Dict[str, Any]] = None) -> Any:
    """The backend of torch.compile(..., backend="async_gpu"). Options:
    `fallback` (True): what cannot be lowered runs in PyTorch, with a warning;
    otherwise it is an error. `remarks` (False): print what passes decide."""
    from torch._dynamo.backends.common import aot_autograd
    chosen = _check_options(options)

    def compile_graph(graph: Any, inputs: Any) -> Any:
        return _compile_graph(graph, inputs, **chosen)

    # Of attention there are decompositions of one kind alone, backward too.
    with sdpa_kernel(SDPBackend.MATH):
        return aot_autograd(fw_compiler=compile_graph,
                            bw_compiler=compile_graph,
                            decompositions=_graphs.decompositions())(graph, inputs)


# ---------------------------------------------------------------------------
# Ahead of time, and asyncio
# ---------------------------------------------------------------------------


class Model:
    """A model that torch.export has made a graph of: calling it starts a Call,
    which asyncio can await."""

    def __init__(self, program: "torch.export.ExportedProgram",
                 remarks: bool) -> None:
        program = program.run_decompositions(_graphs.decompositions())
        self._signature = program.graph_signature
        self._tree = program.call_spec
        self._kept = {**program.constants, **program.state_dict}
        self._graph = _Graph(_graphs.copy(program.graph_module), remarks)
        #: What passes decided, as a compiler prints it, if they were asked.
        self.remarks = self._graph.remarks

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """Starts a call with tensors as the model was exported with. Buffers
        of the model are written when the result is taken."""
        flat, tree = _pytree.tree_flatten((args, kwargs))
        if tree != self._tree.in_spec:
            raise TypeError(f"the model was exported for arguments "
                            f"{self._tree.in_spec}, not {tree}")
        given = iter(flat)
        values = [self._input(spec, given)
                  for spec in self._signature.input_specs]
        return self._graph.start(
            values, lambda outputs: self._finish(outputs, flat))

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it and waits for the result."""
        return self(*args, **kwargs).result()

    def _input(self, spec: Any, given: Iterator[Any]) -> Any:
        if spec.kind is InputKind.USER_INPUT:
            return next(given)
        return self._kept[spec.target]

    def _finish(self, outputs: List[Any], flat: List[Any]) -> Any:
        results = []
        users = [spec.arg.name for spec in self._signature.input_specs
                 if spec.kind is InputKind.USER_INPUT]
        for value, spec in zip(outputs, self._signature.output_specs):
            if spec.kind is OutputKind.USER_OUTPUT:
                results.append(value)
            elif spec.kind is OutputKind.BUFFER_MUTATION:
                self._kept[spec.target].copy_(value)
            else:
                flat[users.index(spec.target)].copy_(value)
        return _pytree.tree_unflatten(results, self._tree.out_spec)


def compile(model: "torch.nn.Module", args: Tuple[Any, ...],
            kwargs: Optional[Dict[str, Any]] = None,
            dynamic_shapes: Any = None, remarks: bool = False) -> Model:
    """Exports `model` for arguments like `args` and `kwargs` and compiles it.
    `dynamic_shapes` is as of torch.export.export. Raises CompileError, or what
    torch.export or torch-mlir raise, where that is not possible."""
    with sdpa_kernel(SDPBackend.MATH):
        program = torch.export.export(model, args, kwargs,
                                      dynamic_shapes=dynamic_shapes)
    return Model(program, remarks)


# Without an installed package there is no entry point, which has the same name.
if not any(point.name == "async_gpu" for point in
           importlib.metadata.entry_points(group="torch_dynamo_backends")):
    torch._dynamo.register_backend(backend, name="async_gpu")
