// Atomic operations, by their one instruction where there is one; others become
// a loop around compare-and-swap.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry integers(
  // CHECK-DAG: atom.relaxed.sys.global.add.u32
  // CHECK-DAG: atom.relaxed.sys.global.max.s32
  // CHECK-DAG: atom.relaxed.sys.global.min.u32
  // CHECK-DAG: atom.relaxed.sys.global.or.b32
  // CHECK-DAG: atom.relaxed.sys.global.exch.b32
  // CHECK-DAG: atom.relaxed.sys.global.add.u64
  gpu.func @integers(%x: memref<?xi32>, %l: memref<?xi64>, %v: i32, %w: i64) kernel {
    %t = gpu.thread_id x
    %0 = memref.atomic_rmw addi %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %1 = memref.atomic_rmw maxs %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %2 = memref.atomic_rmw minu %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %3 = memref.atomic_rmw ori %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %4 = memref.atomic_rmw andi %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %5 = memref.atomic_rmw xori %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %6 = memref.atomic_rmw assign %v, %x[%t] : (i32, memref<?xi32>) -> i32
    %7 = memref.atomic_rmw addi %w, %l[%t] : (i64, memref<?xi64>) -> i64
    gpu.return
  }
  // CHECK-LABEL: .entry floats(
  // CHECK-DAG: atom.{{.*}}add.f32
  // CHECK-DAG: atom.{{.*}}add.f64
  // CHECK-DAG: atom.{{.*}}add.noftz.f16
  // CHECK-DAG: atom.{{.*}}cas.b32
  gpu.func @floats(%x: memref<?xf32>, %l: memref<?xf64>, %h: memref<?xf16>, %b: memref<?xbf16>, %v: f32, %w: f64, %u: f16, %s: bf16) kernel {
    %t = gpu.thread_id x
    %0 = memref.atomic_rmw addf %v, %x[%t] : (f32, memref<?xf32>) -> f32
    %1 = memref.atomic_rmw maximumf %v, %x[%t] : (f32, memref<?xf32>) -> f32
    %2 = memref.atomic_rmw addf %w, %l[%t] : (f64, memref<?xf64>) -> f64
    %3 = memref.atomic_rmw addf %u, %h[%t] : (f16, memref<?xf16>) -> f16
    %4 = memref.atomic_rmw addf %s, %b[%t] : (bf16, memref<?xbf16>) -> bf16
    gpu.return
  }
  // CHECK-LABEL: .entry generic(
  // CHECK: atom.{{.*}}cas.b32
  gpu.func @generic(%x: memref<?xf32>, %v: f32) kernel {
    %t = gpu.thread_id x
    %0 = memref.generic_atomic_rmw %x[%t] : memref<?xf32> {
    ^bb(%old: f32):
      %new = arith.mulf %old, %v : f32
      memref.atomic_yield %new : f32
    }
    gpu.return
  }
  // CHECK-LABEL: .entry narrow(
  // CHECK: cas
  gpu.func @narrow(%x: memref<?xi8>, %y: memref<?xi16>, %v: i8, %w: i16) kernel {
    %t = gpu.thread_id x
    %0 = memref.atomic_rmw addi %v, %x[%t] : (i8, memref<?xi8>) -> i8
    %1 = memref.atomic_rmw maxs %w, %y[%t] : (i16, memref<?xi16>) -> i16
    gpu.return
  }
  // CHECK-LABEL: .entry shared(
  // CHECK: atom.shared{{.*}}add.u32
  gpu.func @shared(%x: memref<?xi32>, %v: i32)
      workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %0 = memref.atomic_rmw addi %v, %s[%t] : (i32, memref<4xi32, #gpu.address_space<workgroup>>) -> i32
    memref.store %0, %x[%t] : memref<?xi32>
    gpu.return
  }

  // What the LLVM dialect says is kept, with fences where the backend forgets it;
  // what is written by hand stays.
  // CHECK-LABEL: .entry written(
  // CHECK: fence.acq_rel.sys;
  // CHECK: atom.relaxed.sys.global.add.u32
  // CHECK: fence.acq_rel.sys;
  // CHECK: atom.relaxed.sys.global.add.u32
  // CHECK: atom.acq_rel.gpu.global.cas.b32
  // CHECK: begin inline asm
  // CHECK-NEXT: atom.add.u32
  llvm.func @written(%p: !llvm.ptr<1>, %q: !llvm.ptr, %v: i32) attributes {nvvm.kernel} {
    %a = llvm.atomicrmw add %p, %v acq_rel : !llvm.ptr<1>, i32
    %b = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr<1>, i32
    %c = llvm.cmpxchg %p, %a, %b syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i32
    %d = llvm.inline_asm has_side_effects "\09atom.add.u32 $0, [$1], $2;", "=r,l,r" %q, %v : (!llvm.ptr, i32) -> i32
    %e = llvm.extractvalue %c[0] : !llvm.struct<(i32, i1)>
    %f = llvm.add %d, %e : i32
    llvm.store %f, %q : i32, !llvm.ptr
    llvm.return
  }
}
