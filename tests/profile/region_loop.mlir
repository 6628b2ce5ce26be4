// A region with a loop that the device ends, in which each second round takes a branch.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @count(%s: memref<2xi32>, %at: index) kernel {
      %one = arith.constant 1 : i32
      %v = memref.load %s[%at] : memref<2xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %s[%at] : memref<2xi32>
      gpu.return
    }
  }
  func.func private @rounds() -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %two = arith.constant 2 : i32
    %zero = arith.constant 0 : i32
    %ten = arith.constant 10 : i32
    %h = memref.alloc() : memref<2xi32>
    %g = memref.alloc() : memref<2xi32>
    %a = gpu.alloc() : memref<2xi32>
    gpu.memset %a, %zero : memref<2xi32>, i32
    scf.while : () -> () {
      gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %c0 : index)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %r = arith.remsi %v, %two : i32
      %odd = arith.cmpi ne, %r, %zero : i32
      scf.if %odd {
        gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %c1 : index)
      }
      gpu.memcpy %g, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %g[%c0] : memref<2xi32>
      %go = arith.cmpi slt, %u, %ten : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    %r = memref.load %g[%c1] : memref<2xi32>
    gpu.dealloc %a : memref<2xi32>
    memref.dealloc %h : memref<2xi32>
    memref.dealloc %g : memref<2xi32>
    return %r : i32
  }
  func.func @main() {
    %zero = arith.constant 0 : i32
    %b = gpu.alloc() : memref<2xi32>
    %filled = async.execute {
      gpu.memset %b, %zero : memref<2xi32>, i32
      async.yield
    }
    %t, %f = async.execute -> !async.value<i32> {
      %r = func.call @rounds() : () -> i32
      async.yield %r : i32
    }
    async.await %filled : !async.token
    %odd = async.await %f : !async.value<i32>
    vector.print %odd : i32
    gpu.dealloc %b : memref<2xi32>
    return
  }
}
