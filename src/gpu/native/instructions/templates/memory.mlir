// Instructions of a GPU that order and move memory, and its clock
// (instructions.c).
//
// {{pointer}}: !llvm.ptr<3>; !llvm.ptr
// {{load}}: load_row; load_column
// {{store}}: store_row; store_column

// Host memory is coherent, and all threads of a block are one host thread.
func.func @fence() {
  llvm.fence seq_cst
  return
}

func.func @trap() {
  "llvm.intr.debugtrap"() : () -> ()
  return
}

func.func @cycles() -> i64 {
  %r = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  return %r : i64
}

func.func @cycles_32() -> i32 {
  %all = func.call @cycles() : () -> i64
  %r = llvm.trunc %all : i64 to i32
  return %r : i32
}

func.func @bulk_store(%to: {{pointer}}, %bytes: i64) {
  %zero = llvm.mlir.constant(0 : i8) : i8
  "llvm.intr.memset"(%to, %zero, %bytes) <{isVolatile = false}> : ({{pointer}}, i8, i64) -> ()
  return
}

// A matrix of 8 by 8 elements of 16 bits is spread over a warp by rows of four
// lanes with two elements each. Lane 8 * m + i has the address of row i of
// matrix m. Transposed, the lanes hold columns. %first is 8 * m.

// The address that lane %from has: a shuffle moves 32 bits.
func.func @address_of(%address: !llvm.ptr<3>, %from: i32) -> !llvm.ptr<3> {
  %all = llvm.mlir.constant(-1 : i32) : i32
  %last = llvm.mlir.constant(31 : i32) : i32
  %word = llvm.mlir.constant(32 : i64) : i64
  %number = llvm.ptrtoint %address : !llvm.ptr<3> to i64
  %upper = llvm.lshr %number, %word : i64
  %high = llvm.trunc %upper : i64 to i32
  %low = llvm.trunc %number : i64 to i32
  %l = nvvm.shfl.sync idx %all, %low, %from, %last : i32 -> i32
  %h = nvvm.shfl.sync idx %all, %high, %from, %last : i32 -> i32
  %lw = llvm.zext %l : i32 to i64
  %hw = llvm.zext %h : i32 to i64
  %hs = llvm.shl %hw, %word : i64
  %both = llvm.or %hs, %lw : i64
  %r = llvm.inttoptr %both : i64 to !llvm.ptr<3>
  return %r : !llvm.ptr<3>
}

func.func @lane_place() -> (i32, i32) {
  %two = llvm.mlir.constant(2 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %row = llvm.lshr %lane, %two : i32
  %column = llvm.and %lane, %three : i32
  return %row, %column : i32, i32
}

// Where the lane's two elements are.
func.func @row_element(%address: !llvm.ptr<3>, %first: i32) -> !llvm.ptr<3> {
  %row, %column = func.call @lane_place() : () -> (i32, i32)
  %from = llvm.add %first, %row : i32
  %base = func.call @address_of(%address, %from) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  %r = llvm.getelementptr %base[%column] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  return %r : !llvm.ptr<3>
}

// Where its element %half of a column is.
func.func @column_element(%address: !llvm.ptr<3>, %first: i32, %half: i32) -> !llvm.ptr<3> {
  %two = llvm.mlir.constant(2 : i32) : i32
  %row, %column = func.call @lane_place() : () -> (i32, i32)
  %pair = llvm.mul %column, %two : i32
  %near = llvm.add %first, %pair : i32
  %from = llvm.add %near, %half : i32
  %base = func.call @address_of(%address, %from) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  %r = llvm.getelementptr %base[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
  return %r : !llvm.ptr<3>
}

func.func @load_row(%address: !llvm.ptr<3>, %first: i32) -> i32 {
  %e = func.call @row_element(%address, %first) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  %r = llvm.load %e : !llvm.ptr<3> -> i32
  return %r : i32
}

func.func @load_column(%address: !llvm.ptr<3>, %first: i32) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  %e0 = func.call @column_element(%address, %first, %zero) : (!llvm.ptr<3>, i32, i32) -> !llvm.ptr<3>
  %h0 = llvm.load %e0 : !llvm.ptr<3> -> i16
  %e1 = func.call @column_element(%address, %first, %one) : (!llvm.ptr<3>, i32, i32) -> !llvm.ptr<3>
  %h1 = llvm.load %e1 : !llvm.ptr<3> -> i16
  %low = llvm.zext %h0 : i16 to i32
  %wide = llvm.zext %h1 : i16 to i32
  %high = llvm.shl %wide, %sixteen : i32
  %r = llvm.or %low, %high : i32
  return %r : i32
}

func.func @load_1(%address: !llvm.ptr<3>) -> i32 {
  %m0 = llvm.mlir.constant(0 : i32) : i32
  %w0 = func.call @{{load}}(%address, %m0) : (!llvm.ptr<3>, i32) -> i32
  return %w0 : i32
}

func.func @load_2(%address: !llvm.ptr<3>) -> !llvm.struct<(i32, i32)> {
  %m0 = llvm.mlir.constant(0 : i32) : i32
  %m1 = llvm.mlir.constant(8 : i32) : i32
  %w0 = func.call @{{load}}(%address, %m0) : (!llvm.ptr<3>, i32) -> i32
  %w1 = func.call @{{load}}(%address, %m1) : (!llvm.ptr<3>, i32) -> i32
  %r0 = llvm.mlir.undef : !llvm.struct<(i32, i32)>
  %r1 = llvm.insertvalue %w0, %r0[0] : !llvm.struct<(i32, i32)>
  %r2 = llvm.insertvalue %w1, %r1[1] : !llvm.struct<(i32, i32)>
  return %r2 : !llvm.struct<(i32, i32)>
}

func.func @load_4(%address: !llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)> {
  %m0 = llvm.mlir.constant(0 : i32) : i32
  %m1 = llvm.mlir.constant(8 : i32) : i32
  %m2 = llvm.mlir.constant(16 : i32) : i32
  %m3 = llvm.mlir.constant(24 : i32) : i32
  %w0 = func.call @{{load}}(%address, %m0) : (!llvm.ptr<3>, i32) -> i32
  %w1 = func.call @{{load}}(%address, %m1) : (!llvm.ptr<3>, i32) -> i32
  %w2 = func.call @{{load}}(%address, %m2) : (!llvm.ptr<3>, i32) -> i32
  %w3 = func.call @{{load}}(%address, %m3) : (!llvm.ptr<3>, i32) -> i32
  %r0 = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32)>
  %r1 = llvm.insertvalue %w0, %r0[0] : !llvm.struct<(i32, i32, i32, i32)>
  %r2 = llvm.insertvalue %w1, %r1[1] : !llvm.struct<(i32, i32, i32, i32)>
  %r3 = llvm.insertvalue %w2, %r2[2] : !llvm.struct<(i32, i32, i32, i32)>
  %r4 = llvm.insertvalue %w3, %r3[3] : !llvm.struct<(i32, i32, i32, i32)>
  return %r4 : !llvm.struct<(i32, i32, i32, i32)>
}

func.func @store_row(%address: !llvm.ptr<3>, %first: i32, %word: i32) {
  %e = func.call @row_element(%address, %first) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
  llvm.store %word, %e : i32, !llvm.ptr<3>
  return
}

func.func @store_column(%address: !llvm.ptr<3>, %first: i32, %word: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  %upper = llvm.lshr %word, %sixteen : i32
  %e0 = func.call @column_element(%address, %first, %zero) : (!llvm.ptr<3>, i32, i32) -> !llvm.ptr<3>
  %h0 = llvm.trunc %word : i32 to i16
  llvm.store %h0, %e0 : i16, !llvm.ptr<3>
  %e1 = func.call @column_element(%address, %first, %one) : (!llvm.ptr<3>, i32, i32) -> !llvm.ptr<3>
  %h1 = llvm.trunc %upper : i32 to i16
  llvm.store %h1, %e1 : i16, !llvm.ptr<3>
  return
}

func.func @store_2(%address: !llvm.ptr<3>, %w0: i32) {
  %m0 = llvm.mlir.constant(0 : i32) : i32
  func.call @{{store}}(%address, %m0, %w0) : (!llvm.ptr<3>, i32, i32) -> ()
  return
}

func.func @store_3(%address: !llvm.ptr<3>, %w0: i32, %w1: i32) {
  %m1 = llvm.mlir.constant(8 : i32) : i32
  func.call @store_2(%address, %w0) : (!llvm.ptr<3>, i32) -> ()
  func.call @{{store}}(%address, %m1, %w1) : (!llvm.ptr<3>, i32, i32) -> ()
  return
}

func.func @store_5(%address: !llvm.ptr<3>, %w0: i32, %w1: i32, %w2: i32, %w3: i32) {
  %m2 = llvm.mlir.constant(16 : i32) : i32
  %m3 = llvm.mlir.constant(24 : i32) : i32
  func.call @store_3(%address, %w0, %w1) : (!llvm.ptr<3>, i32, i32) -> ()
  func.call @{{store}}(%address, %m2, %w2) : (!llvm.ptr<3>, i32, i32) -> ()
  func.call @{{store}}(%address, %m3, %w3) : (!llvm.ptr<3>, i32, i32) -> ()
  return
}
