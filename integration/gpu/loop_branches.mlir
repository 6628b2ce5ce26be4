// A loop that branches by what a kernel counts: each third round adds 1000, and 10 where the
// round's number is odd, others their number, from 0 on: 3 * 1000 + 10 + 30. With graphs the
// device branches.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @count(%s: memref<2xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %v = memref.load %s[%c0] : memref<2xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %s[%c0] : memref<2xi32>
      gpu.return
    }
    gpu.func @add(%s: memref<2xi32>, %x: i32) kernel {
      %c1 = arith.constant 1 : index
      %v = memref.load %s[%c1] : memref<2xi32>
      %w = arith.addi %v, %x : i32
      memref.store %w, %s[%c1] : memref<2xi32>
      gpu.return
    }
  }
  // RUN: device schedules=20
  // CHECK: last round, rounds, sum:
  // CHECK: 9
  // CHECK: 10
  // CHECK: 3040
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %big = arith.constant 1000 : i32
    %ten = arith.constant 10 : i32
    %h = memref.alloc() : memref<2xi32>
    %a = gpu.alloc() : memref<2xi32>
    gpu.memset %a, %zero : memref<2xi32>, i32
    %end = scf.while (%i = %zero) : (i32) -> i32 {
      gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c0] : memref<2xi32>
      %r = arith.remsi %u, %three : i32
      %is = arith.cmpi eq, %r, %zero : i32
      scf.if %is {
        gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %big : i32)
        %odd = arith.andi %i, %one : i32
        %is_odd = arith.cmpi eq, %odd, %one : i32
        scf.if %is_odd {
          gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %ten : i32)
        }
      } else {
        gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %i : i32)
      }
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi slt, %v, %ten : i32
      scf.condition(%go) %i : i32
    } do {
    ^bb0(%i: i32):
      %j = arith.addi %i, %one : i32
      scf.yield %j : i32
    }
    vector.print str "last round, rounds, sum:\n"
    vector.print %end : i32
    %r0 = memref.load %h[%c0] : memref<2xi32>
    vector.print %r0 : i32
    %r1 = memref.load %h[%c1] : memref<2xi32>
    vector.print %r1 : i32
    gpu.dealloc %a : memref<2xi32>
    memref.dealloc %h : memref<2xi32>
    return
  }
}
