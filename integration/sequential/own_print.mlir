// A function of the program's own whose name begins like those of upstream that
// print: it may do anything, and here clears what it is given.

// FLAGS: --sequential
// LINK: own_print.c

func.func private @printAndClear(memref<4xi32>)
    attributes {llvm.emit_c_interface}

// RUN: device
// CHECK: 1
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %h = memref.alloc() : memref<4xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %seven, %h[%i] : memref<4xi32>
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %v = memref.load %h[%tx] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %h[%tx] : memref<4xi32>
    gpu.terminator
  }
  func.call @printAndClear(%h) : (memref<4xi32>) -> ()
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %v = memref.load %h[%tx] : memref<4xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %h[%tx] : memref<4xi32>
    gpu.terminator
  }
  // 0, and one more.
  %x = memref.load %h[%c1] : memref<4xi32>
  vector.print %x : i32
  memref.dealloc %h : memref<4xi32>
  return
}
