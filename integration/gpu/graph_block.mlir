// A transformer block that is called 100 times: attention (scores, shares, mixing), a
// product with weights, and two layers behind that, six kernels in a region of a function.
// The host computes the same, and compares.
// FLAGS: --graphs=on

func.func private @block(%token: !async.token, %x: memref<8x16xf32>, %scores: memref<8x8xf32>,
    %mixed: memref<8x16xf32>, %weights: memref<16x16xf32>) -> !async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sequence = arith.constant 8 : index
  %width = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %decay = arith.constant 0.5 : f32
  %sixteenth = arith.constant 0.0625 : f32
  %done = async.execute [%token] {
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
    // x[s][d] = x[s][d] / 2 + (mixed . weights)[s][d] / 16 + d / 16
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %mixed[%bx, %d] : memref<8x16xf32>
        %b = memref.load %weights[%d, %tx] : memref<16x16xf32>
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
    // hidden = what is above 0 of x . weights
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %x[%bx, %d] : memref<8x16xf32>
        %b = memref.load %weights[%tx, %d] : memref<16x16xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        scf.yield %next : f32
      }
      %above = arith.maximumf %dot, %zero : f32
      memref.store %above, %mixed[%bx, %tx] : memref<8x16xf32>
      gpu.terminator
    }
    // x = x / 2 + (hidden . weights) / 16
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %sequence, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %width, %sy = %c1, %sz = %c1) {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %mixed[%bx, %d] : memref<8x16xf32>
        %b = memref.load %weights[%d, %tx] : memref<16x16xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        scf.yield %next : f32
      }
      %before = memref.load %x[%bx, %tx] : memref<8x16xf32>
      %kept = arith.mulf %before, %decay : f32
      %added = arith.mulf %dot, %sixteenth : f32
      %after = arith.addf %kept, %added : f32
      memref.store %after, %x[%bx, %tx] : memref<8x16xf32>
      gpu.terminator
    }
    async.yield
  }
  return %done : !async.token
}

func.func private @host_block(%x: memref<8x16xf32>, %scores: memref<8x8xf32>,
    %mixed: memref<8x16xf32>, %weights: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sequence = arith.constant 8 : index
  %width = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %decay = arith.constant 0.5 : f32
  %sixteenth = arith.constant 0.0625 : f32
  scf.for %bx = %c0 to %sequence step %c1 {
    scf.for %tx = %c0 to %sequence step %c1 {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %x[%bx, %d] : memref<8x16xf32>
        %b = memref.load %x[%tx, %d] : memref<8x16xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        scf.yield %next : f32
      }
      %score = arith.mulf %dot, %scale : f32
      memref.store %score, %scores[%bx, %tx] : memref<8x8xf32>
    }
  }
  scf.for %bx = %c0 to %c1 step %c1 {
    scf.for %tx = %c0 to %sequence step %c1 {
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
    }
  }
  scf.for %bx = %c0 to %sequence step %c1 {
    scf.for %tx = %c0 to %width step %c1 {
      %dot = scf.for %t = %c0 to %sequence step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %scores[%bx, %t] : memref<8x8xf32>
        %b = memref.load %x[%t, %tx] : memref<8x16xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        scf.yield %next : f32
      }
      memref.store %dot, %mixed[%bx, %tx] : memref<8x16xf32>
    }
  }
  scf.for %bx = %c0 to %sequence step %c1 {
    scf.for %tx = %c0 to %width step %c1 {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %mixed[%bx, %d] : memref<8x16xf32>
        %b = memref.load %weights[%d, %tx] : memref<16x16xf32>
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
    }
  }
  scf.for %bx = %c0 to %sequence step %c1 {
    scf.for %tx = %c0 to %width step %c1 {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %x[%bx, %d] : memref<8x16xf32>
        %b = memref.load %weights[%tx, %d] : memref<16x16xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        scf.yield %next : f32
      }
      %above = arith.maximumf %dot, %zero : f32
      memref.store %above, %mixed[%bx, %tx] : memref<8x16xf32>
    }
  }
  scf.for %bx = %c0 to %sequence step %c1 {
    scf.for %tx = %c0 to %width step %c1 {
      %dot = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %zero) -> f32 {
        %a = memref.load %mixed[%bx, %d] : memref<8x16xf32>
        %b = memref.load %weights[%d, %tx] : memref<16x16xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        scf.yield %next : f32
      }
      %before = memref.load %x[%bx, %tx] : memref<8x16xf32>
      %kept = arith.mulf %before, %decay : f32
      %added = arith.mulf %dot, %sixteenth : f32
      %after = arith.addf %kept, %added : f32
      memref.store %after, %x[%bx, %tx] : memref<8x16xf32>
    }
  }
  return
}

// RUN: device schedules=10
// CHECK: numbers that differ, and the first:
// CHECK: 0
// CHECK: 81
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sequence = arith.constant 8 : index
  %width = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %decay = arith.constant 0.5 : f32
  %sixteenth = arith.constant 0.0625 : f32
  %calls = arith.constant 100 : index
  %count = arith.constant 0 : i32
  %hx = memref.alloc() : memref<8x16xf32>
  %hscores = memref.alloc() : memref<8x8xf32>
  %hmixed = memref.alloc() : memref<8x16xf32>
  %hweights = memref.alloc() : memref<16x16xf32>
  %seen = memref.alloc() : memref<8x16xf32>
  // x[s][d] = s + d / 16, weights[i][j] = (i * j mod 16) / 16 - 1 / 2
  scf.for %s = %c0 to %sequence step %c1 {
    scf.for %d = %c0 to %width step %c1 {
      %si = arith.index_cast %s : index to i32
      %di = arith.index_cast %d : index to i32
      %sf = arith.sitofp %si : i32 to f32
      %df = arith.sitofp %di : i32 to f32
      %part = arith.mulf %df, %sixteenth : f32
      %value = arith.addf %sf, %part : f32
      memref.store %value, %hx[%s, %d] : memref<8x16xf32>
    }
  }
  scf.for %i = %c0 to %width step %c1 {
    scf.for %j = %c0 to %width step %c1 {
      %product = arith.muli %i, %j : index
      %rest = arith.remui %product, %width : index
      %ri = arith.index_cast %rest : index to i32
      %rf = arith.sitofp %ri : i32 to f32
      %part = arith.mulf %rf, %sixteenth : f32
      %value = arith.subf %part, %decay : f32
      memref.store %value, %hweights[%i, %j] : memref<16x16xf32>
    }
  }
  %x = gpu.alloc() : memref<8x16xf32>
  %scores = gpu.alloc() : memref<8x8xf32>
  %mixed = gpu.alloc() : memref<8x16xf32>
  %weights = gpu.alloc() : memref<16x16xf32>
  gpu.memcpy %x, %hx : memref<8x16xf32>, memref<8x16xf32>
  gpu.memcpy %weights, %hweights : memref<16x16xf32>, memref<16x16xf32>
  %first = async.execute {
    gpu.memset %scores, %zero : memref<8x8xf32>, f32
    async.yield
  }
  %last = scf.for %i = %c0 to %calls step %c1 iter_args(%before = %first) -> !async.token {
    %after = func.call @block(%before, %x, %scores, %mixed, %weights)
      : (!async.token, memref<8x16xf32>, memref<8x8xf32>, memref<8x16xf32>,
         memref<16x16xf32>) -> !async.token
    scf.yield %after : !async.token
  }
  async.await %last : !async.token
  gpu.memcpy %seen, %x : memref<8x16xf32>, memref<8x16xf32>
  scf.for %i = %c0 to %calls step %c1 {
    func.call @host_block(%hx, %hscores, %hmixed, %hweights)
      : (memref<8x16xf32>, memref<8x8xf32>, memref<8x16xf32>, memref<16x16xf32>) -> ()
  }
  %most = arith.constant 1.0e-03 : f32
  %one = arith.constant 1 : i32
  %differ = scf.for %s = %c0 to %sequence step %c1 iter_args(%all = %count) -> i32 {
    %of = scf.for %d = %c0 to %width step %c1 iter_args(%sum = %all) -> i32 {
      %a = memref.load %hx[%s, %d] : memref<8x16xf32>
      %b = memref.load %seen[%s, %d] : memref<8x16xf32>
      %off = arith.subf %a, %b : f32
      %size = math.absf %off : f32
      %is = arith.cmpf uge, %size, %most : f32
      %more = arith.extui %is : i1 to i32
      %next = arith.addi %sum, %more : i32
      scf.yield %next : i32
    }
    scf.yield %of : i32
  }
  %c3 = arith.constant 3 : index
  %thousand = arith.constant 1.0e+03 : f32
  %value = memref.load %hx[%c0, %c3] : memref<8x16xf32>
  %scaled = arith.mulf %value, %thousand : f32
  %whole = arith.fptosi %scaled : f32 to i32
  vector.print str "numbers that differ, and the first:\n"
  vector.print %differ : i32
  vector.print %whole : i32
  gpu.dealloc %x : memref<8x16xf32>
  gpu.dealloc %scores : memref<8x8xf32>
  gpu.dealloc %mixed : memref<8x16xf32>
  gpu.dealloc %weights : memref<16x16xf32>
  memref.dealloc %hx : memref<8x16xf32>
  memref.dealloc %hscores : memref<8x8xf32>
  memref.dealloc %hmixed : memref<8x16xf32>
  memref.dealloc %hweights : memref<16x16xf32>
  memref.dealloc %seen : memref<8x16xf32>
  return
}
