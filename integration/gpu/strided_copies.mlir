// Copies and fills of parts of buffers: rows, columns, transposed, every second
// element; static and dynamic sizes and strides.

// RUN: device schedules=200
// CHECK: ( -1, -1, -1, -1, -1, 5 )
// CHECK: ( -1, -1, 12, 13, 14, 15 )
// CHECK: ( -1, -1, 22, 23, 24, 25 )
// CHECK: ( -1, -1, -1, -1, -1, 35 )
// CHECK: ( -1, -1, -1, -1 )
// CHECK: ( -1, -1, -1, -1 )
// CHECK: ( -1, 12, 22, -1 )
// CHECK: ( -1, 13, 23, -1 )
// CHECK: ( -1, 14, 24, -1 )
// CHECK: ( 5, 15, 25, 35 )
// CHECK: ( 0, 0, 0, 0, 7, 0, 7, 0, 0, 0, 0, 0, 7, 0, 7, 0 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %m1 = arith.constant -1 : i32
  %seven = arith.constant 7 : i16

  // h[i, j] = 10 * i + j
  %h = memref.alloc() : memref<4x6xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %c10 = arith.constant 10 : index
      %x = arith.muli %i, %c10 : index
      %y = arith.addi %x, %j : index
      %z = arith.index_cast %y : index to i32
      memref.store %z, %h[%i, %j] : memref<4x6xi32>
    }
  }
  %d = gpu.alloc() : memref<4x6xi32>
  gpu.memset %d, %m1 : memref<4x6xi32>, i32

  // Rows 1 and 2, columns 2 to 4: rows of three.
  %hp = memref.subview %h[1, 2] [2, 3] [1, 1]
    : memref<4x6xi32> to memref<2x3xi32, strided<[6, 1], offset: 8>>
  %dp = memref.subview %d[1, 2] [2, 3] [1, 1]
    : memref<4x6xi32> to memref<2x3xi32, strided<[6, 1], offset: 8>>
  gpu.memcpy %dp, %hp : memref<2x3xi32, strided<[6, 1], offset: 8>>,
                        memref<2x3xi32, strided<[6, 1], offset: 8>>
  // The last column, with dynamic sizes and strides.
  %hc = memref.subview %h[%c0, 5] [%c4, 1] [%c1, 1]
    : memref<4x6xi32> to memref<?xi32, strided<[?], offset: ?>>
  %dc = memref.subview %d[%c0, 5] [%c4, 1] [%c1, 1]
    : memref<4x6xi32> to memref<?xi32, strided<[?], offset: ?>>
  gpu.memcpy %dc, %hc : memref<?xi32, strided<[?], offset: ?>>,
                        memref<?xi32, strided<[?], offset: ?>>
  %out = memref.alloc() : memref<4x6xi32>
  gpu.memcpy %out, %d : memref<4x6xi32>, memref<4x6xi32>
  // All of it transposed: element by element.
  %t = gpu.alloc() : memref<6x4xi32>
  %dt = memref.transpose %d (i, j) -> (j, i) : memref<4x6xi32> to memref<6x4xi32, strided<[1, 6]>>
  gpu.memcpy %t, %dt : memref<6x4xi32>, memref<6x4xi32, strided<[1, 6]>>
  %th = memref.alloc() : memref<6x4xi32>
  gpu.memcpy %th, %t : memref<6x4xi32>, memref<6x4xi32>

  scf.for %i = %c0 to %c4 step %c1 {
    %row = vector.load %out[%i, %c0] : memref<4x6xi32>, vector<6xi32>
    vector.print %row : vector<6xi32>
  }
  scf.for %i = %c0 to %c6 step %c1 {
    %row = vector.load %th[%i, %c0] : memref<6x4xi32>, vector<4xi32>
    vector.print %row : vector<4xi32>
  }
  // Columns 0 and 2 of the second row of each plane.
  %e = gpu.alloc() : memref<2x2x4xi16>
  %z16 = arith.constant 0 : i16
  gpu.memset %e, %z16 : memref<2x2x4xi16>, i16
  %es = memref.subview %e[0, 1, 0] [2, 1, 2] [1, 1, 2]
    : memref<2x2x4xi16> to memref<2x2xi16, strided<[8, 2], offset: 4>>
  gpu.memset %es, %seven : memref<2x2xi16, strided<[8, 2], offset: 4>>, i16
  %eh = memref.alloc() : memref<2x2x4xi16>
  gpu.memcpy %eh, %e : memref<2x2x4xi16>, memref<2x2x4xi16>
  %ev = memref.collapse_shape %eh [[0, 1, 2]] : memref<2x2x4xi16> into memref<16xi16>
  %row = vector.load %ev[%c0] : memref<16xi16>, vector<16xi16>
  vector.print %row : vector<16xi16>
  gpu.dealloc %d : memref<4x6xi32>
  gpu.dealloc %t : memref<6x4xi32>
  gpu.dealloc %e : memref<2x2x4xi16>
  memref.dealloc %h : memref<4x6xi32>
  memref.dealloc %out : memref<4x6xi32>
  memref.dealloc %th : memref<6x4xi32>
  memref.dealloc %eh : memref<2x2x4xi16>
  return
}
