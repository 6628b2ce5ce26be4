// Programs that touch memory of the host which a copy or a kernel still uses, and
// programs that wait first, in each of the ways there are.

func.func private @sum(%m: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %zero) -> i32 {
    %x = memref.load %m[%i] : memref<16xi32>
    %y = arith.addi %t, %x : i32
    scf.yield %y : i32
  }
  call @use(%s) : (i32) -> ()
  return
}

func.func private @set(%m: memref<16xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    memref.store %v, %m[%i] : memref<16xi32>
  }
  return
}

// Reads the target.
// RUN: @reads_target EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+12]]:8: error: race: nothing orders the host, which reads the 4 bytes at {{.*}}:[[@LINE+9]]:5, which writes them
func.func @reads_target() {
  %seven = arith.constant 7 : i32
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<16xi32>
  gpu.memset %d, %seven : memref<16xi32>, i32
  %t = async.execute {
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  %x = memref.load %h[%c3] : memref<16xi32>
  call @use(%x) : (i32) -> ()
  async.await %t : !async.token
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<16xi32>
  return
}

// Writes the source. Reading it is fine.
// RUN: @writes_source EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+12]]:3: error: race: nothing orders the host, which writes the 4 bytes at {{.*}}:[[@LINE+8]]:5, which reads them
func.func @writes_source() {
  %seven = arith.constant 7 : i32
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<16xi32>
  %t = async.execute {
    gpu.memcpy %d, %h : memref<16xi32>, memref<16xi32>
    async.yield
  }
  call @sum(%h) : (memref<16xi32>) -> ()
  memref.store %seven, %h[%c3] : memref<16xi32>
  async.await %t : !async.token
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<16xi32>
  return
}

// RUN: @frees_target EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+10]]:3: error: race: nothing orders the host, which frees the 64 bytes at {{.*}}:[[@LINE+7]]:5, which writes them
func.func @frees_target() {
  %seven = arith.constant 7 : i32
  %h = memref.alloc() : memref<16xi32>
  %d = gpu.alloc() : memref<16xi32>
  gpu.memset %d, %seven : memref<16xi32>, i32
  %t = async.execute {
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  memref.dealloc %h : memref<16xi32>
  async.await %t : !async.token
  gpu.dealloc %d : memref<16xi32>
  return
}

// RUN: @frees_source EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+10]]:3: error: race: nothing orders the host, which frees the 64 bytes at {{.*}}:[[@LINE+7]]:5, which reads them
func.func @frees_source() {
  %seven = arith.constant 7 : i32
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<16xi32>
  %t = async.execute {
    gpu.memcpy %d, %h : memref<16xi32>, memref<16xi32>
    async.yield
  }
  memref.dealloc %h : memref<16xi32>
  async.await %t : !async.token
  gpu.dealloc %d : memref<16xi32>
  return
}

// The target's elements that no row touches are the host's.
// RUN: @reads_between_fine EMU_CHECK=races,memory EMU_SEED=|3
func.func @reads_between_fine() {
  %seven = arith.constant 7 : i32
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<4xi32>
  gpu.memset %d, %seven : memref<4xi32>, i32
  %s = memref.subview %h[0] [4] [4] : memref<16xi32> to memref<4xi32, strided<[4]>>
  %t = async.execute {
    gpu.memcpy %s, %d : memref<4xi32, strided<[4]>>, memref<4xi32>
    async.yield
  }
  memref.store %seven, %h[%c3] : memref<16xi32>
  async.await %t : !async.token
  call @sum(%h) : (memref<16xi32>) -> ()
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<4xi32>
  return
}

// And those that one touches are not.
// RUN: @reads_row EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+13]]:8: error: race: nothing orders the host, which reads the 4 bytes at {{.*}}:[[@LINE+10]]:5, which writes them
func.func @reads_row() {
  %seven = arith.constant 7 : i32
  %c4 = arith.constant 4 : index
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<4xi32>
  gpu.memset %d, %seven : memref<4xi32>, i32
  %s = memref.subview %h[0] [4] [4] : memref<16xi32> to memref<4xi32, strided<[4]>>
  %t = async.execute {
    gpu.memcpy %s, %d : memref<4xi32, strided<[4]>>, memref<4xi32>
    async.yield
  }
  %x = memref.load %h[%c4] : memref<16xi32>
  call @use(%x) : (i32) -> ()
  async.await %t : !async.token
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<4xi32>
  return
}

// What was registered is copied by the device itself.
// RUN: @reads_registered EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+14]]:8: error: race: nothing orders the host, which reads the 4 bytes at {{.*}}:[[@LINE+11]]:5, which writes them
func.func @reads_registered() {
  %seven = arith.constant 7 : i32
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %u = memref.cast %h : memref<16xi32> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  %d = gpu.alloc() : memref<16xi32>
  gpu.memset %d, %seven : memref<16xi32>, i32
  %t = async.execute {
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  %x = memref.load %h[%c3] : memref<16xi32>
  call @use(%x) : (i32) -> ()
  async.await %t : !async.token
  gpu.host_unregister %u : memref<*xi32>
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<16xi32>
  return
}

// A fill of memory that both sides use.
// RUN: @reads_filled EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+10]]:8: error: race: nothing orders the host, which reads the 4 bytes at {{.*}} fill at {{.*}}:[[@LINE+7]]:5, which writes them
func.func @reads_filled() {
  %seven = arith.constant 7 : i32
  %c3 = arith.constant 3 : index
  %m = gpu.alloc host_shared () : memref<16xi32>
  call @set(%m, %seven) : (memref<16xi32>, i32) -> ()
  %t = async.execute {
    gpu.memset %m, %seven : memref<16xi32>, i32
    async.yield
  }
  %x = memref.load %m[%c3] : memref<16xi32>
  call @use(%x) : (i32) -> ()
  async.await %t : !async.token
  gpu.dealloc %m : memref<16xi32>
  return
}

// A kernel that writes what both sides use.
// RUN: @reads_kernel EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+16]]:8: error: race: nothing orders the host, which reads the 4 bytes at {{.*}}launch of kernel {{.*}}, which writes them
func.func @reads_kernel() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i32
  %m = gpu.alloc host_shared () : memref<16xi32>
  call @set(%m, %seven) : (memref<16xi32>, i32) -> ()
  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%i, %ty, %tz) in (%sx = %c16, %sy = %c1, %sz = %c1) {
      memref.store %seven, %m[%i] : memref<16xi32>
      gpu.terminator
    }
    async.yield
  }
  %x = memref.load %m[%c3] : memref<16xi32>
  call @use(%x) : (i32) -> ()
  async.await %t : !async.token
  gpu.dealloc %m : memref<16xi32>
  return
}

// And one that reads, of memory that was registered.
// RUN: @writes_kernel EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+21]]:3: error: race: nothing orders the host, which writes the 4 bytes at {{.*}}launch of kernel {{.*}}, which reads them
func.func @writes_kernel() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i32
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %u = memref.cast %h : memref<16xi32> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  %d = gpu.alloc() : memref<16xi32>
  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%i, %ty, %tz) in (%sx = %c16, %sy = %c1, %sz = %c1) {
      %x = memref.load %h[%i] : memref<16xi32>
      memref.store %x, %d[%i] : memref<16xi32>
      gpu.terminator
    }
    async.yield
  }
  call @sum(%h) : (memref<16xi32>) -> ()
  memref.store %seven, %h[%c3] : memref<16xi32>
  async.await %t : !async.token
  gpu.host_unregister %u : memref<*xi32>
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<16xi32>
  return
}

// Each side has its elements, and the host the others once it has waited.
// RUN: @halves_fine EMU_CHECK=races,memory EMU_SEED=|3
func.func @halves_fine() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i32
  %m = gpu.alloc host_shared () : memref<16xi32>
  call @set(%m, %seven) : (memref<16xi32>, i32) -> ()
  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%i, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
      %even = arith.muli %i, %c2 : index
      memref.store %seven, %m[%even] : memref<16xi32>
      gpu.terminator
    }
    async.yield
  }
  scf.for %odd = %c1 to %c16 step %c2 {
    memref.store %seven, %m[%odd] : memref<16xi32>
  }
  async.await %t : !async.token
  call @set(%m, %seven) : (memref<16xi32>, i32) -> ()
  gpu.dealloc %m : memref<16xi32>
  return
}

// The second kernel reads what the host writes before it lets the first one go.
// RUN: @gate_fine EMU_CHECK=races,memory EMU_SEED=|3
func.func @gate_fine() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %gate = gpu.alloc host_shared () : memref<1xi32>
  %m = gpu.alloc host_shared () : memref<1xi32>
  memref.store %zero, %gate[%c0] : memref<1xi32>
  %s = async.execute {
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
  %t = async.execute [%s] {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %m[%c0] : memref<1xi32>
      %y = arith.addi %x, %one : i32
      memref.store %y, %m[%c0] : memref<1xi32>
      gpu.terminator
    }
    async.yield
  }
  memref.store %one, %m[%c0] : memref<1xi32>
  %old = memref.atomic_rmw assign %one, %gate[%c0] {async_gpu.observes = false} : (i32, memref<1xi32>) -> i32
  async.await %t : !async.token
  %x = memref.load %m[%c0] : memref<1xi32>
  call @use(%x) : (i32) -> ()
  gpu.dealloc %gate : memref<1xi32>
  gpu.dealloc %m : memref<1xi32>
  return
}

// The host awaits another copy than the one whose target it reads.
// RUN: @awaits_other EMU_CHECK=races EMU_SEED=|3
// ERROR: host_races.mlir:[[@LINE+18]]:8: error: race: nothing orders the host, which reads the 4 bytes at {{.*}}:[[@LINE+14]]:5, which writes them
func.func @awaits_other() {
  %seven = arith.constant 7 : i32
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<16xi32>
  %g = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<16xi32>
  gpu.memset %d, %seven : memref<16xi32>, i32
  %s = async.execute {
    gpu.memcpy %g, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  %t = async.execute {
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  async.await %s : !async.token
  %x = memref.load %h[%c3] : memref<16xi32>
  call @use(%x) : (i32) -> ()
  async.await %t : !async.token
  memref.dealloc %h : memref<16xi32>
  memref.dealloc %g : memref<16xi32>
  gpu.dealloc %d : memref<16xi32>
  return
}

// Each way to wait.
// RUN: @waits_fine EMU_CHECK=races,memory EMU_SEED=|3
func.func @waits_fine() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %seven = arith.constant 7 : i32
  %one = arith.constant 1 : i32
  %h = memref.alloc() : memref<16xi32>
  call @set(%h, %seven) : (memref<16xi32>, i32) -> ()
  %d = gpu.alloc() : memref<16xi32>
  // A token.
  %a = async.execute {
    gpu.memcpy %d, %h : memref<16xi32>, memref<16xi32>
    async.yield
  }
  async.await %a : !async.token
  call @set(%h, %one) : (memref<16xi32>, i32) -> ()
  // A chain of them, the last alone.
  %b = async.execute {
    gpu.memcpy %d, %h : memref<16xi32>, memref<16xi32>
    async.yield
  }
  %c = async.execute [%b] {
    gpu.memset %d, %seven : memref<16xi32>, i32
    async.yield
  }
  async.await %c : !async.token
  call @set(%h, %one) : (memref<16xi32>, i32) -> ()
  // Tokens of the device.
  %e = gpu.wait async
  %f = gpu.memcpy async [%e] %h, %d : memref<16xi32>, memref<16xi32>
  gpu.wait [%f]
  call @sum(%h) : (memref<16xi32>) -> ()
  // A group.
  %group = async.create_group %c2 : !async.group
  scf.for %i = %c0 to %c2 step %c1 {
    %p = gpu.alloc() : memref<16xi32>
    %t = async.execute {
      gpu.memcpy %p, %h : memref<16xi32>, memref<16xi32>
      gpu.dealloc %p : memref<16xi32>
      async.yield
    }
    %n = async.add_to_group %t, %group : !async.token
  }
  async.await_all %group
  call @set(%h, %one) : (memref<16xi32>, i32) -> ()
  // A coroutine that waits in its body, and one that depends.
  %g = async.execute {
    %in = async.execute {
      gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
      async.yield
    }
    async.await %in : !async.token
    func.call @sum(%h) : (memref<16xi32>) -> ()
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  %k = async.execute [%g] {
    func.call @set(%h, %one) : (memref<16xi32>, i32) -> ()
    async.yield
  }
  async.await %k : !async.token
  // Work of the host in the same region, which waits by itself.
  %l = async.execute {
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    func.call @sum(%h) : (memref<16xi32>) -> ()
    memref.dealloc %h : memref<16xi32>
    async.yield
  }
  async.await %l : !async.token
  gpu.dealloc %d : memref<16xi32>
  return
}

func.func private @use(%x: i32) {
  %wrong = arith.constant 99 : i32
  %fine = arith.cmpi ne, %x, %wrong : i32
  cf.assert %fine, "nobody has written this"
  return
}
