// Conjugate gradients for a line of 8 unknowns, A = (-1 2 -1), until the residual is small:
// the scalars of the method stay on the device, and the host looks at one of them after
// each round. With graphs, and a driver that has conditional nodes, the device does.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // q = A p, a thread for each unknown.
    gpu.func @multiply(%p: memref<8xf32>, %q: memref<8xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %zero = arith.constant 0.0 : f32
      %two = arith.constant 2.0 : f32
      %i = gpu.thread_id x
      %own = memref.load %p[%i] : memref<8xf32>
      %twice = arith.mulf %own, %two : f32
      %is_first = arith.cmpi eq, %i, %c0 : index
      %is_last = arith.cmpi eq, %i, %c7 : index
      %before = arith.subi %i, %c1 : index
      %after = arith.addi %i, %c1 : index
      %left_at = arith.select %is_first, %i, %before : index
      %right_at = arith.select %is_last, %i, %after : index
      %left_any = memref.load %p[%left_at] : memref<8xf32>
      %right_any = memref.load %p[%right_at] : memref<8xf32>
      %left = arith.select %is_first, %zero, %left_any : f32
      %right = arith.select %is_last, %zero, %right_any : f32
      %less = arith.subf %twice, %left : f32
      %result = arith.subf %less, %right : f32
      memref.store %result, %q[%i] : memref<8xf32>
      gpu.return
    }
    // x += a p and r -= a q, a = r'r / p'q; then p = r + b p, b by the new r'r, which
    // is state[0]; state[1] counts.
    gpu.func @advance(%x: memref<8xf32>, %r: memref<8xf32>, %p: memref<8xf32>,
                      %q: memref<8xf32>, %state: memref<2xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %rr = memref.load %state[%c0] : memref<2xf32>
      %pq = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %p[%i] : memref<8xf32>
        %b = memref.load %q[%i] : memref<8xf32>
        %ab = arith.mulf %a, %b : f32
        %more = arith.addf %sum, %ab : f32
        scf.yield %more : f32
      }
      %alpha = arith.divf %rr, %pq : f32
      %new = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
        %pi = memref.load %p[%i] : memref<8xf32>
        %qi = memref.load %q[%i] : memref<8xf32>
        %xi = memref.load %x[%i] : memref<8xf32>
        %ri = memref.load %r[%i] : memref<8xf32>
        %px = arith.mulf %alpha, %pi : f32
        %qr = arith.mulf %alpha, %qi : f32
        %xn = arith.addf %xi, %px : f32
        %rn = arith.subf %ri, %qr : f32
        memref.store %xn, %x[%i] : memref<8xf32>
        memref.store %rn, %r[%i] : memref<8xf32>
        %square = arith.mulf %rn, %rn : f32
        %more = arith.addf %sum, %square : f32
        scf.yield %more : f32
      }
      %beta = arith.divf %new, %rr : f32
      scf.for %i = %c0 to %c8 step %c1 {
        %pi = memref.load %p[%i] : memref<8xf32>
        %ri = memref.load %r[%i] : memref<8xf32>
        %bp = arith.mulf %beta, %pi : f32
        %pn = arith.addf %ri, %bp : f32
        memref.store %pn, %p[%i] : memref<8xf32>
      }
      memref.store %new, %state[%c0] : memref<2xf32>
      %n = memref.load %state[%c1] : memref<2xf32>
      %m = arith.addf %n, %one : f32
      memref.store %m, %state[%c1] : memref<2xf32>
      gpu.return
    }
  }

  // A x = (1 0 ... 0): x[i] = (8 - i) / 9. After 8 rounds it is exact, up to rounding.
  func.func private @solve(%x: memref<8xf32>, %h: memref<8xf32>, %s: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %small = arith.constant 1.0e-9 : f32
    scf.for %i = %c1 to %c8 step %c1 {
      memref.store %zero, %h[%i] : memref<8xf32>
    }
    memref.store %one, %h[%c0] : memref<8xf32>
    memref.store %one, %s[%c0] : memref<2xf32>
    memref.store %zero, %s[%c1] : memref<2xf32>
    %r = gpu.alloc() : memref<8xf32>
    %p = gpu.alloc() : memref<8xf32>
    %q = gpu.alloc() : memref<8xf32>
    %state = gpu.alloc() : memref<2xf32>
    gpu.memset %x, %zero : memref<8xf32>, f32
    gpu.memcpy %r, %h : memref<8xf32>, memref<8xf32>
    gpu.memcpy %p, %h : memref<8xf32>, memref<8xf32>
    gpu.memcpy %state, %s : memref<2xf32>, memref<2xf32>
    scf.while : () -> () {
      gpu.launch_func @kernels::@multiply blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%p : memref<8xf32>, %q : memref<8xf32>)
      gpu.launch_func @kernels::@advance blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<8xf32>, %r : memref<8xf32>, %p : memref<8xf32>, %q : memref<8xf32>,
             %state : memref<2xf32>)
      gpu.memcpy %s, %state : memref<2xf32>, memref<2xf32>
      %rr = memref.load %s[%c0] : memref<2xf32>
      %again = arith.cmpf ogt, %rr, %small : f32
      scf.condition(%again)
    } do {
      scf.yield
    }
    gpu.dealloc %r : memref<8xf32>
    gpu.dealloc %p : memref<8xf32>
    gpu.dealloc %q : memref<8xf32>
    gpu.dealloc %state : memref<2xf32>
    return
  }

  func.func private @print(%x: memref<8xf32>, %h: memref<8xf32>, %s: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    gpu.memcpy %h, %x : memref<8xf32>, memref<8xf32>
    %n = memref.load %s[%c1] : memref<2xf32>
    vector.print %n : f32
    %first = memref.load %h[%c0] : memref<8xf32>
    vector.print %first : f32
    %last = memref.load %h[%c7] : memref<8xf32>
    vector.print %last : f32
    return
  }

  // RUN: device schedules=20
  // CHECK: 8
  // CHECK: 0.888889
  // CHECK: 0.111111
  // CHECK: 8
  // CHECK: 0.888889
  // CHECK: 0.111111
  func.func @main() {
    %h = memref.alloc() : memref<8xf32>
    %s = memref.alloc() : memref<2xf32>
    %x = gpu.alloc() : memref<8xf32>
    func.call @solve(%x, %h, %s) : (memref<8xf32>, memref<8xf32>, memref<2xf32>) -> ()
    func.call @print(%x, %h, %s) : (memref<8xf32>, memref<8xf32>, memref<2xf32>) -> ()
    // The second time the graph is there.
    func.call @solve(%x, %h, %s) : (memref<8xf32>, memref<8xf32>, memref<2xf32>) -> ()
    func.call @print(%x, %h, %s) : (memref<8xf32>, memref<8xf32>, memref<2xf32>) -> ()
    gpu.dealloc %x : memref<8xf32>
    memref.dealloc %h : memref<8xf32>
    memref.dealloc %s : memref<2xf32>
    return
  }
}
