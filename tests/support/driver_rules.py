"""What the manual of the CUDA driver API asks of every caller, as rules.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A rule looks at one call in the light of those before it, or at what is left at
the end, and says what is wrong. Some ask for more than the manual does, since
what it allows is no use to this runtime: an event that is waited for has been
recorded, what is copied or filled is not empty, and no call makes a thread of
the executor wait. driver_rules_test.py has a log that breaks each rule.
"""

import bisect
import collections

# What makes and ends each kind of handle, by the argument that names it.
CREATED_BY = {"cuStreamCreate": "stream", "cuStreamCreateWithPriority": "stream",
              "cuEventCreate": "event",
              "cuModuleLoadDataEx": "module", "cuModuleGetFunction": "function",
              "cuGraphCreate": "graph", "cuStreamEndCapture": "graph",
              "cuGraphInstantiate": "exec"}
DESTROYED_BY = {"cuStreamDestroy": "stream", "cuEventDestroy": "event",
                "cuModuleUnload": "module", "cuGraphDestroy": "graph",
                "cuGraphExecDestroy": "exec"}
KINDS = ("stream", "event", "module", "function", "graph", "exec")
# What adds a node to a graph, and what changes one of an executable graph.
ADD_NODE = {"cuGraphAddKernelNode", "cuGraphAddMemcpyNode",
            "cuGraphAddMemsetNode", "cuGraphAddHostNode", "cuGraphAddMemAllocNode",
            "cuGraphAddMemFreeNode", "cuGraphAddChildGraphNode",
            "cuGraphAddEventRecordNode",
            "cuGraphAddNode"}
UPDATE_NODE = {"cuGraphExecKernelNodeSetParams": "cuGraphAddKernelNode",
               "cuGraphExecMemcpyNodeSetParams": "cuGraphAddMemcpyNode",
               "cuGraphExecMemsetNodeSetParams": "cuGraphAddMemsetNode",
               "cuGraphExecChildGraphNodeSetParams": "cuGraphAddChildGraphNode",
               "cuGraphExecEventRecordNodeSetEvent": "cuGraphAddEventRecordNode"}

# What gives memory, and what takes it back.
FREED_BY = {"cuMemAlloc": {"cuMemFree"}, "cuMemAllocManaged": {"cuMemFree"},
            "cuMemAllocAsync": {"cuMemFreeAsync", "cuMemFree"},
            "cuMemHostAlloc": {"cuMemFreeHost"},
            "cuMemHostRegister": {"cuMemHostUnregister"}}
FREE = set().union(*FREED_BY.values())
GIVE_BACK = FREE | set(DESTROYED_BY) | {"cuDevicePrimaryCtxRelease"}
ON_DEVICE = {"cuMemAlloc", "cuMemAllocManaged", "cuMemAllocAsync"}

BEFORE_INIT = {"cuInit", "cuDriverGetVersion"}
WITHOUT_CONTEXT = BEFORE_INIT | {
    "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
    "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease", "cuCtxSetCurrent", "cuDeviceCanAccessPeer",
    "cuDeviceGetDefaultMemPool", "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute", "cuMemPoolGetAttribute", "cuMemPoolTrimTo",
    # Which context is current is of no matter to these.
    "cuPointerGetAttribute"}
# Whose stream belongs to the current context.
ENQUEUE = {"cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchHostFunc",
           "cuMemAllocAsync", "cuMemFreeAsync", "cuMemcpyAsync",
           "cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async",
           "cuMemsetD2D8Async", "cuMemsetD2D16Async", "cuMemsetD2D32Async",
           "cuMemcpy3DAsync", "cuEventRecord", "cuStreamWriteValue32",
           "cuGraphLaunch"}
LAUNCH = {"cuLaunchKernel", "cuLaunchKernelEx"}
# The answer to what the driver knows of memory may be: nothing; and that to what
# a kernel has for its n-th parameter.
ASKS = {"cuPointerGetAttribute", "cuFuncGetParamInfo"}
QUERIES = {"cuStreamQuery", "cuEventQuery"}
NEEDS_A_RECORD = {"cuStreamWaitEvent", "cuEventQuery", "cuEventSynchronize"}
WAITS_FOR_ALL_WORK = {"cuMemFree", "cuMemFreeHost", "cuMemHostUnregister"}

# Bits that may be set.
FLAGS = {"cuInit": 0, "cuStreamCreate": 1, "cuStreamCreateWithPriority": 1,
         "cuEventCreate": 7,
         "cuStreamWaitEvent": 0, "cuMemHostRegister": 15, "cuMemHostAlloc": 7,
         "cuStreamWriteValue32": 1, "cuCtxEnablePeerAccess": 0,
         "cuGraphCreate": 0, "cuGraphInstantiate": 9,
         "cuGraphConditionalHandleCreate": 1}
# One of these, not bits.
CHOICES = {"cuMemAllocManaged": {1, 2}, "cuMemPoolSetAccess": {0, 1, 3}}
MAX_DEVICE_ATTRIBUTE = 150
# Those of functions that can be set.
FUNCTION_ATTRIBUTES = set(range(8, 16))
DYNAMIC_SHARED = 8
MEMORY_POOLS = 115

MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
SHARED_BYTES = 48 << 10
ELEMENT_BYTES = {"cuMemsetD8Async": 1, "cuMemsetD16Async": 2,
                 "cuMemsetD32Async": 4, "cuMemsetD2D8Async": 1,
                 "cuMemsetD2D16Async": 2, "cuMemsetD2D32Async": 4}
COPIES = {"cuMemcpyAsync", "cuMemcpy3DAsync"}
# CU_DEVICE_ATTRIBUTE_MAX_PITCH of all devices.
MAX_PITCH = 2**31 - 1


class State:
    """What the calls so far have made."""

    def __init__(self):
        self.is_initialized = False
        self.devices = 0
        self.contexts = collections.Counter()  # retained, by number
        self.context_of_device = {}
        self.current = {}  # by thread
        self.handles = {kind: {} for kind in KINDS}  # number: context
        self.functions = {}  # number: module
        self.shared_limits = {}  # by function
        self.recorded = set()
        self.over = set()  # ("event" or "stream", number): a query has said so
        self.memory = {}  # by pointer: [(bytes, allocated by)]
        # Device memory that there is or was: bytes by pointer, and the pointers
        # in order.
        self.device_memory, self.device_pointers = {}, []
        self.peers = set()  # (context, peer)
        self.reachable = set()  # (device, peer)
        self.pools = set()  # devices with memory pools
        self.nodes = {}  # by number: (graph, added by)
        self.graph_of_body = {}  # of conditional nodes
        self.graph_of_exec = {}

    def apply(self, call):
        name, arguments, result = call.name, call.arguments, call.result
        # What gives back does so although it reports what work has come to.
        if result != "CUDA_SUCCESS" and name not in GIVE_BACK:
            return
        context = self.current.get(call.thread)
        for kind in ("event", "stream"):
            if name in QUERIES and kind in arguments:
                self.over.add((kind, arguments[kind]))
            elif kind in arguments and not name.endswith("Synchronize") and \
                    (kind == "stream" or name != "cuStreamWaitEvent"):
                self.over.discard((kind, arguments[kind]))
        if name == "cuInit":
            self.is_initialized = True
        elif name == "cuDeviceGetCount":
            self.devices = int(arguments["count"])
        elif name == "cuDeviceGetAttribute":
            if number(call, "attribute") == MEMORY_POOLS and \
                    number(call, "value"):
                self.pools.add(arguments["device"])
        elif name == "cuDevicePrimaryCtxRetain":
            self.contexts[arguments["context"]] += 1
            self.context_of_device[arguments["device"]] = arguments["context"]
        elif name == "cuDevicePrimaryCtxRelease":
            self.contexts[self.context_of_device[arguments["device"]]] -= 1
        elif name == "cuCtxSetCurrent":
            self.current[call.thread] = arguments["context"]
        elif name == "cuDeviceCanAccessPeer" and number(call, "can"):
            self.reachable.add((arguments["device"], arguments["peer"]))
        elif name == "cuCtxEnablePeerAccess":
            self.peers.add((context, arguments["context"]))
        elif name == "cuEventRecord":
            self.recorded.add(arguments["event"])
        elif name == "cuFuncSetAttribute" and \
                number(call, "attribute") == DYNAMIC_SHARED:
            self.shared_limits[arguments["function"]] = number(call, "value")
        elif name in ADD_NODE:
            self.nodes[arguments["node"]] = (arguments["graph"], name)
            if name == "cuGraphAddNode":
                self.graph_of_body[arguments["body"]] = arguments["graph"]
                self.handles["graph"][arguments["body"]] = context
        elif name == "cuGraphInstantiate":
            self.graph_of_exec[arguments["exec"]] = arguments["graph"]
        self.apply_handles(call, context)
        self.apply_memory(call)

    def apply_handles(self, call, context):
        made, ended = CREATED_BY.get(call.name), DESTROYED_BY.get(call.name)
        if made:
            self.handles[made][call.arguments[made]] = context
            if made == "event":
                self.recorded.discard(call.arguments[made])
            if made == "function":
                self.functions[call.arguments[made]] = call.arguments["module"]
        if ended:
            self.handles[ended].pop(call.arguments[ended], None)
            if ended == "graph":
                for body in self.graph_of_body:
                    if self.whole_graph(body) == call.arguments[ended]:
                        self.handles["graph"].pop(body, None)
            if ended == "module":
                for function, module in list(self.functions.items()):
                    if module == call.arguments[ended]:
                        self.handles["function"].pop(function, None)

    def whole_graph(self, graph):
        """The one that a body is in, or the graph itself."""
        while graph in self.graph_of_body:
            graph = self.graph_of_body[graph]
        return graph

    def apply_memory(self, call):
        if call.name in FREED_BY:
            pointer, size = number(call, "pointer"), number(call, "bytes")
            self.memory.setdefault(pointer, []).append((size, call.name))
            if call.name in ON_DEVICE:
                if pointer not in self.device_memory:
                    bisect.insort(self.device_pointers, pointer)
                self.device_memory[pointer] = size
        elif call.name in FREE:
            # What another thread was given at once may have been logged first.
            pointer = number(call, "pointer")
            if len(self.memory.get(pointer, ())) > 1:
                self.memory[pointer].pop(0)
            else:
                self.memory.pop(pointer, None)

    def find_device_memory(self, address):
        """The start of the device memory that the address is or was in."""
        place = bisect.bisect(self.device_pointers, address)
        if not place:
            return None
        start = self.device_pointers[place - 1]
        return start if address < start + self.device_memory[start] else None


def number(call, name):
    text = call.arguments[name]
    return 0 if text == "(nil)" else int(text, 0)


def sizes(call, name):
    return [int(size) for size in call.arguments[name].split("x")]


def is_of_executor(call):
    return call.thread_name.startswith("agpu-") and \
        call.thread_name[5:].isdigit()


#-------------------------------------------------------------------------------
# Rules: generators of what is wrong
#-------------------------------------------------------------------------------

CALL_RULES, END_RULES = {}, {}


def rule(function):
    CALL_RULES[function.__name__] = function
    return function


def end_rule(function):
    END_RULES[function.__name__] = function
    return function


@rule
def succeeds(state, call):
    if call.result != "CUDA_SUCCESS" and not (
            call.name in QUERIES and call.result == "CUDA_ERROR_NOT_READY" or
            call.name in ASKS and
            call.result == "CUDA_ERROR_INVALID_VALUE"):
        yield f"gave {call.result}"


@rule
def comes_after_init(state, call):
    if not state.is_initialized and call.name not in BEFORE_INIT:
        yield "comes before cuInit"


@rule
def is_not_in_a_host_function(state, call):
    if call.thread_name.startswith("agpu-emu"):
        yield "is made in a host function"


@rule
def does_not_block(state, call):
    # A thread of the program's own that awaits work waits for its event. What is
    # known to be over is waited for so that kernels' output comes out.
    if call.name.endswith("Synchronize") and \
            call.thread_name != "agpu-waiter" and \
            (call.name != "cuEventSynchronize" or
             call.thread_name.startswith("agpu-")) and \
            not state.over.intersection(call.arguments.items()):
        yield "makes a host thread wait"
    if call.name in WAITS_FOR_ALL_WORK and is_of_executor(call):
        yield "may make a thread of the executor wait"


@rule
def copies_what_the_driver_knows(state, call):
    # Of other memory, the call would wait until the stream has got there.
    if call.name not in COPIES or call.result != "CUDA_SUCCESS":
        return
    for side in ("target", "source"):
        place = number(call, side)
        if place and not any(
                start <= place < start + max(size for size, _ in uses)
                for start, uses in state.memory.items()):
            yield f"holds up its caller: its {side} is pageable"


@rule
def has_a_context(state, call):
    if call.name in WITHOUT_CONTEXT:
        return
    context = state.current.get(call.thread, "0")
    if context == "0":
        yield "has no current context"
    elif not state.contexts[context]:
        yield f"is in context {context}, which has been released"


@rule
def makes_a_living_context_current(state, call):
    if call.name == "cuCtxSetCurrent":
        context = call.arguments["context"]
        if context != "0" and not state.contexts[context]:
            yield f"is for context {context}, which is not retained"


@rule
def releases_what_is_retained(state, call):
    if call.name == "cuDevicePrimaryCtxRelease":
        context = state.context_of_device.get(call.arguments["device"])
        if not state.contexts[context]:
            yield "releases a context that is not retained"


@rule
def names_a_device(state, call):
    if call.name == "cuDeviceGetCount":
        return
    for name in ("device", "ordinal", "peer"):
        if name in call.arguments and \
                not 0 <= int(call.arguments[name]) < state.devices:
            yield f"is for {name} {call.arguments[name]} of {state.devices}"


@rule
def names_living_handles(state, call):
    for kind in KINDS:
        handle = call.arguments.get(kind)
        if handle is not None and kind != CREATED_BY.get(call.name) and \
                handle not in state.handles[kind]:
            yield f"uses {kind} {handle}, which is not there"


@rule
def stays_in_its_context(state, call):
    context = state.current.get(call.thread)
    kinds = {"cuEventRecord": ("event", "stream"), "cuModuleUnload": ("module",),
             "cuModuleGetFunction": ("module",),
             "cuFuncSetAttribute": ("function",),
             "cuFuncLoad": ("function",)}.get(call.name)
    if call.name in LAUNCH:
        kinds = ("function", "stream")
    elif call.name in ENQUEUE:
        kinds = kinds or ("stream",)
    for kind in kinds or ():
        home = state.handles[kind].get(call.arguments[kind], context)
        if home != context:
            yield f"uses {kind} {call.arguments[kind]} of context {home} " \
                  f"in context {context}"


@rule
def adds_nodes_behind_those_of_the_graph(state, call):
    if call.name not in ADD_NODE or call.arguments["after"] == "0":
        return
    after = call.arguments["after"].split("+")
    if len(set(after)) < len(after):
        yield "depends twice on the same node"
    for node in after:
        if state.nodes.get(node, ("",))[0] != call.arguments["graph"]:
            yield f"depends on node {node}, which is not of the graph"


@rule
def updates_nodes_by_their_kind(state, call):
    if call.name not in UPDATE_NODE:
        return
    graph, added_by = state.nodes.get(call.arguments["node"], ("", ""))
    if state.whole_graph(graph) != state.graph_of_exec.get(call.arguments["exec"]):
        yield "is for a node of another graph"
    elif added_by != UPDATE_NODE[call.name]:
        yield f"is for a node that {added_by} has added"


@rule
def waits_for_recorded_events(state, call):
    if call.name in NEEDS_A_RECORD and \
            call.arguments["event"] not in state.recorded:
        yield "is for an event that was never recorded"


@rule
def has_legal_flags(state, call):
    if "flags" not in call.arguments:
        return
    flags = number(call, "flags")
    if call.name in CHOICES:
        legal = flags in CHOICES[call.name]
    else:
        legal = not flags & ~FLAGS[call.name]
    # An event for other processes takes no time.
    if not legal or call.name == "cuEventCreate" and flags & 4 and not flags & 2:
        yield f"has illegal flags {flags}"


@rule
def has_legal_attributes(state, call):
    if call.name == "cuDeviceGetAttribute" and \
            not 1 <= number(call, "attribute") <= MAX_DEVICE_ATTRIBUTE:
        yield "asks for an attribute that there is not"
    if call.name == "cuFuncSetAttribute" and (
            number(call, "attribute") not in FUNCTION_ATTRIBUTES or
            number(call, "value") < 0):
        yield "sets an attribute that cannot be set so"


@rule
def has_legal_geometry(state, call):
    if "grid" not in call.arguments:
        return
    grid, block = sizes(call, "grid"), sizes(call, "block")
    threads = block[0] * block[1] * block[2]
    if any(not 1 <= size <= limit for size, limit in
           zip(grid + block, MAX_GRID + MAX_BLOCK)) or threads > MAX_THREADS:
        yield "has an illegal size"
    if call.name == "cuLaunchKernelEx" and not 1 <= number(call, "attributes"):
        yield "has no attributes"


@rule
def asks_for_much_shared_memory(state, call):
    if "grid" in call.arguments:
        limit = max(SHARED_BYTES, state.shared_limits.get(
            call.arguments["function"], 0))
        if number(call, "shared") > limit:
            yield f"uses more than the {limit} bytes that it may"


@rule
def is_not_empty(state, call):
    for size in ("bytes", "count", "width", "height"):
        if call.name.startswith("cuMemPool"):
            continue  # what a pool may hold onto
        if call.arguments.get(size) == "0" and call.name != "cuDeviceGetCount":
            yield f"has no {size}"


@rule
def has_pointers(state, call):
    for name in ("pointer", "target", "source"):
        if name in call.arguments and number(call, name) == 0:
            yield f"has no {name}"


@rule
def is_aligned(state, call):
    size = 4 if call.name == "cuStreamWriteValue32" else \
        ELEMENT_BYTES.get(call.name, 1)
    if size > 1 and number(call, "target") % size:
        yield f"has a target that is not a multiple of {size}"
    if "pitch" in call.arguments and number(call, "height") > 1 and (
            number(call, "pitch") % size or
            number(call, "pitch") < number(call, "width") * size):
        yield "has a pitch that does not hold a row"


@rule
def copies_boxes_that_hold_their_rows(state, call):
    if "target_pitch" not in call.arguments:
        return
    for side in ("target", "source"):
        if not number(call, "width") <= number(call, side + "_pitch") \
                <= MAX_PITCH:
            yield f"has a {side}_pitch that does not hold a row"
        if number(call, side + "_height") < number(call, "height"):
            yield f"has a {side}_height that does not hold a plane"


def ranges(call):
    """What a call touches, as (address, bytes)."""
    if call.name == "cuMemcpyAsync":
        for name in ("target", "source"):
            yield number(call, name), number(call, "bytes")
    elif call.name == "cuMemcpy3DAsync":
        for name in ("target", "source"):
            rows = number(call, name + "_height") * \
                (number(call, "depth") - 1) + number(call, "height") - 1
            yield number(call, name), \
                rows * number(call, name + "_pitch") + number(call, "width")
    elif call.name == "cuStreamWriteValue32":
        yield number(call, "target"), 4
    elif "pitch" in call.arguments:
        yield number(call, "target"), number(call, "pitch") * \
            (number(call, "height") - 1) + \
            number(call, "width") * (
                number(call, "element") if "element" in call.arguments
                else ELEMENT_BYTES[call.name])
    elif call.name in ELEMENT_BYTES:
        yield number(call, "target"), \
            number(call, "count") * ELEMENT_BYTES[call.name]


@rule
def stays_in_bounds(state, call):
    for address, size in ranges(call):
        start = state.find_device_memory(address)
        if start is None:
            continue
        if start not in state.memory:
            yield f"touches memory at {address:#x} that has been freed"
        elif address + size > start + state.device_memory[start]:
            yield f"runs over the end of the memory at {start:#x}"


@rule
def frees_what_is_allocated(state, call):
    if call.name not in FREE:
        return
    uses = state.memory.get(number(call, "pointer"))
    if not uses:
        yield "frees what was not allocated"
    elif call.name not in FREED_BY[uses[0][1]]:
        yield f"frees what {uses[0][1]} gave"


@rule
def registers_once(state, call):
    if call.name == "cuMemHostRegister":
        first = number(call, "pointer")
        last = first + number(call, "bytes")
        for start, uses in state.memory.items():
            for size, maker in uses:
                if maker == call.name and start < last and first < start + size:
                    yield f"overlaps what is registered at {start:#x}"


@rule
def uses_pools_where_there_are(state, call):
    if call.name in ("cuMemAllocAsync", "cuMemFreeAsync"):
        context = state.current.get(call.thread)
        if not any(state.context_of_device.get(device) == context
                   for device in state.pools):
            yield "is for a device that has not said to have memory pools"


@rule
def opens_memory_once(state, call):
    if call.name != "cuCtxEnablePeerAccess":
        return
    context, peer = state.current.get(call.thread), call.arguments["context"]
    device_of = {context: device for device, context
                 in state.context_of_device.items()}
    if context == peer:
        yield "opens memory to its own device"
    elif (context, peer) in state.peers:
        yield "opens memory that is open"
    elif (device_of.get(context), device_of.get(peer)) not in state.reachable:
        yield "opens memory that the device cannot reach"


@end_rule
def destroys_its_handles(state):
    for kind in DESTROYED_BY.values():
        for handle in sorted(state.handles[kind], key=int):
            yield f"{kind} {handle} is never destroyed"


@end_rule
def releases_its_contexts(state):
    for context, count in state.contexts.items():
        if count:
            yield f"context {context} is retained {count} times in the end"


@end_rule
def frees_its_memory(state):
    for pointer, uses in state.memory.items():
        if uses:
            yield f"memory at {pointer:#x} is never freed"


def find_problems(calls):
    """(rule, what is wrong) for each problem, in the order of the calls."""
    state = State()
    problems = []
    for call in calls:
        listed = ", ".join(f"{key}={value}"
                           for key, value in call.arguments.items())
        for name, check in CALL_RULES.items():
            for text in check(state, call):
                problems.append((name, f"{call.name}({listed}) {text}"))
        state.apply(call)
    for name, check in END_RULES.items():
        problems += ((name, text) for text in check(state))
    return problems
