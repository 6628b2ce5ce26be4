// PTX in a kernel's source: as nvvm.inline_ptx and as assembly of the LLVM dialect,
// with registers of its own, guards, special registers and a product of matrices.
// CHIPS: sm_80 sm_90

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?x8xi32>)
        workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<?xi32>
      %ten0 = arith.constant 10 : i32
      %none = arith.constant 0 : i32
      %w0 = arith.muli %v, %none : i32
      %ten = arith.addi %ten0, %w0 : i32
      // The smaller and the larger, by a predicate of the text's own.
      %least, %most = nvvm.inline_ptx "{ .reg .pred q; setp.lt.s32 q, {$r0}, {$r1}; // one\0A selp.s32 {$w0}, {$r0}, {$r1}, q; selp.b32 {$w1}, {$r1}, {$r0}, q; }" ro (%v, %ten : i32, i32) -> i32, i32
      memref.store %least, %out[%i, %c0] : memref<?x8xi32>
      memref.store %most, %out[%i, %c1] : memref<?x8xi32>
      // 2^(v % 4)
      %f = nvvm.inline_ptx "{ .reg .b32 r; and.b32 r, {$r0}, 3; shl.b32 {$w0}, 1, r; }" ro (%v : i32) -> i32
      memref.store %f, %out[%i, %c2] : memref<?x8xi32>
      // Bits of a float: 1.0, if the thread's is above 3.
      %is_high = arith.cmpi sgt, %v, %ten : i32
      %g = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %laneid; @$1 mov.b32 $0, 0f3F800000; @!$1 add.s32 $0, $0, 1000;", "=r,b" %is_high : (i1) -> i32
      memref.store %g, %out[%i, %c3] : memref<?x8xi32>
      // Through workgroup memory, by a neighbour.
      %base = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
      %base64 = arith.index_cast %base : index to i64
      %four = arith.constant 4 : i64
      %i32 = arith.index_cast %i : index to i32
      %i64 = arith.index_cast %i : index to i64
      %by = arith.muli %i64, %four : i64
      %own64 = arith.addi %base64, %by : i64
      %one = arith.constant 1 : i64
      %other_lane = arith.xori %i64, %one : i64
      %other_by = arith.muli %other_lane, %four : i64
      %other64 = arith.addi %base64, %other_by : i64
      %own = llvm.inttoptr %own64 : i64 to !llvm.ptr<3>
      %other = llvm.inttoptr %other64 : i64 to !llvm.ptr<3>
      nvvm.inline_ptx "st.shared.b32 [{$r0}], {$r1};" ro (%own, %v : !llvm.ptr<3>, i32)
      nvvm.inline_ptx "bar.sync 0;"
      %n = nvvm.inline_ptx "ld.shared.b32 {$w0}, [{$r0}];" ro (%other : !llvm.ptr<3>) -> i32
      memref.store %n, %out[%i, %c4] : memref<?x8xi32>
      %s = nvvm.inline_ptx "shfl.sync.bfly.b32 {$w0}, {$r0}, 3, 31, -1;" ro (%v : i32) -> i32
      memref.store %s, %out[%i, %c5] : memref<?x8xi32>
      // Rows of A are their group's number, those of B ones: each sum is 16 times it.
      %three = arith.constant 4 : i32
      %group = arith.divui %i32, %three : i32
      %gf = arith.sitofp %group : i32 to f16
      %pair = vector.broadcast %gf : f16 to vector<2xf16>
      %h1 = arith.constant dense<1.0> : vector<2xf16>
      %vf = arith.sitofp %v : i32 to f32
      %z = arith.constant 0.0 : f32
      %vz = arith.mulf %vf, %z : f32
      %half = arith.constant 0.5 : f32
      %f0 = arith.addf %vz, %half : f32
      %a = llvm.bitcast %pair : vector<2xf16> to i32
      %b1 = llvm.bitcast %h1 : vector<2xf16> to i32
      %zero = arith.constant 0 : i32
      %vzero = arith.muli %v, %zero : i32
      %b = arith.addi %b1, %vzero : i32
      %d:4 = nvvm.inline_ptx "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { {$w0}, {$w1}, {$w2}, {$w3} }, { {$r0}, {$r0}, {$r0}, {$r0} }, { {$r1}, {$r1} }, { {$r2}, {$r2}, {$r2}, {$r2} };" ro (%a, %b, %f0 : i32, i32, f32) -> f32, f32, f32, f32
      %d3 = arith.fptosi %d#3 : f32 to i32
      memref.store %d3, %out[%i, %c6] : memref<?x8xi32>
      %e = nvvm.inline_ptx "fma.rn.f32 {$w0}, {$r0}, {$r0}, 0f3E800000;" ro (%f0 : f32) -> f32
      %eb = arith.bitcast %e : f32 to i32
      memref.store %eb, %out[%i, %c7] : memref<?x8xi32>
      gpu.return
    }
    // Comparisons with a NaN, a register called guard, and a load that has a sign.
    gpu.func @signs(%nan: f32, %one: f32, %halves: memref<1xi16>, %cells: memref<2xi32>, %no: i1,
        %out: memref<?x8xi32>, %row: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %differs = nvvm.inline_ptx "{ .reg .pred q; setp.ne.f32 q, {$r0}, {$r1}; selp.s32 {$w0}, 1, 0, q; }" ro (%nan, %one : f32, f32) -> i32
      memref.store %differs, %out[%row, %c0] : memref<?x8xi32>
      %same = nvvm.inline_ptx "{ .reg .pred q; setp.eq.f32 q, {$r0}, {$r0}; selp.s32 {$w0}, 1, 0, q; }" ro (%nan : f32) -> i32
      memref.store %same, %out[%row, %c1] : memref<?x8xi32>
      %p = memref.extract_aligned_pointer_as_index %halves : memref<1xi16> -> index
      %p64 = arith.index_cast %p : index to i64
      %address = llvm.inttoptr %p64 : i64 to !llvm.ptr<1>
      %half = nvvm.inline_ptx "ld.global.s16 {$w0}, [{$r0}];" ro (%address : !llvm.ptr<1>) -> i32
      memref.store %half, %out[%row, %c2] : memref<?x8xi32>
      %bits = nvvm.inline_ptx "{ .reg .b16 h; ld.global.b16 h, [{$r0}]; ld.global.s16 {$w0}, [{$r0}]; }" ro (%address : !llvm.ptr<1>) -> i64
      %low = arith.trunci %bits : i64 to i32
      memref.store %low, %out[%row, %c3] : memref<?x8xi32>
      %differ = nvvm.inline_ptx "{ .reg .pred guard; mov.b32 {$w0}, 5; setp.ne.f32 guard, {$r0}, 0f00000000; selp.s32 {$w0}, 6, 7, guard; }" ro (%one : f32) -> i32
      memref.store %differ, %out[%row, %c4] : memref<?x8xi32>
      // The op's predicate is that of the first statement.
      %to = memref.extract_aligned_pointer_as_index %cells : memref<2xi32> -> index
      %to64 = arith.index_cast %to : index to i64
      %cell = llvm.inttoptr %to64 : i64 to !llvm.ptr<1>
      nvvm.inline_ptx "st.global.b32 [{$r0}], 1; st.global.b32 [{$r0}+4], 2;" ro (%cell : !llvm.ptr<1>), predicate = %no
      gpu.return
    }
  }

  // Of threads 0, 5 and 31, which hold 7 times their numbers.
  //
  // RUN: kernel
  // CHECK: 0, 10, 1, 1000, 7, 21, 0, 1056964608
  // CHECK: 10, 35, 8, 1065353216, 28, 42, 16, 1056964608
  // CHECK: 10, 217, 2, 1065353216, 210, 196, 112, 1056964608
  // CHECK: 0, 0, -2, -2, 6, 42, 16, 1056964608
  // CHECK: 0
  // CHECK: 2
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c5 = arith.constant 5 : index
    %c26 = arith.constant 26 : index
    %n = arith.constant 32 : index
    %seven = arith.constant 7 : i32
    %x = gpu.alloc host_shared (%n) : memref<?xi32>
    %out = gpu.alloc host_shared (%n) : memref<?x8xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %seven : i32
      memref.store %v, %x[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : memref<?xi32>, %out : memref<?x8xi32>)
    func.call @print(%out, %c0) : (memref<?x8xi32>, index) -> ()
    func.call @print(%out, %c5) : (memref<?x8xi32>, index) -> ()
    %c31 = arith.constant 31 : index
    func.call @print(%out, %c31) : (memref<?x8xi32>, index) -> ()
    // The row of thread 5 once more.
    %nan = arith.constant 0x7FC00000 : f32
    %one = arith.constant 1.0 : f32
    %minus_two = arith.constant -2 : i16
    %halves = gpu.alloc host_shared () : memref<1xi16>
    memref.store %minus_two, %halves[%c0] : memref<1xi16>
    %no = arith.constant false
    %zero = arith.constant 0 : i32
    %cells = gpu.alloc host_shared () : memref<2xi32>
    memref.store %zero, %cells[%c0] : memref<2xi32>
    memref.store %zero, %cells[%c1] : memref<2xi32>
    gpu.launch_func @kernels::@signs blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%nan : f32, %one : f32, %halves : memref<1xi16>, %cells : memref<2xi32>, %no : i1,
          %out : memref<?x8xi32>, %c5 : index)
    func.call @print(%out, %c5) : (memref<?x8xi32>, index) -> ()
    %first = memref.load %cells[%c0] : memref<2xi32>
    vector.print %first : i32
    %second = memref.load %cells[%c1] : memref<2xi32>
    vector.print %second : i32
    gpu.dealloc %cells : memref<2xi32>
    gpu.dealloc %halves : memref<1xi16>
    gpu.dealloc %x : memref<?xi32>
    gpu.dealloc %out : memref<?x8xi32>
    return
  }

  func.func private @print(%out: memref<?x8xi32>, %i: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %out[%i, %j] : memref<?x8xi32>
      vector.print %v : i32 punctuation <no_punctuation>
      %next = arith.addi %j, %c1 : index
      %more = arith.cmpi ult, %next, %c8 : index
      scf.if %more {
        vector.print str ", "
      }
    }
    vector.print str "\n"
    return
  }
}
