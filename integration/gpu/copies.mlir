// Copies in every direction: host, device, shared and registered memory on either
// side; memrefs without dimensions, without elements, with dynamic sizes and
// offsets; with and without tokens, in branches, loops and functions.

func.func private @print3(%m: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<3xi32>, vector<3xi32>
  vector.print %v : vector<3xi32>
  return
}

// to[i] = first + i
func.func private @count(%to: memref<3xi32>, %first: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = arith.index_cast %i : index to i32
    %y = arith.addi %x, %first : i32
    memref.store %y, %to[%i] : memref<3xi32>
  }
  return
}

async.func @there_and_back(%from: memref<3xi32>, %to: memref<3xi32>) -> !async.token {
  %d = gpu.alloc () : memref<3xi32>
  gpu.memcpy %d, %from : memref<3xi32>, memref<3xi32>
  gpu.memcpy %to, %d : memref<3xi32>, memref<3xi32>
  gpu.dealloc %d : memref<3xi32>
  return
}

// RUN: device schedules=200
// CHECK: ( 10, 11, 12 )
// CHECK: ( 20, 21, 22 )
// CHECK: ( 30, 31, 32 )
// CHECK: ( 30, 31, 32 )
// CHECK: ( 40, 41, 42 )
// CHECK: ( 10, 11, 12 )
// CHECK: ( 10, 10, 10, 20, 20, 20 )
// CHECK: ( 10, 10, 20, 20 )
// CHECK: 20
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %ten = arith.constant 10 : i32
  %twenty = arith.constant 20 : i32
  %thirty = arith.constant 30 : i32
  %forty = arith.constant 40 : i32
  %yes = arith.constant true
  %a = memref.alloc() : memref<3xi32>
  %b = memref.alloc() : memref<3xi32>

  // Host to device to device to host, in a chain of tokens.
  func.call @count(%a, %ten) : (memref<3xi32>, i32) -> ()
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<3xi32>
  %e, %t2 = gpu.alloc async [%t0] () : memref<3xi32>
  %t3 = gpu.memcpy async [%t1] %d, %a : memref<3xi32>, memref<3xi32>
  %t4 = gpu.memcpy async [%t3, %t2] %e, %d : memref<3xi32>, memref<3xi32>
  %t5 = gpu.memcpy async [%t4] %b, %e : memref<3xi32>, memref<3xi32>
  gpu.wait [%t5]
  func.call @print3(%b) : (memref<3xi32>) -> ()

  // Host to host, and a copy onto itself.
  func.call @count(%a, %twenty) : (memref<3xi32>, i32) -> ()
  gpu.memcpy %b, %a : memref<3xi32>, memref<3xi32>
  gpu.memcpy %b, %b : memref<3xi32>, memref<3xi32>
  func.call @print3(%b) : (memref<3xi32>) -> ()

  // To and from memory that both sides address, and registered memory.
  func.call @count(%a, %thirty) : (memref<3xi32>, i32) -> ()
  %s = gpu.alloc host_shared () : memref<3xi32>
  %ub = memref.cast %b : memref<3xi32> to memref<*xi32>
  gpu.host_register %ub : memref<*xi32>
  gpu.memcpy %s, %a : memref<3xi32>, memref<3xi32>
  gpu.memcpy %d, %s : memref<3xi32>, memref<3xi32>
  gpu.memcpy %b, %d : memref<3xi32>, memref<3xi32>
  gpu.host_unregister %ub : memref<*xi32>
  func.call @print3(%b) : (memref<3xi32>) -> ()
  func.call @print3(%s) : (memref<3xi32>) -> ()

  // In an async function, and in a region: copied in a branch and in a loop.
  func.call @count(%a, %forty) : (memref<3xi32>, i32) -> ()
  %t6 = async.call @there_and_back(%a, %b) : (memref<3xi32>, memref<3xi32>) -> !async.token
  async.await %t6 : !async.token
  func.call @print3(%b) : (memref<3xi32>) -> ()
  func.call @count(%a, %ten) : (memref<3xi32>, i32) -> ()
  %t7 = async.execute {
    %more = scf.if %yes -> memref<3xi32> {
      gpu.memcpy %d, %a : memref<3xi32>, memref<3xi32>
      scf.yield %e : memref<3xi32>
    } else {
      scf.yield %d : memref<3xi32>
    }
    scf.for %i = %c0 to %c3 step %c1 {
      %from = memref.subview %d[%i] [1] [1] : memref<3xi32> to memref<1xi32, strided<[1], offset: ?>>
      %to = memref.subview %more[%i] [1] [1] : memref<3xi32> to memref<1xi32, strided<[1], offset: ?>>
      gpu.memcpy %to, %from : memref<1xi32, strided<[1], offset: ?>>, memref<1xi32, strided<[1], offset: ?>>
    }
    gpu.memcpy %b, %more : memref<3xi32>, memref<3xi32>
    async.yield
  }
  async.await %t7 : !async.token
  func.call @print3(%b) : (memref<3xi32>) -> ()

  // Dynamic sizes: a matrix whole, by rows, and one row of it.
  %f = gpu.alloc (%c3) : memref<4x?xi32>
  gpu.memset %f, %ten : memref<4x?xi32>, i32
  %row = memref.subview %f[%c2, 0] [1, %c3] [1, 1] : memref<4x?xi32> to memref<?xi32, strided<[1], offset: ?>>
  gpu.memset %row, %twenty : memref<?xi32, strided<[1], offset: ?>>, i32
  %g = gpu.alloc (%c4, %c3) : memref<?x?xi32>
  gpu.memcpy %g, %f : memref<?x?xi32>, memref<4x?xi32>
  %h = memref.alloc(%c3) : memref<4x?xi32>
  gpu.memcpy %h, %g : memref<4x?xi32>, memref<?x?xi32>
  %v1 = vector.load %h[%c1, %c0] : memref<4x?xi32>, vector<6xi32>
  vector.print %v1 : vector<6xi32>
  %middle = memref.subview %g[1, 0] [2, %c2] [1, 1] : memref<?x?xi32> to memref<2x?xi32, strided<[?, 1], offset: ?>>
  %k = memref.alloc(%c2) : memref<2x?xi32>
  gpu.memcpy %k, %middle : memref<2x?xi32>, memref<2x?xi32, strided<[?, 1], offset: ?>>
  %v2 = vector.load %k[%c0, %c0] : memref<2x?xi32>, vector<4xi32>
  vector.print %v2 : vector<4xi32>

  // One element without dimensions, from the middle of a matrix.
  %point = memref.subview %g[%c2, %c1] [1, 1] [1, 1] : memref<?x?xi32> to memref<i32, strided<[], offset: ?>>
  %p = memref.alloc() : memref<i32>
  gpu.memcpy %p, %point : memref<i32>, memref<i32, strided<[], offset: ?>>
  %x = memref.load %p[] : memref<i32>
  vector.print %x : i32

  // Nothing.
  %z = gpu.alloc () : memref<0x4xi32>
  %hz = memref.alloc(%c0) : memref<?x4xi32>
  gpu.memcpy %hz, %z : memref<?x4xi32>, memref<0x4xi32>
  gpu.memcpy %z, %hz : memref<0x4xi32>, memref<?x4xi32>

  gpu.dealloc %d : memref<3xi32>
  gpu.dealloc %e : memref<3xi32>
  gpu.dealloc %s : memref<3xi32>
  gpu.dealloc %f : memref<4x?xi32>
  gpu.dealloc %g : memref<?x?xi32>
  gpu.dealloc %z : memref<0x4xi32>
  memref.dealloc %a : memref<3xi32>
  memref.dealloc %b : memref<3xi32>
  memref.dealloc %h : memref<4x?xi32>
  memref.dealloc %hz : memref<?x4xi32>
  memref.dealloc %k : memref<2x?xi32>
  memref.dealloc %p : memref<i32>
  return
}
