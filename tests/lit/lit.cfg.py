# How lit finds and runs the tests in this folder.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import lit.formats
import lit.util

config.name = "async-gpu"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.async_gpu_source, "tests", "lit")
config.test_exec_root = os.path.join(config.async_gpu_build, "tests", "lit")

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

config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%mlir_include", config.mlir_include))
config.substitutions.append(("%runtime", os.path.join(
    config.async_gpu_build, "lib", "libasync_gpu_runtime.so")))
config.substitutions.append(("%examples", os.path.join(
    config.async_gpu_source, "examples")))
config.substitutions.append(("%integration", os.path.join(
    config.async_gpu_source, "integration")))

# Where a CUDA toolkit is found, as src/gpu/toolkit.c looks for one.
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

if config.async_gpu_sanitize:
    config.available_features.add("sanitizer")
    # What links a program with this runtime.
    config.environment["CC"] = "cc -fsanitize=" + config.async_gpu_sanitize
