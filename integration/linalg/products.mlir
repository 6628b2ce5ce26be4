// Sums of products of all shapes that have a kernel of their own, with operands in
// either order: one row, a few, sizes that fit tiles and that do not, known or not
// before the program runs. All sums are exact, and are compared with the host's.

// RUN: device runner --memory=discrete
// RUN: runner --memory=unified
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
// CHECK: 0 are wrong
func.func @main() {
  %three = arith.constant 3 : i32
  call @check_row(%three) : (i32) -> ()
  call @check_turned_row(%three) : (i32) -> ()
  call @check_flat(%three) : (i32) -> ()
  call @check_few(%three) : (i32) -> ()
  call @check_narrow(%three) : (i32) -> ()
  call @check_odd(%three) : (i32) -> ()
  call @check_fits(%three) : (i32) -> ()
  call @check_column(%three) : (i32) -> ()
  call @check_both(%three) : (i32) -> ()
  call @check_any(%three) : (i32) -> ()
  return
}

// A small number for each place: -3 to 3, as %three is 3.
func.func private @number(%i: index, %j: index, %three: i32) -> f32 {
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %row = arith.muli %i, %c3 : index
  %place = arith.addi %row, %j : index
  %rest = arith.remui %place, %c7 : index
  %n = arith.index_cast %rest : index to i32
  %moved = arith.subi %n, %three : i32
  %f = arith.sitofp %moved : i32 to f32
  return %f : f32
}

func.func private @matrix(%rows: index, %columns: index, %three: i32) -> tensor<?x?xf32> {
  %m = tensor.generate %rows, %columns {
  ^bb0(%i: index, %j: index):
    %v = func.call @number(%i, %j, %three) : (index, index, i32) -> f32
    tensor.yield %v : f32
  } : tensor<?x?xf32>
  return %m : tensor<?x?xf32>
}

func.func private @transposed(%rows: index, %columns: index, %three: i32) -> tensor<?x?xf32> {
  %m = tensor.generate %rows, %columns {
  ^bb0(%i: index, %j: index):
    %v = func.call @number(%j, %i, %three) : (index, index, i32) -> f32
    tensor.yield %v : f32
  } : tensor<?x?xf32>
  return %m : tensor<?x?xf32>
}

// How many elements of %y are not those of %y = c + a b, where c is @matrix too.
func.func private @print_wrong(%y: tensor<?x?xf32>, %inner: index, %three: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %rows = tensor.dim %y, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %y, %c1 : tensor<?x?xf32>
  %wrong = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %zero) -> (i32) {
    %in_row = scf.for %j = %c0 to %columns step %c1 iter_args(%n = %before) -> (i32) {
      %first = func.call @number(%i, %j, %three) : (index, index, i32) -> f32
      %sum = scf.for %k = %c0 to %inner step %c1 iter_args(%s = %first) -> (f32) {
        %a = func.call @number(%i, %k, %three) : (index, index, i32) -> f32
        %b = func.call @number(%k, %j, %three) : (index, index, i32) -> f32
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      %is = tensor.extract %y[%i, %j] : tensor<?x?xf32>
      %differs = arith.cmpf une, %is, %sum : f32
      %one = arith.extui %differs : i1 to i32
      %next = arith.addi %n, %one : i32
      scf.yield %next : i32
    }
    scf.yield %in_row : i32
  }
  vector.print %wrong : i32 punctuation <no_punctuation>
  vector.print str " are wrong\n"
  return
}

func.func private @add_row(%a: tensor<1x20xf32>, %b: tensor<20x40xf32>, %c: tensor<1x40xf32>) -> tensor<1x40xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x20xf32>, tensor<20x40xf32>) outs(%c : tensor<1x40xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x40xf32>
  return %sum : tensor<1x40xf32>
}

func.func private @check_row(%three: i32) {
  %r = arith.constant 1 : index
  %n = arith.constant 40 : index
  %k = arith.constant 20 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @matrix(%k, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<1x20xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<20x40xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<1x40xf32>
  %sum = call @add_row(%sa, %sb, %sc) : (tensor<1x20xf32>, tensor<20x40xf32>, tensor<1x40xf32>) -> tensor<1x40xf32>
  %y = tensor.cast %sum : tensor<1x40xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_turned_row(%a: tensor<1x33xf32>, %b: tensor<300x33xf32>, %c: tensor<1x300xf32>) -> tensor<1x300xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x33xf32>, tensor<300x33xf32>) outs(%c : tensor<1x300xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x300xf32>
  return %sum : tensor<1x300xf32>
}

func.func private @check_turned_row(%three: i32) {
  %r = arith.constant 1 : index
  %n = arith.constant 300 : index
  %k = arith.constant 33 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @transposed(%n, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<1x33xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<300x33xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<1x300xf32>
  %sum = call @add_turned_row(%sa, %sb, %sc) : (tensor<1x33xf32>, tensor<300x33xf32>, tensor<1x300xf32>) -> tensor<1x300xf32>
  %y = tensor.cast %sum : tensor<1x300xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_flat(%a: tensor<3x40xf32>, %b: tensor<24x40xf32>, %c: tensor<3x24xf32>) -> tensor<3x24xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x40xf32>, tensor<24x40xf32>) outs(%c : tensor<3x24xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x24xf32>
  return %sum : tensor<3x24xf32>
}

func.func private @check_flat(%three: i32) {
  %r = arith.constant 3 : index
  %n = arith.constant 24 : index
  %k = arith.constant 40 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @transposed(%n, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<3x40xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<24x40xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<3x24xf32>
  %sum = call @add_flat(%sa, %sb, %sc) : (tensor<3x40xf32>, tensor<24x40xf32>, tensor<3x24xf32>) -> tensor<3x24xf32>
  %y = tensor.cast %sum : tensor<3x24xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_few(%a: tensor<5x17xf32>, %b: tensor<17x8xf32>, %c: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x17xf32>, tensor<17x8xf32>) outs(%c : tensor<5x8xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x8xf32>
  return %sum : tensor<5x8xf32>
}

func.func private @check_few(%three: i32) {
  %r = arith.constant 5 : index
  %n = arith.constant 8 : index
  %k = arith.constant 17 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @matrix(%k, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<5x17xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<17x8xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<5x8xf32>
  %sum = call @add_few(%sa, %sb, %sc) : (tensor<5x17xf32>, tensor<17x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  %y = tensor.cast %sum : tensor<5x8xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_narrow(%a: tensor<64x20xf32>, %b: tensor<64x3xf32>, %c: tensor<20x3xf32>) -> tensor<20x3xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x20xf32>, tensor<64x3xf32>) outs(%c : tensor<20x3xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<20x3xf32>
  return %sum : tensor<20x3xf32>
}

func.func private @check_narrow(%three: i32) {
  %r = arith.constant 20 : index
  %n = arith.constant 3 : index
  %k = arith.constant 64 : index
  %a = call @transposed(%k, %r, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @matrix(%k, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<64x20xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<64x3xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<20x3xf32>
  %sum = call @add_narrow(%sa, %sb, %sc) : (tensor<64x20xf32>, tensor<64x3xf32>, tensor<20x3xf32>) -> tensor<20x3xf32>
  %y = tensor.cast %sum : tensor<20x3xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_odd(%a: tensor<33x35xf32>, %b: tensor<70x35xf32>, %c: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<33x35xf32>, tensor<70x35xf32>) outs(%c : tensor<33x70xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<33x70xf32>
  return %sum : tensor<33x70xf32>
}

func.func private @check_odd(%three: i32) {
  %r = arith.constant 33 : index
  %n = arith.constant 70 : index
  %k = arith.constant 35 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @transposed(%n, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<33x35xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<70x35xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<33x70xf32>
  %sum = call @add_odd(%sa, %sb, %sc) : (tensor<33x35xf32>, tensor<70x35xf32>, tensor<33x70xf32>) -> tensor<33x70xf32>
  %y = tensor.cast %sum : tensor<33x70xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_fits(%a: tensor<64x16xf32>, %b: tensor<16x40xf32>, %c: tensor<64x40xf32>) -> tensor<64x40xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x16xf32>, tensor<16x40xf32>) outs(%c : tensor<64x40xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x40xf32>
  return %sum : tensor<64x40xf32>
}

func.func private @check_fits(%three: i32) {
  %r = arith.constant 64 : index
  %n = arith.constant 40 : index
  %k = arith.constant 16 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @matrix(%k, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<64x16xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<16x40xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<64x40xf32>
  %sum = call @add_fits(%sa, %sb, %sc) : (tensor<64x16xf32>, tensor<16x40xf32>, tensor<64x40xf32>) -> tensor<64x40xf32>
  %y = tensor.cast %sum : tensor<64x40xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_column(%a: tensor<50x300xf32>, %b: tensor<300x1xf32>, %c: tensor<50x1xf32>) -> tensor<50x1xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<50x300xf32>, tensor<300x1xf32>) outs(%c : tensor<50x1xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<50x1xf32>
  return %sum : tensor<50x1xf32>
}

func.func private @check_column(%three: i32) {
  %r = arith.constant 50 : index
  %n = arith.constant 1 : index
  %k = arith.constant 300 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @matrix(%k, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<50x300xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<300x1xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<50x1xf32>
  %sum = call @add_column(%sa, %sb, %sc) : (tensor<50x300xf32>, tensor<300x1xf32>, tensor<50x1xf32>) -> tensor<50x1xf32>
  %y = tensor.cast %sum : tensor<50x1xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_both(%a: tensor<17x100xf32>, %b: tensor<136x17xf32>, %c: tensor<100x136xf32>) -> tensor<100x136xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<17x100xf32>, tensor<136x17xf32>) outs(%c : tensor<100x136xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<100x136xf32>
  return %sum : tensor<100x136xf32>
}

func.func private @check_both(%three: i32) {
  %r = arith.constant 100 : index
  %n = arith.constant 136 : index
  %k = arith.constant 17 : index
  %a = call @transposed(%k, %r, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @transposed(%n, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sa = tensor.cast %a : tensor<?x?xf32> to tensor<17x100xf32>
  %sb = tensor.cast %b : tensor<?x?xf32> to tensor<136x17xf32>
  %sc = tensor.cast %c : tensor<?x?xf32> to tensor<100x136xf32>
  %sum = call @add_both(%sa, %sb, %sc) : (tensor<17x100xf32>, tensor<136x17xf32>, tensor<100x136xf32>) -> tensor<100x136xf32>
  %y = tensor.cast %sum : tensor<100x136xf32> to tensor<?x?xf32>
  call @print_wrong(%y, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}

func.func private @add_any(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}

func.func private @check_any(%three: i32) {
  %r = arith.constant 30 : index
  %n = arith.constant 50 : index
  %k = arith.constant 20 : index
  %a = call @matrix(%r, %k, %three) : (index, index, i32) -> tensor<?x?xf32>
  %b = call @matrix(%k, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %c = call @matrix(%r, %n, %three) : (index, index, i32) -> tensor<?x?xf32>
  %sum = call @add_any(%a, %b, %c) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  call @print_wrong(%sum, %k, %three) : (tensor<?x?xf32>, index, i32) -> ()
  return
}
