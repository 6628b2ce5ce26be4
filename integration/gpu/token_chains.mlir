// Launches that tokens leave without an order, so that they may overlap: a fork
// and a join by tokens alone, tokens of a loop, and chains in a region and in an
// async function.

module attributes {gpu.container_module} {

func.func private @printI64(i64)
func.func private @printNewline()

gpu.module @kernels {
  // m[i] = a * m[i] + b
  gpu.func @step(%m: memref<64xi64>, %a: i64, %b: i64) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xi64>
    %y = arith.muli %x, %a : i64
    %z = arith.addi %y, %b : i64
    memref.store %z, %m[%i] : memref<64xi64>
    gpu.return
  }
  gpu.func @add(%m: memref<64xi64>, %n: memref<64xi64>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xi64>
    %y = memref.load %n[%i] : memref<64xi64>
    %z = arith.addi %x, %y : i64
    memref.store %z, %m[%i] : memref<64xi64>
    gpu.return
  }
}

func.func private @print(%x: i64) {
  func.call @printI64(%x) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

// Both start with 5; 3 * 5 + 1 = 16 and 7 * 5 + 2 = 37; their sum is 53.
func.func private @fork_join() -> i64 {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %h = memref.alloc() : memref<64xi64>
  %a, %t0 = gpu.alloc async () : memref<64xi64>
  %b, %t1 = gpu.alloc async [%t0] () : memref<64xi64>
  %t2 = gpu.memset async [%t1] %a, %five : memref<64xi64>, i64
  %t3 = gpu.memcpy async [%t2] %b, %a : memref<64xi64>, memref<64xi64>
  %t4 = gpu.launch_func async [%t3] @kernels::@step
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%a : memref<64xi64>, %three : i64, %one : i64)
  %t5 = gpu.launch_func async [%t3] @kernels::@step
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%b : memref<64xi64>, %seven : i64, %two : i64)
  %t6 = gpu.wait async [%t4, %t5]
  %t7 = gpu.launch_func async [%t6] @kernels::@add
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%a : memref<64xi64>, %b : memref<64xi64>)
  %t8 = gpu.memcpy async [%t7] %h, %a : memref<64xi64>, memref<64xi64>
  %t9 = gpu.dealloc async [%t7] %b : memref<64xi64>
  %t10 = gpu.dealloc async [%t8] %a : memref<64xi64>
  gpu.wait [%t9, %t10]
  %x = memref.load %h[%c5] : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  return %x : i64
}

// The token that goes round is behind two launches without an order: four times
// (x + 1, y * 2) from (0, 3) is (4, 48), together 52.
func.func private @rounds() -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %h = memref.alloc() : memref<64xi64>
  %a = gpu.alloc () : memref<64xi64>
  %b = gpu.alloc () : memref<64xi64>
  gpu.memset %a, %zero : memref<64xi64>, i64
  gpu.memset %b, %three : memref<64xi64>, i64
  %start = gpu.wait async
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %start)
      -> !gpu.async.token {
    %t0 = gpu.launch_func async [%t] @kernels::@step
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xi64>, %one : i64, %one : i64)
    %t1 = gpu.launch_func async [%t] @kernels::@step
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%b : memref<64xi64>, %two : i64, %zero : i64)
    %t2 = gpu.wait async [%t0, %t1]
    scf.yield %t2 : !gpu.async.token
  }
  %t3 = gpu.launch_func async [%last] @kernels::@add
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%a : memref<64xi64>, %b : memref<64xi64>)
  gpu.wait [%t3]
  gpu.memcpy %h, %a : memref<64xi64>, memref<64xi64>
  gpu.dealloc %a : memref<64xi64>
  gpu.dealloc %b : memref<64xi64>
  %x = memref.load %h[%c1] : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  return %x : i64
}

// In a body of its own: 2 * x + 1 and 2 * x + 2 of 10 are 21 and 22.
async.func @pair(%a: memref<64xi64>, %b: memref<64xi64>) -> !async.token {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %ten = arith.constant 10 : i64
  %t0 = gpu.memset async %a, %ten : memref<64xi64>, i64
  %t1 = gpu.memset async %b, %ten : memref<64xi64>, i64
  %t2 = gpu.launch_func async [%t0] @kernels::@step
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%a : memref<64xi64>, %two : i64, %one : i64)
  %t3 = gpu.launch_func async [%t1] @kernels::@step
      blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%b : memref<64xi64>, %two : i64, %two : i64)
  gpu.wait [%t2, %t3]
  return
}

// 21 + 22 = 43, from a region that does to the memory what is left to do.
func.func private @bodies() -> i64 {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.alloc() : memref<64xi64>
  %a = gpu.alloc () : memref<64xi64>
  %b = gpu.alloc () : memref<64xi64>
  %t0 = async.call @pair(%a, %b)
      : (memref<64xi64>, memref<64xi64>) -> !async.token
  %t1 = async.execute [%t0] {
    gpu.launch_func @kernels::@add
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xi64>, %b : memref<64xi64>)
    %s = gpu.wait async
    %u0 = gpu.memcpy async [%s] %h, %a : memref<64xi64>, memref<64xi64>
    %u1 = gpu.dealloc async [%u0] %a : memref<64xi64>
    %u2 = gpu.dealloc async [%s] %b : memref<64xi64>
    gpu.wait [%u1, %u2]
    async.yield
  }
  async.await %t1 : !async.token
  %x = memref.load %h[%c1] : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  return %x : i64
}

// RUN: device schedules=200
// CHECK: 53
// CHECK: 52
// CHECK: 43
func.func @main() {
  %1 = func.call @fork_join() : () -> i64
  func.call @print(%1) : (i64) -> ()
  %2 = func.call @rounds() : () -> i64
  func.call @print(%2) : (i64) -> ()
  %3 = func.call @bodies() : () -> i64
  func.call @print(%3) : (i64) -> ()
  return
}

}
