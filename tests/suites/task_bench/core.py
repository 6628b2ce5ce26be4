"""Task Bench's core, asked what its graphs look like.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The library is the suite's core/, built as one shared library: what is here of its C API
is in core/core_c.h.
"""

import copy
import ctypes


class Kernel(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("iterations", ctypes.c_long),
                ("samples", ctypes.c_int), ("imbalance", ctypes.c_double)]


class Interval(ctypes.Structure):
    _fields_ = [("start", ctypes.c_long), ("end", ctypes.c_long)]


class Handle(ctypes.Structure):
    _fields_ = [("impl", ctypes.c_void_p)]


class TaskGraph(ctypes.Structure):
    _fields_ = [("graph_index", ctypes.c_long), ("timesteps", ctypes.c_long),
                ("max_width", ctypes.c_long), ("dependence", ctypes.c_int),
                ("radix", ctypes.c_long), ("period", ctypes.c_long),
                ("fraction_connected", ctypes.c_double), ("kernel", Kernel),
                ("output_bytes_per_task", ctypes.c_size_t),
                ("scratch_bytes_per_task", ctypes.c_size_t), ("nb_fields", ctypes.c_int)]


FUNCTIONS = {
    "app_create": (Handle, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)),
    "app_task_graphs": (Handle, Handle),
    "interval_list_num_intervals": (ctypes.c_long, Handle),
    "interval_list_interval": (Interval, Handle, ctypes.c_long),
    "interval_list_destroy": (None, Handle),
    "task_graph_list_num_task_graphs": (ctypes.c_long, Handle),
    "task_graph_list_task_graph": (TaskGraph, Handle, ctypes.c_long),
    "task_graph_width_at_timestep": (ctypes.c_long, TaskGraph, ctypes.c_long),
    "task_graph_max_dependence_sets": (ctypes.c_long, TaskGraph),
    "task_graph_dependence_set_at_timestep": (ctypes.c_long, TaskGraph, ctypes.c_long),
    "task_graph_dependencies": (Handle, TaskGraph, ctypes.c_long, ctypes.c_long),
}


class Graph:
    """The shape of a graph, for any number of steps.

    width: points of a step, at most
    varies: whether there are steps with fewer
    needs: a list for each step of a period: of each point, what it depends on in the
      step before
    """

    def __init__(self, library, graph):
        self.width = graph.max_width
        # A number of steps after which the widths of all patterns have grown and shrunk.
        long = copy.copy(graph)
        long.timesteps = 4 * self.width + 4
        self.varies = any(library.task_graph_width_at_timestep(long, t) != self.width
                          for t in range(long.timesteps))
        period = library.task_graph_max_dependence_sets(graph) or 1
        self.needs = []
        for step in range(period):
            chosen = library.task_graph_dependence_set_at_timestep(graph, step)
            self.needs.append([self._points(library, graph, chosen, point)
                               for point in range(self.width)])

    @staticmethod
    def _points(library, graph, chosen, point):
        intervals = library.task_graph_dependencies(graph, chosen, point)
        found = []
        for i in range(library.interval_list_num_intervals(intervals)):
            interval = library.interval_list_interval(intervals, i)
            found += range(interval.start, interval.end + 1)
        library.interval_list_destroy(intervals)
        return found


def read_graphs(path, arguments):
    """The graphs of a command line, as the core at `path` reads it. It ends the process
    where the line is wrong."""
    library = ctypes.CDLL(str(path))
    for name, (result, *parameters) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    words = [b"task_bench", *(a.encode() for a in arguments)]
    app = library.app_create(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
    graphs = library.app_task_graphs(app)
    return [Graph(library, library.task_graph_list_task_graph(graphs, i))
            for i in range(library.task_graph_list_num_task_graphs(graphs))]
