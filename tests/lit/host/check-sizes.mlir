// Allocations on the host are looked at.
// RUN: async-gpu-opt %s --async-gpu-check-sizes | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-check-sizes=abi=upstream | FileCheck %s --check-prefix=UPSTREAM

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[N:.*]]: index)
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]]
// CHECK: %[[BOTH:.*]] = "llvm.intr.umul.with.overflow"(%{{.*}}, %[[SIZE]])
// CHECK: %[[PRODUCT:.*]] = llvm.extractvalue %[[BOTH]][0]
// CHECK: %[[NEGATIVE:.*]] = llvm.icmp "slt" %[[PRODUCT]]
// CHECK: %[[OVER:.*]] = llvm.extractvalue %[[BOTH]][1]
// CHECK: %[[BAD:.*]] = llvm.or %[[OVER]], %[[NEGATIVE]]
// CHECK: %[[BYTES:.*]] = llvm.select %[[BAD]], %{{.*}}, %[[PRODUCT]]
// CHECK: %[[FITS:.*]] = llvm.icmp "ne" %[[BYTES]]
// CHECK: %[[M:.*]] = memref.alloc(%[[N]])
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[M]]
// CHECK: %[[OK:.*]] = llvm.and %[[FITS]]
// CHECK: call @agpu_check_allocation(%[[OK]], %[[BYTES]], %{{.*}})
// UPSTREAM-LABEL: func.func @dynamic(
// UPSTREAM: cf.assert %{{.*}}, "{{.*}}check-sizes.mlir:[[@LINE+2]]:8: error: not enough memory"
func.func @dynamic(%n: index) -> memref<?x4xf32> {
  %m = memref.alloc(%n) : memref<?x4xf32>
  return %m : memref<?x4xf32>
}

// Small and of a static shape: malloc may have no memory all the same. The
// stack tells by itself.
// CHECK-LABEL: func.func @small(
// CHECK: memref.alloc()
// CHECK: call @agpu_check_allocation
// CHECK: memref.alloca
// CHECK-NOT: call
// CHECK: return
func.func @small() -> memref<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  %s = memref.alloca() : memref<4xf32>
  return %m : memref<4xf32>
}

// A region has a check of its own already.
// CHECK-LABEL: func.func @checked(
// CHECK-NEXT: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: return
func.func @checked(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) {async_gpu.checked} : memref<?xf32>
  return %m : memref<?xf32>
}

// Memory of the stack, and of upstream's expansion: before it is used.
// CHECK-LABEL: func.func @before(
// CHECK: call @agpu_check_allocation
// CHECK: memref.realloc
// CHECK: call @agpu_check_allocation
// CHECK: memref.alloca
func.func @before(%m: memref<4xf32>, %n: index) -> memref<?xf32> {
  %r = memref.realloc %m(%n) : memref<4xf32> to memref<?xf32>
  %s = memref.alloca(%n) : memref<?xf32>
  return %r : memref<?xf32>
}
