//===- driver_name.c - What of a program names the driver -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of late_user.c's program, or a library with a name like that of one of
// LLVM's that opens the driver.
//
//===----------------------------------------------------------------------===//

__attribute__((visibility("default"))) const char *driver_name(void);

const char *driver_name(void) { return "libcuda.so"; }
