// Buffers of the host that branches, selects, views and calls hand on.

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
// The second one is chosen; the first is given by its name.
func.func private @branch() {
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
  %five = arith.constant 5 : i32
  %v = memref.load %a[%c0] : memref<8xi32>
  %c = arith.cmpi eq, %v, %ten : i32
  %m = scf.if %c -> memref<8xi32> {
    scf.yield %b : memref<8xi32>
  } else {
    scf.yield %a : memref<8xi32>
  }
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8xi32>, %one : i32)
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %five : i32)
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  %z = memref.load %m[%c3] : memref<8xi32>
  vector.print %z : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// By a switch, a select and a block of a region: 10 + 1, and 100 + 2 * 1.
func.func private @choices() {
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
  %yes = arith.constant true
  %m = scf.index_switch %c3 -> memref<8xi32>
  case 3 {
    scf.yield %b : memref<8xi32>
  }
  default {
    scf.yield %a : memref<8xi32>
  }
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8xi32>, %one : i32)
  %v = memref.load %m[%c0] : memref<8xi32>
  %c = arith.cmpi eq, %v, %ten : i32
  %n = arith.select %c, %b, %a : memref<8xi32>
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%n : memref<8xi32>, %one : i32)
  %o = scf.execute_region -> memref<8xi32> {
    cf.cond_br %c, ^one(%a : memref<8xi32>), ^one(%b : memref<8xi32>)
  ^one(%p: memref<8xi32>):
    scf.yield %p : memref<8xi32>
  }
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%o : memref<8xi32>, %one : i32)
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// Shapes of what has been chosen: rows 1 and 3 of four of 2 are twice of it more.
func.func private @views() {
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
  %c2 = arith.constant 2 : index
  %v = memref.load %a[%c0] : memref<8xi32>
  %c = arith.cmpi eq, %v, %ten : i32
  %m = arith.select %c, %b, %a : memref<8xi32>
  %s = memref.expand_shape %m [[0, 1]] output_shape [4, 2] : memref<8xi32> into memref<4x2xi32>
  %t = memref.collapse_shape %s [[0, 1]] : memref<4x2xi32> into memref<8xi32>
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%t : memref<8xi32>, %one : i32)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c2, %sz = %c1) {
    %d0 = arith.addi %tx, %tx : index
    %row = arith.addi %d0, %c1 : index
    %x = memref.load %s[%row, %ty] : memref<4x2xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %s[%row, %ty] : memref<4x2xi32>
    gpu.terminator
  }
  %x = memref.load %b[%c0] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// A larger buffer keeps what a kernel has written: 10 + 1 + 1.
func.func private @larger() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloc() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %one : i32)
  %m = memref.realloc %a : memref<8xi32> to memref<16xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %m[%tx] : memref<16xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %m[%tx] : memref<16xi32>
    gpu.terminator
  }
  %x = memref.load %m[%c3] : memref<16xi32>
  vector.print %x : i32
  memref.dealloc %m : memref<16xi32>
  return
}
// What functions give: memory of their own, and what they are given.
func.func private @make(%k: i32) -> memref<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %m = memref.alloc() : memref<8xi32>
  linalg.fill ins(%k : i32) outs(%m : memref<8xi32>)
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8xi32>, %one : i32)
  return %m : memref<8xi32>
}
func.func private @pick(%c: i1, %m: memref<8xi32>, %n: memref<8xi32>) -> memref<8xi32> {
  %r = arith.select %c, %m, %n : memref<8xi32>
  return %r : memref<8xi32>
}
func.func private @step(%m: memref<8xi32>, %n: memref<8xi32>) -> (memref<8xi32>, memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  gpu.launch_func @kernels::@sum blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8xi32>, %n : memref<8xi32>)
  return %n, %m : memref<8xi32>, memref<8xi32>
}
// 11 and 101; 11 + 101, and 101 + 112.
func.func private @calls() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = call @make(%ten) : (i32) -> memref<8xi32>
  %b = call @make(%hundred) : (i32) -> memref<8xi32>
  %r:2 = call @step(%a, %b) : (memref<8xi32>, memref<8xi32>) -> (memref<8xi32>, memref<8xi32>)
  %s:2 = call @step(%r#0, %r#1) : (memref<8xi32>, memref<8xi32>) -> (memref<8xi32>, memref<8xi32>)
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  %z = memref.load %s#1[%c3] : memref<8xi32>
  vector.print %z : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// The first of 11 and 101 is picked.
func.func private @picked() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %yes = arith.constant true
  %a = call @make(%ten) : (i32) -> memref<8xi32>
  %b = call @make(%hundred) : (i32) -> memref<8xi32>
  %p = call @pick(%yes, %a, %b) : (i1, memref<8xi32>, memref<8xi32>) -> memref<8xi32>
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %one : i32)
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %y = memref.load %b[%c3] : memref<8xi32>
  vector.print %y : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return
}
// Memory of the frame and a global.
memref.global "private" @g : memref<8xi32> = dense<7>
func.func private @others() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %hundred = arith.constant 100 : i32
  %a = memref.alloca() : memref<8xi32>
  linalg.fill ins(%ten : i32) outs(%a : memref<8xi32>)
  %g = memref.get_global @g : memref<8xi32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %g) -> (memref<8xi32>, memref<8xi32>) {
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8xi32>, %one : i32)
    scf.yield %q, %p : memref<8xi32>, memref<8xi32>
  }
  %x = memref.load %a[%c3] : memref<8xi32>
  vector.print %x : i32
  %h = memref.get_global @g : memref<8xi32>
  %y = memref.load %h[%c3] : memref<8xi32>
  vector.print %y : i32
  return
}
// RUN: device schedules=50 --memory=discrete
// RUN: device schedules=50 --memory=unified
// CHECK: 15
// CHECK: 101
// CHECK: 101
// CHECK: 11
// CHECK: 102
// CHECK: 101
// CHECK: 102
// CHECK: 12
// CHECK: 112
// CHECK: 213
// CHECK: 213
// CHECK: 12
// CHECK: 101
// CHECK: 12
// CHECK: 8
func.func @main() {
  call @branch() : () -> ()
  call @choices() : () -> ()
  call @views() : () -> ()
  call @larger() : () -> ()
  call @calls() : () -> ()
  call @picked() : () -> ()
  call @others() : () -> ()
  return
}
}
