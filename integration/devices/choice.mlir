// Which device a region works on: the one that its attribute names, or the
// default of whoever spawns it where it does, whatever thread it is resumed on.
// The program needs four devices.
// CARD: unpacked, it may have fewer devices
// DEVICES: 4

func.func private @agpu_default_device() -> i32
func.func private @agpu_device_count() -> i32

func.func @show() {
  %device = func.call @agpu_default_device() : () -> i32
  vector.print %device : i32
  return
}

// Adds 1 to the cell on the device, and prints the default device before and
// after the host has waited for that.
func.func @step(%cell: memref<1xi32>) {
  %c1 = arith.constant 1 : index
  func.call @show() : () -> ()
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %x = memref.load %cell[%c0] : memref<1xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %cell[%c0] : memref<1xi32>
    gpu.terminator
  }
  return
}

// A function with a device of its own leaves it when it returns.
func.func @on_three(%cell: memref<1xi32>) attributes {async_gpu.device = 3 : i32} {
  func.call @step(%cell) : (memref<1xi32>) -> ()
  return
}

// RUN: devices
// RUN: EMU_DEVICES=4 schedules=200
// CHECK: 4
// CHECK: 1
// CHECK: 1
// CHECK: 2
// CHECK: 2
// CHECK: 3
// CHECK: 2
// CHECK: 1
// CHECK: 0
// CHECK: 1
// CHECK: 3
// CHECK: 1
// CHECK: 2
// CHECK: 10
func.func @main() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %count = func.call @agpu_device_count() : () -> i32
  vector.print %count : i32                                          // 4

  // Memory of device 0, which every other device adds to.
  %cell = gpu.alloc() : memref<1xi32>
  gpu.memset %cell, %zero : memref<1xi32>, i32
  %ready = gpu.wait async
  gpu.wait [%ready]

  %t = async.execute attributes {async_gpu.device = 1 : i32} {
    func.call @step(%cell) : (memref<1xi32>) -> ()                   // 1
    // Starts where its spawner is; suspends, and goes on there.
    %inner = async.execute {
      func.call @step(%cell) : (memref<1xi32>) -> ()                 // 1
      gpu.set_default_device %two
      func.call @step(%cell) : (memref<1xi32>) -> ()                 // 2
      %innermost = async.execute {
        func.call @step(%cell) : (memref<1xi32>) -> ()               // 2
        async.yield
      }
      %elsewhere = async.execute [%innermost] attributes {async_gpu.device = 3 : i32} {
        func.call @step(%cell) : (memref<1xi32>) -> ()               // 3
        async.yield
      }
      async.await %elsewhere : !async.token
      func.call @step(%cell) : (memref<1xi32>) -> ()                 // 2
      async.yield
    }
    async.await %inner : !async.token
    func.call @step(%cell) : (memref<1xi32>) -> ()                   // 1
    async.yield
  }
  async.await %t : !async.token
  func.call @show() : () -> ()                                       // 0

  // The default as it was where the region was spawned, not where it starts.
  gpu.set_default_device %one
  %u = async.execute [%t] {
    func.call @step(%cell) : (memref<1xi32>) -> ()                   // 1
    func.call @on_three(%cell) : (memref<1xi32>) -> ()               // 3
    func.call @step(%cell) : (memref<1xi32>) -> ()                   // 1
    async.yield
  }
  gpu.set_default_device %two
  async.await %u : !async.token
  func.call @show() : () -> ()                                       // 2

  // The body goes on on the other device, behind its work so far, and frees
  // memory of the first one there.
  %host = memref.alloc() : memref<1xi32>
  gpu.memcpy %host, %cell : memref<1xi32>, memref<1xi32>
  gpu.dealloc %cell : memref<1xi32>
  %done = gpu.wait async
  gpu.wait [%done]
  %sum = memref.load %host[%c0] : memref<1xi32>
  vector.print %sum : i32                                            // 10
  memref.dealloc %host : memref<1xi32>
  return
}
