// Jacobi's method on a line until it converges: the host asks after each round of two
// steps how much they have changed. With graphs, and a driver that has conditional nodes,
// the device asks itself after the first round.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // v[i] = (u[i - 1] + u[i + 1]) / 2 for the inner points, of a thread each.
    gpu.func @step(%u: memref<16xf32>, %v: memref<16xf32>) kernel {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %half = arith.constant 0.5 : f32
      %t = gpu.thread_id x
      %i = arith.addi %t, %c1 : index
      %next = arith.addi %t, %c2 : index
      %left = memref.load %u[%t] : memref<16xf32>
      %right = memref.load %u[%next] : memref<16xf32>
      %sum = arith.addf %left, %right : f32
      %mean = arith.mulf %sum, %half : f32
      memref.store %mean, %v[%i] : memref<16xf32>
      gpu.return
    }
    // The largest difference, and how many rounds there have been.
    gpu.func @compare(%u: memref<16xf32>, %v: memref<16xf32>, %most: memref<1xf32>,
                      %rounds: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1 : i32
      %largest = scf.for %i = %c0 to %c16 step %c1 iter_args(%so_far = %zero) -> f32 {
        %a = memref.load %u[%i] : memref<16xf32>
        %b = memref.load %v[%i] : memref<16xf32>
        %d = arith.subf %a, %b : f32
        %size = math.absf %d : f32
        %more = arith.maximumf %so_far, %size : f32
        scf.yield %more : f32
      }
      memref.store %largest, %most[%c0] : memref<1xf32>
      %before = memref.load %rounds[%c0] : memref<1xi32>
      %now = arith.addi %before, %one : i32
      memref.store %now, %rounds[%c0] : memref<1xi32>
      gpu.return
    }
  }

  // RUN: device schedules=20
  // CHECK: rounds, middle:
  // CHECK: 128
  // CHECK: 0.464486
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %small = arith.constant 1.0e-4 : f32
    %none = arith.constant 0 : i32
    %h = memref.alloc() : memref<16xf32>
    %changed = memref.alloc() : memref<1xf32>
    %count = memref.alloc() : memref<1xi32>
    scf.for %i = %c0 to %c15 step %c1 {
      memref.store %zero, %h[%i] : memref<16xf32>
    }
    memref.store %one, %h[%c15] : memref<16xf32>
    %u = gpu.alloc() : memref<16xf32>
    %v = gpu.alloc() : memref<16xf32>
    %most = gpu.alloc() : memref<1xf32>
    %rounds = gpu.alloc() : memref<1xi32>
    gpu.memcpy %u, %h : memref<16xf32>, memref<16xf32>
    gpu.memcpy %v, %h : memref<16xf32>, memref<16xf32>
    gpu.memset %rounds, %none : memref<1xi32>, i32
    scf.while : () -> () {
      gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c14, %c1, %c1)
        args(%u : memref<16xf32>, %v : memref<16xf32>)
      gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c14, %c1, %c1)
        args(%v : memref<16xf32>, %u : memref<16xf32>)
      gpu.launch_func @kernels::@compare blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%u : memref<16xf32>, %v : memref<16xf32>, %most : memref<1xf32>,
             %rounds : memref<1xi32>)
      gpu.memcpy %changed, %most : memref<1xf32>, memref<1xf32>
      %d = memref.load %changed[%c0] : memref<1xf32>
      %again = arith.cmpf ogt, %d, %small : f32
      scf.condition(%again)
    } do {
      scf.yield
    }
    gpu.memcpy %h, %u : memref<16xf32>, memref<16xf32>
    gpu.memcpy %count, %rounds : memref<1xi32>, memref<1xi32>
    gpu.dealloc %u : memref<16xf32>
    gpu.dealloc %v : memref<16xf32>
    gpu.dealloc %most : memref<1xf32>
    gpu.dealloc %rounds : memref<1xi32>
    vector.print str "rounds, middle:\n"
    %n = memref.load %count[%c0] : memref<1xi32>
    vector.print %n : i32
    %middle = memref.load %h[%c7] : memref<16xf32>
    vector.print %middle : f32
    memref.dealloc %h : memref<16xf32>
    memref.dealloc %changed : memref<1xf32>
    memref.dealloc %count : memref<1xi32>
    return
  }
}
