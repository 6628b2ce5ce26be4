// Kernel arguments of every scalar type, and buffers of every rank.

// RUN: device schedules=200
// CHECK: 0.75
// CHECK: -59000321608
// CHECK: -59000321607
// CHECK: -59000321606
// CHECK: -59000321605
// CHECK: 0
// CHECK: 1
// CHECK: 2
// CHECK: 3
func.func @main() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %i8 = arith.constant -8 : i8
  %i16 = arith.constant -1600 : i16
  %i32 = arith.constant -320000 : i32
  %i64 = arith.constant -64000000000 : i64
  %f32 = arith.constant 0.5 : f32
  %f64 = arith.constant 0.25 : f64
  %flag = arith.constant true
  %idx = arith.constant 5000000000 : index

  %rank0 = gpu.alloc() : memref<f64>
  %rank1 = gpu.alloc() : memref<4xi64>
  %rank3 = gpu.alloc(%c4) : memref<2x?x3xi32>

  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      // rank1[b] = i8 + i16 + i32 + i64 + idx + b
      %a8 = arith.extsi %i8 : i8 to i64
      %a16 = arith.extsi %i16 : i16 to i64
      %a32 = arith.extsi %i32 : i32 to i64
      %aidx = arith.index_cast %idx : index to i64
      %b = arith.index_cast %bx : index to i64
      %s0 = arith.addi %a8, %a16 : i64
      %s1 = arith.addi %s0, %a32 : i64
      %s2 = arith.addi %s1, %i64 : i64
      %s3 = arith.addi %s2, %aidx : i64
      %s4 = arith.addi %s3, %b : i64
      memref.store %s4, %rank1[%bx] : memref<4xi64>
      // rank3[1, b, 2] = flag ? b : -1
      %minus = arith.constant -1 : i32
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %b32 = arith.index_cast %bx : index to i32
      %v = arith.select %flag, %b32, %minus : i32
      memref.store %v, %rank3[%one, %bx, %two] : memref<2x?x3xi32>
      // rank0[] = f32 + f64, by the first block
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %bx, %zero : index
      scf.if %first {
        %x = arith.extf %f32 : f32 to f64
        %y = arith.addf %x, %f64 : f64
        memref.store %y, %rank0[] : memref<f64>
      }
      gpu.terminator
    }
    async.yield
  }
  async.await %t : !async.token

  %h0 = memref.alloc() : memref<f64>
  %h1 = memref.alloc() : memref<4xi64>
  %h3 = memref.alloc(%c4) : memref<2x?x3xi32>
  gpu.memcpy %h0, %rank0 : memref<f64>, memref<f64>
  gpu.memcpy %h1, %rank1 : memref<4xi64>, memref<4xi64>
  gpu.memcpy %h3, %rank3 : memref<2x?x3xi32>, memref<2x?x3xi32>
  gpu.dealloc %rank0 : memref<f64>
  gpu.dealloc %rank1 : memref<4xi64>
  gpu.dealloc %rank3 : memref<2x?x3xi32>

  %x0 = memref.load %h0[] : memref<f64>
  vector.print %x0 : f64
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %x1 = memref.load %h1[%i] : memref<4xi64>
    vector.print %x1 : i64
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %x3 = memref.load %h3[%c1, %i, %c2] : memref<2x?x3xi32>
    vector.print %x3 : i32
  }
  memref.dealloc %h0 : memref<f64>
  memref.dealloc %h1 : memref<4xi64>
  memref.dealloc %h3 : memref<2x?x3xi32>
  return
}
