// Globals that can be written to: one object where kernels and the host use it,
// and where several kernels do.

memref.global "private" @both : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global "private" @kernels : memref<1xi32> = dense<5>
memref.global "private" @read : memref<1xi32> = dense<7>

// FLAGS: --sequential --memory=discrete
// RUN: kernel
// CHECK: 20
// CHECK: 40
// CHECK: 60
// CHECK: 80
// CHECK: 14
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %ten = arith.constant 10 : i32
  %both = memref.get_global @both : memref<4xi32>
  // What the host writes the kernel reads,
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %both[%i] : memref<4xi32>
    %w = arith.muli %v, %ten : i32
    memref.store %w, %both[%i] : memref<4xi32>
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %g = memref.get_global @both : memref<4xi32>
    %v = memref.load %g[%tx] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %g[%tx] : memref<4xi32>
    gpu.terminator
  }
  // and the other way round.
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %both[%i] : memref<4xi32>
    vector.print %v : i32
  }
  // What one kernel writes the next one reads.
  %out = memref.alloc() : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %k = memref.get_global @kernels : memref<1xi32>
    %r = memref.get_global @read : memref<1xi32>
    %v = memref.load %r[%tx] : memref<1xi32>
    memref.store %v, %k[%tx] : memref<1xi32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %k = memref.get_global @kernels : memref<1xi32>
    %v = memref.load %k[%tx] : memref<1xi32>
    memref.store %v, %out[%tx] : memref<1xi32>
    gpu.terminator
  }
  %read = memref.get_global @read : memref<1xi32>
  %x = memref.load %read[%c0] : memref<1xi32>
  %y = memref.load %out[%c0] : memref<1xi32>
  %z = arith.addi %x, %y : i32
  vector.print %z : i32
  memref.dealloc %out : memref<1xi32>
  return
}
