// GPU ops outside any region, which run to their end one after the other:
// fill, launch, copy within the device, copy back, memory that host and device
// share, and host memory made known to the device.

func.func @add_one(%buffer: memref<?xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %one = arith.constant 1 : i32
    %x = memref.load %buffer[%bx] : memref<?xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %buffer[%bx] : memref<?xi32>
    gpu.terminator
  }
  return
}

func.func @print_sum(%buffer: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %buffer, %c0 : memref<?xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> i32 {
    %x = memref.load %buffer[%i] : memref<?xi32>
    %next = arith.addi %acc, %x : i32
    scf.yield %next : i32
  }
  vector.print %sum : i32
  return
}

// RUN: device schedules=200
// CHECK: 2400
// CHECK: 2700
// CHECK: 2700
func.func @main() {
  %n = arith.constant 300 : index
  %seven = arith.constant 7 : i32

  // 300 * (7 + 1) = 2400
  %host = memref.alloc(%n) : memref<?xi32>
  %a = gpu.alloc(%n) : memref<?xi32>
  %b = gpu.alloc(%n) : memref<?xi32>
  gpu.memset %a, %seven : memref<?xi32>, i32
  call @add_one(%a, %n) : (memref<?xi32>, index) -> ()
  gpu.memcpy %b, %a : memref<?xi32>, memref<?xi32>
  gpu.memcpy %host, %b : memref<?xi32>, memref<?xi32>
  call @print_sum(%host) : (memref<?xi32>) -> ()
  gpu.dealloc %a : memref<?xi32>
  gpu.dealloc %b : memref<?xi32>

  // Shared memory, read by the host without a copy: 300 * (7 + 1 + 1) = 2700
  %shared = gpu.alloc host_shared(%n) : memref<?xi32>
  gpu.memset %shared, %seven : memref<?xi32>, i32
  call @add_one(%shared, %n) : (memref<?xi32>, index) -> ()
  call @add_one(%shared, %n) : (memref<?xi32>, index) -> ()
  call @print_sum(%shared) : (memref<?xi32>) -> ()
  gpu.dealloc %shared : memref<?xi32>

  // The host's own memory: 300 * (8 + 1) = 2700
  %unranked = memref.cast %host : memref<?xi32> to memref<*xi32>
  gpu.host_register %unranked : memref<*xi32>
  call @add_one(%host, %n) : (memref<?xi32>, index) -> ()
  gpu.host_unregister %unranked : memref<*xi32>
  call @print_sum(%host) : (memref<?xi32>) -> ()
  memref.dealloc %host : memref<?xi32>
  return
}
