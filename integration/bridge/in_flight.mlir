// 10,000 mixed regions wait on a device that is held up, and hold no worker: the
// task that lets the device go on comes behind all of them. Were a worker kept
// by each, none would be left to run it, and the program would not end.
// CARD: unpacked, its kernel waits for the host
// FAULTS: none, ten thousand regions make the calls that those of plain.mlir make
// RULES: none, those of pending.mlir

func.func private @printI64(i64)
func.func private @printNewline()

// RUN: bridge seconds=60
// CHECK: 80000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %regions = arith.constant 10000 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %gate = gpu.alloc host_shared () : memref<1xi32>
  memref.store %zero, %gate[%c0] : memref<1xi32>
  %d = gpu.alloc () : memref<1xi32>
  %h = memref.alloc(%regions) : memref<?xi32>

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
      memref.store %seven, %d[%c0] : memref<1xi32>
      gpu.terminator
    }
    async.yield
  }

  // Each waits for the device before it goes on on the host.
  %group = async.create_group %regions : !async.group
  scf.for %i = %c0 to %regions step %c1 {
    %t = async.execute [%held] {
      %part = memref.subview %h[%i] [1] [1] : memref<?xi32> to memref<1xi32, strided<[1], offset: ?>>
      gpu.memcpy %part, %d : memref<1xi32, strided<[1], offset: ?>>, memref<1xi32>
      %x = memref.load %h[%i] : memref<?xi32>
      %y = arith.addi %x, %one : i32
      memref.store %y, %h[%i] : memref<?xi32>
      async.yield
    }
    %k = async.add_to_group %t, %group : !async.token
  }

  // Nothing to do with them, except that they wait for it.
  %opened = async.execute {
    %old = memref.atomic_rmw assign %one, %gate[%c0] {async_gpu.observes = false} : (i32, memref<1xi32>) -> i32
    async.yield
  }
  async.await_all %group

  // Each copied 7 and added 1.
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
  gpu.dealloc %d : memref<1xi32>
  memref.dealloc %h : memref<?xi32>
  return
}
