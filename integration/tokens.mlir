// Tokens of the gpu dialect, written by the user: two chains in one function,
// joined by a wait without results.

// RUN: device schedules=200
// CHECK: 2336
// CHECK: 4672
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  %five = arith.constant 5 : i32
  %a = memref.alloc(%n) : memref<?xi32>
  %b = memref.alloc(%n) : memref<?xi32>

  // a[i] = 5 + i
  %s0 = gpu.wait async
  %d0, %s1 = gpu.alloc async [%s0] (%n) : memref<?xi32>
  %s2 = gpu.memset async [%s1] %d0, %five : memref<?xi32>, i32
  %s3 = gpu.launch async [%s2]
      blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %i = arith.index_cast %bx : index to i32
    %x = memref.load %d0[%bx] : memref<?xi32>
    %y = arith.addi %x, %i : i32
    memref.store %y, %d0[%bx] : memref<?xi32>
    gpu.terminator
  }

  // b[i] = 2 * a[i], in a second chain that waits for the first.
  %u0 = gpu.wait async
  %d1, %u1 = gpu.alloc async [%u0] (%n) : memref<?xi32>
  %u2 = gpu.launch async [%u1, %s3]
      blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %d0[%bx] : memref<?xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %d1[%bx] : memref<?xi32>
    gpu.terminator
  }
  %s4 = gpu.memcpy async [%s3] %a, %d0 : memref<?xi32>, memref<?xi32>
  %u3 = gpu.memcpy async [%u2] %b, %d1 : memref<?xi32>, memref<?xi32>
  %join = gpu.wait async [%s4, %u3]
  %s5 = gpu.dealloc async [%join] %d0 : memref<?xi32>
  %u4 = gpu.dealloc async [%join] %d1 : memref<?xi32>
  gpu.wait [%s5, %u4]

  // 64 * 5 + 2016 = 2336, and twice that.
  %zero = arith.constant 0 : i32
  %sums:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%p = %zero, %q = %zero) -> (i32, i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %b[%i] : memref<?xi32>
    %p1 = arith.addi %p, %x : i32
    %q1 = arith.addi %q, %y : i32
    scf.yield %p1, %q1 : i32, i32
  }
  vector.print %sums#0 : i32
  vector.print %sums#1 : i32
  memref.dealloc %a : memref<?xi32>
  memref.dealloc %b : memref<?xi32>
  return
}
