// A product of sizes that does not fit: 2^62 + 1 elements of four bytes are not
// four bytes.
func.func private @number() -> index {
  %n = arith.constant 0x4000000000000001 : index
  return %n : index
}

// RUN: device
// ERROR: host_sizes.mlir:[[@LINE+5]]:8: error: a memref larger than the address space
func.func @main() {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %n = call @number() : () -> index
  %m = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %m[%c0] : memref<?xf32>
  %y = memref.load %m[%c0] : memref<?xf32>
  vector.print %y : f32
  memref.dealloc %m : memref<?xf32>
  return
}
