#!/usr/bin/env -S python3 -B
"""Lets calls of the driver fail, one in each run, and looks how a program ends.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_faults.py --opt ASYNC_GPU_OPT [--seconds N] [--most N] FILE.mlir

Compiles the program ahead of time and runs it once as it is. Then each call of
the driver that it made fails in turn; where there are more than --most of them,
the first, second, middle and last call of each function. The first and the last
call of each function also fail for want of memory, and with errors that stay in
the context; and some of that again in other schedules of the emulated device
and with other settings. Of a program that says so ("// FAULTS: brief, WHY"), only
the first and the last call of each function fail, and no other settings are tried.

Each run has to end within N seconds. Where it fails, the exit status is 1, with
one message that has a location and the name of the error, and nothing was
printed that the program does not print as it is. Where it does not, it is a
call that the program can do without, or that was captured and is made once more, and it
prints what it always does. In both
cases everything is given back; only "// FAULTS: may-hang, WHY", of a program whose
kernel runs until the host does something, and brief too, forgives what such a kernel
holds.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import sys

import device_program

UNKNOWN = "CUDA_ERROR_UNKNOWN"
OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"
NOT_READY = "CUDA_ERROR_NOT_READY"
# They stay in the context, as after a kernel that failed.
STICKY = ("CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED")

# What these give back is given back although they fail; when they report what
# work has come to, no one needs that work any more, or someone else says so.
GIVE_BACK = {"cuStreamDestroy", "cuEventDestroy", "cuModuleUnload",
             "cuMemFree", "cuMemFreeHost", "cuDevicePrimaryCtxRelease",
             "cuGraphDestroy", "cuGraphExecDestroy"}
# The runtime goes on without: a pool does not grow, a completion is asked for
# instead of heard of, a context is made current by the next call, a device is taken for one without
# memory pools, or without access to others.
DISPENSABLE = {"cuEventCreate", "cuLaunchHostFunc", "cuEventSynchronize",
               "cuStreamWriteValue32", "cuMemHostAlloc", "cuCtxSetCurrent",
               "cuDeviceGetAttribute", "cuCtxEnablePeerAccess",
               "cuDeviceCanAccessPeer", "cuDeviceGetDefaultMemPool",
               "cuMemPoolSetAccess", "cuPointerGetAttribute",
               "cuMemPoolGetAttribute", "cuMemPoolSetAttribute",
               "cuMemPoolTrimTo",
               # What cannot become a graph is enqueued one by one.
               "cuFuncGetParamInfo", "cuGraphCreate", "cuGraphAddKernelNode",
               "cuGraphConditionalHandleCreate", "cuGraphAddNode",
               "cuGraphKernelNodeSetAttribute",
               "cuGraphAddMemcpyNode", "cuGraphAddMemsetNode", "cuGraphAddHostNode",
               "cuGraphInstantiate", "cuGraphExecKernelNodeSetParams",
               "cuGraphExecMemcpyNodeSetParams",
               "cuGraphExecMemsetNodeSetParams", "cuGraphLaunch",
               # A call that cannot be captured is made as it is.
               "cuStreamBeginCapture", "cuStreamEndCapture",
               "cuGraphAddChildGraphNode",
               "cuGraphExecChildGraphNodeSetParams"}
# Whether a block of freed memory can be used again: no, then.
DISPENSABLE_WITH_BLOCKS = {"cuEventRecord", "cuEventQuery", "cuStreamQuery"}
BLOCKS = {"cuMemAlloc", "cuMemAllocManaged"}
# A stream is shared, memory is looked for elsewhere.
DISPENSABLE_OUT_OF_MEMORY = {"cuStreamCreate", "cuStreamCreateWithPriority",
                             "cuMemAlloc",
                             "cuMemAllocAsync", "cuMemAllocManaged"}
NEEDS_MEMORY = ("cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuEventCreate",
                "cuModuleLoadDataEx", "cuMemAlloc", "cuMemAllocAsync",
                "cuMemAllocManaged", "cuMemHostAlloc", "cuMemHostRegister",
                "cuLaunchKernel",
                "cuMemcpyAsync", "cuEventRecord")
WORK = {"cuLaunchKernel", "cuMemcpyAsync", "cuEventRecord"}
NO_CONTEXT = {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet",
              "cuDeviceGetName", "cuDeviceGetAttribute",
              "cuDevicePrimaryCtxRetain"}
QUERIES = ("cuStreamQuery", "cuEventQuery")
# This error is an answer to them: the driver knows nothing of it. A call that
# fails with it is not to be taken for one.
INVALID = "CUDA_ERROR_INVALID_VALUE"
ANSWERED_BY_INVALID = ("cuFuncGetParamInfo", "cuPointerGetAttribute")

PAIRS = (("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease"),
         ("cuStreamCreate cuStreamCreateWithPriority", "cuStreamDestroy"),
         ("cuEventCreate", "cuEventDestroy"),
         ("cuGraphCreate cuStreamEndCapture", "cuGraphDestroy"),
         ("cuGraphInstantiate", "cuGraphExecDestroy"),
         ("cuModuleLoadDataEx", "cuModuleUnload"),
         ("cuMemHostAlloc", "cuMemFreeHost"),
         ("cuMemHostRegister", "cuMemHostUnregister"))
ALLOCATE = {"cuMemAlloc", "cuMemAllocAsync", "cuMemAllocManaged"}
FREE = {"cuMemFree", "cuMemFreeAsync"}

# Schedules and settings in which it all has to hold.
VARIANTS = ({"ASYNC_GPU_EMU_SEED": "3", "ASYNC_GPU_COMPLETION": "poll",
             "ASYNC_GPU_NUM_THREADS": "1"},
            {"ASYNC_GPU_EMU_SEED": "17", "ASYNC_GPU_EMU_MEMORY_POOLS": "0",
             "ASYNC_GPU_STREAMS": "8"})

# A program says where as it likes, in calls of the runtime's functions.
MESSAGE = re.compile(r"^(\S+: )?error: ", re.MULTILINE)
LOCATED = re.compile(r"\A\S+: error: ")
# The runtime's functions that programs call by name may have no location.
RUNTIME_CALL = re.compile(r"@(mgpu|agpu_)\w+")
MAX_REPORTS = 6

Fault = collections.namedtuple("Fault", "function number error settings")


def spell(fault):
    function = f"{fault.function}:" if fault.function else ""
    return f"{function}{fault.number}:{fault.error}"


def run(path, seconds, fault=None):
    settings = dict(fault.settings, ASYNC_GPU_EMU_FAULT=spell(fault)) \
        if fault else {}
    return device_program.run(path, seconds, settings)


#-------------------------------------------------------------------------------
# What is to fail
#-------------------------------------------------------------------------------

def some_of(count, numbers):
    """Those of 1..count that are wanted: 1, 2, "middle", "last"."""
    named = {"middle": (count + 1) // 2, "last": count}
    chosen = {named.get(number, number) for number in numbers}
    return sorted(number for number in chosen if number <= count)


def count_calls(usual):
    return collections.Counter(call.name for call in usual.calls)


def plan_all(usual, most):
    """Every call, or of each function those that tell most."""
    if len(usual.calls) <= most:
        for number in range(1, len(usual.calls) + 1):
            yield Fault(None, number, UNKNOWN, {})
        return
    for name, count in count_calls(usual).items():
        for number in some_of(count, (1, 2, "middle", "last")):
            yield Fault(name, number, UNKNOWN, {})


def plan_errors(usual):
    """Errors of all classes."""
    for name, count in count_calls(usual).items():
        for number in some_of(count, (1, "last")):
            if name in NEEDS_MEMORY:
                yield Fault(name, number, OUT_OF_MEMORY, {})
            if name not in NO_CONTEXT:
                yield Fault(name, number, STICKY[number > 1], {})
        if name in QUERIES:
            for number in some_of(count, (1, 2, "last")):
                yield Fault(name, number, NOT_READY, {})
        if name in ANSWERED_BY_INVALID:
            for number in range(1, min(count, 12) + 1):
                yield Fault(name, number, INVALID, {})


def plan_variant(usual, settings):
    for name, count in count_calls(usual).items():
        for number in some_of(count, (1, "middle")):
            sticky = number > 1 and name not in NO_CONTEXT
            yield Fault(name, number, STICKY[0] if sticky else UNKNOWN,
                        settings)


def plan_brief(usual):
    for name, count in count_calls(usual).items():
        yield Fault(name, 1, UNKNOWN, {})
        if name in WORK:
            yield Fault(name, count, STICKY[0], {})


def plan(usual, path, arguments, brief):
    """What is to fail, one in each run."""
    if brief:
        return list(plan_brief(usual))
    faults = [*plan_all(usual, arguments.most), *plan_errors(usual)]
    for settings in VARIANTS:
        # Some mistakes are found only in memory that is ordered by streams.
        if not (usual.status and "ASYNC_GPU_EMU_MEMORY_POOLS" in settings):
            there = device_program.run(path, arguments.seconds, settings)
            faults += plan_variant(there, settings)
    return faults


#-------------------------------------------------------------------------------
# What is right
#-------------------------------------------------------------------------------

# What a program does as it is, and what it is forgiven.
Rules = collections.namedtuple("Rules",
                               "usual may_hang may_lack_location has_own_end")


def find_failed(done, fault):
    """The call that failed, or None where the program made no such call."""
    for name, _, result, *_ in done.calls:
        if result == fault.error and fault.function in (None, name):
            return name
    return None


def find_kept(done, may_hang):
    """What was not given back."""
    if "alive at the end" in done.log:
        return "objects are alive at the end"
    if "is left with" in done.log:
        return "something is left on a device"
    if "device: using the emu device" in done.log and \
            "released all devices" not in done.log:
        return None if may_hang else "the devices were not given back"
    for take, give in PAIRS:
        taken = sum(name in take.split() and result == "CUDA_SUCCESS"
                    for name, _, result, *_ in done.calls)
        given = sum(name == give for name, *_ in done.calls)
        if taken != given:
            return f"{taken} {take}, {given} {give}"
    return None


def find_kept_memory(done):
    """Memory that a program which ends well has not freed."""
    alive = collections.Counter()
    for name, arguments, result, *_ in done.calls:
        if name in ALLOCATE and result == "CUDA_SUCCESS":
            alive[arguments["pointer"]] += 1
        elif name in FREE:
            alive[arguments["pointer"]] -= 1
    kept = [pointer for pointer, count in alive.items() if count > 0]
    return f"memory at {kept[0]} is never freed" if kept else None


def was_captured(done, fault):
    """Whether the call that failed was made, or its stream, for a capture that has failed
    with it: what is captured is enqueued then."""
    if "a call in it cannot be captured" not in done.log:
        return False
    captures = collections.Counter()
    for name, _, result, thread, *_ in done.calls:
        if result == fault.error and fault.function in (None, name):
            return captures[thread] > 0 or name == "cuStreamCreate"
        if result == "CUDA_SUCCESS":
            captures[thread] += (name == "cuStreamBeginCapture") - \
                (name == "cuStreamEndCapture")
    return False


def may_go_on(done, name, fault):
    return name in DISPENSABLE | GIVE_BACK or was_captured(done, fault) or \
        name in DISPENSABLE_WITH_BLOCKS and \
        any(call[0] in BLOCKS for call in done.calls) or \
        fault.error == OUT_OF_MEMORY and name in DISPENSABLE_OUT_OF_MEMORY or \
        fault.error == NOT_READY and name in QUERIES


def find_wrong_success(done, fault, name, usual):
    if usual.status != 0:
        # Some mistakes are found only in memory that is ordered by streams.
        return None if name == "cuDeviceGetAttribute" else \
            f"exit status 0, not {usual.status}"
    if done.message:
        return "exit status 0 with a message"
    if done.output != usual.output:
        return "exit status 0 with another output"
    if name and not may_go_on(done, name, fault):
        return f"exit status 0 although {name} failed"
    return find_kept_memory(done)


def find_wrong_failure(done, fault, name, rules):
    messages = done.message.splitlines() if rules.has_own_end else \
        MESSAGE.findall(done.message)
    if len(messages) != 1:
        return "not one message"
    if not (LOCATED.match(done.message) or rules.may_lack_location or
            rules.has_own_end):
        return "a message without a location"
    # A program may fail by itself, or for lack of what it went on without.
    if rules.usual.status == 0 and name not in DISPENSABLE and \
            fault.error not in done.message:
        return f"the message has no {fault.error}"
    if name and fault.error == NOT_READY and rules.usual.status == 0:
        return "fails because work was not ready"
    # The last line may have been cut off.
    whole = done.output[:done.output.rfind("\n") + 1]
    extra = collections.Counter(whole.splitlines()) - \
        collections.Counter(rules.usual.output.splitlines())
    return f"prints {next(iter(extra))!r} and fails" if extra else None


def find_problem(done, fault, rules):
    if done.is_late:
        return "does not end"
    if done.status < 0:
        return f"ended by signal {-done.status}"
    if done.status > 1:
        return f"exit status {done.status}"
    name = find_failed(done, fault)
    if name is None and rules.usual.status == 0 and done.status != 0:
        return f"exit status {done.status} although nothing failed"
    return (find_wrong_failure(done, fault, name, rules) if done.status else
            find_wrong_success(done, fault, name, rules.usual)) or \
        find_kept(done, rules.may_hang)


def check(path, faults, rules, seconds):
    """The number of faults that did not end as they should."""
    jobs = len(os.sched_getaffinity(0))
    problems = failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda fault: run(path, seconds, fault), faults)
        for fault, done in zip(faults, results):
            failed += find_failed(done, fault) is not None
            problem = find_problem(done, fault, rules)
            if not problem:
                continue
            problems += 1
            if problems <= MAX_REPORTS:
                settings = "".join(f"{name}={value} " for name, value
                                   in fault.settings.items())
                print(f"{settings}ASYNC_GPU_EMU_FAULT={spell(fault)}: "
                      f"{problem}")
                print("  " + "\n  ".join(done.log.splitlines()[-12:]))
    print(f"{len(faults)} runs, in {failed} of which a call failed; "
          f"{problems} problems")
    return problems or not failed


def main():
    parser = argparse.ArgumentParser()
    device_program.add_arguments(parser)
    parser.add_argument("--most", type=int, default=150)
    arguments = parser.parse_args()
    path, _ = device_program.build(arguments)
    usual = run(path, arguments.seconds)
    if usual.is_late or usual.status not in (0, 1) or not usual.calls:
        sys.exit(f"as it is: exit status {usual.status}\n{usual.log}")
    with open(arguments.file, errors="replace") as file:
        text = file.read()
    how = re.search(r"^// FAULTS: (brief|may-hang),", text, re.MULTILINE)
    rules = Rules(usual, bool(how) and how[1] == "may-hang",
                  bool(RUNTIME_CALL.search(text)),
                  not arguments.file.endswith(".mlir"))
    faults = plan(usual, path, arguments, bool(how))
    return 1 if check(path, faults, rules, arguments.seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
