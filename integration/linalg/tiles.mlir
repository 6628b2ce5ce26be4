// Tensors in tiles (linalg.pack, linalg.unpack), and beside memory that the program
// frees itself.

// The numbers 0 to 14 in three rows of five, in tiles of two rows by three columns:
// two by two tiles, of which those at the end hold -1 where there is no element.
// Behind the change of order tiles go down first, and columns stand before rows in
// them, so that tile (1, 0) has columns 3 and 4 of rows 0 and 1.
// RUN: @packed device runner --memory=discrete
// RUN: @packed runner --memory=unified
// CHECK: ( ( 3, 8 ), ( 4, 9 ), ( -1, -1 ) )
// CHECK: ( ( 10, -1 ), ( 11, -1 ), ( 12, -1 ) )
// CHECK: 14
func.func @packed() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant -1 : i32
  %x = call @numbers() : () -> tensor<3x5xi32>
  %p = call @pack(%x, %pad) : (tensor<3x5xi32>, i32) -> tensor<2x2x3x2xi32>
  %v = vector.transfer_read %p[%c1, %c0, %c0, %c0], %pad {in_bounds = [true, true]}
      : tensor<2x2x3x2xi32>, vector<3x2xi32>
  vector.print %v : vector<3x2xi32>
  %w = vector.transfer_read %p[%c0, %c1, %c0, %c0], %pad {in_bounds = [true, true]}
      : tensor<2x2x3x2xi32>, vector<3x2xi32>
  vector.print %w : vector<3x2xi32>
  // And back, with a tile whose size is known when it runs.
  %y = call @unpack(%p, %c2) : (tensor<2x2x3x2xi32>, index) -> tensor<3x5xi32>
  %last = tensor.extract %y[%c2, %c4] : tensor<3x5xi32>
  vector.print %last : i32
  return
}

func.func @numbers() -> tensor<3x5xi32> {
  %e = tensor.empty() : tensor<3x5xi32>
  %c5 = arith.constant 5 : index
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x5xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %c5 : index
    %n = arith.addi %row, %j : index
    %v = arith.index_cast %n : index to i32
    linalg.yield %v : i32
  } -> tensor<3x5xi32>
  return %x : tensor<3x5xi32>
}

func.func @pack(%x: tensor<3x5xi32>, %pad: i32) -> tensor<2x2x3x2xi32> {
  %e = tensor.empty() : tensor<2x2x3x2xi32>
  %p = linalg.pack %x padding_value(%pad : i32) outer_dims_perm = [1, 0]
      inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %e
      : tensor<3x5xi32> -> tensor<2x2x3x2xi32>
  return %p : tensor<2x2x3x2xi32>
}

func.func @unpack(%p: tensor<2x2x3x2xi32>, %tile: index) -> tensor<3x5xi32> {
  %d = tensor.cast %p : tensor<2x2x3x2xi32> to tensor<2x2x3x?xi32>
  %e = tensor.empty() : tensor<3x5xi32>
  %x = linalg.unpack %d outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
      inner_tiles = [3, %tile] into %e : tensor<2x2x3x?xi32> -> tensor<3x5xi32>
  return %x : tensor<3x5xi32>
}

// RUN: @own device runner --memory=discrete
// RUN: @own runner --memory=unified
// CHECK: 2.5
func.func @own() {
  %f = arith.constant 2.5 : f32
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %x = tensor.extract %t[%c0] : tensor<4xf32>
  memref.store %x, %m[%c0] : memref<4xf32>
  %y = memref.load %m[%c0] : memref<4xf32>
  vector.print %y : f32
  memref.dealloc %m : memref<4xf32>
  return
}
