//===- kinds.c - The kinds of events of a trace as rows -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of kinds.h as data, one row for each kind, for those who write what
// was recorded.
//
//===----------------------------------------------------------------------===//

#include "base/trace/kinds.h"

const agpu__trace_kind_row agpu__trace_kinds[AGPU__TRACE_KIND_COUNT] = {
#define ROW(id, is, arrow, of, as, key1, format1, key2, format2, key3,         \
            format3)                                                           \
  {.shape = AGPU__TRACE_SHAPE_##is,                                            \
   .flow = AGPU__TRACE_FLOW_##arrow,                                           \
   .category = of,                                                             \
   .shown = as,                                                                \
   .args = {{key1, AGPU__TRACE_FORMAT_##format1},                              \
            {key2, AGPU__TRACE_FORMAT_##format2},                              \
            {key3, AGPU__TRACE_FORMAT_##format3}}},
    AGPU__TRACE_KINDS(ROW)};
