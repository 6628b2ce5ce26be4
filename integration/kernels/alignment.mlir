// Buffers of sizes that are no multiple of 16 bytes, and others behind them which
// are accessed in pieces of 16.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    memref.global "private" constant @odd : memref<5xi32> = dense<[1, 2, 3, 4, 5]>
    memref.global "private" constant @table : memref<8xf32> =
        dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>

    gpu.func @workgroup(%out: memref<4xi64>)
        workgroup(%a: memref<10xi32, #gpu.address_space<workgroup>>,
                  %b: memref<4xi64, #gpu.address_space<workgroup>>,
                  %c: memref<3xi8, #gpu.address_space<workgroup>>,
                  %d: memref<6xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %i0 = arith.constant 10 : i64
        %i1 = arith.constant 20 : i64
        %x = arith.constant 7 : i32
        %y = arith.constant 3 : i8
        %f = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
        memref.store %x, %a[%c0] : memref<10xi32, #gpu.address_space<workgroup>>
        memref.store %y, %c[%c0] : memref<3xi8, #gpu.address_space<workgroup>>
        memref.store %i0, %b[%c0] : memref<4xi64, #gpu.address_space<workgroup>>
        memref.store %i1, %b[%c1] : memref<4xi64, #gpu.address_space<workgroup>>
        memref.store %i0, %b[%c2] : memref<4xi64, #gpu.address_space<workgroup>>
        memref.store %i1, %b[%c3] : memref<4xi64, #gpu.address_space<workgroup>>
        vector.store %f, %d[%c0]
            : memref<6xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      }
      gpu.barrier
      %x = memref.load %a[%c0] : memref<10xi32, #gpu.address_space<workgroup>>
      %y = memref.load %c[%c0] : memref<3xi8, #gpu.address_space<workgroup>>
      %b0 = memref.load %b[%t] : memref<4xi64, #gpu.address_space<workgroup>>
      %f = vector.load %d[%c0]
          : memref<6xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %g = vector.extract %f[%t] : f32 from vector<4xf32>
      %x64 = arith.extsi %x : i32 to i64
      %y64 = arith.extsi %y : i8 to i64
      %f64 = arith.fptosi %g : f32 to i64
      %s0 = arith.addi %x64, %y64 : i64
      %s1 = arith.addi %s0, %b0 : i64
      %s2 = arith.addi %s1, %f64 : i64
      memref.store %s2, %out[%t] : memref<4xi64>
      gpu.return
    }

    gpu.func @constants(%out: memref<8xf32>) kernel {
      %c4 = arith.constant 4 : index
      %t = gpu.thread_id x
      %odd = memref.get_global @odd : memref<5xi32>
      %table = memref.get_global @table : memref<8xf32>
      %x = memref.load %odd[%t] : memref<5xi32>
      %q = arith.muli %t, %c4 : index
      %v = vector.load %table[%q] : memref<8xf32>, vector<4xf32>
      %f = arith.sitofp %x : i32 to f32
      %all = vector.broadcast %f : f32 to vector<4xf32>
      %s = arith.addf %v, %all : vector<4xf32>
      vector.store %s, %out[%q] : memref<8xf32>, vector<4xf32>
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: ( 21, 32, 23, 34 )
  // CHECK: ( 2, 3, 4, 5, 7, 8, 9, 10 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %i0 = arith.constant 0 : i64
    %f0 = arith.constant 0.0 : f32
    %x = gpu.alloc host_shared () : memref<4xi64>
    gpu.launch_func @kernels::@workgroup blocks in (%c1, %c1, %c1)
        threads in (%c4, %c1, %c1) args(%x : memref<4xi64>)
    %v = vector.transfer_read %x[%c0], %i0 {in_bounds = [true]}
        : memref<4xi64>, vector<4xi64>
    vector.print %v : vector<4xi64>
    %y = gpu.alloc host_shared () : memref<8xf32>
    gpu.launch_func @kernels::@constants blocks in (%c1, %c1, %c1)
        threads in (%c2, %c1, %c1) args(%y : memref<8xf32>)
    %w = vector.transfer_read %y[%c0], %f0 {in_bounds = [true]}
        : memref<8xf32>, vector<8xf32>
    vector.print %w : vector<8xf32>
    gpu.dealloc %x : memref<4xi64>
    gpu.dealloc %y : memref<8xf32>
    return
  }
}
