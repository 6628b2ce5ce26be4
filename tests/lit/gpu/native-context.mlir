// What a thread knows of itself is handed to it; what a device does for kernels is
// called.
// RUN: async-gpu-opt %s --async-gpu-native-context --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: gpu.module @m {
// CHECK-NOT: llvm.mlir.global {{.*}}@s
// CHECK: llvm.func @f(%{{[^:]*}}: i32, %[[TX:[^:]*]]: i32, {{.*}}) -> i32 attributes {agpu.context = 1 : i32}
// CHECK: llvm.add %{{.*}}, %[[TX]]
// CHECK: llvm.func @k(%[[P:.*]]: !llvm.ptr, %[[KTX:[^:]*]]: i32, {{.*}}, %[[SHARED:[^:]*]]: !llvm.ptr, %[[DYNAMIC:[^:]*]]: !llvm.ptr) attributes {agpu.context = 1 : i32, agpu.shared_bytes = 32 : i64, nvvm.kernel}
// CHECK: %[[A:.*]] = llvm.getelementptr %[[SHARED]][16]
// CHECK: %[[R:.*]] = llvm.call @f(%{{.*}}, %[[KTX]], {{.*}}, %[[SHARED]], %[[DYNAMIC]])
// CHECK: llvm.store %[[R]], %[[A]]
// CHECK: llvm.store %[[R]], %[[DYNAMIC]]
// CHECK: nvvm.barrier0
// CHECK: call @agpu_native_trap(
// CHECK-NEXT: llvm.unreachable
gpu.module @m {
  llvm.mlir.global internal @s() {addr_space = 0 : i32, agpu.shared_offset = 16 : i64} : !llvm.array<4 x i32>
  llvm.mlir.global internal @d() {addr_space = 0 : i32, agpu.shared_dynamic} : !llvm.array<0 x i8>
  llvm.func @f(%v: i32) -> i32 {
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    %1 = llvm.add %v, %0 : i32
    llvm.return %1 : i32
  }
  llvm.func @k(%p: !llvm.ptr) attributes {agpu.shared_bytes = 32 : i64, nvvm.kernel} {
    %0 = llvm.mlir.addressof @s : !llvm.ptr
    %1 = nvvm.read.ptx.sreg.warpsize : i32
    %2 = llvm.call @f(%1) : (i32) -> i32
    llvm.store %2, %0 : i32, !llvm.ptr
    %3 = llvm.mlir.addressof @d : !llvm.ptr
    llvm.store %2, %3 : i32, !llvm.ptr
    nvvm.barrier0
    "llvm.intr.trap"() : () -> ()
    llvm.return
  }
}

// -----

// A failed assertion ends its thread, and marked accesses are checked.
// CHECK-LABEL: gpu.module @checked attributes {agpu.check_accesses} {
// CHECK: call @agpu_native_check(
// CHECK-NOT: agpu.shared_access
// CHECK: call @agpu_native_assert_failed(
// CHECK-NEXT: llvm.unreachable {agpu.ends_thread}
gpu.module @checked attributes {agpu.check_accesses} {
  llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
  llvm.func @k(%p: !llvm.ptr, %n: i32, %l: i64) attributes {agpu.shared_bytes = 0 : i64, nvvm.kernel} {
    llvm.store %n, %p {agpu.shared_access} : i32, !llvm.ptr
    llvm.call @__assertfail(%p, %p, %n, %p, %l) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
    llvm.unreachable
  }
}

// -----

gpu.module @missing {
  // expected-error @+1 {{has no valid attribute 'agpu.shared_offset', which async-gpu-native-shared-memory leaves: run that pass before}}
  llvm.mlir.global internal @s() {addr_space = 0 : i32} : !llvm.array<4 x i32>
  // expected-error @+1 {{has no valid attribute 'agpu.shared_bytes', which async-gpu-native-shared-memory leaves: run that pass before}}
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

// Of two products that are added one is part of a multiply-add: two instructions, and
// not one; and of two that are not added to each other both are. From bit 32 on stands how
// many of the instructions each need the one before, from bit 48 how many loads of
// workgroup memory are among them, and from bit 56 how many of other memory.
// CHECK-LABEL: gpu.module @counted
// CHECK: llvm.func @one(
// CHECK: %[[N:.*]] = llvm.mlir.constant(8589934594 : i64) : i64
// CHECK: call @agpu_native_count(%[[N]])
// CHECK: llvm.func @apart(
// CHECK: %[[M:.*]] = llvm.mlir.constant(12884901891 : i64) : i64
// CHECK: call @agpu_native_count(%[[M]])
// CHECK: llvm.func @twice(
// CHECK: %[[T:.*]] = llvm.mlir.constant(8590000130 : i64) : i64
// CHECK: call @agpu_native_count(%[[T]])
// 4, of which one needs none of the others, in bits 0 and 32.
// CHECK: llvm.func @beside(
// CHECK: %[[B:.*]] = llvm.mlir.constant(4294967300 : i64) : i64
// CHECK: call @agpu_native_count(%[[B]])
// In a round a sum and the branch that hands it on; what does not change in rounds is in no
// chain.
// CHECK: llvm.func @rounds(
// CHECK: llvm.mlir.constant(4295032832 : i64) : i64
// CHECK: %[[R:.*]] = llvm.mlir.constant(8590000131 : i64) : i64
// CHECK: call @agpu_native_count(%[[R]])
gpu.module @counted attributes {agpu.count} {
  llvm.func @one(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 {
    %0 = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
    %1 = llvm.fmul %c, %d {fastmathFlags = #llvm.fastmath<contract>} : f32
    %2 = llvm.fadd %0, %1 {fastmathFlags = #llvm.fastmath<contract>} : f32
    llvm.return %2 : f32
  }
  // (a b + c) - (c d) + a
  llvm.func @apart(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 {
    %0 = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
    %1 = llvm.fadd %0, %c {fastmathFlags = #llvm.fastmath<contract>} : f32
    %2 = llvm.fmul %c, %d {fastmathFlags = #llvm.fastmath<contract>} : f32
    %3 = llvm.fsub %1, %2 {fastmathFlags = #llvm.fastmath<contract>} : f32
    %4 = llvm.fadd %3, %a : f32
    llvm.return %4 : f32
  }
  // The first product has another use, and stays one. A store is an op of integers, whose
  // count has bits 16 to 23.
  llvm.func @twice(%a: f32, %b: f32, %c: f32, %d: f32, %p: !llvm.ptr) -> f32 {
    %0 = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
    %1 = llvm.fmul %c, %d {fastmathFlags = #llvm.fastmath<contract>} : f32
    %2 = llvm.fadd %0, %1 {fastmathFlags = #llvm.fastmath<contract>} : f32
    llvm.store %0, %p : f32, !llvm.ptr
    llvm.return %2 : f32
  }
  llvm.func @beside(%a: f32, %b: f32, %p: !llvm.ptr) -> !llvm.struct<(f32, f32, f32, f32)> {
    %0 = llvm.fadd %a, %a : f32
    %1 = llvm.fadd %a, %b : f32
    %2 = llvm.fadd %b, %a : f32
    %3 = llvm.fadd %b, %b : f32
    %4 = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %5 = llvm.insertvalue %0, %4[0] : !llvm.struct<(f32, f32, f32, f32)>
    %6 = llvm.insertvalue %1, %5[1] : !llvm.struct<(f32, f32, f32, f32)>
    %7 = llvm.insertvalue %2, %6[2] : !llvm.struct<(f32, f32, f32, f32)>
    %8 = llvm.insertvalue %3, %7[3] : !llvm.struct<(f32, f32, f32, f32)>
    llvm.return %8 : !llvm.struct<(f32, f32, f32, f32)>
  }
  llvm.func @rounds(%a: f32, %b: f32, %go: i1) -> f32 {
    llvm.br ^loop(%a : f32)
  ^loop(%sum: f32):
    %0 = llvm.fadd %a, %b : f32
    %1 = llvm.fadd %0, %b : f32
    %2 = llvm.fadd %sum, %1 : f32
    llvm.cond_br %go, ^loop(%2 : f32), ^end
  ^end:
    llvm.return %2 : f32
  }
}
