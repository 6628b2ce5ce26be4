// Reductions over the lanes of a subgroup and over a block (reductions.c).
//
// {{type}}: f32; i64; vector<2xf16>
// {{memory}}: memref<33xf32, #gpu.address_space<workgroup>>; memref<33xi64, #gpu.address_space<workgroup>>; memref<33xvector<2xf16>, #gpu.address_space<workgroup>>
// {{offset}}: 4
// {{others}}: 24
// {{lane}}: lane_of_full; lane_of_any
// {{redux}}: add; umin
// {{whole}}: 32
// {{half}}: 16
// {{pairs}}: 15

// The sizes of the block.
func.func private @size_x() -> i32
func.func private @size_y() -> i32
func.func private @size_z() -> i32

// Two values as one, and the value of the first lanes as one.
func.func private @combine({{type}}, {{type}}) -> {{type}}
func.func private @warp({{type}}, i32) -> {{type}}
func.func private @block({{type}}, i32) -> {{type}}

// Reduces a block's values to the first of them.
func.func private @fold({{memory}})

// The thread's number in its block, and how many there are.
func.func @thread() -> (i32, i32) {
  %tx_index = gpu.thread_id x
  %tx = arith.index_cast %tx_index : index to i32
  %nx = func.call @size_x() : () -> i32
  %ty_index = gpu.thread_id y
  %ty = arith.index_cast %ty_index : index to i32
  %ny = func.call @size_y() : () -> i32
  %tz_index = gpu.thread_id z
  %tz = arith.index_cast %tz_index : index to i32
  %nz = func.call @size_z() : () -> i32
  %plane = arith.muli %tz, %ny : i32
  %row = arith.addi %plane, %ty : i32
  %first = arith.muli %row, %nx : i32
  %thread = arith.addi %first, %tx : i32
  %area = arith.muli %nx, %ny : i32
  %threads = arith.muli %area, %nz : i32
  return %thread, %threads : i32, i32
}

// The thread's lane, and how many lanes its warp has, where all are full.
func.func @lane_of_full(%thread: i32, %threads: i32) -> (i32, i32) {
  %last_lane = arith.constant 31 : i32
  %lane = arith.andi %thread, %last_lane : i32
  %lanes = arith.constant 32 : i32
  return %lane, %lanes : i32, i32
}

func.func @lane_of_any(%thread: i32, %threads: i32) -> (i32, i32) {
  %last_lane = arith.constant 31 : i32
  %lane = arith.andi %thread, %last_lane : i32
  %warp_size = arith.constant 32 : i32
  %start = arith.subi %thread, %lane : i32
  %rest = arith.subi %threads, %start : i32
  %lanes = arith.minui %rest, %warp_size : i32
  return %lane, %lanes : i32, i32
}

// The value combined with that of the lane whose number differs in one bit.
func.func @full_step(%v: {{type}}, %lanes: i32) -> {{type}} {
  %offset = arith.constant {{offset}} : i32
  %other, %valid = gpu.shuffle xor %v, %offset, %lanes {agpu.whole_shuffle} : {{type}}
  %joined = func.call @combine(%v, %other) : ({{type}}, {{type}}) -> {{type}}
  return %joined : {{type}}
}

// The same where that lane may not be there.
func.func @step(%v: {{type}}, %lanes: i32) -> {{type}} {
  %offset = arith.constant {{offset}} : i32
  %other, %valid = gpu.shuffle xor %v, %offset, %lanes {agpu.whole_shuffle} : {{type}}
  %joined = func.call @combine(%v, %other) : ({{type}}, {{type}}) -> {{type}}
  %next = arith.select %valid, %joined, %v : {{type}}
  return %next : {{type}}
}

// The first lanes at once, by an instruction that some chips have.
func.func @redux(%v: i32, %lanes: i32) -> i32 {
  %ones = arith.constant -1 : i32
  %size = arith.constant 32 : i32
  %none = arith.subi %size, %lanes : i32
  %mask = arith.shrui %ones, %none : i32
  %all = nvvm.redux.sync {{redux}} %v, %mask : i32 -> i32
  return %all : i32
}

// Only the first lane of each cluster surely has the whole: the bits that tell
// lanes of a cluster apart are zero in its number.
func.func @spread(%v: {{type}}, %lane: i32, %lanes: i32) -> {{type}} {
  %others = arith.constant {{others}} : i32
  %from = arith.andi %lane, %others : i32
  %result, %valid = gpu.shuffle idx %v, %from, %lanes {agpu.whole_shuffle} : {{type}}
  return %result : {{type}}
}

// Each warp has a slot of the memory, and the whole another.
func.func @all_reduce(%v: {{type}}, %memory: {{memory}}) -> {{type}} {
  %thread, %threads = func.call @thread() : () -> (i32, i32)
  %lane, %lanes = func.call @{{lane}}(%thread, %threads) : (i32, i32) -> (i32, i32)
  %w = func.call @warp(%v, %lanes) : ({{type}}, i32) -> {{type}}
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %last_lane = arith.constant 31 : i32
  %whole = arith.constant {{whole}} : index
  %warp = arith.shrui %thread, %five : i32
  %slot = arith.index_castui %warp : i32 to index
  %is_first = arith.cmpi eq, %lane, %zero : i32
  scf.if %is_first {
    memref.store %w, %memory[%slot] : {{memory}}
  }
  gpu.barrier
  %bumped = arith.addi %threads, %last_lane : i32
  %warps = arith.shrui %bumped, %five : i32
  %has_slot = arith.cmpi ult, %thread, %warps : i32
  scf.if %has_slot {
    %mine = arith.index_castui %thread : i32 to index
    %p = memref.load %memory[%mine] : {{memory}}
    %b = func.call @block(%p, %warps) : ({{type}}, i32) -> {{type}}
    %is_zero = arith.cmpi eq, %thread, %zero : i32
    scf.if %is_zero {
      memref.store %b, %memory[%whole] : {{memory}}
    }
  }
  gpu.barrier
  %r = memref.load %memory[%whole] : {{memory}}
  return %r : {{type}}
}

// One half of the values that are left onto the other.
func.func @fold_half(%memory: {{memory}}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %half = arith.constant {{half}} : index
  %pairs = arith.constant {{pairs}} : index
  scf.for %i = %zero to %pairs step %one {
    %k = arith.addi %i, %half : index
    %a = memref.load %memory[%i] : {{memory}}
    %b = memref.load %memory[%k] : {{memory}}
    %joined = func.call @combine(%a, %b) : ({{type}}, {{type}}) -> {{type}}
    memref.store %joined, %memory[%i] : {{memory}}
  }
  return
}

// Each thread has a slot of the memory, and the whole another.
func.func @all_reduce_by_thread(%v: {{type}}, %memory: {{memory}}) -> {{type}} {
  %thread, %threads = func.call @thread() : () -> (i32, i32)
  %zero = arith.constant 0 : i32
  %first = arith.constant 0 : index
  %whole = arith.constant {{whole}} : index
  %slot = arith.index_castui %thread : i32 to index
  memref.store %v, %memory[%slot] : {{memory}}
  gpu.barrier
  %is_first = arith.cmpi eq, %thread, %zero : i32
  scf.if %is_first {
    func.call @fold(%memory) : ({{memory}}) -> ()
    %all = memref.load %memory[%first] : {{memory}}
    memref.store %all, %memory[%whole] : {{memory}}
  }
  gpu.barrier
  %r = memref.load %memory[%whole] : {{memory}}
  return %r : {{type}}
}
