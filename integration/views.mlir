// Parts of buffers: a subview with an offset and strides as a kernel's
// argument, copies between parts, and a kernel's private memory.

// RUN: device schedules=200
// CHECK: 192
// CHECK: ( 0, 0, 0, 20, 21, 22, 0, 0, 0, 0 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<10x10xi32>
  gpu.memset %d, %zero : memref<10x10xi32>, i32

  // Rows 2, 4, 6, 8 and columns 3, 4, 5 get 10 * row of the part + column.
  %part = memref.subview %d[2, 3] [4, 3] [2, 1]
    : memref<10x10xi32> to memref<4x3xi32, strided<[20, 1], offset: 23>>
  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c3, %sy = %c1, %sz = %c1)
               private(%scratch: memref<1xi32, #gpu.address_space<private>>) {
      %ten = arith.constant 10 : i32
      %p0 = arith.constant 0 : index
      %r = arith.index_cast %bx : index to i32
      %c = arith.index_cast %tx : index to i32
      %r10 = arith.muli %r, %ten : i32
      memref.store %r10, %scratch[%p0] : memref<1xi32, #gpu.address_space<private>>
      %s = memref.load %scratch[%p0] : memref<1xi32, #gpu.address_space<private>>
      %v = arith.addi %s, %c : i32
      memref.store %v, %part[%bx, %tx]
        : memref<4x3xi32, strided<[20, 1], offset: 23>>
      gpu.terminator
    }
    async.yield
  }
  async.await %t : !async.token

  %host = memref.alloc() : memref<10x10xi32>
  gpu.memcpy %host, %d : memref<10x10xi32>, memref<10x10xi32>
  // Row 6 again, alone, through views on both sides.
  %from = memref.subview %d[6, 0] [1, 10] [1, 1]
    : memref<10x10xi32> to memref<10xi32, strided<[1], offset: 60>>
  %row = memref.alloc() : memref<10xi32>
  %to = memref.cast %row : memref<10xi32> to memref<10xi32, strided<[1], offset: ?>>
  %from1 = memref.cast %from : memref<10xi32, strided<[1], offset: 60>>
    to memref<10xi32, strided<[1], offset: ?>>
  gpu.memcpy %to, %from1
    : memref<10xi32, strided<[1], offset: ?>>, memref<10xi32, strided<[1], offset: ?>>
  gpu.dealloc %d : memref<10x10xi32>

  // The part's sum is 3 * 60 + 4 * 3 = 192; row 6 is row 2 of the part.
  %sum = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %zero) -> i32 {
    %inner = scf.for %j = %c0 to %c10 step %c1 iter_args(%b = %a) -> i32 {
      %x = memref.load %host[%i, %j] : memref<10x10xi32>
      %next = arith.addi %b, %x : i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  vector.print %sum : i32
  %v = vector.load %row[%c0] : memref<10xi32>, vector<10xi32>
  vector.print %v : vector<10xi32>
  memref.dealloc %host : memref<10x10xi32>
  memref.dealloc %row : memref<10xi32>
  return
}
