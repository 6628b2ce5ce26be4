# How lit finds and runs the tests in this folder.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shlex
import shutil
import sys

import lit.util

# Its classes are sent to other processes by the name of their module.
sys.path.insert(0, os.path.join(config.async_gpu_source, "tests", "lit"))
import quoting

config.name = "async-gpu"
config.test_format = quoting.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.async_gpu_source, "tests", "lit")
# With a space, so that every test is run with one in %t.
config.test_exec_root = os.path.join(config.async_gpu_build, "tests",
                                     "lit output")

# lit can only end a hanging test with psutil; CTest's limit holds without.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = config.timeout

# Our tools first, then upstream's: FileCheck, not, split-file, mlir-opt.
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.async_gpu_build, "bin"),
        config.llvm_tools,
        config.environment["PATH"],
    ]
)

# What a caller of the test suite has set must not change its outcome; a test
# that needs one of these sets it in its RUN line with `env`.
for name in ("DEVICE", "LOG", "EMU_SEED", "THREADS", "COMPLETION"):
    config.environment.pop("ASYNC_GPU_" + name, None)
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for name, path in [
        ("python", sys.executable),
        ("bin", os.path.join(config.async_gpu_build, "bin")),
        ("mlir_include", config.mlir_include),
        ("runtime", os.path.join(config.async_gpu_build, "lib",
                                 "libasync_gpu_runtime.so")),
        ("plugin", os.path.join(config.async_gpu_build, "lib",
                                "libasync_gpu_plugin.so")),
        ("examples", os.path.join(config.async_gpu_source, "examples")),
        ("integration", os.path.join(config.async_gpu_source, "integration"))]:
    config.substitutions.append((f"%{name}", shlex.quote(path)))

# Where a CUDA toolkit is found, as src/gpu/ptx/toolkit.c looks for one.
toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"),
            "/usr/local/cuda"]
for name in ("CUDA_HOME", "CUDA_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if any(folder and
       os.path.exists(os.path.join(folder, "bin", "ptxas")) and
       os.path.exists(os.path.join(folder, "nvvm", "libdevice",
                                   "libdevice.10.bc"))
       for folder in toolkits):
    config.available_features.add("cuda-toolkit")

# It is not made with sanitizers.
if config.has_plugin and not config.async_gpu_sanitize:
    config.available_features.add("plugin")

if shutil.which("dot"):
    config.available_features.add("graphviz")

if config.async_gpu_sanitize:
    config.available_features.add("sanitizer")
    # What links a program with this runtime.
    config.environment["CC"] = "cc -fsanitize=" + config.async_gpu_sanitize
