// 10,000 device regions depend on work of the host that is PENDING when they are
// spawned, and for as long as the device is held up. None keeps the thread that
// spawns it, and none a worker: the task that lets the device go on comes behind
// all of them. Whoever ends the work of the host enqueues them.
// CARD: unpacked, its kernel waits for the host
// FAULTS: none, ten thousand regions make the calls that those of plain.mlir make

func.func private @printI64(i64)
func.func private @printNewline()

// RUN: bridge seconds=60
// CHECK: 50000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %regions = arith.constant 10000 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %gate = gpu.alloc host_shared () : memref<1xi32>
  memref.store %zero, %gate[%c0] : memref<1xi32>
  %d = gpu.alloc (%regions) : memref<?xi32>
  %h = memref.alloc(%regions) : memref<?xi32>
  %source = memref.alloc() : memref<1xi32>

  // The device stands still until the gate is open.
  %held = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      scf.while : () -> () {
        %seen = memref.atomic_rmw addi %zero, %gate[%c0] : (i32, memref<1xi32>) -> i32
        %closed = arith.cmpi eq, %seen, %zero : i32
        scf.condition(%closed)
      } do {
        scf.yield
      }
      gpu.terminator
    }
    async.yield
  }
  %written = async.execute [%held] {
    memref.store %five, %source[%c0] : memref<1xi32>
    async.yield
  }

  %group = async.create_group %regions : !async.group
  scf.for %i = %c0 to %regions step %c1 {
    %t = async.execute [%written] {
      %part = memref.subview %d[%i] [1] [1] : memref<?xi32> to memref<1xi32, strided<[1], offset: ?>>
      gpu.memcpy %part, %source : memref<1xi32, strided<[1], offset: ?>>, memref<1xi32>
      async.yield
    }
    %k = async.add_to_group %t, %group : !async.token
  }

  %opened = async.execute {
    %old = memref.atomic_rmw assign %one, %gate[%c0] {async_gpu.observes = false} : (i32, memref<1xi32>) -> i32
    async.yield
  }
  async.await_all %group
  gpu.memcpy %h, %d : memref<?xi32>, memref<?xi32>

  %none = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %regions step %c1 iter_args(%s = %none) -> i64 {
    %x = memref.load %h[%i] : memref<?xi32>
    %y = arith.extsi %x : i32 to i64
    %z = arith.addi %s, %y : i64
    scf.yield %z : i64
  }
  func.call @printI64(%sum) : (i64) -> ()
  func.call @printNewline() : () -> ()
  gpu.dealloc %gate : memref<1xi32>
  gpu.dealloc %d : memref<?xi32>
  memref.dealloc %h : memref<?xi32>
  memref.dealloc %source : memref<1xi32>
  return
}
