// A loop in a loop, which both end by what a kernel counts: round i of the outer one counts
// from i to 5 at least, and adds i for each step but the last. With graphs both are the
// device's.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @count(%s: memref<3xi32>, %at: index, %d: i32) kernel {
      %v = memref.load %s[%at] : memref<3xi32>
      %w = arith.addi %v, %d : i32
      memref.store %w, %s[%at] : memref<3xi32>
      gpu.return
    }
    gpu.func @set(%s: memref<3xi32>, %at: index, %d: i32) kernel {
      memref.store %d, %s[%at] : memref<3xi32>
      gpu.return
    }
  }
  // RUN: device schedules=20
  // CHECK: last round, counted to, inner rounds by number:
  // CHECK: 9
  // CHECK: 10
  // CHECK: 10
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %five = arith.constant 5 : i32
    %ten = arith.constant 10 : i32
    %h = memref.alloc() : memref<3xi32>
    %a = gpu.alloc() : memref<3xi32>
    gpu.memset %a, %zero : memref<3xi32>, i32
    %end = scf.while (%i = %zero) : (i32) -> i32 {
      // a[1] = i, and up to 5; a[2] counts
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<3xi32>, %c1 : index, %i : i32)
      scf.while : () -> () {
        gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<3xi32>, %c1 : index, %one : i32)
        gpu.memcpy %h, %a : memref<3xi32>, memref<3xi32>
        %v = memref.load %h[%c1] : memref<3xi32>
        %go = arith.cmpi slt, %v, %five : i32
        scf.condition(%go)
      } do {
        gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<3xi32>, %c2 : index, %i : i32)
        scf.yield
      }
      gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<3xi32>, %c0 : index, %one : i32)
      gpu.memcpy %h, %a : memref<3xi32>, memref<3xi32>
      %v = memref.load %h[%c0] : memref<3xi32>
      %go = arith.cmpi slt, %v, %ten : i32
      scf.condition(%go) %i : i32
    } do {
    ^bb0(%i: i32):
      %j = arith.addi %i, %one : i32
      scf.yield %j : i32
    }
    vector.print str "last round, counted to, inner rounds by number:\n"
    vector.print %end : i32
    %r0 = memref.load %h[%c1] : memref<3xi32>
    vector.print %r0 : i32
    %r1 = memref.load %h[%c2] : memref<3xi32>
    vector.print %r1 : i32
    gpu.dealloc %a : memref<3xi32>
    memref.dealloc %h : memref<3xi32>
    return
  }
}
