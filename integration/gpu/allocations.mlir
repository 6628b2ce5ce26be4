// gpu.alloc in every form: with and without tokens, static and dynamic sizes,
// none at all, strided layouts with and without symbols, memory that both sides
// address, memory spaces.

func.func private @print4(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<4xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  return
}

// RUN: device schedules=200
// CHECK: ( 1, 1, 1, 1 )
// CHECK: ( 2, 2, 2, 2 )
// CHECK: 3
// CHECK: ( 2, 2, 6, 2 )
// CHECK: ( 3, 3, 3, 3 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %h = memref.alloc() : memref<4xi32>

  // Four elements, two apart, from the ninth on.
  %a = gpu.alloc (%c4)[%c8, %c2] : memref<?xi32, strided<[?], offset: ?>>
  gpu.memset %a, %one : memref<?xi32, strided<[?], offset: ?>>, i32
  gpu.memcpy %h, %a : memref<4xi32>, memref<?xi32, strided<[?], offset: ?>>
  call @print4(%h) : (memref<4xi32>) -> ()
  gpu.dealloc %a : memref<?xi32, strided<[?], offset: ?>>

  // Rows of four that are eight apart.
  %b = gpu.alloc () : memref<3x4xi32, strided<[8, 1]>>
  gpu.memset %b, %two : memref<3x4xi32, strided<[8, 1]>>, i32
  %row = memref.subview %b[2, 0] [1, 4] [1, 1]
    : memref<3x4xi32, strided<[8, 1]>> to memref<4xi32, strided<[1], offset: 16>>
  gpu.memcpy %h, %row : memref<4xi32>, memref<4xi32, strided<[1], offset: 16>>
  call @print4(%h) : (memref<4xi32>) -> ()
  gpu.dealloc %b : memref<3x4xi32, strided<[8, 1]>>

  // Nothing to allocate, fill, copy and free.
  %e = gpu.alloc (%c0) : memref<4x?xi32>
  %f = gpu.alloc (%c0)[%c8] : memref<?xi32, strided<[?]>>
  gpu.memset %e, %one : memref<4x?xi32>, i32
  gpu.memset %f, %one : memref<?xi32, strided<[?]>>, i32
  %he = memref.alloc(%c0) : memref<4x?xi32>
  gpu.memcpy %he, %e : memref<4x?xi32>, memref<4x?xi32>
  gpu.dealloc %e : memref<4x?xi32>
  gpu.dealloc %f : memref<?xi32, strided<[?]>>

  // One element without a dimension, in a chain of tokens.
  %three = arith.constant 3 : i32
  %t0 = gpu.wait async
  %g, %t1 = gpu.alloc async [%t0] () : memref<i32>
  %t2 = gpu.memset async [%t1] %g, %three : memref<i32>, i32
  %hg = memref.alloc() : memref<i32>
  %t3 = gpu.memcpy async [%t2] %hg, %g : memref<i32>, memref<i32>
  %t4 = gpu.dealloc async [%t3, %t0] %g : memref<i32>
  gpu.wait [%t4]
  %x = memref.load %hg[] : memref<i32>
  vector.print %x : i32

  // Host and device take turns.
  %s, %t5 = gpu.alloc async host_shared (%c2, %c2) : memref<?x?xi32>
  %t6 = gpu.memset async [%t5] %s, %one : memref<?x?xi32>, i32
  gpu.wait [%t6]
  memref.store %three, %s[%c1, %c0] : memref<?x?xi32>
  %flat = memref.collapse_shape %s [[0, 1]] : memref<?x?xi32> into memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %y = memref.load %flat[%tx] : memref<?xi32>
    %z = arith.addi %y, %y : i32
    memref.store %z, %flat[%tx] : memref<?xi32>
    gpu.terminator
  }
  %v = vector.load %flat[%c0] : memref<?xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  gpu.dealloc %s : memref<?x?xi32>

  // A numbered memory space.
  %n = gpu.alloc () : memref<4xi32, 1>
  gpu.memset %n, %three : memref<4xi32, 1>, i32
  gpu.memcpy %h, %n : memref<4xi32>, memref<4xi32, 1>
  call @print4(%h) : (memref<4xi32>) -> ()
  gpu.dealloc %n : memref<4xi32, 1>
  memref.dealloc %h : memref<4xi32>
  memref.dealloc %he : memref<4x?xi32>
  memref.dealloc %hg : memref<i32>
  return
}
