// Workgroup memory gets its place; atomic operations there become plain ones, or
// are marked for the checks.
// RUN: async-gpu-opt %s --async-gpu-native-shared-memory --split-input-file --verify-diagnostics | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-native-shared-memory=check-accesses --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=CHECKED

// CHECK-LABEL: gpu.module @m {
// CHECKED-LABEL: gpu.module @m attributes {agpu.check_accesses} {
// CHECK: @a() {addr_space = 0 : i32, agpu.shared_offset = 0 : i64} : !llvm.array<3 x i32>
// CHECK: @b() {addr_space = 0 : i32, agpu.shared_offset = 16 : i64, alignment = 16 : i64} : !llvm.array<4 x i64>
// CHECK: @c() {addr_space = 0 : i32, agpu.shared_offset = 0 : i64} : !llvm.array<2 x i32>
// CHECK: @rest() {addr_space = 0 : i32, agpu.shared_dynamic} : !llvm.array<0 x i8>
// CHECK: llvm.func @k({{.*}}) attributes {agpu.shared_bytes = 48 : i64, nvvm.kernel}
// CHECK: %[[A:.*]] = llvm.mlir.addressof @a : !llvm.ptr
// CHECK: %[[OLD:.*]] = llvm.load %[[A]]
// CHECK: %[[NEW:.*]] = llvm.add %[[OLD]]
// CHECK: llvm.store %[[NEW]], %[[A]] {agpu.atomic}
// CHECK: llvm.mlir.addressof @b : !llvm.ptr
// CHECK: llvm.mlir.addressof @rest : !llvm.ptr
// CHECK: llvm.func @l() attributes {agpu.shared_bytes = 16 : i64, nvvm.kernel}
// CHECKED: llvm.atomicrmw add {{.*}} {agpu.shared_access}
gpu.module @m {
  llvm.mlir.global internal @a() {addr_space = 3 : i32} : !llvm.array<3 x i32>
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i64>
  llvm.mlir.global internal @c() {addr_space = 3 : i32} : !llvm.array<2 x i32>
  llvm.mlir.global internal @rest() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  llvm.func @k(%v: i32) attributes {nvvm.kernel} {
    %0 = llvm.mlir.addressof @a : !llvm.ptr<3>
    %1 = llvm.atomicrmw add %0, %v monotonic : !llvm.ptr<3>, i32
    %2 = llvm.mlir.addressof @b : !llvm.ptr<3>
    llvm.store %v, %2 : i32, !llvm.ptr<3>
    %3 = llvm.mlir.addressof @rest : !llvm.ptr<3>
    llvm.store %1, %3 : i32, !llvm.ptr<3>
    llvm.return
  }
  llvm.func @l() attributes {nvvm.kernel} {
    %0 = llvm.mlir.addressof @c : !llvm.ptr<3>
    %1 = llvm.load %0 : !llvm.ptr<3> -> i32
    llvm.return
  }
}

// -----

gpu.module @large {
  llvm.mlir.global internal @a() {addr_space = 3 : i32} : !llvm.array<49160 x i8>
  // expected-error @+1 {{this kernel takes 49168 bytes of workgroup memory; a block has 49152}}
  llvm.func @k() attributes {nvvm.kernel} {
    %0 = llvm.mlir.addressof @a : !llvm.ptr<3>
    %1 = llvm.load %0 : !llvm.ptr<3> -> i8
    llvm.return
  }
}
