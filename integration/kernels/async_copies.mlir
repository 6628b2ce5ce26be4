// Copies to workgroup memory that go on by themselves, in two groups; a part of
// the last one is filled with zeros.
// CHIPS: sm_80 sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>,
                  %u: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %g = gpu.global_id x
      %zero = arith.constant 0 : i32
      %two = arith.constant 2 : i32
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %first = nvgpu.device_async_copy %x[%g], %w[%t], 1 : memref<?xi32> to memref<1024xi32, #gpu.address_space<workgroup>>
      %group = nvgpu.device_async_create_group %first
      // Every third element is a zero.
      %rest = arith.remui %t, %c3 : index
      %is_zero = arith.cmpi eq, %rest, %c0 : index
      %elements = arith.select %is_zero, %c0, %c1 : index
      %second = nvgpu.device_async_copy %x[%g], %u[%t], 1, %elements : memref<?xi32> to memref<1024xi32, #gpu.address_space<workgroup>>
      %group2 = nvgpu.device_async_create_group %second
      nvgpu.device_async_wait %group2
      gpu.barrier
      %last = arith.subi %n, %c1 : index
      %j = arith.subi %last, %t : index
      %a = memref.load %w[%j] : memref<1024xi32, #gpu.address_space<workgroup>>
      %c = memref.load %u[%j] : memref<1024xi32, #gpu.address_space<workgroup>>
      %d = arith.muli %c, %two : i32
      %r = arith.addi %a, %d : i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %last = arith.subi %to, %c1 : index
    scf.for %i = %from to %to step %c1 {
      %k = arith.subi %i, %from : index
      %j = arith.subi %last, %k : index
      %v = memref.load %x[%j] : memref<?xi32>
      %t = arith.subi %j, %from : index
      %rest = arith.remui %t, %c3 : index
      %is_zero = arith.cmpi eq, %rest, %c0 : index
      %c = arith.select %is_zero, %zero, %v : i32
      %d = arith.muli %c, %two : i32
      %r = arith.addi %v, %d : i32
      memref.store %r, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    %want = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
      memref.store %zero, %want[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    scf.for %b = %c0 to %blocks step %c1 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      func.call @expect(%x, %want, %b, %from, %to)
          : (memref<?xi32>, memref<?xi32>, index, index, index) -> ()
    }
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %a = memref.load %out[%i] : memref<?xi32>
      %e = memref.load %want[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %a, %e : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    memref.dealloc %want : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c7, %c1) : (index, index) -> ()
    func.call @check(%c3, %c31) : (index, index) -> ()
    func.call @check(%c7, %c32) : (index, index) -> ()
    func.call @check(%c3, %c33) : (index, index) -> ()
    func.call @check(%c7, %c256) : (index, index) -> ()
    func.call @check(%c3, %c1024) : (index, index) -> ()
    return
  }
}
