//===- atomic_order.c - What atomic operations order ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion gives the atomic ops of the memref dialect orders and
// scopes of its own choice, which differ between kinds. Those written in the
// LLVM dialect are marked before it, the others put right after it. PTX text
// gets the scopes that the NVPTX backend does not write.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"

// LLVM's orders, as its dialect numbers them.
enum { MONOTONIC = 2, ACQUIRE = 4, RELEASE = 5, ACQ_REL = 6, SEQ_CST = 7 };

static void collect(MlirOperation gpu_module, agpu__ops *out_ops) {
  agpu__collect(gpu_module, "llvm.atomicrmw", out_ops);
  agpu__collect(gpu_module, "llvm.cmpxchg", out_ops);
}

void agpu__mark_atomics(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) ops = {0};
  collect(gpu_module, &ops);
  for (size_t i = 0; i < ops.count; ++i)
    agpu__set_attr(ops.data[i], AGPU__AS_WRITTEN_ATTR,
                   mlirUnitAttrGet(mlirOperationGetContext(gpu_module)));
}

static void fence(agpu__builder *at, int64_t ordering, MlirAttribute scope) {
  MlirNamedAttribute attributes[2];
  size_t count = 0;
  attributes[count++] = agpu__named(at->context, "ordering",
                                    agpu__i64_attr(at->context, ordering));
  if (!mlirAttributeIsNull(scope))
    attributes[count++] = agpu__named(at->context, "syncscope", scope);
  agpu__build_op(at, "llvm.fence", NULL, 0, (MlirType){NULL}, attributes,
                 count);
}

/// Fences that give `op`, an llvm.atomicrmw, the order that it says.
static void add_fences(MlirOperation op) {
  int64_t ordering = mlirIntegerAttrGetValueInt(agpu__attr(op, "ordering"));
  MlirAttribute scope = agpu__attr(op, "syncscope");
  if (ordering <= MONOTONIC)
    return;
  agpu__builder before = agpu__builder_before(op);
  agpu__builder after = agpu__builder_after(op);
  if (ordering != ACQUIRE)
    fence(&before, ordering == SEQ_CST ? SEQ_CST : RELEASE, scope);
  if (ordering != RELEASE)
    fence(&after, ordering == SEQ_CST ? SEQ_CST : ACQUIRE, scope);
}

static void relax(MlirOperation op) {
  static const char *const orders[] = {"ordering", "success_ordering",
                                       "failure_ordering"};
  for (size_t i = 0; i < AGPU__COUNT(orders); ++i)
    if (agpu__has_attr(op, orders[i]))
      agpu__set_attr(op, orders[i],
                     agpu__i64_attr(mlirOperationGetContext(op), MONOTONIC));
}

void agpu__order_atomics(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) ops = {0};
  collect(gpu_module, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (!agpu__has_attr(op, AGPU__AS_WRITTEN_ATTR)) {
      relax(op);
      continue;
    }
    agpu__remove_attr(op, AGPU__AS_WRITTEN_ATTR);
    if (agpu__op_is(op, "llvm.atomicrmw"))
      add_fences(op);
  }
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

static bool begins(const char *text, const char *prefix) {
  return !strncmp(text, prefix, strlen(prefix));
}

char *agpu__scope_atomics(const char *ptx, unsigned chip) {
  // sm_60 has the scope, sm_70 the order.
  const char *scope = chip >= 70 ? ".relaxed.sys" : chip >= 60 ? ".sys" : "";
  static const char operation[] = "\tatom";
  agpu__text text = {0};
  bool by_hand = false;
  for (const char *line = ptx; *line;) {
    const char *end = strchr(line, '\n');
    end = end ? end + 1 : line + strlen(line);
    if (begins(line, "\t// begin inline asm"))
      by_hand = true;
    if (begins(line, "\t// end inline asm"))
      by_hand = false;
    // Shared memory is the block's; what has an order says its scope.
    const char *rest = line;
    const char *behind = line + sizeof(operation) - 1;
    if (!by_hand && begins(line, operation) && *behind == '.' &&
        !begins(behind, ".shared") && !begins(behind, ".relaxed.") &&
        !begins(behind, ".acquire.") && !begins(behind, ".release.") &&
        !begins(behind, ".acq_rel.") && !begins(behind, ".cta.") &&
        !begins(behind, ".sys.") && !begins(behind, ".gpu.")) {
      agpu__text_append(&text, line, (size_t)(behind - line));
      agpu__text_puts(&text, scope);
      rest = behind;
    }
    agpu__text_append(&text, rest, (size_t)(end - rest));
    line = end;
  }
  return agpu__text_take(&text);
}
