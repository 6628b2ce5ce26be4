// Shuffles of one word, and which lanes take part in them (shuffles.c).
//
// {{type}}: f32; vector<4xf16>
// {{offset}}: 3
// {{width}}: 8
// {{last}}: 7
// {{mode}}: up; down; idx
// {{bound}}: zero; last
// {{self}}: zero; lane

// Lane (lane + offset) % width, which the first lanes can read.
func.func @rotate(%v: {{type}}) -> ({{type}}, i1) {
  %offset = arith.constant {{offset}} : i32
  %width = arith.constant {{width}} : i32
  %last = arith.constant {{last}} : i32
  %index = gpu.lane_id
  %lane = arith.index_cast %index : index to i32
  %ahead = arith.addi %lane, %offset : i32
  %from = arith.andi %ahead, %last : i32
  %r, %p = gpu.shuffle idx %v, %from, %width : {{type}}
  %valid = arith.cmpi ult, %lane, %width : i32
  return %r, %valid : {{type}}, i1
}

func.func @whole_word(%o: i32, %word: i32, %n: i32) -> (i32, i1) {
  %s, %p = gpu.shuffle {{mode}} %word, %o, %n {agpu.whole_shuffle} : i32
  return %s, %p : i32, i1
}

// Of the first %n lanes, those name each other, and so do the others, which
// read themselves.
func.func @part(%o: i32, %n: i32) -> (i32, i32, i32, i1) {
  %index = gpu.lane_id
  %lane = arith.index_cast %index : index to i32
  %in = arith.cmpi ult, %lane, %n : i32
  %size = arith.constant 32 : i32
  %all = arith.constant -1 : i32
  %others = arith.subi %size, %n : i32
  %low = arith.shrui %all, %others : i32
  %high = arith.xori %low, %all : i32
  %mask = arith.select %in, %low, %high : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.subi %n, %one : i32
  %from = arith.select %in, %o, %{{self}} : i32
  return %mask, %from, %{{bound}}, %in : i32, i32, i32, i1
}

func.func @part_word(%mask: i32, %word: i32, %from: i32, %bound: i32) -> (i32, i1) {
  %b = nvvm.shfl.sync {{mode}} %mask, %word, %from, %bound {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  %s = llvm.extractvalue %b[0] : !llvm.struct<(i32, i1)>
  %p = llvm.extractvalue %b[1] : !llvm.struct<(i32, i1)>
  return %s, %p : i32, i1
}

func.func @all_lanes() -> i32 {
  %mask = arith.constant -1 : i32
  return %mask : i32
}

func.func @active_lanes() -> i32 {
  %mask = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
  return %mask : i32
}

func.func @first_lane() -> (i32, i32) {
  %mask = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
  %lane = "llvm.intr.cttz"(%mask) <{is_zero_poison = true}> : (i32) -> i32
  return %mask, %lane : i32, i32
}

func.func @broadcast_word(%mask: i32, %word: i32, %lane: i32) -> i32 {
  %last = arith.constant 31 : i32
  %s = nvvm.shfl.sync idx %mask, %word, %lane, %last : i32 -> i32
  return %s : i32
}
