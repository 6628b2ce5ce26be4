#!/usr/bin/env python3
"""Breaks each limit of a card in one place after the other: a test has to see it.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    break_limits.py [--build DIR] [NAME...]

To be run by hand, after a change to the emulated device, to what the runtime does
about a card's limits, or to the tests of either. Each of the faults below, or of
those that are NAMEd, is put into the sources, which are put back afterwards: the
emulated device becomes kinder than a card, or the runtime relies on one that is.
The fault's tests are built (in DIR, by default build) and run. Prints which of them
found it. Ends with 1 if none did for one of them.
"""

import argparse
import re
import subprocess
import sys

from break_sources import ROOT, put_back, put_in

EMU = "runtime/emu"
GPU = "runtime/gpu"

CONFORMANCE = ["async_gpu_emu", "conformance"]
PROGRAMS = ["async_gpu_emu", "async_gpu_runtime", "async-gpu-runner"]


def unit(name):
    return [f"unit-runtime-gpu-{name}", "async_gpu_emu"]


# name: (what is replaced, file by file; what is built; the tests).
FAULTS = {
    # An emulated device that is kinder than a card.
    "emu: a stream's queue has no end": (
        [(f"{EMU}/base/settings.c", ".queue = (unsigned)queue,", ".queue = 0,")],
        CONFORMANCE, "conformance/emu/stream_holds_up_who_fills_it"),
    "emu: each stream has a connection": (
        [(f"{EMU}/base/settings.c", ".connections = connections,",
          ".connections = 32,")],
        CONFORMANCE, "conformance/emu/streams_may_share_a_connection"),
    "emu: a free of ordered memory waits": (
        [(f"{EMU}/device/memory_calls.c",
          "  if (!is_ordered)\n    agpu__emu_streams_wait();",
          "  agpu__emu_streams_wait();")],
        CONFORMANCE, "conformance/emu/stream_ordered_memory_is_freed_without_waiting"),
    "emu: memory that a kernel uses is freed in silence": (
        [(f"{EMU}/device/memory_calls.c", "  agpu__emu_memory_reach_free(pointer);\n"
          "  return CUDA_SUCCESS;", "  agpu__emu_streams_wait();\n"
          "  agpu__emu_memory_reach_free(pointer);\n  return CUDA_SUCCESS;")],
        CONFORMANCE, "conformance/emu/emu_free_under_a_kernel_is_sticky"),
    "emu: host functions run side by side": (
        [(f"{EMU}/base/context.c",
          "  agpu__mutex_lock(&context->host_functions);\n", ""),
         (f"{EMU}/base/context.c",
          "  agpu__mutex_unlock(&context->host_functions);\n",
          "  (void)context;\n")],
        CONFORMANCE, "conformance/emu/host_functions_take_turns"),
    "emu: host functions may call the driver": (
        [(f"{EMU}/base/context.c", "  agpu__self.emu.in_host_function = true;\n",
          "")],
        CONFORMANCE,
        "conformance/emu/emu_driver_calls_in_host_function_are_refused"),
    "emu: memory is registered by the byte": (
        [(f"{EMU}/memory/host_memory.c",
          "    if (first_page(of->base) <= last &&\n"
          "        first <= first_page(of->base + of->bytes - 1))",
          "    if (of->base < from + bytes && from < of->base + of->bytes &&\n"
          "        first <= last)")],
        CONFORMANCE, "conformance/emu/registration_is_by_page"),
    "emu: the host always reaches managed memory": (
        [(f"{EMU}/memory/guard.c",
          "  return agpu__emu_get_settings()->exclusive_managed;",
          "  return false;")],
        CONFORMANCE, "conformance/emu/exclusive/managed_memory_is_the_devices"),
    "emu: kernels are loaded without waiting": (
        [(f"{EMU}/device/module.c",
          "memory_order_acquire))\n    return;\n  agpu__emu_streams_stall();",
          "memory_order_acquire))\n    return;")],
        CONFORMANCE, "conformance/emu/loading_may_wait_for_the_context"),
    "emu: pools keep all memory": (
        [(f"{EMU}/memory/peers.c",
          "      atomic_load_explicit(&all.pools[device].threshold, "
          "memory_order_relaxed));", "      UINT64_MAX);")],
        CONFORMANCE, "conformance/emu/pools_keep_what_their_threshold_says"),
    "emu: a block that has ended is still mapped": (
        [(f"{EMU}/simt/cluster_barrier.c",
          "  if (agpu__emu_peer(runner, rank)->has_ended)",
          "  if (agpu__emu_peer(runner, rank)->has_ended && rank > 1000)")],
        PROGRAMS, "^integration/errors/bulk_operations"),
    "emu: a barrier of a block that has ended is still used": (
        [(f"{EMU}/simt/phase.c", "  if (owner->has_ended)\n",
          "  if (owner->has_ended && !owner)\n")],
        PROGRAMS, "^integration/errors/bulk_operations"),
    "emu: the heap of kernels is larger": (
        [(f"{EMU}/simt/heap.c", "((size_t)8 << 20)", "((size_t)64 << 20)")],
        CONFORMANCE, "conformance/emu/context_has_limits"),
    "emu: a heap that is used may grow": (
        [(f"{EMU}/device/limit_calls.c",
          "    return agpu__emu_heap_set_limit(value) ? CUDA_SUCCESS : "
          "refuse(\"heap\");",
          "    (void)agpu__emu_heap_set_limit(value);\n    return CUDA_SUCCESS;")],
        CONFORMANCE, "conformance/emu/emu_heap_is_fixed_once_used"),
    "emu: swizzled tensors need not be aligned": (
        [(f"{EMU}/simt/tensor_map.c", "#define SWIZZLED_MULTIPLE 128",
          "#define SWIZZLED_MULTIPLE 16")],
        [*PROGRAMS, "unit-runtime-emu-tensor_maps"],
        "unit/runtime/emu/tensor_maps|^integration/errors/swizzle"),
    "emu: a context is current on all threads": (
        [(f"{EMU}/base/context.c",
          "CUcontext agpu__emu_get_context(void) { return "
          "agpu__self.emu.context; }",
          "static _Atomic(CUcontext) last;\n"
          "CUcontext agpu__emu_get_context(void) { return last; }"),
         (f"{EMU}/base/context.c", "  agpu__self.emu.context = context;\n}",
          "  last = agpu__self.emu.context = context;\n}")],
        CONFORMANCE, "conformance/emu/context_(is_each_threads|must_be_current)"),

    # A runtime that relies on it.
    "runtime: no stream is taken for a full one": (
        [(f"{GPU}/stream/pool.c",
          "             stream->known_position >=\n         CROWDED;",
          "             stream->known_position ==\n         UINT64_MAX;")],
        [*unit("full_streams"), *PROGRAMS],
        "unit/runtime/gpu/full_streams|^integration/bridge/in_flight"),
    "runtime: a stream waits for the first of several": (
        [(f"{GPU}/calls/loan.c",
          "  unsigned count = loan->wait_count;\n  loan->wait_count = 0;",
          "  unsigned count = loan->wait_count;\n  loan->wait_count = 0;\n"
          "  if (count > 1)\n    count = 1;")],
        [*unit("connections"), *unit("diamonds")],
        "unit/runtime/gpu/(connections|diamonds)"),
    "runtime: memory is freed in the order of no stream": (
        [(f"{GPU}/calls/memory.c",
          "        owner->driver->cuMemFreeAsync(pointer, loan->stream->handle);",
          "        owner->driver->cuMemFree(pointer);")],
        [*unit("memory"), *unit("diamonds"), *unit("memory_check")],
        "unit/runtime/gpu/(memory|diamonds)"),
    "runtime: a host function calls the driver": (
        [(f"{GPU}/stream/completion.c", "static void poke(void *parker) {",
          "static const agpu__driver *the_driver;\n"
          "static void poke(void *parker) {\n"
          "  CUcontext current;\n  (void)the_driver->cuCtxGetCurrent(&current);"),
         (f"{GPU}/stream/completion.c",
          "    agpu__device_enter(event->device);\n"
          "    if (event->device->driver->cuLaunchHostFunc(",
          "    agpu__device_enter(event->device);\n"
          "    the_driver = event->device->driver;\n"
          "    if (event->device->driver->cuLaunchHostFunc(")],
        PROGRAMS, "^integration/gpu/(token_flow|chains)"),
    "runtime: memory is registered by the byte": (
        [(f"{GPU}/device/pins.c", "  range pages = {first & ~mask, 0};",
          "  range pages = {first, 0};\n  mask = 0;")],
        unit("pages"), "unit/runtime/gpu/pages"),
    "runtime: managed memory where the host may not touch it": (
        [(f"{GPU}/device/device.c",
          "  device->managed_is_concurrent = !status && concurrent;",
          "  device->managed_is_concurrent = true;")],
        PROGRAMS, "^integration/gpu/kernel_arguments"),
    "runtime: kernels are loaded when they are launched": (
        [(f"{GPU}/kernel/module.c",
          "      status = load_program(device, kernel->module, location);",
          "      (void)load_program;")],
        unit("preload"), "unit/runtime/gpu/preload"),
    "runtime: pools keep nothing": (
        [(f"{GPU}/memory/ordered.c", "!set_threshold(device, keep)",
          "keep || !set_threshold(device, keep)")],
        [*unit("idle"), *unit("give_back")], "unit/runtime/gpu/(idle|give_back)"),
    "runtime: pools are never trimmed": (
        [(f"{GPU}/memory/ordered.c", "  if (device->pool)\n    (void)",
          "  if (!device->driver)\n    (void)")],
        [*unit("idle"), *unit("give_back")], "unit/runtime/gpu/(idle|give_back)"),
    "runtime: the context is taken for what it was": (
        [(f"{GPU}/device/device.c", "  if (now != device->context)",
          "  if (!now)")],
        unit("contexts"), "unit/runtime/gpu/contexts"),
    "runtime: the context is not left as it was found": (
        [(f"{GPU}/device/device.c",
          "device->driver->cuCtxSetCurrent(agpu__self.gpu.found) != CUDA_SUCCESS)",
          "false)")],
        unit("contexts"), "unit/runtime/gpu/contexts"),
    "runtime: calls that block are made by the completion thread": (
        [(f"{GPU}/stream/helper.c", "  bool is_given = self->has_thread;",
          "  bool is_given = false;")],
        unit("completion"), "unit/runtime/gpu/completion"),
    "runtime: the heap of kernels stays as it is": (
        [(f"{GPU}/device/device.c", "  if (shared->heap_bytes)",
          "  if (shared->heap_bytes == 1)")],
        PROGRAMS, "^integration/kernels/heap"),
}


def find(build, targets, tests):
    """The tests that have failed, of how many."""
    subprocess.run(["cmake", "--build", build, "--target", *dict.fromkeys(targets)],
                   check=True, stdout=subprocess.DEVNULL)
    told = subprocess.run(["ctest", "--test-dir", build, "-R", tests],
                          capture_output=True, text=True).stdout
    ran = re.findall(r"Test +#\d+: (\S+) \.*\s*(Passed|\*\*\*\S+)", told)
    return [name for name, how in ran if how != "Passed" and
            "Skipped" not in how], len(ran)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    missed = 0
    for name in arguments.names or FAULTS:
        edits, targets, tests = FAULTS[name]
        before = put_in(edits)
        try:
            failed, count = find(arguments.build, targets, tests)
        finally:
            put_back(before)
        missed += not failed
        print(f"{name}:", f"found by {', '.join(failed)}" if failed
              else f"MISSED by {count} tests", flush=True)
    print(f"{missed} faults were missed")
    subprocess.run(["cmake", "--build", arguments.build], check=True,
                   stdout=subprocess.DEVNULL)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
