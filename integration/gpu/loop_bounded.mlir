// A loop that carries numbers, which kernels are given, and has a bound on its rounds. With
// graphs, and a driver that has conditional nodes, they stay in device memory.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @k {
    // a[0] += i; a[1] = f
    gpu.func @step(%a: memref<2xf32>, %i: index, %f: f32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = memref.load %a[%c0] : memref<2xf32>
      %j = arith.index_cast %i : index to i32
      %g = arith.sitofp %j : i32 to f32
      %w = arith.addf %v, %g : f32
      memref.store %w, %a[%c0] : memref<2xf32>
      memref.store %f, %a[%c1] : memref<2xf32>
      gpu.return
    }
  }
  // RUN: device schedules=20
  // CHECK: rounds, sum of sums, sum:
  // CHECK: 20
  // CHECK: 5620
  // CHECK: 630
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %big = arith.constant 1000.0 : f32
    %c20 = arith.constant 20 : index
    %h = memref.alloc() : memref<2xf32>
    %a = gpu.alloc() : memref<2xf32>
    gpu.memset %a, %zero : memref<2xf32>, f32
    %n, %last = scf.while (%i = %c0, %x = %big) : (index, f32) -> (index, f32) {
      %i3 = arith.muli %i, %c3 : index
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xf32>, %i3 : index, %x : f32)
      gpu.memcpy %h, %a : memref<2xf32>, memref<2xf32>
      %v = memref.load %h[%c0] : memref<2xf32>
      %l = memref.load %h[%c1] : memref<2xf32>
      %go = arith.cmpf olt, %v, %big : f32
      %in = arith.cmpi slt, %i, %c20 : index
      %both = arith.andi %go, %in : i1
      %s = arith.addf %v, %l : f32
      scf.condition(%both) %i, %s : index, f32
    } do {
    ^bb0(%i: index, %x: f32):
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %x : index, f32
    }
    vector.print str "rounds, sum of sums, sum:\n"
    vector.print %n : index
    vector.print %last : f32
    %r = memref.load %h[%c0] : memref<2xf32>
    vector.print %r : f32
    memref.dealloc %h : memref<2xf32>
    gpu.dealloc %a : memref<2xf32>
    return
  }
}
