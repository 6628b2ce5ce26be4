// Buffers of the host that loops hand on: which one a kernel is given, only the run
// tells.

// FLAGS: --sequential --host-region-ops=0 --device-region-ops=0

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @add(%m: memref<8xi32>, %a: i32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<8xi32>
    %y = arith.addi %x, %a : i32
    memref.store %y, %m[%i] : memref<8xi32>
    gpu.return
  }
  gpu.func @sum(%m: memref<8xi32>, %n: memref<8xi32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<8xi32>
    %y = memref.load %n[%i] : memref<8xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %m[%i] : memref<8xi32>
    gpu.return
  }
}
// The same buffer in each round: 10 and three times 1, by both names.
func.func private @same() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a) -> (memref<8xi32>) {
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %one : i32)
    scf.yield %p : memref<8xi32>
  }
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %r[%c3] : memref<8xi32>
  vector.print %y : i32
  memref.dealloc %r : memref<8xi32>
  return
}
// Two that change places: the first is given in rounds 0 and 2, and the second, which
// is the result behind three rounds, in round 1.
func.func private @swap() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  %b = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  linalg.fill ins(%hundred : i32) outs(%b : memref<8xi32>)
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %b) -> (memref<8xi32>, memref<8xi32>) {
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %one : i32)
    scf.yield %q, %p : memref<8xi32>, memref<8xi32>
  }
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  %z = memref.load %r#0[%c3] : memref<8xi32>
  vector.print %z : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// The host adds 10 to the one that the kernel is not given: 100 + 10, 11 + 10,
// 111 + 10.
func.func private @swap_host() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  %b = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  linalg.fill ins(%hundred : i32) outs(%b : memref<8xi32>)
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %b) -> (memref<8xi32>, memref<8xi32>) {
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %one : i32)
    %u = memref.load %q[%c3] : memref<8xi32>
    %v = arith.addi %u, %ten : i32
    memref.store %v, %q[%c3] : memref<8xi32>
    vector.print %v : i32
    scf.yield %q, %p : memref<8xi32>, memref<8xi32>
  }
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// As long as the host sees less than 111: 100 + 10, then 10 + 110.
func.func private @until() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  %b = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  linalg.fill ins(%hundred : i32) outs(%b : memref<8xi32>)
  %limit = arith.constant 111 : i32
  %zero = arith.constant 0 : i32
  %r:3 = scf.while (%p = %b, %q = %a, %n = %zero) : (memref<8xi32>, memref<8xi32>, i32) -> (memref<8xi32>, memref<8xi32>, i32) {
    %u = memref.load %p[%c3] : memref<8xi32>
    %w = memref.load %q[%c3] : memref<8xi32>
    %most = arith.maxsi %u, %w : i32
    %go = arith.cmpi slt, %most, %limit : i32
    scf.condition(%go) %p, %q, %n : memref<8xi32>, memref<8xi32>, i32
  } do {
  ^bb0(%p: memref<8xi32>, %q: memref<8xi32>, %n: i32):
    gpu.launch_func @kernels::@sum blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %q : memref<8xi32>)
    %m = arith.addi %n, %one : i32
    scf.yield %q, %p, %m : memref<8xi32>, memref<8xi32>, i32
  }
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  vector.print %r#2 : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// A buffer for each round, which the next one frees: 10 + 10, and 20 + 20, and 80.
func.func private @renewed() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a) -> (memref<8xi32>) {
    %o = memref.alloc() : memref<8xi32>
    memref.copy %p, %o : memref<8xi32> to memref<8xi32>
    gpu.launch_func @kernels::@sum blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%o : memref<8xi32>, %p : memref<8xi32>)
    memref.dealloc %p : memref<8xi32>
    scf.yield %o : memref<8xi32>
  }
  %x = memref.load %r[%c3] : memref<8xi32>
  vector.print %x : i32
  memref.dealloc %r : memref<8xi32>
  return
}
// A loop of blocks: 10 and 2 more, 100 and 1 more.
func.func private @blocks() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  %b = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  linalg.fill ins(%hundred : i32) outs(%b : memref<8xi32>)
  cf.br ^head(%c0, %a, %b : index, memref<8xi32>, memref<8xi32>)
^head(%i: index, %p: memref<8xi32>, %q: memref<8xi32>):
  %c = arith.cmpi slt, %i, %c3 : index
  cf.cond_br %c, ^body, ^done
^body:
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %one : i32)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %q, %p : index, memref<8xi32>, memref<8xi32>)
^done:
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// RUN: device schedules=50 --memory=discrete
// RUN: device schedules=50 --memory=unified
// CHECK: 13
// CHECK: 13
// CHECK: 12
// CHECK: 101
// CHECK: 101
// CHECK: 110
// CHECK: 21
// CHECK: 121
// CHECK: 22
// CHECK: 121
// CHECK: 120
// CHECK: 110
// CHECK: 2
// CHECK: 80
// CHECK: 12
// CHECK: 101
func.func @main() {
  call @same() : () -> ()
  call @swap() : () -> ()
  call @swap_host() : () -> ()
  call @until() : () -> ()
  call @renewed() : () -> ()
  call @blocks() : () -> ()
  return
}
}
