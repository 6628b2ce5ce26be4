// A kernel is given the memory that the host copies to, to end the loop: what it reads there is
// the number of the round, so the sum is 1 + 2 + ... + 9. No device ends that loop: what the host
// has a copy of would be copied once.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @count(%s: memref<2xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %v = memref.load %s[%c0] : memref<2xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %s[%c0] : memref<2xi32>
      gpu.return
    }
    gpu.func @add(%s: memref<2xi32>, %h: memref<2xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = memref.load %h[%c0] : memref<2xi32>
      %v = memref.load %s[%c1] : memref<2xi32>
      %w = arith.addi %v, %x : i32
      memref.store %w, %s[%c1] : memref<2xi32>
      gpu.return
    }
  }
  // RUN: device schedules=20
  // CHECK: 45
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %ten = arith.constant 10 : i32
    %h = memref.alloc() : memref<2xi32>
    %hu = memref.cast %h : memref<2xi32> to memref<*xi32>
    gpu.host_register %hu : memref<*xi32>
    %a = gpu.alloc() : memref<2xi32>
    gpu.memset %a, %zero : memref<2xi32>, i32
    scf.while : () -> () {
      gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi slt, %v, %ten : i32
      scf.condition(%go)
    } do {
      gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %h : memref<2xi32>)
      scf.yield
    }
    gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
    %r1 = memref.load %h[%c1] : memref<2xi32>
    vector.print %r1 : i32
    gpu.dealloc %a : memref<2xi32>
    gpu.host_unregister %hu : memref<*xi32>
    memref.dealloc %h : memref<2xi32>
    return
  }
}
