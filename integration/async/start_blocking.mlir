// Regions that block until their spawner goes on: one that started where it is
// spawned would hold up its spawner for good, however much the spawner has
// queued for other threads. They wait in a plain function, or in a loop for a
// change of memory.

func.func private @wait_for(%t: !async.token) {
  async.await %t : !async.token
  return
}

func.func private @wait_for_memory(%m: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i64
  scf.while : () -> () {
    %now = memref.atomic_rmw addi %none, %m[%c0] : (i64, memref<1xi64>) -> i64
    %unchanged = arith.cmpi eq, %now, %none : i64
    scf.condition(%unchanged)
  } do {
    scf.yield
  }
  return
}

// RUN: workers
// CHECK: those that wait have ended
// CHECK: those that loop have ended
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = memref.alloc() : memref<1xi64>
  memref.store %none, %m[%c0] : memref<1xi64>
  // From a region, which has a queue of its own, and does not block itself.
  %waits = async.execute {
    %late = async.runtime.create : !async.token
    %g = async.create_group %c50 : !async.group
    scf.for %i = %c0 to %c50 step %c1 {
      %t = async.execute {
        func.call @wait_for(%late) : (!async.token) -> ()
        async.yield
      }
      %r = async.add_to_group %t, %g : !async.token
    }
    async.runtime.set_available %late : !async.token
    async.await_all %g
    async.yield
  }
  async.await %waits : !async.token
  vector.print str "those that wait have ended\n"

  %loops = async.execute {
    %t = async.execute {
      func.call @wait_for_memory(%m) : (memref<1xi64>) -> ()
      async.yield
    }
    %old = memref.atomic_rmw addi %one, %m[%c0] : (i64, memref<1xi64>) -> i64
    async.await %t : !async.token
    async.yield
  }
  async.await %loops : !async.token
  vector.print str "those that loop have ended\n"
  memref.dealloc %m : memref<1xi64>
  return
}
