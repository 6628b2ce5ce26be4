// A stack of transformer layers, run again and again over what it has computed: each
// layer is attention over a sequence (scores, softmax, mixing), a product with the
// layer's weights, and what came in added to what goes out.
//
//     x ─▶ scores ─▶ softmax ─▶ mix ─▶ project + x ─▶ next layer ─▶ ... ─▶ x
//
// The four layers are a loop with constant bounds inside of the loop over steps: with
// graphs a step is one call of the driver for 16 kernels, which differ in nothing from
// step to step.
//
//     scripts/run.sh examples/layers.mlir --graphs=auto
// FLAGS: --graphs=auto

// RUN: device schedules=10
// CHECK: 382
// CHECK: 189
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %layers = arith.constant 4 : index
  %sequence = arith.constant 8 : index
  %width = arith.constant 16 : index
  %steps = arith.constant 25 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %decay = arith.constant 0.5 : f32
  %sixteenth = arith.constant 0.0625 : f32

  %x = gpu.alloc() : memref<8x16xf32>
  %scores = gpu.alloc() : memref<8x8xf32>
  %mixed = gpu.alloc() : memref<8x16xf32>
  %weights = gpu.alloc() : memref<4x16x16xf32>

  // x[s][d] = s + d / 16, weights[l][i][j] = (l + i * j mod 16) / 16 - 1 / 2.
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
    %si = arith.index_cast %bx : index to i32
    %di = arith.index_cast %tx : index to i32
    %sf = arith.sitofp %si : i32 to f32
    %df = arith.sitofp %di : i32 to f32
    %part = arith.mulf %df, %sixteenth : f32
    %value = arith.addf %sf, %part : f32
    memref.store %value, %x[%bx, %tx] : memref<8x16xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %layers, %gy = %width, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
    %product = arith.muli %by, %tx : index
    %sum = arith.addi %bx, %product : index
    %rest = arith.remui %sum, %width : index
    %i = arith.index_cast %rest : index to i32
    %fi = arith.sitofp %i : i32 to f32
    %scaled = arith.mulf %fi, %sixteenth : f32
    %value = arith.subf %scaled, %decay : f32
    memref.store %value, %weights[%bx, %by, %tx] : memref<4x16x16xf32>
    gpu.terminator
  }

  scf.for %step = %c0 to %steps step %c1 {
    scf.for %layer = %c0 to %layers step %c1 {
      // scores[s][t] = x[s] . x[t] / 4
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %sequence, %sy = %c1, %sz = %c1) {
        %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
          %a = memref.load %x[%bx, %d] : memref<8x16xf32>
          %b = memref.load %x[%tx, %d] : memref<8x16xf32>
          %ab = arith.mulf %a, %b : f32
          %next = arith.addf %sum, %ab : f32
          scf.yield %next : f32
        }
        %score = arith.mulf %dot, %scale : f32
        memref.store %score, %scores[%bx, %tx] : memref<8x8xf32>
        gpu.terminator
      }
      // A thread for each row: what is largest takes part in full, by 1 / (1 + m - s).
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %sequence, %sy = %c1, %sz = %c1) {
        %one = arith.constant 1.0 : f32
        %first = memref.load %scores[%tx, %c0] : memref<8x8xf32>
        %most = scf.for %t = %c0 to %sequence step %c1 iter_args(%m = %first) -> f32 {
          %s = memref.load %scores[%tx, %t] : memref<8x8xf32>
          %larger = arith.maximumf %m, %s : f32
          scf.yield %larger : f32
        }
        %total = scf.for %t = %c0 to %sequence step %c1 iter_args(%sum = %zero) -> f32 {
          %s = memref.load %scores[%tx, %t] : memref<8x8xf32>
          %below = arith.subf %most, %s : f32
          %bound = arith.addf %below, %one : f32
          %part = arith.divf %one, %bound : f32
          memref.store %part, %scores[%tx, %t] : memref<8x8xf32>
          %next = arith.addf %sum, %part : f32
          scf.yield %next : f32
        }
        scf.for %t = %c0 to %sequence step %c1 {
          %part = memref.load %scores[%tx, %t] : memref<8x8xf32>
          %share = arith.divf %part, %total : f32
          memref.store %share, %scores[%tx, %t] : memref<8x8xf32>
        }
        gpu.terminator
      }
      // mixed[s] = scores[s] . x
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
        %dot = scf.for %t = %c0 to %sequence step %c1 iter_args(%sum = %zero) -> f32 {
          %a = memref.load %scores[%bx, %t] : memref<8x8xf32>
          %b = memref.load %x[%t, %tx] : memref<8x16xf32>
          %ab = arith.mulf %a, %b : f32
          %next = arith.addf %sum, %ab : f32
          scf.yield %next : f32
        }
        memref.store %dot, %mixed[%bx, %tx] : memref<8x16xf32>
        gpu.terminator
      }
      // x[s][d] = x[s][d] / 2 + (mixed . weights[layer])[s][d] / 16 + d / 16
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
        %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
          %a = memref.load %mixed[%bx, %d] : memref<8x16xf32>
          %b = memref.load %weights[%layer, %d, %tx] : memref<4x16x16xf32>
          %ab = arith.mulf %a, %b : f32
          %next = arith.addf %sum, %ab : f32
          scf.yield %next : f32
        }
        %before = memref.load %x[%bx, %tx] : memref<8x16xf32>
        %kept = arith.mulf %before, %decay : f32
        %added = arith.mulf %dot, %sixteenth : f32
        %di = arith.index_cast %tx : index to i32
        %df = arith.sitofp %di : i32 to f32
        %bias = arith.mulf %df, %sixteenth : f32
        %sum = arith.addf %kept, %added : f32
        %after = arith.addf %sum, %bias : f32
        memref.store %after, %x[%bx, %tx] : memref<8x16xf32>
        gpu.terminator
      }
    }
  }
  %h = memref.alloc() : memref<8x16xf32>
  gpu.memcpy %h, %x : memref<8x16xf32>, memref<8x16xf32>
  gpu.dealloc %x : memref<8x16xf32>
  gpu.dealloc %scores : memref<8x8xf32>
  gpu.dealloc %mixed : memref<8x16xf32>
  gpu.dealloc %weights : memref<4x16x16xf32>
  %first = memref.load %h[%c0, %c3] : memref<8x16xf32>
  %last = memref.load %h[%c3, %c1] : memref<8x16xf32>
  memref.dealloc %h : memref<8x16xf32>
  %scaler = arith.constant 1.0e+03 : f32
  %first_scaled = arith.mulf %first, %scaler : f32
  %last_scaled = arith.mulf %last, %scaler : f32
  %first_int = arith.fptosi %first_scaled : f32 to i32
  %last_int = arith.fptosi %last_scaled : f32 to i32
  vector.print %first_int : i32
  vector.print %last_int : i32
  return
}
