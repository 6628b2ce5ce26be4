// Integers that are divided by what varies: by zero the value is up to the
// device, and the thread goes on; what other threads get is as it was. Block b
// of 64 threads divides 1000 - 7 t by t - b, so that one of each block has no
// result; that one is left out of the sums.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @divide(%sums: memref<8xi64>, %offset: i64) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %seven = arith.constant 7 : i64
    %thousand = arith.constant 1000 : i64
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %ti = arith.index_cast %t : index to i64
    %bi = arith.index_cast %b : index to i64
    %d0 = arith.subi %ti, %bi : i64
    %d = arith.addi %d0, %offset : i64
    %less = arith.muli %ti, %seven : i64
    %n = arith.subi %thousand, %less : i64
    %q = arith.divsi %n, %d : i64
    %r = arith.remsi %n, %d : i64
    %u = arith.divui %n, %d : i64
    %v = arith.remui %n, %d : i64
    %up = arith.ceildivsi %n, %d : i64
    %down = arith.floordivsi %n, %d : i64
    %n8 = arith.trunci %n : i64 to i8
    %d8 = arith.trunci %d : i64 to i8
    %q8 = arith.divsi %n8, %d8 : i8
    %q8w = arith.extsi %q8 : i8 to i64
    %nv = vector.broadcast %n : i64 to vector<2xi64>
    %dv = vector.from_elements %d, %one : vector<2xi64>
    %qv = arith.divsi %nv, %dv : vector<2xi64>
    %qs = vector.reduction <add>, %qv : vector<2xi64> into i64
    // Not whether the divisor is zero: from the divisions above, a compiler may
    // conclude that it is not.
    %is = arith.cmpi ne, %t, %b : index
    scf.if %is {
      memref.atomic_rmw addi %q, %sums[%c0] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %r, %sums[%c1] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %u, %sums[%c2] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %v, %sums[%c3] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %up, %sums[%c4] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %down, %sums[%c5] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %q8w, %sums[%c6] : (i64, memref<8xi64>) -> i64
      memref.atomic_rmw addi %qs, %sums[%c7] : (i64, memref<8xi64>) -> i64
    }
    gpu.return
  }
}

// What the host gets for the same, which leaves out what has no result.
func.func @expect(%sums: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %thousand = arith.constant 1000 : i64
  scf.for %b = %c0 to %c3 step %c1 {
    scf.for %t = %c0 to %c64 step %c1 {
      %is = arith.cmpi ne, %b, %t : index
      scf.if %is {
        %ti = arith.index_cast %t : index to i64
        %bi = arith.index_cast %b : index to i64
        %d = arith.subi %ti, %bi : i64
        %less = arith.muli %ti, %seven : i64
        %n = arith.subi %thousand, %less : i64
        %q = arith.divsi %n, %d : i64
        %r = arith.remsi %n, %d : i64
        %u = arith.divui %n, %d : i64
        %v = arith.remui %n, %d : i64
        %up = arith.ceildivsi %n, %d : i64
        %down = arith.floordivsi %n, %d : i64
        %n8 = arith.trunci %n : i64 to i8
        %d8 = arith.trunci %d : i64 to i8
        %q8 = arith.divsi %n8, %d8 : i8
        %q8w = arith.extsi %q8 : i8 to i64
        %qs = arith.addi %q, %n : i64
        func.call @add(%sums, %c0, %q) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c1, %r) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c2, %u) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c3, %v) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c4, %up) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c5, %down) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c6, %q8w) : (memref<8xi64>, index, i64) -> ()
        func.call @add(%sums, %c7, %qs) : (memref<8xi64>, index, i64) -> ()
      }
    }
  }
  return
}

func.func @add(%sums: memref<8xi64>, %at: index, %x: i64) {
  %old = memref.load %sums[%at] : memref<8xi64>
  %new = arith.addi %old, %x : i64
  memref.store %new, %sums[%at] : memref<8xi64>
  return
}

// RUN: kernel
// CHECK: 8
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %got = memref.alloc() : memref<8xi64>
  %wanted = memref.alloc() : memref<8xi64>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %got[%i] : memref<8xi64>
    memref.store %zero, %wanted[%i] : memref<8xi64>
  }
  %sums = gpu.alloc() : memref<8xi64>
  gpu.memcpy %sums, %got : memref<8xi64>, memref<8xi64>
  gpu.launch_func @kernels::@divide blocks in (%c3, %c1, %c1) threads in (%c64, %c1, %c1) args(%sums : memref<8xi64>, %zero : i64)
  gpu.memcpy %got, %sums : memref<8xi64>, memref<8xi64>
  gpu.dealloc %sums : memref<8xi64>
  func.call @expect(%wanted) : (memref<8xi64>) -> ()
  %same = scf.for %i = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (i64) {
    %g = memref.load %got[%i] : memref<8xi64>
    %w = memref.load %wanted[%i] : memref<8xi64>
    %equal = arith.cmpi eq, %g, %w : i64
    %more = arith.extui %equal : i1 to i64
    %sum = arith.addi %so_far, %more : i64
    scf.yield %sum : i64
  }
  vector.print %same : i64
  memref.dealloc %got : memref<8xi64>
  memref.dealloc %wanted : memref<8xi64>
  return
}

}
