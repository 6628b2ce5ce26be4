// Programs whose plans a modelled clock judges (check_plans.py).

// Work of `%steps` additions for each of `%blocks` blocks of 32 threads.
func.func private @busy(%blocks: index, %steps: index) -> !async.token {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %token = async.execute {
    %d = gpu.alloc() : memref<4096xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %half = arith.constant 0.5 : f32
      %sum = scf.for %k = %c0 to %steps step %one iter_args(%s = %zero) -> f32 {
        %m = arith.mulf %s, %half : f32
        %a = arith.addf %m, %half : f32
        scf.yield %a : f32
      }
      memref.store %sum, %d[%tx] : memref<4096xf32>
      gpu.terminator
    }
    gpu.dealloc %d : memref<4096xf32>
    async.yield
  }
  return %token : !async.token
}

// Two kernels that fit side by side.
func.func @fork_join() {
  %few = arith.constant 4 : index
  %steps = arith.constant 4000 : index
  %a = func.call @busy(%few, %steps) : (index, index) -> !async.token
  %b = func.call @busy(%few, %steps) : (index, index) -> !async.token
  async.await %a : !async.token
  async.await %b : !async.token
  return
}

// The first takes four times as long as the second; a third waits for both.
func.func @uneven() {
  %few = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %steps = arith.constant 1000 : index
  %more = arith.constant 4000 : index
  %a = func.call @busy(%few, %more) : (index, index) -> !async.token
  %b = func.call @busy(%few, %steps) : (index, index) -> !async.token
  %c = async.execute [%a, %b] {
    %d = gpu.alloc() : memref<32xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %d[%tx] : memref<32xf32>
      gpu.terminator
    }
    gpu.dealloc %d : memref<32xf32>
    async.yield
  }
  async.await %c : !async.token
  return
}

// The same, where the host waits for the first before it begins the second.
func.func @early_wait() {
  %few = arith.constant 4 : index
  %steps = arith.constant 4000 : index
  %a = func.call @busy(%few, %steps) : (index, index) -> !async.token
  async.await %a : !async.token
  %b = func.call @busy(%few, %steps) : (index, index) -> !async.token
  async.await %b : !async.token
  return
}

// Sixteen parts, each copied in, worked on and copied out.
func.func @overlap() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c2048 = arith.constant 2048 : index
  %host = memref.alloc() : memref<16x524288xf32>
  %unranked = memref.cast %host : memref<16x524288xf32> to memref<*xf32>
  gpu.host_register %unranked : memref<*xf32>
  %group = async.create_group %c16 : !async.group
  scf.for %i = %c0 to %c16 step %c1 {
    %part = memref.subview %host[%i, 0] [1, 524288] [1, 1]
        : memref<16x524288xf32> to memref<524288xf32, strided<[1], offset: ?>>
    %token = async.execute {
      %d = gpu.alloc() : memref<524288xf32>
      gpu.memcpy %d, %part
          : memref<524288xf32>, memref<524288xf32, strided<[1], offset: ?>>
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2048, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
        %base = arith.muli %bx, %sx : index
        %k = arith.addi %base, %tx : index
        %x = memref.load %d[%k] : memref<524288xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%k] : memref<524288xf32>
        gpu.terminator
      }
      gpu.memcpy %part, %d
          : memref<524288xf32, strided<[1], offset: ?>>, memref<524288xf32>
      gpu.dealloc %d : memref<524288xf32>
      async.yield
    }
    %n = async.add_to_group %token, %group : !async.token
  }
  async.await_all %group
  gpu.host_unregister %unranked : memref<*xf32>
  memref.dealloc %host : memref<16x524288xf32>
  return
}

// Short kernels, one after the other, ten times the same.
func.func @chain() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c32 = arith.constant 32 : index
  %d = gpu.alloc() : memref<32xf32>
  scf.for %i = %c0 to %c10 step %c1 {
    %token = async.execute {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%tx] : memref<32xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %d[%tx] : memref<32xf32>
        gpu.terminator
      }
      async.yield
    }
    async.await %token : !async.token
  }
  gpu.dealloc %d : memref<32xf32>
  return
}

// A domain in two parts: the edge is computed first and exchanged with the host, as with a
// neighbour, while the inside is computed. Three steps, each after both parts of the last.
func.func private @edge(%after: !async.token, %inside: !async.token, %d: memref<65536xf32>,
                        %h: memref<65536xf32>, %steps: index) -> !async.token {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %token = async.execute [%after, %inside] {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c256, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %base = arith.muli %bx, %sx : index
      %k = arith.addi %base, %tx : index
      %x = memref.load %d[%k] : memref<65536xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %d[%k] : memref<65536xf32>
      gpu.terminator
    }
    gpu.memcpy %h, %d : memref<65536xf32>, memref<65536xf32>
    gpu.memcpy %d, %h : memref<65536xf32>, memref<65536xf32>
    async.yield
  }
  return %token : !async.token
}

func.func private @inside(%after: !async.token, %edge: !async.token, %d: memref<65536xf32>,
                          %steps: index) -> !async.token {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %token = async.execute [%after, %edge] {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c64, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %half = arith.constant 0.5 : f32
      %base = arith.muli %bx, %sx : index
      %k = arith.addi %base, %tx : index
      %x = memref.load %d[%k] : memref<65536xf32>
      %y = scf.for %i = %c0 to %steps step %one iter_args(%s = %x) -> f32 {
        %m = arith.mulf %s, %half : f32
        %a = arith.addf %m, %half : f32
        scf.yield %a : f32
      }
      memref.store %y, %d[%k] : memref<65536xf32>
      gpu.terminator
    }
    async.yield
  }
  return %token : !async.token
}

func.func @halo() {
  %steps = arith.constant 2000 : index
  %host = memref.alloc() : memref<65536xf32>
  %unranked = memref.cast %host : memref<65536xf32> to memref<*xf32>
  gpu.host_register %unranked : memref<*xf32>
  %edge = gpu.alloc() : memref<65536xf32>
  %inside = gpu.alloc() : memref<65536xf32>
  %t0 = async.execute { async.yield }
  %e1 = func.call @edge(%t0, %t0, %edge, %host, %steps) : (!async.token, !async.token, memref<65536xf32>, memref<65536xf32>, index) -> !async.token
  %i1 = func.call @inside(%t0, %t0, %inside, %steps) : (!async.token, !async.token, memref<65536xf32>, index) -> !async.token
  %e2 = func.call @edge(%e1, %i1, %edge, %host, %steps) : (!async.token, !async.token, memref<65536xf32>, memref<65536xf32>, index) -> !async.token
  %i2 = func.call @inside(%i1, %e1, %inside, %steps) : (!async.token, !async.token, memref<65536xf32>, index) -> !async.token
  %e3 = func.call @edge(%e2, %i2, %edge, %host, %steps) : (!async.token, !async.token, memref<65536xf32>, memref<65536xf32>, index) -> !async.token
  %i3 = func.call @inside(%i2, %e2, %inside, %steps) : (!async.token, !async.token, memref<65536xf32>, index) -> !async.token
  async.await %e3 : !async.token
  async.await %i3 : !async.token
  gpu.dealloc %edge : memref<65536xf32>
  gpu.dealloc %inside : memref<65536xf32>
  gpu.host_unregister %unranked : memref<*xf32>
  memref.dealloc %host : memref<65536xf32>
  return
}
