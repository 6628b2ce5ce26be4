// An unranked memref is, to LLVM, the address of a descriptor on some stack. It
// arrives as it was by every way out of a region or function whose frame is
// gone, or used for something else, by then.
// MATRIX: ours-on-ours ours-on-upstream, upstream's lowering leaves descriptors in frames that are gone

// Makes all of this thread's stack below something else.
func.func private @overwrite(%n: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %m = memref.alloca() : memref<512xi64>
  scf.for %i = %c0 to %c512 step %c1 {
    memref.store %n, %m[%i] : memref<512xi64>
  }
  call @show(%m, %c1) : (memref<512xi64>, index) -> ()
  return
}

// Keeps the compiler from seeing that nobody reads it.
func.func private @show(%m: memref<512xi64>, %step: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0 : i64
  %s = scf.for %i = %c0 to %c512 step %step iter_args(%a = %zero) -> i64 {
    %x = memref.load %m[%i] : memref<512xi64>
    %b = arith.addi %a, %x : i64
    scf.yield %b : i64
  }
  %is_zero = arith.cmpi eq, %s, %zero : i64
  scf.if %is_zero {
    vector.print %s : i64
  }
  return
}

// A token that is ready later: its region loops, so that no spawner runs it.
func.func private @later() -> !async.token {
  %seven = arith.constant 7 : i64
  %t = async.execute {
    func.call @overwrite(%seven) : (i64) -> ()
    async.yield
  }
  return %t : !async.token
}

// Of rank 2, with %x in its last corner.
func.func private @square(%x: i64) -> memref<*xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc(%c2) : memref<?x2xi64>
  memref.store %x, %m[%c1, %c1] : memref<?x2xi64>
  %u = memref.cast %m : memref<?x2xi64> to memref<*xi64>
  return %u : memref<*xi64>
}

func.func private @corner(%u: memref<*xi64>) -> i64 {
  %c1 = arith.constant 1 : index
  %m = memref.cast %u : memref<*xi64> to memref<2x2xi64>
  %x = memref.load %m[%c1, %c1] : memref<2x2xi64>
  return %x : i64
}

func.func private @print_corner(%u: memref<*xi64>) {
  %three = arith.constant 3 : i64
  call @overwrite(%three) : (i64) -> ()
  %x = call @corner(%u) : (memref<*xi64>) -> i64
  vector.print %x : i64
  return
}

func.func private @give_back(%u: memref<*xi64>) {
  memref.dealloc %u : memref<*xi64>
  return
}

// Yielded by a region, behind a suspension; and awaited by a plain function.
func.func private @yields() {
  %x = arith.constant 1 : i64
  %u = call @yielded(%x) : (i64) -> !async.value<memref<*xi64>>
  %p = async.await %u : !async.value<memref<*xi64>>
  %q = async.await %u : !async.value<memref<*xi64>>
  call @print_corner(%p) : (memref<*xi64>) -> ()
  call @give_back(%q) : (memref<*xi64>) -> ()
  return
}

func.func private @yielded(%x: i64) -> !async.value<memref<*xi64>> {
  %t, %u = async.execute -> !async.value<memref<*xi64>> {
    %c1 = arith.constant 1 : index
    %m = memref.alloc() : memref<2x2xi64>
    memref.store %x, %m[%c1, %c1] : memref<2x2xi64>
    %p = memref.cast %m : memref<2x2xi64> to memref<*xi64>
    %late = func.call @later() : () -> !async.token
    async.await %late : !async.token
    async.yield %p : memref<*xi64>
  }
  return %u : !async.value<memref<*xi64>>
}

// Returned by an async function, an argument of it, and of its region.
async.func private @returns(%p: memref<*xi64>, %pick: i1) -> (!async.token, !async.value<memref<*xi64>>, !async.value<memref<*xi64>>) {
  %two = arith.constant 2 : i64
  %q = func.call @square(%two) : (i64) -> memref<*xi64>
  %late = func.call @later() : () -> !async.token
  async.await %late : !async.token
  %t, %u = async.execute -> !async.value<memref<*xi64>> {
    %later = func.call @later() : () -> !async.token
    async.await %later : !async.token
    %r = arith.select %pick, %q, %p : memref<*xi64>
    async.yield %r : memref<*xi64>
  }
  %r = async.await %u : !async.value<memref<*xi64>>
  %same = scf.if %pick -> memref<*xi64> {
    scf.yield %r : memref<*xi64>
  } else {
    scf.yield %q : memref<*xi64>
  }
  return %p, %same : memref<*xi64>, memref<*xi64>
}

func.func private @called(%x: i64, %pick: i1) -> (!async.value<memref<*xi64>>, !async.value<memref<*xi64>>) {
  %m = call @square(%x) : (i64) -> memref<*xi64>
  %t, %a, %b = async.call @returns(%m, %pick) : (memref<*xi64>, i1) -> (!async.token, !async.value<memref<*xi64>>, !async.value<memref<*xi64>>)
  return %a, %b : !async.value<memref<*xi64>>, !async.value<memref<*xi64>>
}

// Captured by regions of a function that has returned when they run; in a
// group; and what they yield awaited by another region.
func.func private @captured(%x: i64) -> (!async.group, !async.value<memref<*xi64>>) {
  %c2 = arith.constant 2 : index
  %m = call @square(%x) : (i64) -> memref<*xi64>
  %g = async.create_group %c2 : !async.group
  %late = call @later() : () -> !async.token
  %t, %u = async.execute [%late] -> !async.value<memref<*xi64>> {
    %t1, %u1 = async.execute -> !async.value<memref<*xi64>> {
      %later = func.call @later() : () -> !async.token
      async.await %later : !async.token
      async.yield %m : memref<*xi64>
    }
    %p = async.await %u1 : !async.value<memref<*xi64>>
    async.yield %p : memref<*xi64>
  }
  %t2, %u2 = async.execute (%u as %p: !async.value<memref<*xi64>>) -> !async.value<memref<*xi64>> {
    %later = func.call @later() : () -> !async.token
    async.await %later : !async.token
    async.yield %p : memref<*xi64>
  }
  %0 = async.add_to_group %t, %g : !async.token
  %1 = async.add_to_group %t2, %g : !async.token
  return %g, %u2 : !async.group, !async.value<memref<*xi64>>
}

// Carried by a loop: what turns of it cast and call, swapped, over suspensions.
func.func private @carried(%count: index) -> !async.value<memref<*xi64>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t, %u = async.execute -> !async.value<memref<*xi64>> {
    %ten = arith.constant 10 : i64
    %first = func.call @square(%ten) : (i64) -> memref<*xi64>
    %second = func.call @square(%ten) : (i64) -> memref<*xi64>
    %a, %b = scf.for %i = %c0 to %count step %c1 iter_args(%p = %first, %q = %second) -> (memref<*xi64>, memref<*xi64>) {
      %m = memref.alloc() : memref<2x2xi64>
      %n = arith.index_cast %i : index to i64
      %x = func.call @corner(%p) : (memref<*xi64>) -> i64
      %y = func.call @corner(%q) : (memref<*xi64>) -> i64
      %xx = arith.addi %x, %x : i64
      %s = arith.addi %xx, %y : i64
      %z = arith.addi %s, %n : i64
      memref.store %z, %m[%c1, %c1] : memref<2x2xi64>
      %r = memref.cast %m : memref<2x2xi64> to memref<*xi64>
      %late = func.call @later() : () -> !async.token
      async.await %late : !async.token
      func.call @give_back(%p) : (memref<*xi64>) -> ()
      scf.yield %q, %r : memref<*xi64>, memref<*xi64>
    }
    func.call @give_back(%a) : (memref<*xi64>) -> ()
    async.yield %b : memref<*xi64>
  }
  return %u : !async.value<memref<*xi64>>
}

// Of rank 0 and of rank 3, carried by a plain loop, and back from a function that
// does not block its callers.
func.func private @ranks(%x: i64) -> memref<*xi64> attributes {async_gpu.non_blocking} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloc() : memref<i64>
  memref.store %x, %m[] : memref<i64>
  %u = memref.cast %m : memref<i64> to memref<*xi64>
  %p = scf.for %i = %c0 to %c3 step %c1 iter_args(%q = %u) -> memref<*xi64> {
    %t, %v = async.execute -> !async.value<memref<*xi64>> {
      %late = func.call @later() : () -> !async.token
      async.await %late : !async.token
      async.yield %q : memref<*xi64>
    }
    %r = async.await %v : !async.value<memref<*xi64>>
    scf.yield %r : memref<*xi64>
  }
  %seven = arith.constant 7 : i64
  call @overwrite(%seven) : (i64) -> ()
  %rank_0 = memref.rank %p : memref<*xi64>
  vector.print %rank_0 : index
  %again = memref.cast %p : memref<*xi64> to memref<i64>
  %y = memref.load %again[] : memref<i64>
  vector.print %y : i64
  memref.dealloc %again : memref<i64>
  %cube = memref.alloc(%c3) : memref<2x?x1xi64>
  memref.store %x, %cube[%c1, %c1, %c0] : memref<2x?x1xi64>
  %w = memref.cast %cube : memref<2x?x1xi64> to memref<*xi64>
  return %w : memref<*xi64>
}

func.func private @print_cube(%u: memref<*xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %u, %c1 : memref<*xi64>
  %m = memref.cast %u : memref<*xi64> to memref<2x?x1xi64>
  %x = memref.load %m[%c1, %c1, %c0] : memref<2x?x1xi64>
  vector.print %n : index
  vector.print %x : i64
  memref.dealloc %m : memref<2x?x1xi64>
  return
}

// RUN: workers valgrind
// CHECK: 1
// CHECK: 3
// CHECK: 2
// CHECK: 4
// CHECK: 2
// CHECK: 5
// CHECK: 218
// CHECK: 0
// CHECK: 6
// CHECK: 3
// CHECK: 6
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %five = arith.constant 5 : i64
  %six = arith.constant 6 : i64
  %c4 = arith.constant 4 : index
  call @yields() : () -> ()
  %a, %b = call @called(%three, %true) : (i64, i1) -> (!async.value<memref<*xi64>>, !async.value<memref<*xi64>>)
  %pa = async.await %a : !async.value<memref<*xi64>>
  %pb = async.await %b : !async.value<memref<*xi64>>
  call @print_corner(%pa) : (memref<*xi64>) -> ()
  call @print_corner(%pb) : (memref<*xi64>) -> ()
  call @give_back(%pa) : (memref<*xi64>) -> ()
  call @give_back(%pb) : (memref<*xi64>) -> ()
  %c, %d = call @called(%four, %false) : (i64, i1) -> (!async.value<memref<*xi64>>, !async.value<memref<*xi64>>)
  %pc = async.await %c : !async.value<memref<*xi64>>
  %pd = async.await %d : !async.value<memref<*xi64>>
  call @print_corner(%pc) : (memref<*xi64>) -> ()
  call @print_corner(%pd) : (memref<*xi64>) -> ()
  call @give_back(%pc) : (memref<*xi64>) -> ()
  call @give_back(%pd) : (memref<*xi64>) -> ()
  %g, %e = call @captured(%five) : (i64) -> (!async.group, !async.value<memref<*xi64>>)
  async.await_all %g
  %pe = async.await %e : !async.value<memref<*xi64>>
  call @print_corner(%pe) : (memref<*xi64>) -> ()
  call @give_back(%pe) : (memref<*xi64>) -> ()
  %f = call @carried(%c4) : (index) -> !async.value<memref<*xi64>>
  %pf = async.await %f : !async.value<memref<*xi64>>
  call @print_corner(%pf) : (memref<*xi64>) -> ()
  call @give_back(%pf) : (memref<*xi64>) -> ()
  %t = async.execute {
    %h = func.call @ranks(%six) : (i64) -> memref<*xi64>
    %late = func.call @later() : () -> !async.token
    async.await %late : !async.token
    func.call @print_cube(%h) : (memref<*xi64>) -> ()
    async.yield
  }
  async.await %t : !async.token
  return
}
