#!/usr/bin/env -S python3 -B
"""Every rule of driver_rules.py finds what breaks it.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

GOOD is a log that keeps to all rules. A case changes lines of it, or adds some
before the end: then the rule it is for has something to say, and no other one,
unless it is listed as well.
"""

import sys

import driver_log
import driver_rules

START = """\
cuDriverGetVersion(version=12040)
cuInit(flags=0)
cuDeviceGetCount(count=2)
cuDeviceGet(ordinal=0)
cuDeviceGetAttribute(device=0, attribute=115, value=1)
cuDevicePrimaryCtxRetain(context=1, device=0)
cuCtxSetCurrent(context=1)
cuDeviceGet(ordinal=1)
cuDevicePrimaryCtxRetain(context=2, device=1)
cuDeviceCanAccessPeer(device=0, peer=1, can=1)
cuCtxEnablePeerAccess(context=2, flags=0)
cuDeviceGetDefaultMemPool(device=0)
cuMemPoolSetAccess(count=1, device=1, flags=3)
cuMemPoolGetAttribute(attribute=4, bytes=0)
cuMemPoolSetAttribute(attribute=4, bytes=268435456)
cuMemPoolTrimTo(bytes=0)
cuCtxSetLimit(limit=2, value=16777216)
cuStreamCreate(stream=1, flags=1)
cuEventCreate(event=1, flags=2)
cuMemAlloc(pointer=0x1000, bytes=256)
cuMemAllocAsync(pointer=0x2000, bytes=256, stream=1)
cuMemAllocManaged(pointer=0x3000, bytes=64, flags=1)
cuMemHostRegister(pointer=0x9000, bytes=4096, flags=3)
cuMemHostAlloc(pointer=0xb000, bytes=64, flags=2)
cuMemcpyAsync(target=0x1000, source=0x9000, bytes=256, stream=1)
cuMemsetD8Async(target=0x1001, value=0x1, count=255, stream=1)
cuMemsetD16Async(target=0x1002, value=0x1, count=127, stream=1)
cuMemsetD32Async(target=0x1004, value=0x1, count=63, stream=1)
cuMemcpy3DAsync(target=0x1000, source=0x9000, width=8, height=3, depth=2, target_pitch=8, target_height=3, source_pitch=16, source_height=4, stream=1)
cuMemsetD2D8Async(target=0x1001, pitch=15, value=0x1, width=14, height=4, stream=1)
cuMemsetD2D16Async(target=0x1000, pitch=18, value=0x1, width=3, height=4, stream=1)
cuMemsetD2D32Async(target=0x1000, pitch=16, value=0x1, width=2, height=16, stream=1)
cuModuleLoadDataEx(module=1)
cuModuleGetFunction(function=1, module=1, name=k)
cuFuncLoad(function=1)
cuFuncSetAttribute(function=1, attribute=8, value=65536)
cuLaunchKernel(function=1, grid=4x1x1, block=1024x1x1, shared=65536, stream=1)
cuLaunchKernelEx(function=1, grid=4x1x1, block=8x8x16, shared=0, stream=1, attributes=1)
cuGraphCreate(graph=1, flags=0)
cuGraphAddKernelNode(node=1, graph=1, function=1, grid=4x1x1, block=8x1x1, shared=64, after=0)
cuGraphAddMemcpyNode(node=2, graph=1, target=0x1008, source=0x9008, width=8, height=1, depth=1, target_pitch=8, target_height=1, source_pitch=8, source_height=1, after=1)
cuGraphAddMemsetNode(node=3, graph=1, target=0x1010, pitch=0, value=0x1, element=4, width=3, height=1, after=1+2)
cuGraphInstantiate(exec=1, graph=1, flags=0)
cuGraphExecKernelNodeSetParams(exec=1, node=1, function=1, grid=5x1x1, block=8x1x1, shared=64)
cuGraphLaunch(exec=1, stream=1)
cuLaunchHostFunc(stream=1)
cuStreamWriteValue32(stream=1, target=0xb000, value=1, flags=0)
cuEventRecord(event=1, stream=1)
cuStreamWaitEvent(stream=1, event=1, flags=0)
cuEventQuery(event=1) = CUDA_ERROR_NOT_READY
cuEventSynchronize(event=1)
cuStreamQuery(stream=1)
cuStreamSynchronize(stream=1)
"""
END = """\
cuMemFreeAsync(pointer=0x2000, stream=1)
cuMemFree(pointer=0x1000)
cuMemFree(pointer=0x3000)
cuMemHostUnregister(pointer=0x9000)
cuMemFreeHost(pointer=0xb000)
cuStreamDestroy(stream=1)
cuEventDestroy(event=1)
cuGraphExecDestroy(exec=1)
cuGraphDestroy(graph=1)
cuModuleUnload(module=1)
cuCtxSetCurrent(context=0)
cuDevicePrimaryCtxRelease(device=1)
cuDevicePrimaryCtxRelease(device=0)
"""
GOOD = START + END
SECOND = "cuCtxSetCurrent(context=2)\n"
FIRST = "cuCtxSetCurrent(context=1)\n"


def add(lines):
    return START + lines.rstrip("\n") + "\n" + END


def change(old, new):
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def drop(line):
    return change(line + "\n", "")


# (rule, log, other rules that the same mistake breaks)
CASES = (
    ("succeeds", add("cuStreamQuery(stream=1) = CUDA_ERROR_UNKNOWN"), ()),
    ("succeeds", change("cuLaunchHostFunc(stream=1)",
                        "cuLaunchHostFunc(stream=1) = CUDA_ERROR_NOT_READY"),
     ()),
    ("comes_after_init", "cuDeviceGetCount(count=2)\n" + GOOD, ()),
    ("is_not_in_a_host_function",
     add("cuCtxSetCurrent(context=1) [4 agpu-emu-stream]\n"
         "cuEventQuery(event=1) [4 agpu-emu-stream]"), ()),
    ("does_not_block", add("cuLaunchHostFunc(stream=1)\n"
                           "cuStreamSynchronize(stream=1)"), ()),
    ("does_not_block", add("cuEventQuery(event=1)\n"
                           "cuEventRecord(event=1, stream=1)\n"
                           "cuCtxSetCurrent(context=1) [2 agpu-17]\n"
                           "cuEventSynchronize(event=1) [2 agpu-17]"), ()),
    ("copies_what_the_driver_knows",
     add("cuMemcpyAsync(target=0x1000, source=0x7000, bytes=8, stream=1)"), ()),
    ("copies_what_the_driver_knows",
     add("cuMemcpyAsync(target=0x7000, source=0x1000, bytes=8, stream=1)"), ()),
    ("does_not_block", add("cuCtxSetCurrent(context=1) [3 agpu-completion]\n"
                           "cuEventSynchronize(event=1) [3 agpu-completion]"), ()),
    ("does_not_block",
     add("cuCtxSetCurrent(context=1) [2 agpu-17]\n"
         "cuMemAlloc(pointer=0x5000, bytes=8)\n"
         "cuMemFree(pointer=0x5000) [2 agpu-17]"), ()),
    ("has_a_context", add("cuStreamQuery(stream=1) [3 agpu-0]"), ()),
    ("has_a_context", GOOD + "cuCtxSetCurrent(context=0)\n"
     "cuStreamCreate(stream=9, flags=1) = CUDA_ERROR_INVALID_CONTEXT",
     ("succeeds",)),
    ("has_a_context", change("cuCtxSetCurrent(context=0)\n", "") +
     "cuStreamQuery(stream=9)", ("names_living_handles",)),
    ("makes_a_living_context_current", GOOD + FIRST, ()),
    ("releases_what_is_retained", GOOD + "cuDevicePrimaryCtxRelease(device=1)",
     ("releases_its_contexts",)),
    ("names_a_device", add("cuDeviceGet(ordinal=2)"), ()),
    ("names_a_device",
     add("cuDeviceCanAccessPeer(device=0, peer=-1, can=0)"), ()),
    ("names_living_handles", add("cuStreamQuery(stream=0)"), ()),
    ("names_living_handles", GOOD.replace(
        END, "cuEventDestroy(event=1)\n" + END), ()),
    ("names_living_handles",
     add("cuModuleLoadDataEx(module=2)\n"
         "cuModuleGetFunction(function=2, module=2, name=k)\n"
         "cuModuleUnload(module=2)\n"
         "cuLaunchKernel(function=2, grid=1x1x1, block=1x1x1, shared=0, "
         "stream=1)"), ()),
    ("stays_in_its_context", add(
        SECOND + "cuLaunchHostFunc(stream=1)\n" + FIRST), ()),
    ("adds_nodes_behind_those_of_the_graph", change("after=1+2", "after=1+1"),
     ()),
    ("adds_nodes_behind_those_of_the_graph", change("after=1+2", "after=1+4"),
     ()),
    ("updates_nodes_by_their_kind",
     change("SetParams(exec=1, node=1", "SetParams(exec=1, node=2"), ()),
    ("updates_nodes_by_their_kind",
     change("SetParams(exec=1, node=1", "SetParams(exec=1, node=7"), ()),
    ("has_legal_geometry", change("grid=5x1x1", "grid=0x1x1"), ()),
    ("destroys_its_handles", drop("cuGraphExecDestroy(exec=1)"), ()),
    ("stays_in_its_context", add(
        SECOND + "cuEventCreate(event=2, flags=2)\n" + FIRST +
        "cuEventRecord(event=2, stream=1)\ncuEventDestroy(event=2)"), ()),
    ("stays_in_its_context", add(
        SECOND + "cuStreamCreate(stream=2, flags=1)\n"
        "cuLaunchKernel(function=1, grid=1x1x1, block=1x1x1, shared=0, "
        "stream=2)\ncuStreamDestroy(stream=2)\n" + FIRST), ()),
    ("stays_in_its_context", add(
        SECOND + "cuModuleGetFunction(function=3, module=1, name=k)\n" + FIRST),
     ()),
    ("waits_for_recorded_events", drop("cuEventRecord(event=1, stream=1)"), ()),
    ("waits_for_recorded_events", add(
        "cuEventCreate(event=2, flags=2)\ncuEventQuery(event=2)\n"
        "cuEventDestroy(event=2)"), ()),
    ("has_legal_flags", change("stream=1, flags=1)", "stream=1, flags=2)"), ()),
    ("has_legal_flags", change("event=1, flags=2)", "event=1, flags=4)"), ()),
    ("has_legal_flags", change("event=1, flags=0)", "event=1, flags=2)"), ()),
    ("has_legal_flags", change("bytes=64, flags=1)", "bytes=64, flags=3)"), ()),
    ("has_legal_flags", change("device=1, flags=3)", "device=1, flags=2)"), ()),
    ("has_legal_flags", change("bytes=4096, flags=3)",
                               "bytes=4096, flags=16)"), ()),
    ("has_legal_attributes",
     add("cuDeviceGetAttribute(device=0, attribute=0, value=1)"), ()),
    ("has_legal_attributes", change("attribute=8,", "attribute=3,"),
     ("asks_for_much_shared_memory",)),
    ("has_legal_geometry", change("grid=4x1x1, block=1024x1x1",
                                  "grid=0x1x1, block=1024x1x1"), ()),
    ("has_legal_geometry", change("grid=4x1x1, block=1024x1x1",
                                  "grid=1x65536x1, block=1024x1x1"), ()),
    ("has_legal_geometry", change("block=1024x1x1", "block=1024x2x1"), ()),
    ("has_legal_geometry", change("block=8x8x16", "block=1x1x65"), ()),
    ("has_legal_geometry", change("attributes=1", "attributes=0"), ()),
    ("asks_for_much_shared_memory", change("shared=65536", "shared=65537"), ()),
    ("asks_for_much_shared_memory", change("shared=0", "shared=70000"), ()),
    ("is_not_empty", change("source=0x9000, bytes=256",
                            "source=0x9000, bytes=0"), ()),
    ("is_not_empty", change("count=255", "count=0"), ()),
    ("is_not_empty", change("width=2", "width=0"), ()),
    ("has_pointers", change("source=0x9000, bytes", "source=0x0, bytes"), ()),
    ("has_pointers", add("cuMemFreeHost(pointer=(nil))"),
     ("frees_what_is_allocated",)),
    ("is_aligned", change("target=0x1002", "target=0x1001"), ()),
    ("is_aligned", change("target=0x1004", "target=0x1002"), ()),
    ("is_aligned", change("0, pitch=16", "0, pitch=4"), ()),
    ("is_aligned", change("target=0xb000", "target=0xb002"), ()),
    ("stays_in_bounds", change("count=255", "count=256"), ()),
    ("stays_in_bounds", change("height=16", "height=17"), ()),
    ("stays_in_bounds", change("target_pitch=8, target_height=3",
                               "target_pitch=80, target_height=3"), ()),
    ("copies_boxes_that_hold_their_rows", change(
        "target_pitch=8, target_height=3",
        "target_pitch=7, target_height=3"), ()),
    ("copies_boxes_that_hold_their_rows", change(
        "source_height=4", "source_height=2"), ()),
    ("copies_what_the_driver_knows", change(
        "source=0x9000, width=8, height=3",
        "source=0x7000, width=8, height=3"), ()),
    ("stays_in_bounds", change("target=0x1000, source=0x9000, bytes",
                               "target=0x1080, source=0x9000, bytes"), ()),
    ("stays_in_bounds", add(
        "cuMemAlloc(pointer=0x5000, bytes=8)\ncuMemFree(pointer=0x5000)\n"
        "cuMemsetD8Async(target=0x5004, value=0x1, count=1, stream=1)"), ()),
    ("frees_what_is_allocated", add("cuMemFree(pointer=0x1008)"), ()),
    ("frees_what_is_allocated", GOOD.replace(
        "cuStreamDestroy", "cuMemFreeAsync(pointer=0x2000, stream=1)\n"
        "cuStreamDestroy"), ()),
    ("frees_what_is_allocated", change(
        "cuMemFree(pointer=0x1000)",
        "cuMemFreeAsync(pointer=0x1000, stream=1)"), ()),
    ("frees_what_is_allocated", change(
        "cuMemFreeHost(pointer=0xb000)", "cuMemFree(pointer=0xb000)"), ()),
    ("registers_once", add(
        "cuMemHostRegister(pointer=0x9fff, bytes=8, flags=1)\n"
        "cuMemHostUnregister(pointer=0x9fff)"), ()),
    ("uses_pools_where_there_are", change("attribute=115, value=1",
                                          "attribute=115, value=0"), ()),
    ("opens_memory_once", change(
        "cuCtxEnablePeerAccess(context=2", "cuCtxEnablePeerAccess(context=1"),
     ()),
    ("opens_memory_once", change("can=1", "can=0"), ()),
    ("opens_memory_once", add("cuCtxEnablePeerAccess(context=2, flags=0)"), ()),
    ("destroys_its_handles", drop("cuStreamDestroy(stream=1)"), ()),
    ("destroys_its_handles", drop("cuEventDestroy(event=1)"), ()),
    ("destroys_its_handles", drop("cuModuleUnload(module=1)"), ()),
    ("releases_its_contexts", drop("cuDevicePrimaryCtxRelease(device=0)"), ()),
    ("frees_its_memory", drop("cuMemFree(pointer=0x1000)"), ()),
    ("frees_its_memory", drop("cuMemHostUnregister(pointer=0x9000)"), ()),
)


def read(text):
    """The calls of a log that leaves out what is usual."""
    lines = []
    for line in text.splitlines():
        thread = line[line.rindex(" ["):] if line.endswith("]") else " [1 main]"
        line = line.removesuffix(thread)
        result = "" if " = " in line else " = CUDA_SUCCESS"
        lines.append(f"driver: {line}{result}{thread}")
    calls = driver_log.read_calls("\n".join(lines))
    assert len(calls) == len(lines), text
    return calls


def main():
    failures = 0
    for rule, log, others in (("", GOOD, ()),) + CASES:
        problems = driver_rules.find_problems(read(log))
        broken = {name for name, _ in problems}
        if broken != set(others) | ({rule} if rule else set()):
            failures += 1
            print(f"{rule or 'a log that is right'}: found {problems}")
            print("  " + "\n  ".join(log.splitlines()))
    rules = {**driver_rules.CALL_RULES, **driver_rules.END_RULES}
    for rule in rules.keys() - {case[0] for case in CASES}:
        failures += 1
        print(f"{rule} has no case here")
    print(f"{len(CASES)} cases of {len(rules)} rules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
