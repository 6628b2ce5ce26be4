// What is the same in all threads of a block is marked.
// RUN: async-gpu-opt %s --async-gpu-native-uniformity --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: llvm.add %{{.*}}, %{{.*}} {agpu.uniform} : i32
// CHECK-NEXT: llvm.add %{{.*}}, %{{.*}} : i32
// The loop runs equally often for all, but not the branch in it.
// CHECK-NEXT: llvm.br ^[[HEAD:.*]](%{{.*}} : i32) {agpu.varying_arguments = array<i32: 2, 3, 4>}
// CHECK: llvm.icmp "ult" %{{.*}} {agpu.uniform}
// CHECK-NEXT: llvm.cond_br
// CHECK-NOT: agpu.
// CHECK-SAME: ^[[BODY:bb[0-9]+]],
// CHECK: llvm.load {{.*}} : !llvm.ptr -> i1
// CHECK-NEXT: llvm.cond_br %{{.*}}, ^[[STORE:.*]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[STORE]]:
// CHECK: llvm.br ^[[NEXT]] {agpu.divergent}
// CHECK: ^[[NEXT]]:
// CHECK: llvm.add {{.*}} {agpu.uniform}
// CHECK-NEXT: llvm.br
// CHECK-NOT: agpu.
gpu.module @m {
  llvm.func @k(%n: i32, %p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %0 = llvm.add %n, %n : i32
    %1 = llvm.add %n, %tx : i32
    llvm.br ^head(%one : i32)
  ^head(%i: i32):
    %more = llvm.icmp "ult" %i, %0 : i32
    llvm.cond_br %more, ^body, ^end
  ^body:
    %c = llvm.load %p : !llvm.ptr -> i1
    llvm.cond_br %c, ^store, ^next
  ^store:
    llvm.store %1, %p : i32, !llvm.ptr
    llvm.br ^next
  ^next:
    %j = llvm.add %i, %one : i32
    llvm.br ^head(%j : i32)
  ^end:
    llvm.return
  }
}

// -----

gpu.module @missing {
  // expected-error @+1 {{has no valid attribute 'agpu.context', which async-gpu-native-context leaves: run that pass before}}
  llvm.func @k(%n: i32) attributes {nvvm.kernel} {
    llvm.return
  }
}
