// What the vector dialect does in registers: broadcasts, shuffles, reductions,
// slices, masks, transpositions, products.

module attributes {gpu.container_module} {
  // The kernel calls the same function.
  func.func private @f(%v: i32) -> i32 {
    %k3 = arith.constant 3 : i32
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = vector.broadcast %v : i32 to vector<4xi32>
    %steps = vector.step : vector<4xindex>
    %steps32 = arith.index_cast %steps : vector<4xindex> to vector<4xi32>
    %b = arith.addi %a, %steps32 : vector<4xi32>
    %b0 = vector.extract %b[0] : i32 from vector<4xi32>
    %b1 = vector.extract %b[%c1] : i32 from vector<4xi32>
    %c = vector.insert %k3, %b[2] : i32 into vector<4xi32>
    %s = vector.shuffle %b, %c [0, 6, 1, 7] : vector<4xi32>, vector<4xi32>
    %sum = vector.reduction <add>, %s : vector<4xi32> into i32
    %xor = vector.reduction <xor>, %b, %v : vector<4xi32> into i32
    %most = vector.reduction <maxsi>, %c : vector<4xi32> into i32
    %mask = vector.create_mask %c2 : vector<4xi1>
    %chosen = arith.select %mask, %b, %c : vector<4xi1>, vector<4xi32>
    %chosen_sum = vector.reduction <add>, %chosen : vector<4xi32> into i32
    %m0 = vector.shape_cast %b : vector<4xi32> to vector<2x2xi32>
    %m1 = vector.transpose %m0, [1, 0] : vector<2x2xi32> to vector<2x2xi32>
    %row = vector.extract %m1[1] : vector<2xi32> from vector<2x2xi32>
    %row_product = vector.reduction <mul>, %row : vector<2xi32> into i32
    %column = vector.extract %m0[1, 0] : i32 from vector<2x2xi32>
    %bytes = vector.bitcast %c : vector<4xi32> to vector<16xi8>
    %byte = vector.extract %bytes[5] : i8 from vector<16xi8>
    %byte32 = arith.extui %byte : i8 to i32
    %slice = vector.extract_strided_slice %bytes {offsets = [4], sizes = [4], strides = [1]} : vector<16xi8> to vector<4xi8>
    %slice32 = vector.bitcast %slice : vector<4xi8> to vector<1xi32>
    %slice0 = vector.extract %slice32[0] : i32 from vector<1xi32>
    %k7 = arith.constant dense<7> : vector<4xi32>
    %small = arith.andi %b, %k7 : vector<4xi32>
    %f = arith.uitofp %small : vector<4xi32> to vector<4xf32>
    %g = vector.fma %f, %f, %f : vector<4xf32>
    %outer = vector.outerproduct %f, %g : vector<4xf32>, vector<4xf32>
    %o1 = vector.extract %outer[1, 2] : f32 from vector<4x4xf32>
    %o = arith.fptosi %o1 : f32 to i32
    %i0, %i1 = vector.deinterleave %b : vector<4xi32> -> vector<2xi32>
    %inter = vector.interleave %i1, %i0 : vector<2xi32> -> vector<4xi32>
    %last = vector.extract %inter[3] : i32 from vector<4xi32>
    %made = vector.from_elements %sum, %xor, %most, %chosen_sum, %row_product, %column, %byte32, %slice0, %o, %last, %b0, %b1 : vector<12xi32>
    %weights = arith.constant dense<[1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]> : vector<12xi32>
    %weighted = arith.muli %made, %weights : vector<12xi32>
    %r = vector.reduction <add>, %weighted : vector<12xi32> into i32
    return %r : i32
  }

  gpu.module @kernels {
    func.func private @f(%v: i32) -> i32 {
      %k3 = arith.constant 3 : i32
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %a = vector.broadcast %v : i32 to vector<4xi32>
      %steps = vector.step : vector<4xindex>
      %steps32 = arith.index_cast %steps : vector<4xindex> to vector<4xi32>
      %b = arith.addi %a, %steps32 : vector<4xi32>
      %b0 = vector.extract %b[0] : i32 from vector<4xi32>
      %b1 = vector.extract %b[%c1] : i32 from vector<4xi32>
      %c = vector.insert %k3, %b[2] : i32 into vector<4xi32>
      %s = vector.shuffle %b, %c [0, 6, 1, 7] : vector<4xi32>, vector<4xi32>
      %sum = vector.reduction <add>, %s : vector<4xi32> into i32
      %xor = vector.reduction <xor>, %b, %v : vector<4xi32> into i32
      %most = vector.reduction <maxsi>, %c : vector<4xi32> into i32
      %mask = vector.create_mask %c2 : vector<4xi1>
      %chosen = arith.select %mask, %b, %c : vector<4xi1>, vector<4xi32>
      %chosen_sum = vector.reduction <add>, %chosen : vector<4xi32> into i32
      %m0 = vector.shape_cast %b : vector<4xi32> to vector<2x2xi32>
      %m1 = vector.transpose %m0, [1, 0] : vector<2x2xi32> to vector<2x2xi32>
      %row = vector.extract %m1[1] : vector<2xi32> from vector<2x2xi32>
      %row_product = vector.reduction <mul>, %row : vector<2xi32> into i32
      %column = vector.extract %m0[1, 0] : i32 from vector<2x2xi32>
      %bytes = vector.bitcast %c : vector<4xi32> to vector<16xi8>
      %byte = vector.extract %bytes[5] : i8 from vector<16xi8>
      %byte32 = arith.extui %byte : i8 to i32
      %slice = vector.extract_strided_slice %bytes {offsets = [4], sizes = [4], strides = [1]} : vector<16xi8> to vector<4xi8>
      %slice32 = vector.bitcast %slice : vector<4xi8> to vector<1xi32>
      %slice0 = vector.extract %slice32[0] : i32 from vector<1xi32>
      %k7 = arith.constant dense<7> : vector<4xi32>
      %small = arith.andi %b, %k7 : vector<4xi32>
      %f = arith.uitofp %small : vector<4xi32> to vector<4xf32>
      %g = vector.fma %f, %f, %f : vector<4xf32>
      %outer = vector.outerproduct %f, %g : vector<4xf32>, vector<4xf32>
      %o1 = vector.extract %outer[1, 2] : f32 from vector<4x4xf32>
      %o = arith.fptosi %o1 : f32 to i32
      %i0, %i1 = vector.deinterleave %b : vector<4xi32> -> vector<2xi32>
      %inter = vector.interleave %i1, %i0 : vector<2xi32> -> vector<4xi32>
      %last = vector.extract %inter[3] : i32 from vector<4xi32>
      %made = vector.from_elements %sum, %xor, %most, %chosen_sum, %row_product, %column, %byte32, %slice0, %o, %last, %b0, %b1 : vector<12xi32>
      %weights = arith.constant dense<[1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]> : vector<12xi32>
      %weighted = arith.muli %made, %weights : vector<12xi32>
      %r = vector.reduction <add>, %weighted : vector<12xi32> into i32
      return %r : i32
    }
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %r = func.call @f(%v) : (i32) -> i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %r = func.call @f(%v) : (i32) -> i32
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
