// What the compiler makes of a reduction that is scattered among the ranks of a sharded
// program, on memory that is not contiguous: rank r has the elements 10 * r + i * 4 + j of
// an array of 5 by 4, in memory of 5 by 8, and gets its rows of the sum into every other
// column.
memref.global "private" @site : memref<1xi64> = dense<0>
func.func private @printI64(i64)
func.func private @printNewline()

// RUN: ranks=3
// The sums are 30 + 3 * (i * 4 + j). The ranks have 2, 2 and 1 rows: here is what the
// last one has.
// CHECK: 78
// CHECK: 81
// CHECK: 84
// CHECK: 87
func.func @main() {
  call @scatter() : () -> ()
  return
}

// RUN: @injected ranks=3 shim:RANK=1 shim:FAIL=Ireduce_scatter:1
// ERROR: reduce_scatter.mlir:[[@LINE+36]]:3: error: shard.reduce_scatter failed on rank 1 of 3: {{.*}}
// ERROR: ...
func.func @injected() {
  call @scatter() : () -> ()
  return
}

func.func private @scatter() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : i64
  %site = memref.get_global @site : memref<1xi64>
  %old = memref.load %site[%c0] : memref<1xi64>
  %comm = "agpu.shard_open"(%old) {numbers = array<i64: -1, 1, 1, 1>} : (i64) -> i64
  memref.store %comm, %site[%c0] : memref<1xi64>
  %rank = "agpu.shard_rank"(%comm) {numbers = array<i64>} : (i64) -> index
  %wide = memref.alloc() : memref<5x8xi64>
  %from = memref.subview %wide[0, 4] [5, 4] [1, 1] : memref<5x8xi64> to memref<5x4xi64, strided<[8, 1], offset: 4>>
  scf.for %i = %c0 to %c5 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %row = arith.muli %i, %c4 : index
      %at = arith.addi %row, %j : index
      %number = arith.index_cast %at : index to i64
      %r = arith.index_cast %rank : index to i64
      %base = arith.muli %r, %c10 : i64
      %value = arith.addi %base, %number : i64
      memref.store %value, %from[%i, %j] : memref<5x4xi64, strided<[8, 1], offset: 4>>
    }
  }
  %is_last = arith.cmpi eq, %rank, %c2 : index
  %rows = arith.select %is_last, %c1, %c2 : index
  %columns = memref.alloc(%rows) : memref<?x8xi64>
  %to = memref.subview %columns[0, 0] [%rows, 4] [1, 2] : memref<?x8xi64> to memref<?x4xi64, strided<[8, 2]>>
  "agpu.reduce"(%from, %to, %site) {numbers = array<i64: 3, 0>} : (memref<5x4xi64, strided<[8, 1], offset: 4>>, memref<?x4xi64, strided<[8, 2]>>, memref<1xi64>) -> ()
  scf.if %is_last {
    scf.for %j = %c0 to %c4 step %c1 {
      %sum = memref.load %to[%c0, %j] : memref<?x4xi64, strided<[8, 2]>>
      func.call @printI64(%sum) : (i64) -> ()
      func.call @printNewline() : () -> ()
    }
  }
  memref.dealloc %wide : memref<5x8xi64>
  memref.dealloc %columns : memref<?x8xi64>
  return
}
