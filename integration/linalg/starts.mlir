// What a sum begins with is part of its kernel, unless that could be seen.

#line = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (15 - i)>
#cells = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

func.func private @print(%m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<16xf32>, vector<16xf32>
  vector.print %v : vector<16xf32>
  return
}

// A view that was made before the second fill reads what that has put there.
// RUN: @read_by_view device runner --memory=discrete
// RUN: @read_by_view runner --memory=unified
// CHECK: ( 8, 8, 8, 8 )
// CHECK: ( 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11 )
func.func @read_by_view() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %seven = arith.constant 7.0 : f32
  %in = memref.alloc() : memref<16x4xf32>
  linalg.fill ins(%one : f32) outs(%in : memref<16x4xf32>)
  %m = memref.alloc() : memref<16xf32>
  %x = memref.alloc() : memref<4xf32>
  %part = memref.subview %m[2] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: 2>>
  linalg.fill ins(%two : f32) outs(%m : memref<16xf32>)
  linalg.fill ins(%seven : f32) outs(%m : memref<16xf32>)
  linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%part : memref<4xf32, strided<[1], offset: 2>>) outs(%x : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %one : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#cells, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%in : memref<16x4xf32>) outs(%m : memref<16xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    linalg.yield %s : f32
  }
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  vector.print %v : vector<4xf32>
  call @print(%m) : (memref<16xf32>) -> ()
  memref.dealloc %in : memref<16x4xf32>
  memref.dealloc %m : memref<16xf32>
  memref.dealloc %x : memref<4xf32>
  return
}

// One sum begins with the other's memory, backwards, and both have one kernel.
// RUN: @begins_with_other device runner --memory=discrete
// RUN: @begins_with_other runner --memory=unified
// CHECK: ( 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 )
// CHECK: ( 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4 )
func.func @begins_with_other() {
  %one = arith.constant 1.0 : f32
  %in = memref.alloc() : memref<16x4xf32>
  linalg.fill ins(%one : f32) outs(%in : memref<16x4xf32>)
  %p = memref.alloc() : memref<16xf32>
  %q = memref.alloc() : memref<16xf32>
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%p : memref<16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    linalg.yield %k : f32
  }
  linalg.generic {indexing_maps = [#back, #line], iterator_types = ["parallel"]}
      ins(%p : memref<16xf32>) outs(%q : memref<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#cells, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%in : memref<16x4xf32>) outs(%p, %q : memref<16xf32>, memref<16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    %e = arith.addf %a, %c : f32
    linalg.yield %d, %e : f32, f32
  }
  call @print(%p) : (memref<16xf32>) -> ()
  call @print(%q) : (memref<16xf32>) -> ()
  memref.dealloc %in : memref<16x4xf32>
  memref.dealloc %p : memref<16xf32>
  memref.dealloc %q : memref<16xf32>
  return
}
