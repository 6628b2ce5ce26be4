// What lane 0 has, in all lanes (lane_zero.c).
//
// {{type}}: f32; vector<4xf16>

func.func @of_lane_zero(%v: {{type}}) -> {{type}} {
  %first = arith.constant 0 : i32
  %all = arith.constant 32 : i32
  %r, %p = gpu.shuffle idx %v, %first, %all : {{type}}
  return %r : {{type}}
}
