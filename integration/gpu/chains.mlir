// Regions that go on on the stream of the one before them: a chain, a loop that
// hands its token on, chains side by side, a chain with work of the host in
// between, and tokens that the host waits for as well. What each prints says
// that every step has come behind the one before it.

module attributes {gpu.container_module} {

func.func private @printI64(i64)
func.func private @printNewline()

gpu.module @kernels {
  // m[i] = 2 * m[i] + b: no two orders of different steps give the same.
  gpu.func @step(%m: memref<64xi64>, %b: i64) kernel {
    %i = gpu.thread_id x
    %c2 = arith.constant 2 : i64
    %x = memref.load %m[%i] : memref<64xi64>
    %y = arith.muli %x, %c2 : i64
    %z = arith.addi %y, %b : i64
    memref.store %z, %m[%i] : memref<64xi64>
    gpu.return
  }
}

func.func private @print(%x: i64) {
  func.call @printI64(%x) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

// ((0 * 2 + 1) * 2 + 2) * 2 + 3 = 11
func.func private @chain() -> i64 {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<64xi64>
  %t0, %m = async.execute -> !async.value<memref<64xi64>> {
    %d = gpu.alloc () : memref<64xi64>
    gpu.memset %d, %zero : memref<64xi64>, i64
    async.yield %d : memref<64xi64>
  }
  %t1, %m1 = async.execute [%t0] (%m as %d: !async.value<memref<64xi64>>) -> !async.value<memref<64xi64>> {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %one : i64)
    async.yield %d : memref<64xi64>
  }
  %t2, %m2 = async.execute (%m1 as %d: !async.value<memref<64xi64>>) -> !async.value<memref<64xi64>> {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %two : i64)
    async.yield %d : memref<64xi64>
  }
  %t3, %m3 = async.execute [%t2] (%m2 as %d: !async.value<memref<64xi64>>) -> !async.value<memref<64xi64>> {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %three : i64)
    async.yield %d : memref<64xi64>
  }
  %t4 = async.execute [%t3] (%m3 as %d: !async.value<memref<64xi64>>) {
    gpu.memcpy %h, %d : memref<64xi64>, memref<64xi64>
    gpu.dealloc %d : memref<64xi64>
    async.yield
  }
  async.await %t4 : !async.token
  %c63 = arith.constant 63 : index
  %x = memref.load %h[%c63] : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  return %x : i64
}

// Ten rounds of 2 * x + i from 0: x(n+1) = 2 x(n) + n, which is 2^n - n - 1:
// 1024 - 10 - 1 = 1013.
func.func private @loop() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<64xi64>
  %d = gpu.alloc () : memref<64xi64>
  gpu.memset %d, %zero : memref<64xi64>, i64
  %t0 = async.execute {
    gpu.memset %d, %zero : memref<64xi64>, i64
    async.yield
  }
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%t = %t0) -> !async.token {
    %b = arith.index_cast %i : index to i64
    %u = async.execute [%t] {
      gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %b : i64)
      async.yield
    }
    scf.yield %u : !async.token
  }
  %c = async.execute [%r] {
    gpu.memcpy %h, %d : memref<64xi64>, memref<64xi64>
    async.yield
  }
  async.await %c : !async.token
  gpu.dealloc %d : memref<64xi64>
  %x = memref.load %h[%c0] : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  return %x : i64
}

// Chains side by side, each three steps of its own number n: 4n + 2n + n = 7n;
// over 0 to 11: 7 * 66 = 462. Every other chain has host work in between, which
// adds n to what it sees: 2 * (2n + n + n) + n = 9n, so 2 * 36 more: 534.
func.func private @many() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<12xi64>
  %g = async.create_group %c12 : !async.group
  scf.for %i = %c0 to %c12 step %c1 {
    %n = arith.index_cast %i : index to i64
    %odd = arith.remui %i, %c2 : index
    %mixed = arith.cmpi ne, %odd, %c0 : index
    %t0, %m = async.execute -> !async.value<memref<64xi64>> {
      %d = gpu.alloc () : memref<64xi64>
      gpu.memset %d, %zero : memref<64xi64>, i64
      gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %n : i64)
      async.yield %d : memref<64xi64>
    }
    %t1, %m1 = async.execute (%m as %d: !async.value<memref<64xi64>>) -> !async.value<memref<64xi64>> {
      gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %n : i64)
      scf.if %mixed {
        %b = memref.alloc() : memref<64xi64>
        gpu.memcpy %b, %d : memref<64xi64>, memref<64xi64>
        scf.for %k = %c0 to %c64 step %c1 {
          %x = memref.load %b[%k] : memref<64xi64>
          %y = arith.addi %x, %n : i64
          memref.store %y, %b[%k] : memref<64xi64>
        }
        gpu.memcpy %d, %b : memref<64xi64>, memref<64xi64>
        memref.dealloc %b : memref<64xi64>
      }
      async.yield %d : memref<64xi64>
    }
    %t2 = async.execute [%t1] (%m1 as %d: !async.value<memref<64xi64>>) {
      gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %n : i64)
      %part = memref.subview %h[%i] [1] [1] : memref<12xi64> to memref<1xi64, strided<[1], offset: ?>>
      %last = memref.subview %d[63] [1] [1] : memref<64xi64> to memref<1xi64, strided<[1], offset: 63>>
      gpu.memcpy %part, %last : memref<1xi64, strided<[1], offset: ?>>, memref<1xi64, strided<[1], offset: 63>>
      gpu.dealloc %d : memref<64xi64>
      async.yield
    }
    %k = async.add_to_group %t2, %g : !async.token
  }
  async.await_all %g
  %sum = scf.for %i = %c0 to %c12 step %c1 iter_args(%s = %zero) -> i64 {
    %x = memref.load %h[%i] : memref<12xi64>
    %y = arith.addi %s, %x : i64
    scf.yield %y : i64
  }
  memref.dealloc %h : memref<12xi64>
  return %sum : i64
}

// The host waits for a token in the middle of a chain, behind which the chain
// goes on: it sees 1, and 2 * 1 + 2 = 4 at the end.
func.func private @between() -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<64xi64>
  %k = memref.alloc() : memref<64xi64>
  %t0, %m = async.execute -> !async.value<memref<64xi64>> {
    %d = gpu.alloc () : memref<64xi64>
    gpu.memset %d, %one : memref<64xi64>, i64
    gpu.memcpy %h, %d : memref<64xi64>, memref<64xi64>
    async.yield %d : memref<64xi64>
  }
  %t1 = async.execute [%t0] (%m as %d: !async.value<memref<64xi64>>) {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xi64>, %two : i64)
    gpu.memcpy %k, %d : memref<64xi64>, memref<64xi64>
    gpu.dealloc %d : memref<64xi64>
    async.yield
  }
  async.await %t0 : !async.token
  %x = memref.load %h[%c0] : memref<64xi64>
  async.await %t1 : !async.token
  %y = memref.load %k[%c0] : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  memref.dealloc %k : memref<64xi64>
  return %x, %y : i64, i64
}

// RUN: device schedules=200
// CHECK: 11
// CHECK: 1013
// CHECK: 534
// CHECK: 1
// CHECK: 4
func.func @main() {
  %a = func.call @chain() : () -> i64
  func.call @print(%a) : (i64) -> ()
  %b = func.call @loop() : () -> i64
  func.call @print(%b) : (i64) -> ()
  %c = func.call @many() : () -> i64
  func.call @print(%c) : (i64) -> ()
  %d, %e = func.call @between() : () -> (i64, i64)
  func.call @print(%d) : (i64) -> ()
  func.call @print(%e) : (i64) -> ()
  return
}
}
