// Kernels that read memory of the device which nothing has written.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @double(%to: memref<8xi32>, %from: memref<8xi32>) kernel {
    %t = gpu.thread_id x
    %x = memref.load %from[%t] : memref<8xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %to[%t] : memref<8xi32>
    gpu.return
  }
  gpu.func @count(%cells: memref<8xi32>) kernel {
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %old = memref.atomic_rmw addi %one, %cells[%c3] : (i32, memref<8xi32>) -> i32
    gpu.return
  }
}

// The fill covers the first half.
// RUN: @half EMU_CHECK=memory
// ERROR: unwritten.mlir:[[@LINE-15]]:10: error: kernel 'double', block 0,0,0: thread 4,0,0 reads 4 bytes that nothing has written, at byte 16 of the 32 allocated at {{.*}}unwritten.mlir:[[@LINE+5]]:8
func.func @half() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %a = gpu.alloc() : memref<8xi32>
  %b = gpu.alloc() : memref<8xi32>
  %low = memref.subview %a[0] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  gpu.memset %low, %zero : memref<4xi32, strided<[1]>>, i32
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%b : memref<8xi32>, %a : memref<8xi32>)
  gpu.wait
  gpu.dealloc %a : memref<8xi32>
  gpu.dealloc %b : memref<8xi32>
  return
}

// What is copied is as it was.
// RUN: @copied EMU_CHECK=memory
// ERROR: unwritten.mlir:[[@LINE-33]]:10: error: kernel 'double', block 0,0,0: thread 0,0,0 reads 4 bytes that nothing has written, at byte 0 of the 32 allocated at {{.*}}unwritten.mlir:[[@LINE+5]]:8
func.func @copied() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = gpu.alloc() : memref<8xi32>
  %b = gpu.alloc() : memref<8xi32>
  gpu.memcpy %b, %a : memref<8xi32>, memref<8xi32>
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %b : memref<8xi32>)
  gpu.wait
  gpu.dealloc %a : memref<8xi32>
  gpu.dealloc %b : memref<8xi32>
  return
}

// An atomic operation reads, too.
// RUN: @counter EMU_CHECK=memory
// ERROR: unwritten.mlir:[[@LINE-41]]:12: error: kernel 'count', block 0,0,0: thread 0,0,0 reads 4 bytes that nothing has written, at byte 12 of the 32 allocated at {{.*}}unwritten.mlir:[[@LINE+3]]:8
func.func @counter() {
  %c1 = arith.constant 1 : index
  %a = gpu.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xi32>)
  gpu.wait
  gpu.dealloc %a : memref<8xi32>
  return
}

// From the host, by a kernel, by a copy of what a kernel wrote: all is written.
// RUN: @fine EMU_CHECK=memory EMU_THREADS=1|3
// CHECK: 20
func.func @fine() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %three = arith.constant 3 : i32
  %h = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %three, %h[%i] : memref<8xi32>
  }
  %a = gpu.alloc() : memref<8xi32>
  %b = gpu.alloc() : memref<8xi32>
  %c = gpu.alloc() : memref<8xi32>
  gpu.memcpy %a, %h : memref<8xi32>, memref<8xi32>
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%b : memref<8xi32>, %a : memref<8xi32>)
  gpu.memcpy %c, %b : memref<8xi32>, memref<8xi32>
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %c : memref<8xi32>)
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>)
  gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
  gpu.wait
  %c3 = arith.constant 3 : index
  %x = memref.load %h[%c3] : memref<8xi32>
  vector.print %x : i32
  gpu.dealloc %a : memref<8xi32>
  gpu.dealloc %b : memref<8xi32>
  gpu.dealloc %c : memref<8xi32>
  memref.dealloc %h : memref<8xi32>
  return
}

// A copy of the second half, which the fill covers, into the first: what was
// read of the source, not of the first bytes of its allocation.
// RUN: @second_half EMU_CHECK=memory
// CHECK: 6
func.func @second_half() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %three = arith.constant 3 : i32
  %h = memref.alloc() : memref<8xi32>
  %a = gpu.alloc() : memref<8xi32>
  %b = gpu.alloc() : memref<8xi32>
  %high = memref.subview %a[4] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  %low = memref.subview %b[0] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  gpu.memset %high, %three : memref<4xi32, strided<[1], offset: 4>>, i32
  gpu.memcpy %low, %high : memref<4xi32, strided<[1]>>, memref<4xi32, strided<[1], offset: 4>>
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%a : memref<8xi32>, %b : memref<8xi32>)
  gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
  gpu.wait
  %x = memref.load %h[%c1] : memref<8xi32>
  vector.print %x : i32
  gpu.dealloc %a : memref<8xi32>
  gpu.dealloc %b : memref<8xi32>
  memref.dealloc %h : memref<8xi32>
  return
}

// The same where the fill covers the first half.
// RUN: @other_half EMU_CHECK=memory
// ERROR: unwritten.mlir:[[@LINE-119]]:10: error: kernel 'double', block 0,0,0: thread 0,0,0 reads 4 bytes that nothing has written, at byte 0 of the 32 allocated at {{.*}}unwritten.mlir:[[@LINE+6]]:8
func.func @other_half() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %three = arith.constant 3 : i32
  %a = gpu.alloc() : memref<8xi32>
  %b = gpu.alloc() : memref<8xi32>
  %high = memref.subview %a[4] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  %low = memref.subview %a[0] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  %copy = memref.subview %b[0] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  gpu.memset %low, %three : memref<4xi32, strided<[1]>>, i32
  gpu.memcpy %copy, %high : memref<4xi32, strided<[1]>>, memref<4xi32, strided<[1], offset: 4>>
  gpu.launch_func @kernels::@double blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%a : memref<8xi32>, %b : memref<8xi32>)
  gpu.wait
  gpu.dealloc %a : memref<8xi32>
  gpu.dealloc %b : memref<8xi32>
  return
}

}
