// Jacobi's method for the heat equation on a square: many small steps, each of which
// computes every inner point from its four neighbours. Two steps make a round, which
// goes from one array to the other and back.
//
//     u ──step──▶ v ──step──▶ u ──▶ ...
//
// The host looks at nothing before the end. With graphs a round is one call of the
// driver, once there have been enough of them:
//
//     scripts/run.sh examples/jacobi.mlir --graphs=on
// FLAGS: --graphs=on

// RUN: device schedules=20
// CHECK: middle, corner, edge:
// CHECK: 0.272849
// CHECK: 0.4949
// CHECK: 0.863961
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c14 = arith.constant 14 : index
  %rounds = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %quarter = arith.constant 0.25 : f32

  %u = gpu.alloc() : memref<16x16xf32>
  %v = gpu.alloc() : memref<16x16xf32>
  gpu.memset %u, %zero : memref<16x16xf32>, f32
  gpu.memset %v, %zero : memref<16x16xf32>, f32
  // The upper edge is warm.
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c14, %sy = %c1, %sz = %c1) {
    %x = arith.addi %tx, %c1 : index
    memref.store %one, %u[%c0, %x] : memref<16x16xf32>
    memref.store %one, %v[%c0, %x] : memref<16x16xf32>
    gpu.terminator
  }
  scf.for %round = %c0 to %rounds step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c14, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c14, %sy = %c1, %sz = %c1) {
      %y = arith.addi %bx, %c1 : index
      %x = arith.addi %tx, %c1 : index
      %below = arith.addi %y, %c1 : index
      %right = arith.addi %x, %c1 : index
      %n = memref.load %u[%bx, %x] : memref<16x16xf32>
      %s = memref.load %u[%below, %x] : memref<16x16xf32>
      %w = memref.load %u[%y, %tx] : memref<16x16xf32>
      %e = memref.load %u[%y, %right] : memref<16x16xf32>
      %ns = arith.addf %n, %s : f32
      %we = arith.addf %w, %e : f32
      %sum = arith.addf %ns, %we : f32
      %mean = arith.mulf %sum, %quarter : f32
      memref.store %mean, %v[%y, %x] : memref<16x16xf32>
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c14, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c14, %sy = %c1, %sz = %c1) {
      %y = arith.addi %bx, %c1 : index
      %x = arith.addi %tx, %c1 : index
      %below = arith.addi %y, %c1 : index
      %right = arith.addi %x, %c1 : index
      %n = memref.load %v[%bx, %x] : memref<16x16xf32>
      %s = memref.load %v[%below, %x] : memref<16x16xf32>
      %w = memref.load %v[%y, %tx] : memref<16x16xf32>
      %e = memref.load %v[%y, %right] : memref<16x16xf32>
      %ns = arith.addf %n, %s : f32
      %we = arith.addf %w, %e : f32
      %sum = arith.addf %ns, %we : f32
      %mean = arith.mulf %sum, %quarter : f32
      memref.store %mean, %u[%y, %x] : memref<16x16xf32>
      gpu.terminator
    }
  }
  %h = memref.alloc() : memref<16x16xf32>
  gpu.memcpy %h, %u : memref<16x16xf32>, memref<16x16xf32>
  gpu.dealloc %u : memref<16x16xf32>
  gpu.dealloc %v : memref<16x16xf32>
  %middle = memref.load %h[%c7, %c7] : memref<16x16xf32>
  %corner = memref.load %h[%c1, %c1] : memref<16x16xf32>
  %edge = memref.load %h[%c1, %c7] : memref<16x16xf32>
  memref.dealloc %h : memref<16x16xf32>
  vector.print str "middle, corner, edge:\n"
  vector.print %middle : f32
  vector.print %corner : f32
  vector.print %edge : f32
  return
}
