// Boxes of tensors that are copied to workgroup memory and back, partly out of
// bounds, with each pattern of swizzling: element by element where the pattern puts
// it, through another copy, and added to what is there.
// CHIPS: sm_90 sm_100

!map_none = !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32, #gpu.address_space<workgroup>>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!map_by_32 = !nvgpu.tensormap.descriptor<tensor = memref<32x8xf32, #gpu.address_space<workgroup>>, swizzle = swizzle_32b, l2promo = none, oob = zero, interleave = none>
!map_by_64 = !nvgpu.tensormap.descriptor<tensor = memref<16x16xf32, #gpu.address_space<workgroup>>, swizzle = swizzle_64b, l2promo = none, oob = zero, interleave = none>
!map_by_128 = !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The box whose first element is -3 columns and 15 rows into the tensor.
    gpu.func @none(%from: !map_none, %to: !map_none, %sum: !llvm.ptr, %out: memref<256xf32>)
        workgroup(%w: memref<8x32xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %c15 = arith.constant 15 : index
      %mask = arith.constant 0 : index
      %columns = arith.constant 32 : index
      %all = arith.constant 256 : index
      %bytes = arith.constant 1024 : index
      %left = arith.constant -3 : index
      %x = arith.constant -3 : i32
      %y = arith.constant 15 : i32
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %first = arith.cmpi eq, %t, %c0 : index
      %b = nvgpu.mbarrier.create -> !barrier
      nvgpu.tma.prefetch.descriptor %from : !map_none
      nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !barrier
      gpu.barrier
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes, predicate = %first : !barrier
      nvgpu.tma.async.load %from[%left, %c15], %b[%c0] to %w, predicate = %first : !map_none, !barrier -> memref<8x32xf32, #gpu.address_space<workgroup>>
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
      scf.for %e = %t to %all step %n {
        %offset = arith.shli %e, %c2 : index
        %row = arith.shrui %offset, %c7 : index
        %pattern = arith.andi %row, %mask : index
        %moved = arith.shli %pattern, %c4 : index
        %place = arith.xori %offset, %moved : index
        %word = arith.shrui %place, %c2 : index
        %i = arith.divui %word, %columns : index
        %j = arith.remui %word, %columns : index
        %v = memref.load %w[%i, %j] : memref<8x32xf32, #gpu.address_space<workgroup>>
        memref.store %v, %out[%e] : memref<256xf32>
      }
      scf.if %first {
        nvgpu.tma.async.store %w to %to[%left, %c15] : memref<8x32xf32, #gpu.address_space<workgroup>> -> !map_none
        nvvm.cp.async.bulk.commit.group
        %address = memref.extract_aligned_pointer_as_index %w : memref<8x32xf32, #gpu.address_space<workgroup>> -> index
        %number = arith.index_cast %address : index to i64
        %source = llvm.inttoptr %number : i64 to !llvm.ptr<3>
        nvvm.cp.async.bulk.tensor.reduce %sum, %source, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 1 {read}
        nvvm.cp.async.bulk.wait_group 0
      }
      gpu.return
    }
    // The box whose first element is -3 columns and 15 rows into the tensor.
    gpu.func @by_32(%from: !map_by_32, %to: !map_by_32, %sum: !llvm.ptr, %out: memref<256xf32>)
        workgroup(%w: memref<32x8xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %c15 = arith.constant 15 : index
      %mask = arith.constant 1 : index
      %columns = arith.constant 8 : index
      %all = arith.constant 256 : index
      %bytes = arith.constant 1024 : index
      %left = arith.constant -3 : index
      %x = arith.constant -3 : i32
      %y = arith.constant 15 : i32
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %first = arith.cmpi eq, %t, %c0 : index
      %b = nvgpu.mbarrier.create -> !barrier
      nvgpu.tma.prefetch.descriptor %from : !map_by_32
      nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !barrier
      gpu.barrier
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes, predicate = %first : !barrier
      nvgpu.tma.async.load %from[%left, %c15], %b[%c0] to %w, predicate = %first : !map_by_32, !barrier -> memref<32x8xf32, #gpu.address_space<workgroup>>
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
      scf.for %e = %t to %all step %n {
        %offset = arith.shli %e, %c2 : index
        %row = arith.shrui %offset, %c7 : index
        %pattern = arith.andi %row, %mask : index
        %moved = arith.shli %pattern, %c4 : index
        %place = arith.xori %offset, %moved : index
        %word = arith.shrui %place, %c2 : index
        %i = arith.divui %word, %columns : index
        %j = arith.remui %word, %columns : index
        %v = memref.load %w[%i, %j] : memref<32x8xf32, #gpu.address_space<workgroup>>
        memref.store %v, %out[%e] : memref<256xf32>
      }
      scf.if %first {
        nvgpu.tma.async.store %w to %to[%left, %c15] : memref<32x8xf32, #gpu.address_space<workgroup>> -> !map_by_32
        nvvm.cp.async.bulk.commit.group
        %address = memref.extract_aligned_pointer_as_index %w : memref<32x8xf32, #gpu.address_space<workgroup>> -> index
        %number = arith.index_cast %address : index to i64
        %source = llvm.inttoptr %number : i64 to !llvm.ptr<3>
        nvvm.cp.async.bulk.tensor.reduce %sum, %source, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 1 {read}
        nvvm.cp.async.bulk.wait_group 0
      }
      gpu.return
    }
    // The box whose first element is -3 columns and 15 rows into the tensor.
    gpu.func @by_64(%from: !map_by_64, %to: !map_by_64, %sum: !llvm.ptr, %out: memref<256xf32>)
        workgroup(%w: memref<16x16xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %c15 = arith.constant 15 : index
      %mask = arith.constant 3 : index
      %columns = arith.constant 16 : index
      %all = arith.constant 256 : index
      %bytes = arith.constant 1024 : index
      %left = arith.constant -3 : index
      %x = arith.constant -3 : i32
      %y = arith.constant 15 : i32
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %first = arith.cmpi eq, %t, %c0 : index
      %b = nvgpu.mbarrier.create -> !barrier
      nvgpu.tma.prefetch.descriptor %from : !map_by_64
      nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !barrier
      gpu.barrier
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes, predicate = %first : !barrier
      nvgpu.tma.async.load %from[%left, %c15], %b[%c0] to %w, predicate = %first : !map_by_64, !barrier -> memref<16x16xf32, #gpu.address_space<workgroup>>
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
      scf.for %e = %t to %all step %n {
        %offset = arith.shli %e, %c2 : index
        %row = arith.shrui %offset, %c7 : index
        %pattern = arith.andi %row, %mask : index
        %moved = arith.shli %pattern, %c4 : index
        %place = arith.xori %offset, %moved : index
        %word = arith.shrui %place, %c2 : index
        %i = arith.divui %word, %columns : index
        %j = arith.remui %word, %columns : index
        %v = memref.load %w[%i, %j] : memref<16x16xf32, #gpu.address_space<workgroup>>
        memref.store %v, %out[%e] : memref<256xf32>
      }
      scf.if %first {
        nvgpu.tma.async.store %w to %to[%left, %c15] : memref<16x16xf32, #gpu.address_space<workgroup>> -> !map_by_64
        nvvm.cp.async.bulk.commit.group
        %address = memref.extract_aligned_pointer_as_index %w : memref<16x16xf32, #gpu.address_space<workgroup>> -> index
        %number = arith.index_cast %address : index to i64
        %source = llvm.inttoptr %number : i64 to !llvm.ptr<3>
        nvvm.cp.async.bulk.tensor.reduce %sum, %source, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 1 {read}
        nvvm.cp.async.bulk.wait_group 0
      }
      gpu.return
    }
    // The box whose first element is -3 columns and 15 rows into the tensor.
    gpu.func @by_128(%from: !map_by_128, %to: !map_by_128, %sum: !llvm.ptr, %out: memref<256xf32>)
        workgroup(%w: memref<8x32xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %c15 = arith.constant 15 : index
      %mask = arith.constant 7 : index
      %columns = arith.constant 32 : index
      %all = arith.constant 256 : index
      %bytes = arith.constant 1024 : index
      %left = arith.constant -3 : index
      %x = arith.constant -3 : i32
      %y = arith.constant 15 : i32
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %first = arith.cmpi eq, %t, %c0 : index
      %b = nvgpu.mbarrier.create -> !barrier
      nvgpu.tma.prefetch.descriptor %from : !map_by_128
      nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !barrier
      gpu.barrier
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes, predicate = %first : !barrier
      nvgpu.tma.async.load %from[%left, %c15], %b[%c0] to %w, predicate = %first : !map_by_128, !barrier -> memref<8x32xf32, #gpu.address_space<workgroup>>
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
      scf.for %e = %t to %all step %n {
        %offset = arith.shli %e, %c2 : index
        %row = arith.shrui %offset, %c7 : index
        %pattern = arith.andi %row, %mask : index
        %moved = arith.shli %pattern, %c4 : index
        %place = arith.xori %offset, %moved : index
        %word = arith.shrui %place, %c2 : index
        %i = arith.divui %word, %columns : index
        %j = arith.remui %word, %columns : index
        %v = memref.load %w[%i, %j] : memref<8x32xf32, #gpu.address_space<workgroup>>
        memref.store %v, %out[%e] : memref<256xf32>
      }
      scf.if %first {
        nvgpu.tma.async.store %w to %to[%left, %c15] : memref<8x32xf32, #gpu.address_space<workgroup>> -> !map_by_128
        nvvm.cp.async.bulk.commit.group
        %address = memref.extract_aligned_pointer_as_index %w : memref<8x32xf32, #gpu.address_space<workgroup>> -> index
        %number = arith.index_cast %address : index to i64
        %source = llvm.inttoptr %number : i64 to !llvm.ptr<3>
        nvvm.cp.async.bulk.tensor.reduce %sum, %source, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 1 {read}
        nvvm.cp.async.bulk.wait_group 0
      }
      gpu.return
    }
  }

  // What an element of the tensor is; zero out of bounds.
  func.func @element(%i: index, %j: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c20 = arith.constant 20 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0.0 : f32
    %i0 = arith.cmpi ult, %i, %c20 : index
    %j0 = arith.cmpi ult, %j, %c40 : index
    %inside = arith.andi %i0, %j0 : i1
    %k = arith.muli %i, %c40 : index
    %l = arith.addi %k, %j : index
    %m = arith.index_cast %l : index to i32
    %f = arith.sitofp %m : i32 to f32
    %r = arith.select %inside, %f, %zero : f32
    return %r : f32
  }

  // How many elements are not what they should be, given the shape of the box:
  // of %out, and of %to and %sum, where those outside of the box are -1 and 1.
  func.func @count(%rows: index, %columns: index, %out: memref<256xf32>,
                   %to: memref<20x40xf32>, %sum: memref<20x40xf32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c15 = arith.constant 15 : index
    %c20 = arith.constant 20 : index
    %c40 = arith.constant 40 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %minus = arith.constant -1.0 : f32
    %one = arith.constant 1.0 : f32
    %wrong = scf.for %e = %c0 to %c256 step %c1 iter_args(%w = %zero) -> i32 {
      %r = arith.divui %e, %columns : index
      %c = arith.remui %e, %columns : index
      %i = arith.addi %r, %c15 : index
      %j = arith.subi %c, %c3 : index
      %want = func.call @element(%i, %j) : (index, index) -> f32
      %is = memref.load %out[%e] : memref<256xf32>
      %differ = arith.cmpf une, %want, %is : f32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    %more = scf.for %i = %c0 to %c20 step %c1 iter_args(%w = %wrong) -> i32 {
      %w2 = scf.for %j = %c0 to %c40 step %c1 iter_args(%q = %w) -> i32 {
        %r = arith.subi %i, %c15 : index
        %c = arith.addi %j, %c3 : index
        %r0 = arith.cmpi ult, %r, %rows : index
        %c0b = arith.cmpi ult, %c, %columns : index
        %inside = arith.andi %r0, %c0b : i1
        %value = func.call @element(%i, %j) : (index, index) -> f32
        %copied = arith.select %inside, %value, %minus : f32
        %plus = arith.addf %value, %one : f32
        %added = arith.select %inside, %plus, %one : f32
        %a = memref.load %to[%i, %j] : memref<20x40xf32>
        %b = memref.load %sum[%i, %j] : memref<20x40xf32>
        %da = arith.cmpf une, %copied, %a : f32
        %db = arith.cmpf une, %added, %b : f32
        %d = arith.ori %da, %db : i1
        %d32 = arith.extui %d : i1 to i32
        %q1 = arith.addi %q, %d32 : i32
        scf.yield %q1 : i32
      }
      scf.yield %w2 : i32
    }
    return %more : i32
  }

  func.func @fill(%m: memref<20x40xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %c40 = arith.constant 40 : index
    scf.for %i = %c0 to %c20 step %c1 {
      scf.for %j = %c0 to %c40 step %c1 {
        memref.store %v, %m[%i, %j] : memref<20x40xf32>
      }
    }
    return
  }

  // The sum of elements that are wrong, over all patterns, for blocks of so many
  // threads.
  func.func @check(%threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %c40 = arith.constant 40 : index
    %minus = arith.constant -1.0 : f32
    %one = arith.constant 1.0 : f32
    %h = memref.alloc() : memref<20x40xf32>
    %hto = memref.alloc() : memref<20x40xf32>
    %hsum = memref.alloc() : memref<20x40xf32>
    %hout = memref.alloc() : memref<256xf32>
    scf.for %i = %c0 to %c20 step %c1 {
      scf.for %j = %c0 to %c40 step %c1 {
        %v = func.call @element(%i, %j) : (index, index) -> f32
        memref.store %v, %h[%i, %j] : memref<20x40xf32>
      }
    }
    %d = gpu.alloc() : memref<20x40xf32>
    %dto = gpu.alloc() : memref<20x40xf32>
    %dsum = gpu.alloc() : memref<20x40xf32>
    %dout = gpu.alloc() : memref<256xf32>
    gpu.memcpy %d, %h : memref<20x40xf32>, memref<20x40xf32>
    %u = memref.cast %d : memref<20x40xf32> to memref<*xf32>
    %uto = memref.cast %dto : memref<20x40xf32> to memref<*xf32>
    %usum = memref.cast %dsum : memref<20x40xf32> to memref<*xf32>
    %w0 = arith.constant 0 : i32
    %rows_none = arith.constant 8 : index
    %columns_none = arith.constant 32 : index
    func.call @fill(%hto, %minus) : (memref<20x40xf32>, f32) -> ()
    func.call @fill(%hsum, %one) : (memref<20x40xf32>, f32) -> ()
    gpu.memcpy %dto, %hto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %dsum, %hsum : memref<20x40xf32>, memref<20x40xf32>
    %from_none = nvgpu.tma.create.descriptor %u box[%rows_none, %columns_none] : memref<*xf32> -> !map_none
    %to_none = nvgpu.tma.create.descriptor %uto box[%rows_none, %columns_none] : memref<*xf32> -> !map_none
    %sum_none = nvgpu.tma.create.descriptor %usum box[%rows_none, %columns_none] : memref<*xf32> -> !map_none
    %sum_pointer_none = builtin.unrealized_conversion_cast %sum_none : !map_none to !llvm.ptr
    gpu.launch_func @kernels::@none blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%from_none : !map_none, %to_none : !map_none, %sum_pointer_none : !llvm.ptr, %dout : memref<256xf32>)
    gpu.memcpy %hto, %dto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hsum, %dsum : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hout, %dout : memref<256xf32>, memref<256xf32>
    %wrong_none = func.call @count(%rows_none, %columns_none, %hout, %hto, %hsum)
        : (index, index, memref<256xf32>, memref<20x40xf32>, memref<20x40xf32>) -> i32
    %w1 = arith.addi %w0, %wrong_none : i32
    %rows_by_32 = arith.constant 32 : index
    %columns_by_32 = arith.constant 8 : index
    func.call @fill(%hto, %minus) : (memref<20x40xf32>, f32) -> ()
    func.call @fill(%hsum, %one) : (memref<20x40xf32>, f32) -> ()
    gpu.memcpy %dto, %hto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %dsum, %hsum : memref<20x40xf32>, memref<20x40xf32>
    %from_by_32 = nvgpu.tma.create.descriptor %u box[%rows_by_32, %columns_by_32] : memref<*xf32> -> !map_by_32
    %to_by_32 = nvgpu.tma.create.descriptor %uto box[%rows_by_32, %columns_by_32] : memref<*xf32> -> !map_by_32
    %sum_by_32 = nvgpu.tma.create.descriptor %usum box[%rows_by_32, %columns_by_32] : memref<*xf32> -> !map_by_32
    %sum_pointer_by_32 = builtin.unrealized_conversion_cast %sum_by_32 : !map_by_32 to !llvm.ptr
    gpu.launch_func @kernels::@by_32 blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%from_by_32 : !map_by_32, %to_by_32 : !map_by_32, %sum_pointer_by_32 : !llvm.ptr, %dout : memref<256xf32>)
    gpu.memcpy %hto, %dto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hsum, %dsum : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hout, %dout : memref<256xf32>, memref<256xf32>
    %wrong_by_32 = func.call @count(%rows_by_32, %columns_by_32, %hout, %hto, %hsum)
        : (index, index, memref<256xf32>, memref<20x40xf32>, memref<20x40xf32>) -> i32
    %w2 = arith.addi %w1, %wrong_by_32 : i32
    %rows_by_64 = arith.constant 16 : index
    %columns_by_64 = arith.constant 16 : index
    func.call @fill(%hto, %minus) : (memref<20x40xf32>, f32) -> ()
    func.call @fill(%hsum, %one) : (memref<20x40xf32>, f32) -> ()
    gpu.memcpy %dto, %hto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %dsum, %hsum : memref<20x40xf32>, memref<20x40xf32>
    %from_by_64 = nvgpu.tma.create.descriptor %u box[%rows_by_64, %columns_by_64] : memref<*xf32> -> !map_by_64
    %to_by_64 = nvgpu.tma.create.descriptor %uto box[%rows_by_64, %columns_by_64] : memref<*xf32> -> !map_by_64
    %sum_by_64 = nvgpu.tma.create.descriptor %usum box[%rows_by_64, %columns_by_64] : memref<*xf32> -> !map_by_64
    %sum_pointer_by_64 = builtin.unrealized_conversion_cast %sum_by_64 : !map_by_64 to !llvm.ptr
    gpu.launch_func @kernels::@by_64 blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%from_by_64 : !map_by_64, %to_by_64 : !map_by_64, %sum_pointer_by_64 : !llvm.ptr, %dout : memref<256xf32>)
    gpu.memcpy %hto, %dto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hsum, %dsum : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hout, %dout : memref<256xf32>, memref<256xf32>
    %wrong_by_64 = func.call @count(%rows_by_64, %columns_by_64, %hout, %hto, %hsum)
        : (index, index, memref<256xf32>, memref<20x40xf32>, memref<20x40xf32>) -> i32
    %w3 = arith.addi %w2, %wrong_by_64 : i32
    %rows_by_128 = arith.constant 8 : index
    %columns_by_128 = arith.constant 32 : index
    func.call @fill(%hto, %minus) : (memref<20x40xf32>, f32) -> ()
    func.call @fill(%hsum, %one) : (memref<20x40xf32>, f32) -> ()
    gpu.memcpy %dto, %hto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %dsum, %hsum : memref<20x40xf32>, memref<20x40xf32>
    %from_by_128 = nvgpu.tma.create.descriptor %u box[%rows_by_128, %columns_by_128] : memref<*xf32> -> !map_by_128
    %to_by_128 = nvgpu.tma.create.descriptor %uto box[%rows_by_128, %columns_by_128] : memref<*xf32> -> !map_by_128
    %sum_by_128 = nvgpu.tma.create.descriptor %usum box[%rows_by_128, %columns_by_128] : memref<*xf32> -> !map_by_128
    %sum_pointer_by_128 = builtin.unrealized_conversion_cast %sum_by_128 : !map_by_128 to !llvm.ptr
    gpu.launch_func @kernels::@by_128 blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%from_by_128 : !map_by_128, %to_by_128 : !map_by_128, %sum_pointer_by_128 : !llvm.ptr, %dout : memref<256xf32>)
    gpu.memcpy %hto, %dto : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hsum, %dsum : memref<20x40xf32>, memref<20x40xf32>
    gpu.memcpy %hout, %dout : memref<256xf32>, memref<256xf32>
    %wrong_by_128 = func.call @count(%rows_by_128, %columns_by_128, %hout, %hto, %hsum)
        : (index, index, memref<256xf32>, memref<20x40xf32>, memref<20x40xf32>) -> i32
    %w4 = arith.addi %w3, %wrong_by_128 : i32
    vector.print %w4 : i32
    gpu.dealloc %d : memref<20x40xf32>
    gpu.dealloc %dto : memref<20x40xf32>
    gpu.dealloc %dsum : memref<20x40xf32>
    gpu.dealloc %dout : memref<256xf32>
    memref.dealloc %h : memref<20x40xf32>
    memref.dealloc %hto : memref<20x40xf32>
    memref.dealloc %hsum : memref<20x40xf32>
    memref.dealloc %hout : memref<256xf32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c1) : (index) -> ()
    func.call @check(%c33) : (index) -> ()
    func.call @check(%c256) : (index) -> ()
    func.call @check(%c1024) : (index) -> ()
    return
  }
}
