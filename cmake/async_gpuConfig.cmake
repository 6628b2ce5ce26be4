# What find_package(async_gpu) gives: the targets of AsyncGpu.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include(${CMAKE_CURRENT_LIST_DIR}/../AsyncGpu/AsyncGpuConfig.cmake)
