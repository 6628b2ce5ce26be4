// Memory, fills, copies, registration and streams, as upstream lowers them: two
// chains that meet, on streams that upstream chooses.

// RUN: @main
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
// CHECK: ( 9, 9, 3, 7 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = arith.constant 7 : i32
  %nine = arith.constant 9 : i32
  %small = arith.constant 3 : i16
  %host = memref.alloc(%c8) : memref<?xi32>
  %back = memref.alloc(%c8) : memref<?xi32>
  %narrow = memref.alloc(%c8) : memref<?xi16>
  %unranked = memref.cast %host : memref<?xi32> to memref<*xi32>
  gpu.host_register %unranked : memref<*xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    %x = arith.index_cast %i : index to i32
    memref.store %x, %host[%i] : memref<?xi32>
  }

  scf.for %round = %c0 to %c8 step %c1 {
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] (%c8) : memref<?xi32>
    %t2 = gpu.memcpy async [%t1] %a, %host : memref<?xi32>, memref<?xi32>
    %u0 = gpu.wait async
    %b, %u1 = gpu.alloc async [%u0] (%c8) : memref<?xi16>
    %u2 = gpu.memset async [%u1] %b, %small : memref<?xi16>, i16
    %u3 = gpu.memcpy async [%u2] %narrow, %b : memref<?xi16>, memref<?xi16>
    %v0 = gpu.wait async [%t2, %u3]
    %v1 = gpu.memcpy async [%v0] %back, %a : memref<?xi32>, memref<?xi32>
    %v2 = gpu.memset async [%v1] %a, %nine : memref<?xi32>, i32
    %v3 = gpu.memcpy async [%v2] %host, %a : memref<?xi32>, memref<?xi32>
    %v4 = gpu.dealloc async [%v3] %a : memref<?xi32>
    %v5 = gpu.dealloc async [%v4] %b : memref<?xi16>
    gpu.wait [%v5]
  }

  %shared = gpu.alloc host_shared (%c8) : memref<?xi32>
  %s0 = gpu.wait async
  %s1 = gpu.memset async [%s0] %shared, %seven : memref<?xi32>, i32
  gpu.wait [%s1]
  gpu.host_unregister %unranked : memref<*xi32>

  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %host[%i] : memref<?xi32>
    %y = memref.load %back[%i] : memref<?xi32>
    %z = memref.load %narrow[%i] : memref<?xi16>
    %w = memref.load %shared[%i] : memref<?xi32>
    %z32 = arith.extsi %z : i16 to i32
    %v = vector.from_elements %x, %y, %z32, %w : vector<4xi32>
    vector.print %v : vector<4xi32>
  }
  return
}
