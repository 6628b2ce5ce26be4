// The host divides by what it reads.
func.func private @printI64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %m = memref.alloc() : memref<1xi64>
  memref.store %zero, %m[%c0] : memref<1xi64>
  %n = memref.load %m[%c0] : memref<1xi64>
  %q = arith.divsi %seven, %n : i64
  call @printI64(%q) : (i64) -> ()
  memref.dealloc %m : memref<1xi64>
  return
}
