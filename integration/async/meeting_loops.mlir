// Loops of two iterations, each of which waits until the other is there: two
// threads have to run them. What they call is a function of the C library, of
// which the compiler cannot see how long it takes, or goes around for as long as
// it has to.
// THREADS: 2

func.func private @pthread_barrier_init(!llvm.ptr, !llvm.ptr, i32) -> i32
func.func private @pthread_barrier_wait(!llvm.ptr) -> i32
func.func private @pthread_barrier_destroy(!llvm.ptr) -> i32
func.func private @sched_yield() -> i32

// RUN: two-workers
// CHECK: met at a barrier
// CHECK: met at a number
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %both = arith.constant 2 : i64

  %memory = memref.alloc() : memref<8xi64>
  %address = memref.extract_aligned_pointer_as_index %memory : memref<8xi64> -> index
  %number = arith.index_cast %address : index to i64
  %barrier = llvm.inttoptr %number : i64 to !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %made = call @pthread_barrier_init(%barrier, %null, %two)
      : (!llvm.ptr, !llvm.ptr, i32) -> i32
  scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
    %r = func.call @pthread_barrier_wait(%barrier) : (!llvm.ptr) -> i32
    scf.reduce
  }
  %gone = call @pthread_barrier_destroy(%barrier) : (!llvm.ptr) -> i32
  memref.dealloc %memory : memref<8xi64>
  vector.print str "met at a barrier\n"

  %there = memref.alloc() : memref<1xi64>
  memref.store %zero, %there[%c0] : memref<1xi64>
  scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
    %before = memref.atomic_rmw addi %one, %there[%c0]
        : (i64, memref<1xi64>) -> i64
    scf.while : () -> () {
      %r = func.call @sched_yield() : () -> i32
      %now = memref.atomic_rmw addi %zero, %there[%c0]
          : (i64, memref<1xi64>) -> i64
      %alone = arith.cmpi slt, %now, %both : i64
      scf.condition(%alone)
    } do {
      scf.yield
    }
    scf.reduce
  }
  memref.dealloc %there : memref<1xi64>
  vector.print str "met at a number\n"
  return
}
