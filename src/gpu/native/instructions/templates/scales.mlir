// Exponents alone, as scales of blocks have them (ue8m0; conversions.c), in the
// lowest bits of an i32.
//
// {{rounded}}: down; up
// {{result}}: i16; vector<2xi8>

// Subnormal numbers are below 2^-126. A scale has no sign.
func.func @scale(%x: f32) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %fraction = llvm.mlir.constant(23 : i32) : i32
  %rest = llvm.mlir.constant(0x7fffff : i32) : i32
  %least = llvm.mlir.constant(0x400000 : i32) : i32
  %unsigned = llvm.mlir.constant(0x7fffffff : i32) : i32
  %infinity = llvm.mlir.constant(0x7f800000 : i32) : i32
  %most = llvm.mlir.constant(254 : i32) : i32
  %nan = llvm.mlir.constant(255 : i32) : i32
  %bits = llvm.bitcast %x : f32 to i32
  %size = llvm.and %bits, %unsigned : i32
  %down = llvm.lshr %size, %fraction : i32
  %part = llvm.and %size, %rest : i32
  %more = llvm.icmp "ne" %part, %zero : i32
  // 2^-127 and what is below it is the smallest scale.
  %tiny = llvm.icmp "ule" %size, %least : i32
  %next = llvm.add %down, %one : i32
  %above = llvm.select %more, %next, %down : i1, i32
  %up = llvm.select %tiny, %zero, %above : i1, i32
  %is_over = llvm.icmp "ugt" %{{rounded}}, %most : i32
  %limited = llvm.select %is_over, %most, %{{rounded}} : i1, i32
  %is_nan = llvm.icmp "ugt" %size, %infinity : i32
  %r = llvm.select %is_nan, %nan, %limited : i1, i32
  return %r : i32
}

func.func @scales(%high: f32, %low: f32) -> {{result}} {
  %field = llvm.mlir.constant(8 : i32) : i32
  %h = func.call @scale(%high) : (f32) -> i32
  %l = func.call @scale(%low) : (f32) -> i32
  %upper = llvm.shl %h, %field : i32
  %both = llvm.or %upper, %l : i32
  %packed = llvm.trunc %both : i32 to i16
  %r = llvm.bitcast %packed : i16 to {{result}}
  return %r : {{result}}
}

func.func @scales_of_halves(%x: vector<2xbf16>) -> {{result}} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %l = llvm.extractelement %x[%zero : i32] : vector<2xbf16>
  %h = llvm.extractelement %x[%one : i32] : vector<2xbf16>
  %low = llvm.fpext %l : bf16 to f32
  %high = llvm.fpext %h : bf16 to f32
  %r = func.call @scales(%high, %low) : (f32, f32) -> {{result}}
  return %r : {{result}}
}

// The power of two, as bits of a bf16: the least is subnormal there.
func.func @power(%x: i8) -> i16 {
  %seven = llvm.mlir.constant(7 : i16) : i16
  %zero = llvm.mlir.constant(0 : i16) : i16
  %top = llvm.mlir.constant(255 : i16) : i16
  %least = llvm.mlir.constant(0x40 : i16) : i16
  %nan = llvm.mlir.constant(0x7fff : i16) : i16
  %wide = llvm.zext %x : i8 to i16
  %normal = llvm.shl %wide, %seven : i16
  %is_least = llvm.icmp "eq" %wide, %zero : i16
  %number = llvm.select %is_least, %least, %normal : i1, i16
  %is_nan = llvm.icmp "eq" %wide, %top : i16
  %r = llvm.select %is_nan, %nan, %number : i1, i16
  return %r : i16
}

func.func @powers(%x: vector<2xi8>) -> vector<2xbf16> {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.undef : vector<2xi16>
  %l = llvm.extractelement %x[%zero : i32] : vector<2xi8>
  %h = llvm.extractelement %x[%one : i32] : vector<2xi8>
  %low = func.call @power(%l) : (i8) -> i16
  %high = func.call @power(%h) : (i8) -> i16
  %first = llvm.insertelement %low, %none[%zero : i32] : vector<2xi16>
  %both = llvm.insertelement %high, %first[%one : i32] : vector<2xi16>
  %r = llvm.bitcast %both : vector<2xi16> to vector<2xbf16>
  return %r : vector<2xbf16>
}
