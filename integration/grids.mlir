// Grids and blocks of two and three dimensions: every thread is run once and
// knows where it is.

// RUN: device
// CHECK: 706
// CHECK: 54660
// CHECK: 5040
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32

  // 2-D: image[y, x] = 100 * y + x, a grid of 3 by 2 blocks of 4 by 5 threads.
  %image = gpu.alloc() : memref<10x12xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c2, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c5, %sz = %c1) {
    %hundred = arith.constant 100 : index
    %x0 = arith.muli %bx, %sx : index
    %x = arith.addi %x0, %tx : index
    %y0 = arith.muli %by, %sy : index
    %y = arith.addi %y0, %ty : index
    %y100 = arith.muli %y, %hundred : index
    %v = arith.addi %y100, %x : index
    %v32 = arith.index_cast %v : index to i32
    memref.store %v32, %image[%y, %x] : memref<10x12xi32>
    gpu.terminator
  }
  %host = memref.alloc() : memref<10x12xi32>
  gpu.memcpy %host, %image : memref<10x12xi32>, memref<10x12xi32>
  gpu.dealloc %image : memref<10x12xi32>
  %corner = memref.load %host[%c7, %c6] : memref<10x12xi32>
  vector.print %corner : i32
  // The sum: 100 * 45 * 12 + 66 * 10 = 54660
  %c10 = arith.constant 10 : index
  %c12 = arith.constant 12 : index
  %sum = scf.for %y = %c0 to %c10 step %c1 iter_args(%a = %zero) -> i32 {
    %row = scf.for %x = %c0 to %c12 step %c1 iter_args(%b = %a) -> i32 {
      %v = memref.load %host[%y, %x] : memref<10x12xi32>
      %next = arith.addi %b, %v : i32
      scf.yield %next : i32
    }
    scf.yield %row : i32
  }
  vector.print %sum : i32
  memref.dealloc %host : memref<10x12xi32>

  // 3-D: a counter per thread, at the place that all twelve ids and sizes give.
  // 2 x 3 x 4 blocks of 5 x 6 x 7 threads are 5040.
  %n = arith.constant 5040 : index
  %hits = gpu.alloc() : memref<5040xi32>
  gpu.memset %hits, %zero : memref<5040xi32>, i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c3, %gz = %c4)
             threads(%tx, %ty, %tz) in (%sx = %c5, %sy = %c6, %sz = %c7) {
    %p0 = arith.muli %bz, %gy : index
    %p1 = arith.addi %p0, %by : index
    %p2 = arith.muli %p1, %gx : index
    %p3 = arith.addi %p2, %bx : index
    %q0 = arith.muli %p3, %sz : index
    %q1 = arith.addi %q0, %tz : index
    %q2 = arith.muli %q1, %sy : index
    %q3 = arith.addi %q2, %ty : index
    %q4 = arith.muli %q3, %sx : index
    %i = arith.addi %q4, %tx : index
    %v = memref.load %hits[%i] : memref<5040xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %hits[%i] : memref<5040xi32>
    gpu.terminator
  }
  %counts = memref.alloc() : memref<5040xi32>
  gpu.memcpy %counts, %hits : memref<5040xi32>, memref<5040xi32>
  gpu.dealloc %hits : memref<5040xi32>
  %once = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> i32 {
    %v = memref.load %counts[%i] : memref<5040xi32>
    %is = arith.cmpi eq, %v, %one : i32
    %d = arith.extui %is : i1 to i32
    %next = arith.addi %a, %d : i32
    scf.yield %next : i32
  }
  vector.print %once : i32
  memref.dealloc %counts : memref<5040xi32>
  return
}
