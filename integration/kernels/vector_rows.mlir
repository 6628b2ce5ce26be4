// Loads and stores of vectors with rows, of a memref with more dimensions, masked ones
// among them, and workgroup and private memory by other names of their spaces.

// 1 2 over 3 4 at column 1, then twice that under a mask one row below: 2 and 8. What the
// mask leaves out of a load is that of the first vector, 2 and 3; it goes to column 0.
// RUN: kernel
// CHECK: ( ( 1, 2 ), ( 3, 4 ) )
// CHECK: ( ( 2, 2, 2 ), ( 3, 8, 4 ) )
// CHECK: 8
// CHECK: 9
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %h = memref.alloc() : memref<3x4x4xf32>
  vector.store %f, %h[%c1, %c1, %c1] : memref<3x4x4xf32>, vector<2x2xf32>
  %v = vector.load %h[%c1, %c1, %c1] : memref<3x4x4xf32>, vector<2x2xf32>
  vector.print %v : vector<2x2xf32>
  memref.dealloc %h : memref<3x4x4xf32>
  %m = gpu.alloc host_shared () : memref<3x4x4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             workgroup(%w : memref<4x4xf32>) private(%p : memref<4xf32, 5>) {
    %k = arith.constant dense<[[true, false], [false, true]]> : vector<2x2xi1>
    vector.store %f, %m[%c1, %c0, %c1] : memref<3x4x4xf32>, vector<2x2xf32>
    %z = arith.addf %f, %f : vector<2x2xf32>
    vector.store %z, %w[%c0, %c1] : memref<4x4xf32>, vector<2x2xf32>
    %y = vector.load %w[%c0, %c1] : memref<4x4xf32>, vector<2x2xf32>
    vector.maskedstore %m[%c1, %c1, %c1], %k, %y
        : memref<3x4x4xf32>, vector<2x2xi1>, vector<2x2xf32>
    %x = vector.maskedload %m[%c1, %c1, %c1], %k, %f
        : memref<3x4x4xf32>, vector<2x2xi1>, vector<2x2xf32> into vector<2x2xf32>
    vector.store %x, %m[%c1, %c0, %c0] : memref<3x4x4xf32>, vector<2x2xf32>
    %nine = arith.constant 9.0 : f32
    memref.store %nine, %p[%c1] : memref<4xf32, 5>
    %same = memref.load %p[%c1] : memref<4xf32, 5>
    memref.store %same, %m[%c0, %c0, %c0] : memref<3x4x4xf32>
    gpu.terminator
  }
  %o = vector.load %m[%c1, %c0, %c0] : memref<3x4x4xf32>, vector<2x3xf32>
  vector.print %o : vector<2x3xf32>
  %corner = memref.load %m[%c1, %c2, %c2] : memref<3x4x4xf32>
  vector.print %corner : f32
  %private = memref.load %m[%c0, %c0, %c0] : memref<3x4x4xf32>
  vector.print %private : f32
  gpu.dealloc %m : memref<3x4x4xf32>
  return
}
