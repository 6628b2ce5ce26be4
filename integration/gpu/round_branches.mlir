// Rounds of a host loop that branch by what a kernel counts: each third adds 1000 and, once the
// sum is above 2500, its number; others add 1, as often as the inner loop runs: three times. The
// host sees what was copied for the last branch. With graphs a round is one launch, and the host
// waits when all are over.
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
  // Rounds 3, 6, ..., 18 of 20 add 1000 each, and those from the third of them on their numbers
  // from 0: 8 + 11 + 14 + 17. The others add 3 each, 14 times. The last copy of the sum was made
  // in round 18, behind its 1000, and before its 17: 12 rounds of others, and 8 + 11 + 14.
  // RUN: device schedules=20
  // CHECK: copied, rounds, sum:
  // CHECK: 6069
  // CHECK: 20
  // CHECK: 6092
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 20 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %big = arith.constant 1000 : i32
    %enough = arith.constant 2500 : i32
    %h = memref.alloc() : memref<2xi32>
    %g = memref.alloc() : memref<2xi32>
    %f = memref.alloc() : memref<2xi32>
    %a = gpu.alloc() : memref<2xi32>
    %t = gpu.alloc() : memref<2xi32>
    gpu.memset %a, %zero : memref<2xi32>, i32
    scf.for %i = %c0 to %n step %c1 {
      %x = arith.index_cast %i : index to i32
      gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c0] : memref<2xi32>
      %r = arith.remsi %u, %three : i32
      %is = arith.cmpi eq, %r, %zero : i32
      scf.if %is {
        gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %big : i32)
        gpu.memcpy %g, %a : memref<2xi32>, memref<2xi32>
        %sum = memref.load %g[%c1] : memref<2xi32>
        %is_enough = arith.cmpi sgt, %sum, %enough : i32
        scf.if %is_enough {
          gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %x : i32)
        }
      } else {
        gpu.memset %t, %zero : memref<2xi32>, i32
        scf.while : () -> () {
          gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%t : memref<2xi32>)
          gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %one : i32)
          gpu.memcpy %f, %t : memref<2xi32>, memref<2xi32>
          %v = memref.load %f[%c0] : memref<2xi32>
          %again = arith.cmpi slt, %v, %three : i32
          scf.condition(%again)
        } do {
          scf.yield
        }
      }
    }
    vector.print str "copied, rounds, sum:\n"
    %r0 = memref.load %g[%c1] : memref<2xi32>
    vector.print %r0 : i32
    gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
    %r1 = memref.load %h[%c0] : memref<2xi32>
    vector.print %r1 : i32
    %r2 = memref.load %h[%c1] : memref<2xi32>
    vector.print %r2 : i32
    gpu.dealloc %a : memref<2xi32>
    gpu.dealloc %t : memref<2xi32>
    memref.dealloc %h : memref<2xi32>
    memref.dealloc %g : memref<2xi32>
    memref.dealloc %f : memref<2xi32>
    return
  }
}
