// Memory that is registered twice stays registered until it was unregistered as
// often.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @add(%n: i32, %to: memref<8xi32>) kernel {
    %t = gpu.thread_id x
    %x = memref.load %to[%t] : memref<8xi32>
    %y = arith.addi %x, %n : i32
    memref.store %y, %to[%t] : memref<8xi32>
    gpu.return
  }
}

// RUN: @main
// CHECK: 9
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %n = arith.constant 3 : i32
  %h = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %h[%i] : memref<8xi32>
  }
  %u = memref.cast %h : memref<8xi32> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%n : i32, %h : memref<8xi32>)
  gpu.host_unregister %u : memref<*xi32>
  gpu.wait
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%n : i32, %h : memref<8xi32>)
  gpu.host_unregister %u : memref<*xi32>
  // Again, while it may still be on its way.
  gpu.host_register %u : memref<*xi32>
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%n : i32, %h : memref<8xi32>)
  gpu.host_unregister %u : memref<*xi32>
  gpu.wait
  %x = memref.load %h[%c1] : memref<8xi32>
  vector.print %x : i32
  memref.dealloc %h : memref<8xi32>
  return
}

// RUN: @overlap
// ERROR: registered_twice.mlir:[[@LINE+7]]:3: error: registering 16 bytes of host memory at 0x{{[0-9a-f]+}}, which overlap the 32 at 0x{{[0-9a-f]+}} that are registered, registered at {{.*}}registered_twice.mlir:[[@LINE+6]]:3
func.func @overlap() {
  %h = memref.alloc() : memref<8xi32>
  %high = memref.subview %h[4] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  %u = memref.cast %h : memref<8xi32> to memref<*xi32>
  %v = memref.cast %high : memref<4xi32, strided<[1], offset: 4>> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  gpu.host_register %v : memref<*xi32>
  gpu.wait
  return
}

// RUN: @once_more
// ERROR: registered_twice.mlir:[[@LINE+10]]:3: error: unregistering host memory at 0x{{[0-9a-f]+}}, which is not registered
func.func @once_more() {
  %h = memref.alloc() : memref<8xi32>
  %u = memref.cast %h : memref<8xi32> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  gpu.host_unregister %u : memref<*xi32>
  gpu.wait
  gpu.host_unregister %u : memref<*xi32>
  gpu.wait
  gpu.host_unregister %u : memref<*xi32>
  gpu.wait
  return
}

}
