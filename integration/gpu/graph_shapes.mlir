// Rounds that are one thing and another by turns: an even one launches a kernel twice,
// an odd one fills and copies. A graph has seven of them, and begins with the one kind
// or the other: two graphs are built.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: memref<8xi32>, %b: memref<8xi32>, %more: i32) kernel {
      %t = gpu.thread_id x
      %x = memref.load %a[%t] : memref<8xi32>
      %y = memref.load %b[%t] : memref<8xi32>
      %s = arith.addi %x, %y : i32
      %z = arith.addi %s, %more : i32
      memref.store %z, %a[%t] : memref<8xi32>
      gpu.return
    }
  }

  func.func @print_first(%d: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %h = memref.alloc() : memref<8xi32>
    gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
    %x = memref.load %h[%c0] : memref<8xi32>
    vector.print %x : i32
    memref.dealloc %h : memref<8xi32>
    return
  }

  // RUN: device schedules=50
  // CHECK: 1752
  // CHECK: 49
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %n = arith.constant 50 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<8xi32>
    %b = gpu.alloc() : memref<8xi32>
    %c = gpu.alloc() : memref<8xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    gpu.memset %c, %zero : memref<8xi32>, i32
    // a += b + i and a += c in even rounds; b = i, which is copied to c, in odd ones.
    scf.for %i = %c0 to %n step %c1 {
      %number = arith.index_cast %i : index to i32
      %rest = arith.remui %i, %c2 : index
      %odd = arith.cmpi eq, %rest, %c1 : index
      scf.if %odd {
        gpu.memset %b, %number : memref<8xi32>, i32
        gpu.memcpy %c, %b : memref<8xi32>, memref<8xi32>
      } else {
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%a : memref<8xi32>, %b : memref<8xi32>, %number : i32)
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%a : memref<8xi32>, %c : memref<8xi32>, %zero : i32)
      }
    }
    func.call @print_first(%a) : (memref<8xi32>) -> ()
    func.call @print_first(%c) : (memref<8xi32>) -> ()
    gpu.dealloc %a : memref<8xi32>
    gpu.dealloc %b : memref<8xi32>
    gpu.dealloc %c : memref<8xi32>
    return
  }
}
