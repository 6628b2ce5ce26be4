// Atomic operations of every kind on integers and floats of 16 to 64 bits, in
// workgroup memory.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w_i32: memref<10xi32, #gpu.address_space<workgroup>>,
                  %w_i64: memref<4xi64, #gpu.address_space<workgroup>>,
                  %w_f32: memref<4xf32, #gpu.address_space<workgroup>>,
                  %w_f64: memref<3xf64, #gpu.address_space<workgroup>>,
                  %w_f16: memref<1xf16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %is_first = arith.cmpi eq, %t, %c0 : index
      scf.if %is_first {
        %i_i32_0 = arith.constant 0 : i32
        %x_i32_0 = arith.constant 0 : index
        memref.store %i_i32_0, %w_i32[%x_i32_0] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_1 = arith.constant 0 : i32
        %x_i32_1 = arith.constant 1 : index
        memref.store %i_i32_1, %w_i32[%x_i32_1] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_2 = arith.constant -2147483648 : i32
        %x_i32_2 = arith.constant 2 : index
        memref.store %i_i32_2, %w_i32[%x_i32_2] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_3 = arith.constant 2147483647 : i32
        %x_i32_3 = arith.constant 3 : index
        memref.store %i_i32_3, %w_i32[%x_i32_3] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_4 = arith.constant 0 : i32
        %x_i32_4 = arith.constant 4 : index
        memref.store %i_i32_4, %w_i32[%x_i32_4] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_5 = arith.constant -1 : i32
        %x_i32_5 = arith.constant 5 : index
        memref.store %i_i32_5, %w_i32[%x_i32_5] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_6 = arith.constant -1 : i32
        %x_i32_6 = arith.constant 6 : index
        memref.store %i_i32_6, %w_i32[%x_i32_6] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_7 = arith.constant 0 : i32
        %x_i32_7 = arith.constant 7 : index
        memref.store %i_i32_7, %w_i32[%x_i32_7] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_8 = arith.constant 0 : i32
        %x_i32_8 = arith.constant 8 : index
        memref.store %i_i32_8, %w_i32[%x_i32_8] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i32_9 = arith.constant 1 : i32
        %x_i32_9 = arith.constant 9 : index
        memref.store %i_i32_9, %w_i32[%x_i32_9] : memref<10xi32, #gpu.address_space<workgroup>>
        %i_i64_0 = arith.constant 0 : i64
        %x_i64_0 = arith.constant 0 : index
        memref.store %i_i64_0, %w_i64[%x_i64_0] : memref<4xi64, #gpu.address_space<workgroup>>
        %i_i64_1 = arith.constant -9223372036854775808 : i64
        %x_i64_1 = arith.constant 1 : index
        memref.store %i_i64_1, %w_i64[%x_i64_1] : memref<4xi64, #gpu.address_space<workgroup>>
        %i_i64_2 = arith.constant -1 : i64
        %x_i64_2 = arith.constant 2 : index
        memref.store %i_i64_2, %w_i64[%x_i64_2] : memref<4xi64, #gpu.address_space<workgroup>>
        %i_i64_3 = arith.constant 0 : i64
        %x_i64_3 = arith.constant 3 : index
        memref.store %i_i64_3, %w_i64[%x_i64_3] : memref<4xi64, #gpu.address_space<workgroup>>
        %i_f32_0 = arith.constant 0.0 : f32
        %x_f32_0 = arith.constant 0 : index
        memref.store %i_f32_0, %w_f32[%x_f32_0] : memref<4xf32, #gpu.address_space<workgroup>>
        %i_f32_1 = arith.constant -1.0e4 : f32
        %x_f32_1 = arith.constant 1 : index
        memref.store %i_f32_1, %w_f32[%x_f32_1] : memref<4xf32, #gpu.address_space<workgroup>>
        %i_f32_2 = arith.constant 1.0e4 : f32
        %x_f32_2 = arith.constant 2 : index
        memref.store %i_f32_2, %w_f32[%x_f32_2] : memref<4xf32, #gpu.address_space<workgroup>>
        %i_f32_3 = arith.constant 1.0 : f32
        %x_f32_3 = arith.constant 3 : index
        memref.store %i_f32_3, %w_f32[%x_f32_3] : memref<4xf32, #gpu.address_space<workgroup>>
        %i_f64_0 = arith.constant 0.0 : f64
        %x_f64_0 = arith.constant 0 : index
        memref.store %i_f64_0, %w_f64[%x_f64_0] : memref<3xf64, #gpu.address_space<workgroup>>
        %i_f64_1 = arith.constant -1.0e4 : f64
        %x_f64_1 = arith.constant 1 : index
        memref.store %i_f64_1, %w_f64[%x_f64_1] : memref<3xf64, #gpu.address_space<workgroup>>
        %i_f64_2 = arith.constant 1.0e4 : f64
        %x_f64_2 = arith.constant 2 : index
        memref.store %i_f64_2, %w_f64[%x_f64_2] : memref<3xf64, #gpu.address_space<workgroup>>
        %i_f16_0 = arith.constant 0.0 : f16
        %x_f16_0 = arith.constant 0 : index
        memref.store %i_f16_0, %w_f16[%x_f16_0] : memref<1xf16, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      // Values that few bits hold, so that no order of sums loses any.
      %k7 = arith.constant 7 : i32
      %k3 = arith.constant 3 : i32
      %small = arith.andi %v, %k7 : i32
      %v_i32 = arith.xori %v, %k3 : i32
      %v_i64 = arith.extsi %v : i32 to i64
      %v_f32 = arith.uitofp %small : i32 to f32
      %v_f64 = arith.uitofp %small : i32 to f64
      // A sum of up to 1024 of these is exact.
      %one_bit = arith.constant 1 : i32
      %bit = arith.andi %v, %one_bit : i32
      %v_f16 = arith.uitofp %bit : i32 to f16
      // A product of ones and minus ones.
      %two = arith.constant 2.0 : f32
      %b_f32 = arith.uitofp %bit : i32 to f32
      %d_f32 = arith.mulf %b_f32, %two : f32
      %o_f32 = arith.constant 1.0 : f32
      %sign = arith.subf %o_f32, %d_f32 : f32
      %odd = arith.ori %v, %one_bit : i32
      %same = arith.constant 77 : i32
      %at_i32_0 = arith.constant 0 : index
      %old_i32_0 = memref.atomic_rmw addi %v_i32, %w_i32[%at_i32_0] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_1 = arith.constant 1 : index
      %old_i32_1 = memref.atomic_rmw assign %same, %w_i32[%at_i32_1] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_2 = arith.constant 2 : index
      %old_i32_2 = memref.atomic_rmw maxs %v_i32, %w_i32[%at_i32_2] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_3 = arith.constant 3 : index
      %old_i32_3 = memref.atomic_rmw mins %v_i32, %w_i32[%at_i32_3] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_4 = arith.constant 4 : index
      %old_i32_4 = memref.atomic_rmw maxu %v_i32, %w_i32[%at_i32_4] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_5 = arith.constant 5 : index
      %old_i32_5 = memref.atomic_rmw minu %v_i32, %w_i32[%at_i32_5] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_6 = arith.constant 6 : index
      %old_i32_6 = memref.atomic_rmw andi %v_i32, %w_i32[%at_i32_6] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_7 = arith.constant 7 : index
      %old_i32_7 = memref.atomic_rmw ori %v_i32, %w_i32[%at_i32_7] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_8 = arith.constant 8 : index
      %old_i32_8 = memref.atomic_rmw xori %v_i32, %w_i32[%at_i32_8] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i32_9 = arith.constant 9 : index
      %old_i32_9 = memref.atomic_rmw muli %odd, %w_i32[%at_i32_9] : (i32, memref<10xi32, #gpu.address_space<workgroup>>) -> i32
      %at_i64_0 = arith.constant 0 : index
      %old_i64_0 = memref.atomic_rmw addi %v_i64, %w_i64[%at_i64_0] : (i64, memref<4xi64, #gpu.address_space<workgroup>>) -> i64
      %at_i64_1 = arith.constant 1 : index
      %old_i64_1 = memref.atomic_rmw maxs %v_i64, %w_i64[%at_i64_1] : (i64, memref<4xi64, #gpu.address_space<workgroup>>) -> i64
      %at_i64_2 = arith.constant 2 : index
      %old_i64_2 = memref.atomic_rmw minu %v_i64, %w_i64[%at_i64_2] : (i64, memref<4xi64, #gpu.address_space<workgroup>>) -> i64
      %at_i64_3 = arith.constant 3 : index
      %old_i64_3 = memref.atomic_rmw xori %v_i64, %w_i64[%at_i64_3] : (i64, memref<4xi64, #gpu.address_space<workgroup>>) -> i64
      %at_f32_0 = arith.constant 0 : index
      %old_f32_0 = memref.atomic_rmw addf %v_f32, %w_f32[%at_f32_0] : (f32, memref<4xf32, #gpu.address_space<workgroup>>) -> f32
      %at_f32_1 = arith.constant 1 : index
      %old_f32_1 = memref.atomic_rmw maximumf %v_f32, %w_f32[%at_f32_1] : (f32, memref<4xf32, #gpu.address_space<workgroup>>) -> f32
      %at_f32_2 = arith.constant 2 : index
      %old_f32_2 = memref.atomic_rmw minimumf %v_f32, %w_f32[%at_f32_2] : (f32, memref<4xf32, #gpu.address_space<workgroup>>) -> f32
      %at_f32_3 = arith.constant 3 : index
      %old_f32_3 = memref.atomic_rmw mulf %sign, %w_f32[%at_f32_3] : (f32, memref<4xf32, #gpu.address_space<workgroup>>) -> f32
      %at_f64_0 = arith.constant 0 : index
      %old_f64_0 = memref.atomic_rmw addf %v_f64, %w_f64[%at_f64_0] : (f64, memref<3xf64, #gpu.address_space<workgroup>>) -> f64
      %at_f64_1 = arith.constant 1 : index
      %old_f64_1 = memref.atomic_rmw maxnumf %v_f64, %w_f64[%at_f64_1] : (f64, memref<3xf64, #gpu.address_space<workgroup>>) -> f64
      %at_f64_2 = arith.constant 2 : index
      %old_f64_2 = memref.atomic_rmw minnumf %v_f64, %w_f64[%at_f64_2] : (f64, memref<3xf64, #gpu.address_space<workgroup>>) -> f64
      %at_f16_0 = arith.constant 0 : index
      %old_f16_0 = memref.atomic_rmw addf %v_f16, %w_f16[%at_f16_0] : (f16, memref<1xf16, #gpu.address_space<workgroup>>) -> f16
      gpu.barrier
      %k33 = arith.constant 33 : i32
      %start = arith.constant 0 : i32
      %r_i32_0 = memref.load %w_i32[%at_i32_0] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_0 = arith.addi %r_i32_0, %start : i32
      %m_i32_0 = arith.muli %start, %k33 : i32
      %t_i32_0 = arith.addi %m_i32_0, %e_i32_0 : i32
      %r_i32_1 = memref.load %w_i32[%at_i32_1] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_1 = arith.addi %r_i32_1, %start : i32
      %m_i32_1 = arith.muli %t_i32_0, %k33 : i32
      %t_i32_1 = arith.addi %m_i32_1, %e_i32_1 : i32
      %r_i32_2 = memref.load %w_i32[%at_i32_2] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_2 = arith.addi %r_i32_2, %start : i32
      %m_i32_2 = arith.muli %t_i32_1, %k33 : i32
      %t_i32_2 = arith.addi %m_i32_2, %e_i32_2 : i32
      %r_i32_3 = memref.load %w_i32[%at_i32_3] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_3 = arith.addi %r_i32_3, %start : i32
      %m_i32_3 = arith.muli %t_i32_2, %k33 : i32
      %t_i32_3 = arith.addi %m_i32_3, %e_i32_3 : i32
      %r_i32_4 = memref.load %w_i32[%at_i32_4] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_4 = arith.addi %r_i32_4, %start : i32
      %m_i32_4 = arith.muli %t_i32_3, %k33 : i32
      %t_i32_4 = arith.addi %m_i32_4, %e_i32_4 : i32
      %r_i32_5 = memref.load %w_i32[%at_i32_5] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_5 = arith.addi %r_i32_5, %start : i32
      %m_i32_5 = arith.muli %t_i32_4, %k33 : i32
      %t_i32_5 = arith.addi %m_i32_5, %e_i32_5 : i32
      %r_i32_6 = memref.load %w_i32[%at_i32_6] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_6 = arith.addi %r_i32_6, %start : i32
      %m_i32_6 = arith.muli %t_i32_5, %k33 : i32
      %t_i32_6 = arith.addi %m_i32_6, %e_i32_6 : i32
      %r_i32_7 = memref.load %w_i32[%at_i32_7] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_7 = arith.addi %r_i32_7, %start : i32
      %m_i32_7 = arith.muli %t_i32_6, %k33 : i32
      %t_i32_7 = arith.addi %m_i32_7, %e_i32_7 : i32
      %r_i32_8 = memref.load %w_i32[%at_i32_8] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_8 = arith.addi %r_i32_8, %start : i32
      %m_i32_8 = arith.muli %t_i32_7, %k33 : i32
      %t_i32_8 = arith.addi %m_i32_8, %e_i32_8 : i32
      %r_i32_9 = memref.load %w_i32[%at_i32_9] : memref<10xi32, #gpu.address_space<workgroup>>
      %e_i32_9 = arith.addi %r_i32_9, %start : i32
      %m_i32_9 = arith.muli %t_i32_8, %k33 : i32
      %t_i32_9 = arith.addi %m_i32_9, %e_i32_9 : i32
      %r_i64_0 = memref.load %w_i64[%at_i64_0] : memref<4xi64, #gpu.address_space<workgroup>>
      %h_i64_0 = arith.constant 32 : i64
      %g_i64_0 = arith.shrui %r_i64_0, %h_i64_0 : i64
      %l_i64_0 = arith.addi %r_i64_0, %g_i64_0 : i64
      %e_i64_0 = arith.trunci %l_i64_0 : i64 to i32
      %m_i64_0 = arith.muli %t_i32_9, %k33 : i32
      %t_i64_0 = arith.addi %m_i64_0, %e_i64_0 : i32
      %r_i64_1 = memref.load %w_i64[%at_i64_1] : memref<4xi64, #gpu.address_space<workgroup>>
      %h_i64_1 = arith.constant 32 : i64
      %g_i64_1 = arith.shrui %r_i64_1, %h_i64_1 : i64
      %l_i64_1 = arith.addi %r_i64_1, %g_i64_1 : i64
      %e_i64_1 = arith.trunci %l_i64_1 : i64 to i32
      %m_i64_1 = arith.muli %t_i64_0, %k33 : i32
      %t_i64_1 = arith.addi %m_i64_1, %e_i64_1 : i32
      %r_i64_2 = memref.load %w_i64[%at_i64_2] : memref<4xi64, #gpu.address_space<workgroup>>
      %h_i64_2 = arith.constant 32 : i64
      %g_i64_2 = arith.shrui %r_i64_2, %h_i64_2 : i64
      %l_i64_2 = arith.addi %r_i64_2, %g_i64_2 : i64
      %e_i64_2 = arith.trunci %l_i64_2 : i64 to i32
      %m_i64_2 = arith.muli %t_i64_1, %k33 : i32
      %t_i64_2 = arith.addi %m_i64_2, %e_i64_2 : i32
      %r_i64_3 = memref.load %w_i64[%at_i64_3] : memref<4xi64, #gpu.address_space<workgroup>>
      %h_i64_3 = arith.constant 32 : i64
      %g_i64_3 = arith.shrui %r_i64_3, %h_i64_3 : i64
      %l_i64_3 = arith.addi %r_i64_3, %g_i64_3 : i64
      %e_i64_3 = arith.trunci %l_i64_3 : i64 to i32
      %m_i64_3 = arith.muli %t_i64_2, %k33 : i32
      %t_i64_3 = arith.addi %m_i64_3, %e_i64_3 : i32
      %r_f32_0 = memref.load %w_f32[%at_f32_0] : memref<4xf32, #gpu.address_space<workgroup>>
      %e_f32_0 = arith.bitcast %r_f32_0 : f32 to i32
      %m_f32_0 = arith.muli %t_i64_3, %k33 : i32
      %t_f32_0 = arith.addi %m_f32_0, %e_f32_0 : i32
      %r_f32_1 = memref.load %w_f32[%at_f32_1] : memref<4xf32, #gpu.address_space<workgroup>>
      %e_f32_1 = arith.bitcast %r_f32_1 : f32 to i32
      %m_f32_1 = arith.muli %t_f32_0, %k33 : i32
      %t_f32_1 = arith.addi %m_f32_1, %e_f32_1 : i32
      %r_f32_2 = memref.load %w_f32[%at_f32_2] : memref<4xf32, #gpu.address_space<workgroup>>
      %e_f32_2 = arith.bitcast %r_f32_2 : f32 to i32
      %m_f32_2 = arith.muli %t_f32_1, %k33 : i32
      %t_f32_2 = arith.addi %m_f32_2, %e_f32_2 : i32
      %r_f32_3 = memref.load %w_f32[%at_f32_3] : memref<4xf32, #gpu.address_space<workgroup>>
      %e_f32_3 = arith.bitcast %r_f32_3 : f32 to i32
      %m_f32_3 = arith.muli %t_f32_2, %k33 : i32
      %t_f32_3 = arith.addi %m_f32_3, %e_f32_3 : i32
      %r_f64_0 = memref.load %w_f64[%at_f64_0] : memref<3xf64, #gpu.address_space<workgroup>>
      %e_f64_0 = arith.fptosi %r_f64_0 : f64 to i32
      %m_f64_0 = arith.muli %t_f32_3, %k33 : i32
      %t_f64_0 = arith.addi %m_f64_0, %e_f64_0 : i32
      %r_f64_1 = memref.load %w_f64[%at_f64_1] : memref<3xf64, #gpu.address_space<workgroup>>
      %e_f64_1 = arith.fptosi %r_f64_1 : f64 to i32
      %m_f64_1 = arith.muli %t_f64_0, %k33 : i32
      %t_f64_1 = arith.addi %m_f64_1, %e_f64_1 : i32
      %r_f64_2 = memref.load %w_f64[%at_f64_2] : memref<3xf64, #gpu.address_space<workgroup>>
      %e_f64_2 = arith.fptosi %r_f64_2 : f64 to i32
      %m_f64_2 = arith.muli %t_f64_1, %k33 : i32
      %t_f64_2 = arith.addi %m_f64_2, %e_f64_2 : i32
      %r_f16_0 = memref.load %w_f16[%at_f16_0] : memref<1xf16, #gpu.address_space<workgroup>>
      %e_f16_0 = arith.fptosi %r_f16_0 : f16 to i32
      %m_f16_0 = arith.muli %t_f64_2, %k33 : i32
      %t_f16_0 = arith.addi %m_f16_0, %e_f16_0 : i32
      memref.store %t_f16_0, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %i_i32_0 = arith.constant 0 : i32
    %i_i32_1 = arith.constant 0 : i32
    %i_i32_2 = arith.constant -2147483648 : i32
    %i_i32_3 = arith.constant 2147483647 : i32
    %i_i32_4 = arith.constant 0 : i32
    %i_i32_5 = arith.constant -1 : i32
    %i_i32_6 = arith.constant -1 : i32
    %i_i32_7 = arith.constant 0 : i32
    %i_i32_8 = arith.constant 0 : i32
    %i_i32_9 = arith.constant 1 : i32
    %i_i64_0 = arith.constant 0 : i64
    %i_i64_1 = arith.constant -9223372036854775808 : i64
    %i_i64_2 = arith.constant -1 : i64
    %i_i64_3 = arith.constant 0 : i64
    %i_f32_0 = arith.constant 0.0 : f32
    %i_f32_1 = arith.constant -1.0e4 : f32
    %i_f32_2 = arith.constant 1.0e4 : f32
    %i_f32_3 = arith.constant 1.0 : f32
    %i_f64_0 = arith.constant 0.0 : f64
    %i_f64_1 = arith.constant -1.0e4 : f64
    %i_f64_2 = arith.constant 1.0e4 : f64
    %i_f16_0 = arith.constant 0.0 : f16
    %all:22 = scf.for %j = %from to %to step %c1
        iter_args(%a_i32_0 = %i_i32_0, %a_i32_1 = %i_i32_1, %a_i32_2 = %i_i32_2, %a_i32_3 = %i_i32_3, %a_i32_4 = %i_i32_4, %a_i32_5 = %i_i32_5, %a_i32_6 = %i_i32_6, %a_i32_7 = %i_i32_7, %a_i32_8 = %i_i32_8, %a_i32_9 = %i_i32_9, %a_i64_0 = %i_i64_0, %a_i64_1 = %i_i64_1, %a_i64_2 = %i_i64_2, %a_i64_3 = %i_i64_3, %a_f32_0 = %i_f32_0, %a_f32_1 = %i_f32_1, %a_f32_2 = %i_f32_2, %a_f32_3 = %i_f32_3, %a_f64_0 = %i_f64_0, %a_f64_1 = %i_f64_1, %a_f64_2 = %i_f64_2, %a_f16_0 = %i_f16_0)
        -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i64, i64, i64, f32, f32, f32, f32, f64, f64, f64, f16) {
      %v = memref.load %x[%j] : memref<?xi32>
      // Values that few bits hold, so that no order of sums loses any.
      %k7 = arith.constant 7 : i32
      %k3 = arith.constant 3 : i32
      %small = arith.andi %v, %k7 : i32
      %v_i32 = arith.xori %v, %k3 : i32
      %v_i64 = arith.extsi %v : i32 to i64
      %v_f32 = arith.uitofp %small : i32 to f32
      %v_f64 = arith.uitofp %small : i32 to f64
      // A sum of up to 1024 of these is exact.
      %one_bit = arith.constant 1 : i32
      %bit = arith.andi %v, %one_bit : i32
      %v_f16 = arith.uitofp %bit : i32 to f16
      // A product of ones and minus ones.
      %two = arith.constant 2.0 : f32
      %b_f32 = arith.uitofp %bit : i32 to f32
      %d_f32 = arith.mulf %b_f32, %two : f32
      %o_f32 = arith.constant 1.0 : f32
      %sign = arith.subf %o_f32, %d_f32 : f32
      %odd = arith.ori %v, %one_bit : i32
      %same = arith.constant 77 : i32
      %n_i32_0 = arith.addi %a_i32_0, %v_i32 : i32
      %n_i32_2 = arith.maxsi %a_i32_2, %v_i32 : i32
      %n_i32_3 = arith.minsi %a_i32_3, %v_i32 : i32
      %n_i32_4 = arith.maxui %a_i32_4, %v_i32 : i32
      %n_i32_5 = arith.minui %a_i32_5, %v_i32 : i32
      %n_i32_6 = arith.andi %a_i32_6, %v_i32 : i32
      %n_i32_7 = arith.ori %a_i32_7, %v_i32 : i32
      %n_i32_8 = arith.xori %a_i32_8, %v_i32 : i32
      %n_i32_9 = arith.muli %a_i32_9, %odd : i32
      %n_i64_0 = arith.addi %a_i64_0, %v_i64 : i64
      %n_i64_1 = arith.maxsi %a_i64_1, %v_i64 : i64
      %n_i64_2 = arith.minui %a_i64_2, %v_i64 : i64
      %n_i64_3 = arith.xori %a_i64_3, %v_i64 : i64
      %n_f32_0 = arith.addf %a_f32_0, %v_f32 : f32
      %n_f32_1 = arith.maximumf %a_f32_1, %v_f32 : f32
      %n_f32_2 = arith.minimumf %a_f32_2, %v_f32 : f32
      %n_f32_3 = arith.mulf %a_f32_3, %sign : f32
      %n_f64_0 = arith.addf %a_f64_0, %v_f64 : f64
      %n_f64_1 = arith.maxnumf %a_f64_1, %v_f64 : f64
      %n_f64_2 = arith.minnumf %a_f64_2, %v_f64 : f64
      %n_f16_0 = arith.addf %a_f16_0, %v_f16 : f16
      scf.yield %n_i32_0, %same, %n_i32_2, %n_i32_3, %n_i32_4, %n_i32_5, %n_i32_6, %n_i32_7, %n_i32_8, %n_i32_9, %n_i64_0, %n_i64_1, %n_i64_2, %n_i64_3, %n_f32_0, %n_f32_1, %n_f32_2, %n_f32_3, %n_f64_0, %n_f64_1, %n_f64_2, %n_f16_0
          : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i64, i64, i64, f32, f32, f32, f32, f64, f64, f64, f16
    }
    %k33 = arith.constant 33 : i32
    %start = arith.constant 0 : i32
    %z_i32_0 = arith.constant 0 : i32
    %r_i32_0 = arith.addi %all#0, %z_i32_0 : i32
    %e_i32_0 = arith.addi %r_i32_0, %start : i32
    %m_i32_0 = arith.muli %start, %k33 : i32
    %t_i32_0 = arith.addi %m_i32_0, %e_i32_0 : i32
    %z_i32_1 = arith.constant 0 : i32
    %r_i32_1 = arith.addi %all#1, %z_i32_1 : i32
    %e_i32_1 = arith.addi %r_i32_1, %start : i32
    %m_i32_1 = arith.muli %t_i32_0, %k33 : i32
    %t_i32_1 = arith.addi %m_i32_1, %e_i32_1 : i32
    %z_i32_2 = arith.constant 0 : i32
    %r_i32_2 = arith.addi %all#2, %z_i32_2 : i32
    %e_i32_2 = arith.addi %r_i32_2, %start : i32
    %m_i32_2 = arith.muli %t_i32_1, %k33 : i32
    %t_i32_2 = arith.addi %m_i32_2, %e_i32_2 : i32
    %z_i32_3 = arith.constant 0 : i32
    %r_i32_3 = arith.addi %all#3, %z_i32_3 : i32
    %e_i32_3 = arith.addi %r_i32_3, %start : i32
    %m_i32_3 = arith.muli %t_i32_2, %k33 : i32
    %t_i32_3 = arith.addi %m_i32_3, %e_i32_3 : i32
    %z_i32_4 = arith.constant 0 : i32
    %r_i32_4 = arith.addi %all#4, %z_i32_4 : i32
    %e_i32_4 = arith.addi %r_i32_4, %start : i32
    %m_i32_4 = arith.muli %t_i32_3, %k33 : i32
    %t_i32_4 = arith.addi %m_i32_4, %e_i32_4 : i32
    %z_i32_5 = arith.constant 0 : i32
    %r_i32_5 = arith.addi %all#5, %z_i32_5 : i32
    %e_i32_5 = arith.addi %r_i32_5, %start : i32
    %m_i32_5 = arith.muli %t_i32_4, %k33 : i32
    %t_i32_5 = arith.addi %m_i32_5, %e_i32_5 : i32
    %z_i32_6 = arith.constant 0 : i32
    %r_i32_6 = arith.addi %all#6, %z_i32_6 : i32
    %e_i32_6 = arith.addi %r_i32_6, %start : i32
    %m_i32_6 = arith.muli %t_i32_5, %k33 : i32
    %t_i32_6 = arith.addi %m_i32_6, %e_i32_6 : i32
    %z_i32_7 = arith.constant 0 : i32
    %r_i32_7 = arith.addi %all#7, %z_i32_7 : i32
    %e_i32_7 = arith.addi %r_i32_7, %start : i32
    %m_i32_7 = arith.muli %t_i32_6, %k33 : i32
    %t_i32_7 = arith.addi %m_i32_7, %e_i32_7 : i32
    %z_i32_8 = arith.constant 0 : i32
    %r_i32_8 = arith.addi %all#8, %z_i32_8 : i32
    %e_i32_8 = arith.addi %r_i32_8, %start : i32
    %m_i32_8 = arith.muli %t_i32_7, %k33 : i32
    %t_i32_8 = arith.addi %m_i32_8, %e_i32_8 : i32
    %z_i32_9 = arith.constant 0 : i32
    %r_i32_9 = arith.addi %all#9, %z_i32_9 : i32
    %e_i32_9 = arith.addi %r_i32_9, %start : i32
    %m_i32_9 = arith.muli %t_i32_8, %k33 : i32
    %t_i32_9 = arith.addi %m_i32_9, %e_i32_9 : i32
    %z_i64_0 = arith.constant 0 : i64
    %r_i64_0 = arith.addi %all#10, %z_i64_0 : i64
    %h_i64_0 = arith.constant 32 : i64
    %g_i64_0 = arith.shrui %r_i64_0, %h_i64_0 : i64
    %l_i64_0 = arith.addi %r_i64_0, %g_i64_0 : i64
    %e_i64_0 = arith.trunci %l_i64_0 : i64 to i32
    %m_i64_0 = arith.muli %t_i32_9, %k33 : i32
    %t_i64_0 = arith.addi %m_i64_0, %e_i64_0 : i32
    %z_i64_1 = arith.constant 0 : i64
    %r_i64_1 = arith.addi %all#11, %z_i64_1 : i64
    %h_i64_1 = arith.constant 32 : i64
    %g_i64_1 = arith.shrui %r_i64_1, %h_i64_1 : i64
    %l_i64_1 = arith.addi %r_i64_1, %g_i64_1 : i64
    %e_i64_1 = arith.trunci %l_i64_1 : i64 to i32
    %m_i64_1 = arith.muli %t_i64_0, %k33 : i32
    %t_i64_1 = arith.addi %m_i64_1, %e_i64_1 : i32
    %z_i64_2 = arith.constant 0 : i64
    %r_i64_2 = arith.addi %all#12, %z_i64_2 : i64
    %h_i64_2 = arith.constant 32 : i64
    %g_i64_2 = arith.shrui %r_i64_2, %h_i64_2 : i64
    %l_i64_2 = arith.addi %r_i64_2, %g_i64_2 : i64
    %e_i64_2 = arith.trunci %l_i64_2 : i64 to i32
    %m_i64_2 = arith.muli %t_i64_1, %k33 : i32
    %t_i64_2 = arith.addi %m_i64_2, %e_i64_2 : i32
    %z_i64_3 = arith.constant 0 : i64
    %r_i64_3 = arith.addi %all#13, %z_i64_3 : i64
    %h_i64_3 = arith.constant 32 : i64
    %g_i64_3 = arith.shrui %r_i64_3, %h_i64_3 : i64
    %l_i64_3 = arith.addi %r_i64_3, %g_i64_3 : i64
    %e_i64_3 = arith.trunci %l_i64_3 : i64 to i32
    %m_i64_3 = arith.muli %t_i64_2, %k33 : i32
    %t_i64_3 = arith.addi %m_i64_3, %e_i64_3 : i32
    %z_f32_0 = arith.constant 1.0 : f32
    %r_f32_0 = arith.mulf %all#14, %z_f32_0 : f32
    %e_f32_0 = arith.bitcast %r_f32_0 : f32 to i32
    %m_f32_0 = arith.muli %t_i64_3, %k33 : i32
    %t_f32_0 = arith.addi %m_f32_0, %e_f32_0 : i32
    %z_f32_1 = arith.constant 1.0 : f32
    %r_f32_1 = arith.mulf %all#15, %z_f32_1 : f32
    %e_f32_1 = arith.bitcast %r_f32_1 : f32 to i32
    %m_f32_1 = arith.muli %t_f32_0, %k33 : i32
    %t_f32_1 = arith.addi %m_f32_1, %e_f32_1 : i32
    %z_f32_2 = arith.constant 1.0 : f32
    %r_f32_2 = arith.mulf %all#16, %z_f32_2 : f32
    %e_f32_2 = arith.bitcast %r_f32_2 : f32 to i32
    %m_f32_2 = arith.muli %t_f32_1, %k33 : i32
    %t_f32_2 = arith.addi %m_f32_2, %e_f32_2 : i32
    %z_f32_3 = arith.constant 1.0 : f32
    %r_f32_3 = arith.mulf %all#17, %z_f32_3 : f32
    %e_f32_3 = arith.bitcast %r_f32_3 : f32 to i32
    %m_f32_3 = arith.muli %t_f32_2, %k33 : i32
    %t_f32_3 = arith.addi %m_f32_3, %e_f32_3 : i32
    %z_f64_0 = arith.constant 1.0 : f64
    %r_f64_0 = arith.mulf %all#18, %z_f64_0 : f64
    %e_f64_0 = arith.fptosi %r_f64_0 : f64 to i32
    %m_f64_0 = arith.muli %t_f32_3, %k33 : i32
    %t_f64_0 = arith.addi %m_f64_0, %e_f64_0 : i32
    %z_f64_1 = arith.constant 1.0 : f64
    %r_f64_1 = arith.mulf %all#19, %z_f64_1 : f64
    %e_f64_1 = arith.fptosi %r_f64_1 : f64 to i32
    %m_f64_1 = arith.muli %t_f64_0, %k33 : i32
    %t_f64_1 = arith.addi %m_f64_1, %e_f64_1 : i32
    %z_f64_2 = arith.constant 1.0 : f64
    %r_f64_2 = arith.mulf %all#20, %z_f64_2 : f64
    %e_f64_2 = arith.fptosi %r_f64_2 : f64 to i32
    %m_f64_2 = arith.muli %t_f64_1, %k33 : i32
    %t_f64_2 = arith.addi %m_f64_2, %e_f64_2 : i32
    %z_f16_0 = arith.constant 1.0 : f16
    %r_f16_0 = arith.mulf %all#21, %z_f16_0 : f16
    %e_f16_0 = arith.fptosi %r_f16_0 : f16 to i32
    %m_f16_0 = arith.muli %t_f64_2, %k33 : i32
    %t_f16_0 = arith.addi %m_f16_0, %e_f16_0 : i32
    scf.for %i = %from to %to step %c1 {
      memref.store %t_f16_0, %want[%i] : memref<?xi32>
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
