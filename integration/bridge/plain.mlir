// A plain function that a region calls waits for a device that is held up, with
// one worker: another takes its place, and runs the task that lets the device go
// on. So does one that waits in a function called from there.
// CARD: unpacked, its kernel waits for the host
// FAULTS: may-hang, its kernels wait for the host or for each other

func.func private @printI64(i64)
func.func private @printNewline()

// The copy comes when the device goes on.
func.func private @get(%held: !async.token, %d: memref<1xi32>, %depth: index) -> i32 attributes {llvm.noinline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %is_last = arith.cmpi eq, %depth, %c0 : index
  %x = scf.if %is_last -> i32 {
    %h = memref.alloc() : memref<1xi32>
    async.await %held : !async.token
    gpu.memcpy %h, %d : memref<1xi32>, memref<1xi32>
    %y = memref.load %h[%c0] : memref<1xi32>
    memref.dealloc %h : memref<1xi32>
    scf.yield %y : i32
  } else {
    %less = arith.subi %depth, %c1 : index
    %t, %v = async.execute -> !async.value<i32> {
      %y = func.call @get(%held, %d, %less) : (!async.token, memref<1xi32>, index) -> i32
      async.yield %y : i32
    }
    %y = async.await %v : !async.value<i32>
    scf.yield %y : i32
  }
  return %x : i32
}

// RUN: bridge seconds=60
// CHECK: 7
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %gate = gpu.alloc host_shared () : memref<1xi32>
  memref.store %zero, %gate[%c0] : memref<1xi32>
  %d = gpu.alloc () : memref<1xi32>
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
  %t, %v = async.execute -> !async.value<i32> {
    %y = func.call @get(%held, %d, %c3) : (!async.token, memref<1xi32>, index) -> i32
    async.yield %y : i32
  }
  %opened = async.execute {
    %old = memref.atomic_rmw assign %one, %gate[%c0] {async_gpu.observes = false} : (i32, memref<1xi32>) -> i32
    async.yield
  }
  %x = async.await %v : !async.value<i32>
  %y = arith.extsi %x : i32 to i64
  func.call @printI64(%y) : (i64) -> ()
  func.call @printNewline() : () -> ()
  gpu.dealloc %gate : memref<1xi32>
  gpu.dealloc %d : memref<1xi32>
  return
}
