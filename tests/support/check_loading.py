#!/usr/bin/env python3
"""Looks what is said of each libcuda.so.1 that may be found on a machine.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_loading.py --info ASYNC_GPU_INFO --drivers FOLDER --emulator LIBRARY

FOLDER has libraries with the symbols of several releases (fake_libcuda.c).
async-gpu-info starts each of them, with ASYNC_GPU_DEVICE=cuda, where a program
would end, and without, where it goes on on the emulated device. Files that are
no libraries are written here. Then it looks for the emulated device in several
places, and takes it for libcuda.
"""

import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# (folder of the library, environment, what the message matches; None: it works)
RELEASES = [(release, {}, None)
            for release in ("11.0", "11.8", "12.4", "13.0")]
FAILURES = [
    ("10.2", {}, r"version 10\.2\) is too old, it lacks: "
     r"cuDevicePrimaryCtxRelease_v2; install one for CUDA 11\.0 or later"),
    ("12.4-damaged", {}, r"version 12\.4\) lacks: cuStreamQuery; it is damaged "
     r"or not NVIDIA's: install the driver again"),
    ("12.4", {"FAKE_LIBCUDA_DEVICES": "0"},
     r"the cuda driver has no device: .*nvidia-smi"),
    ("nothing", {}, r"no CUDA driver: libcuda\.so\.1: .*No such file.*; "
     r"install NVIDIA's driver"),
    ("text", {}, r"the CUDA driver that was found does not load: "
     r".*(invalid ELF header|file too short).*; install NVIDIA's driver again"),
    ("empty", {}, r"that was found does not load: .*file too short"),
    ("class32", {}, r"that was found does not load: .*wrong ELF class"),
    ("unresolved", {}, r"that was found does not load: .*undefined symbol: "
     r"of_no_library"),
    ("missing_needed", {}, r"that was found does not load: libof_no_one\.so: "
     r".*No such file"),
    # The system looks on as if it were not there.
    ("machine", {}, r"no CUDA driver: "),
    ("folder", {}, r"that was found does not load: .*([Ii]s a directory"
     r"|cannot read file data)"),
    ("unreadable_link", {}, r"no CUDA driver: .*No such file"),
] + [
    ("12.4", {"FAKE_LIBCUDA_INIT": str(code)},
     rf"starting the cuda driver: {name}: .*; .*{advice}")
    for code, name, advice in (
        (34, "CUDA_ERROR_STUB_LIBRARY", "LD_LIBRARY_PATH"),
        (46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "compute mode"),
        (100, "CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"),
        (304, "CUDA_ERROR_OPERATING_SYSTEM", "/dev/nvidia"),
        (802, "CUDA_ERROR_SYSTEM_NOT_READY", "fabric manager"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "reboot"),
        (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "cuda-compat"),
        (999, "CUDA_ERROR_UNKNOWN", "kernel module"),
    )
] + [
    ("12.4", {"FAKE_LIBCUDA_INIT": "998"},
     r"starting the cuda driver: driver error 998; .*nvidia-smi"),
]


def elf_header(bits, machine):
    """The start of a shared library, and nothing more."""
    return struct.pack("<4sBBBB8xHHI", b"\x7fELF", bits, 1, 1, 0, 3, machine,
                       1) + bytes(4096)


def write_files(folder):
    for name, content in (
            ("text", b"This is no library.\n" * 100), ("empty", b""),
            ("class32", elf_header(1, 3)),  # of an i386
            ("machine", elf_header(2, 183))):  # of an aarch64
        os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, name, "libcuda.so.1"), "wb") as file:
            file.write(content)
    os.mkdir(os.path.join(folder, "nothing"))
    os.makedirs(os.path.join(folder, "folder", "libcuda.so.1"))
    os.mkdir(os.path.join(folder, "unreadable_link"))
    os.symlink("missing", os.path.join(folder, "unreadable_link",
                                       "libcuda.so.1"))


def run(info, path, settings, cwd=None):
    environment = dict(os.environ, LD_LIBRARY_PATH=path, **settings)
    done = subprocess.run([info, "--json"], capture_output=True, text=True,
                          env=environment, timeout=20, cwd=cwd)
    return done.returncode, json.loads(done.stdout), done.stderr


def find_problems(info, path, settings, expected):
    status, found, errors = run(info, path,
                                dict(settings, ASYNC_GPU_DEVICE="cuda"))
    text = json.dumps(found["programs"])
    if expected is None:
        if status != 0 or found["programs"].get("device") != "cuda":
            yield f"exit status {status}: {text} {errors}"
    else:
        if status == 0:
            yield "exit status 0"
        if not re.search(expected, found["programs"].get("error", "")):
            yield f"says {text}"
    status, found, errors = run(info, path, settings)
    # A driver that is there and does not work is not passed over in silence.
    is_there = expected and not re.match(r"no CUDA driver|the cuda driver has no "
                                         r"device|.*NO_DEVICE", expected)
    said = re.search("^warning: the emulated device is used, .*" + (expected or ""),
                     errors, re.MULTILINE)
    if bool(said) != bool(is_there) or (not is_there and errors):
        yield f"without ASYNC_GPU_DEVICE: says {errors}"
    device = "emu" if expected else "cuda"
    if status != 0 or found["programs"].get("device") != device:
        yield f"without ASYNC_GPU_DEVICE: exit status {status}: {found} {errors}"


def emulator_problems(info, emulator, folder):
    """Where the emulated device's library is found, and where not."""
    name = "libasync_gpu_emu.so.0"
    top = os.path.join(folder, "emulator")
    for place in ("alone", "beside", "near/bin", "near/lib", "path", "here",
                  "cuda"):
        os.makedirs(os.path.join(top, place))
    for place in ("alone", "beside", "near/bin"):
        shutil.copy(info, os.path.join(top, place, "info"))
    for place in ("beside", "near/lib", "path", "here"):
        shutil.copy(emulator, os.path.join(top, place, name))
    shutil.copy(emulator, os.path.join(top, "cuda", "libcuda.so.1"))
    nothing = rf"no emulated device: {re.escape(name)}: .*No such file.*; put"
    cases = [("alone", "alone", "emu", nothing), ("beside", "alone", "emu", None),
             ("near/bin", "alone", "emu", None), ("alone", "path", "emu", None),
             ("alone", "alone", "auto", nothing),
             ("alone", "cuda", "cuda", None), ("alone", "cuda", "auto", None)]
    for place, path, device, expected in cases:
        status, found, errors = run(
            os.path.join(top, place, "info"), os.path.join(top, path),
            {"ASYNC_GPU_DEVICE": device}, cwd=os.path.join(top, "here"))
        programs = found["programs"]
        wanted = "emu" if device == "emu" else "cuda"
        if expected is None and (status or programs.get("device") != wanted):
            yield f"{place}, {path}, {device}: {status}: {programs} {errors}"
        if expected and not re.search(expected, programs.get("error", "")):
            yield f"{place}, {path}, {device}: says {programs}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--info", required=True)
    parser.add_argument("--drivers", required=True)
    parser.add_argument("--emulator", required=True)
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        for name, settings, expected in RELEASES + FAILURES:
            path = os.path.join(folder, name)
            if not os.path.isdir(path):
                path = os.path.join(arguments.drivers, name)
            for problem in find_problems(arguments.info, path, settings,
                                         expected):
                failures += 1
                print(f"{name} {settings}: {problem}")
        for problem in emulator_problems(arguments.info, arguments.emulator,
                                         folder):
            failures += 1
            print(f"emulated device: {problem}")
    print(f"{len(RELEASES + FAILURES)} drivers, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
