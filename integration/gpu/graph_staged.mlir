// Rounds with a copy to memory of the host that the device does not know: they are no
// graphs, and an error of the copy is the round's before the host reads what it copied.
// FLAGS: --graphs=on

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<4xi32>
  %d = gpu.alloc() : memref<4xi32>
  // RUN:
  // CHECK: 0
  // CHECK: 1
  // CHECK: 2
  scf.for %i = %c0 to %c3 step %c1 {
    %round = arith.index_cast %i : index to i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %round, %d[%tx] : memref<4xi32>
      gpu.terminator
    }
    gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
    %v = memref.load %h[%c0] : memref<4xi32>
    vector.print %v : i32
  }
  gpu.dealloc %d : memref<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}
