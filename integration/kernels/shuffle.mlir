// Shuffles of every mode, of 32 and of fewer lanes, of i32, f32 and i64. A
// lane beyond the block, or beyond those that take part, gives nothing that is
// defined: such results are not looked at.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %i1 = arith.constant 1 : i32
      %i2 = arith.constant 2 : i32
      %i3 = arith.constant 3 : i32
      %i5 = arith.constant 5 : i32
      %i7 = arith.constant 7 : i32
      %i8 = arith.constant 8 : i32
      %i16 = arith.constant 16 : i32
      %i17 = arith.constant 17 : i32
      %i31 = arith.constant 31 : i32
      %i32 = arith.constant 32 : i32
      %i1000 = arith.constant 1000 : i32
      %i2000 = arith.constant 2000 : i32

      %zero = arith.constant 0 : i32
      %t32 = arith.index_cast %t : index to i32
      %n32 = arith.index_cast %n : index to i32
      %lane_index = gpu.lane_id
      %lane = arith.index_cast %lane_index : index to i32
      %warp = arith.subi %t32, %lane : i32
      %long = arith.extsi %v : i32 to i64
      %float = arith.bitcast %v : i32 to f32
      %acc0 = arith.addi %zero, %zero : i32
      // xor 1 of 32 lanes
      %s0, %valid0 = gpu.shuffle xor %v, %i1, %i32 : i32
      %got0 = arith.addi %s0, %zero : i32
      %src0 = arith.xori %lane, %i1 : i32
      %ok0 = arith.cmpi slt, %src0, %i32 : i32
      %there0 = arith.addi %warp, %src0 : i32
      %exists0 = arith.cmpi slt, %there0, %n32 : i32
      %inside0 = arith.cmpi ult, %lane, %i32 : i32
      %defined0 = arith.andi %exists0, %inside0 : i1
      %true0 = arith.constant true
      %not0 = arith.xori %ok0, %true0 : i1
      %bad0 = arith.andi %not0, %inside0 : i1
      %one0 = arith.select %valid0, %got0, %i2000 : i32
      %known0 = arith.ori %defined0, %bad0 : i1
      %use0 = arith.select %known0, %one0, %i1000 : i32
      %mul0 = arith.muli %acc0, %i31 : i32
      %acc1 = arith.addi %mul0, %use0 : i32
      // xor 17 of 32 lanes
      %s1, %valid1 = gpu.shuffle xor %float, %i17, %i32 : f32
      %got1 = arith.bitcast %s1 : f32 to i32
      %src1 = arith.xori %lane, %i17 : i32
      %ok1 = arith.cmpi slt, %src1, %i32 : i32
      %there1 = arith.addi %warp, %src1 : i32
      %exists1 = arith.cmpi slt, %there1, %n32 : i32
      %inside1 = arith.cmpi ult, %lane, %i32 : i32
      %defined1 = arith.andi %exists1, %inside1 : i1
      %true1 = arith.constant true
      %not1 = arith.xori %ok1, %true1 : i1
      %bad1 = arith.andi %not1, %inside1 : i1
      %one1 = arith.select %valid1, %got1, %i2000 : i32
      %known1 = arith.ori %defined1, %bad1 : i1
      %use1 = arith.select %known1, %one1, %i1000 : i32
      %mul1 = arith.muli %acc1, %i31 : i32
      %acc2 = arith.addi %mul1, %use1 : i32
      // up 1 of 32 lanes
      %s2, %valid2 = gpu.shuffle up %long, %i1, %i32 : i64
      %got2 = arith.trunci %s2 : i64 to i32
      %src2 = arith.subi %lane, %i1 : i32
      %ok2 = arith.cmpi sge, %src2, %zero : i32
      %there2 = arith.addi %warp, %src2 : i32
      %exists2 = arith.cmpi slt, %there2, %n32 : i32
      %inside2 = arith.cmpi ult, %lane, %i32 : i32
      %defined2 = arith.andi %exists2, %inside2 : i1
      %true2 = arith.constant true
      %not2 = arith.xori %ok2, %true2 : i1
      %bad2 = arith.andi %not2, %inside2 : i1
      %one2 = arith.select %valid2, %got2, %i2000 : i32
      %known2 = arith.ori %defined2, %bad2 : i1
      %use2 = arith.select %known2, %one2, %i1000 : i32
      %mul2 = arith.muli %acc2, %i31 : i32
      %acc3 = arith.addi %mul2, %use2 : i32
      // up 5 of 32 lanes
      %s3, %valid3 = gpu.shuffle up %v, %i5, %i32 : i32
      %got3 = arith.addi %s3, %zero : i32
      %src3 = arith.subi %lane, %i5 : i32
      %ok3 = arith.cmpi sge, %src3, %zero : i32
      %there3 = arith.addi %warp, %src3 : i32
      %exists3 = arith.cmpi slt, %there3, %n32 : i32
      %inside3 = arith.cmpi ult, %lane, %i32 : i32
      %defined3 = arith.andi %exists3, %inside3 : i1
      %true3 = arith.constant true
      %not3 = arith.xori %ok3, %true3 : i1
      %bad3 = arith.andi %not3, %inside3 : i1
      %one3 = arith.select %valid3, %got3, %i2000 : i32
      %known3 = arith.ori %defined3, %bad3 : i1
      %use3 = arith.select %known3, %one3, %i1000 : i32
      %mul3 = arith.muli %acc3, %i31 : i32
      %acc4 = arith.addi %mul3, %use3 : i32
      // down 3 of 32 lanes
      %s4, %valid4 = gpu.shuffle down %float, %i3, %i32 : f32
      %got4 = arith.bitcast %s4 : f32 to i32
      %src4 = arith.addi %lane, %i3 : i32
      %ok4 = arith.cmpi slt, %src4, %i32 : i32
      %there4 = arith.addi %warp, %src4 : i32
      %exists4 = arith.cmpi slt, %there4, %n32 : i32
      %inside4 = arith.cmpi ult, %lane, %i32 : i32
      %defined4 = arith.andi %exists4, %inside4 : i1
      %true4 = arith.constant true
      %not4 = arith.xori %ok4, %true4 : i1
      %bad4 = arith.andi %not4, %inside4 : i1
      %one4 = arith.select %valid4, %got4, %i2000 : i32
      %known4 = arith.ori %defined4, %bad4 : i1
      %use4 = arith.select %known4, %one4, %i1000 : i32
      %mul4 = arith.muli %acc4, %i31 : i32
      %acc5 = arith.addi %mul4, %use4 : i32
      // down 16 of 32 lanes
      %s5, %valid5 = gpu.shuffle down %long, %i16, %i32 : i64
      %got5 = arith.trunci %s5 : i64 to i32
      %src5 = arith.addi %lane, %i16 : i32
      %ok5 = arith.cmpi slt, %src5, %i32 : i32
      %there5 = arith.addi %warp, %src5 : i32
      %exists5 = arith.cmpi slt, %there5, %n32 : i32
      %inside5 = arith.cmpi ult, %lane, %i32 : i32
      %defined5 = arith.andi %exists5, %inside5 : i1
      %true5 = arith.constant true
      %not5 = arith.xori %ok5, %true5 : i1
      %bad5 = arith.andi %not5, %inside5 : i1
      %one5 = arith.select %valid5, %got5, %i2000 : i32
      %known5 = arith.ori %defined5, %bad5 : i1
      %use5 = arith.select %known5, %one5, %i1000 : i32
      %mul5 = arith.muli %acc5, %i31 : i32
      %acc6 = arith.addi %mul5, %use5 : i32
      // idx 7 of 32 lanes
      %s6, %valid6 = gpu.shuffle idx %v, %i7, %i32 : i32
      %got6 = arith.addi %s6, %zero : i32
      %src6 = arith.addi %i7, %zero : i32
      %ok6 = arith.cmpi slt, %src6, %i32 : i32
      %there6 = arith.addi %warp, %src6 : i32
      %exists6 = arith.cmpi slt, %there6, %n32 : i32
      %inside6 = arith.cmpi ult, %lane, %i32 : i32
      %defined6 = arith.andi %exists6, %inside6 : i1
      %true6 = arith.constant true
      %not6 = arith.xori %ok6, %true6 : i1
      %bad6 = arith.andi %not6, %inside6 : i1
      %one6 = arith.select %valid6, %got6, %i2000 : i32
      %known6 = arith.ori %defined6, %bad6 : i1
      %use6 = arith.select %known6, %one6, %i1000 : i32
      %mul6 = arith.muli %acc6, %i31 : i32
      %acc7 = arith.addi %mul6, %use6 : i32
      // xor 3 of 8 lanes
      %s7, %valid7 = gpu.shuffle xor %float, %i3, %i8 : f32
      %got7 = arith.bitcast %s7 : f32 to i32
      %src7 = arith.xori %lane, %i3 : i32
      %ok7 = arith.cmpi slt, %src7, %i8 : i32
      %there7 = arith.addi %warp, %src7 : i32
      %exists7 = arith.cmpi slt, %there7, %n32 : i32
      %inside7 = arith.cmpi ult, %lane, %i8 : i32
      %defined7 = arith.andi %exists7, %inside7 : i1
      %true7 = arith.constant true
      %not7 = arith.xori %ok7, %true7 : i1
      %bad7 = arith.andi %not7, %inside7 : i1
      %one7 = arith.select %valid7, %got7, %i2000 : i32
      %known7 = arith.ori %defined7, %bad7 : i1
      %use7 = arith.select %known7, %one7, %i1000 : i32
      %mul7 = arith.muli %acc7, %i31 : i32
      %acc8 = arith.addi %mul7, %use7 : i32
      // down 2 of 16 lanes
      %s8, %valid8 = gpu.shuffle down %long, %i2, %i16 : i64
      %got8 = arith.trunci %s8 : i64 to i32
      %src8 = arith.addi %lane, %i2 : i32
      %ok8 = arith.cmpi slt, %src8, %i16 : i32
      %there8 = arith.addi %warp, %src8 : i32
      %exists8 = arith.cmpi slt, %there8, %n32 : i32
      %inside8 = arith.cmpi ult, %lane, %i16 : i32
      %defined8 = arith.andi %exists8, %inside8 : i1
      %true8 = arith.constant true
      %not8 = arith.xori %ok8, %true8 : i1
      %bad8 = arith.andi %not8, %inside8 : i1
      %one8 = arith.select %valid8, %got8, %i2000 : i32
      %known8 = arith.ori %defined8, %bad8 : i1
      %use8 = arith.select %known8, %one8, %i1000 : i32
      %mul8 = arith.muli %acc8, %i31 : i32
      %acc9 = arith.addi %mul8, %use8 : i32
      // idx 5 of 16 lanes
      %s9, %valid9 = gpu.shuffle idx %v, %i5, %i16 : i32
      %got9 = arith.addi %s9, %zero : i32
      %src9 = arith.addi %i5, %zero : i32
      %ok9 = arith.cmpi slt, %src9, %i16 : i32
      %there9 = arith.addi %warp, %src9 : i32
      %exists9 = arith.cmpi slt, %there9, %n32 : i32
      %inside9 = arith.cmpi ult, %lane, %i16 : i32
      %defined9 = arith.andi %exists9, %inside9 : i1
      %true9 = arith.constant true
      %not9 = arith.xori %ok9, %true9 : i1
      %bad9 = arith.andi %not9, %inside9 : i1
      %one9 = arith.select %valid9, %got9, %i2000 : i32
      %known9 = arith.ori %defined9, %bad9 : i1
      %use9 = arith.select %known9, %one9, %i1000 : i32
      %mul9 = arith.muli %acc9, %i31 : i32
      %acc10 = arith.addi %mul9, %use9 : i32
      memref.store %acc10, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i5 = arith.constant 5 : i32
    %i7 = arith.constant 7 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %i17 = arith.constant 17 : i32
    %i31 = arith.constant 31 : i32
    %i32 = arith.constant 32 : i32
    %i1000 = arith.constant 1000 : i32
    %i2000 = arith.constant 2000 : i32

    %n_index = arith.subi %to, %from : index
    %n32 = arith.index_cast %n_index : index to i32
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %t = arith.subi %i, %from : index
      %t32 = arith.index_cast %t : index to i32
      %lane = arith.remui %t32, %i32 : i32
      %warp = arith.subi %t32, %lane : i32
      %acc0 = arith.addi %zero, %zero : i32
      %src0 = arith.xori %lane, %i1 : i32
      %ok0 = arith.cmpi slt, %src0, %i32 : i32
      %there0 = arith.addi %warp, %src0 : i32
      %exists0 = arith.cmpi slt, %there0, %n32 : i32
      %inside0 = arith.cmpi ult, %lane, %i32 : i32
      %defined0 = arith.andi %exists0, %inside0 : i1
      %true0 = arith.constant true
      %not0 = arith.xori %ok0, %true0 : i1
      %bad0 = arith.andi %not0, %inside0 : i1
      %reads0 = arith.andi %defined0, %ok0 : i1
      %got0 = scf.if %reads0 -> i32 {
        %index0 = arith.index_cast %there0 : i32 to index
        %at0 = arith.addi %from, %index0 : index
        %e0 = memref.load %x[%at0] : memref<?xi32>
        scf.yield %e0 : i32
      } else {
        scf.yield %zero : i32
      }
      %one0 = arith.select %ok0, %got0, %i2000 : i32
      %known0 = arith.ori %defined0, %bad0 : i1
      %use0 = arith.select %known0, %one0, %i1000 : i32
      %mul0 = arith.muli %acc0, %i31 : i32
      %acc1 = arith.addi %mul0, %use0 : i32
      %src1 = arith.xori %lane, %i17 : i32
      %ok1 = arith.cmpi slt, %src1, %i32 : i32
      %there1 = arith.addi %warp, %src1 : i32
      %exists1 = arith.cmpi slt, %there1, %n32 : i32
      %inside1 = arith.cmpi ult, %lane, %i32 : i32
      %defined1 = arith.andi %exists1, %inside1 : i1
      %true1 = arith.constant true
      %not1 = arith.xori %ok1, %true1 : i1
      %bad1 = arith.andi %not1, %inside1 : i1
      %reads1 = arith.andi %defined1, %ok1 : i1
      %got1 = scf.if %reads1 -> i32 {
        %index1 = arith.index_cast %there1 : i32 to index
        %at1 = arith.addi %from, %index1 : index
        %e1 = memref.load %x[%at1] : memref<?xi32>
        scf.yield %e1 : i32
      } else {
        scf.yield %zero : i32
      }
      %one1 = arith.select %ok1, %got1, %i2000 : i32
      %known1 = arith.ori %defined1, %bad1 : i1
      %use1 = arith.select %known1, %one1, %i1000 : i32
      %mul1 = arith.muli %acc1, %i31 : i32
      %acc2 = arith.addi %mul1, %use1 : i32
      %src2 = arith.subi %lane, %i1 : i32
      %ok2 = arith.cmpi sge, %src2, %zero : i32
      %there2 = arith.addi %warp, %src2 : i32
      %exists2 = arith.cmpi slt, %there2, %n32 : i32
      %inside2 = arith.cmpi ult, %lane, %i32 : i32
      %defined2 = arith.andi %exists2, %inside2 : i1
      %true2 = arith.constant true
      %not2 = arith.xori %ok2, %true2 : i1
      %bad2 = arith.andi %not2, %inside2 : i1
      %reads2 = arith.andi %defined2, %ok2 : i1
      %got2 = scf.if %reads2 -> i32 {
        %index2 = arith.index_cast %there2 : i32 to index
        %at2 = arith.addi %from, %index2 : index
        %e2 = memref.load %x[%at2] : memref<?xi32>
        scf.yield %e2 : i32
      } else {
        scf.yield %zero : i32
      }
      %one2 = arith.select %ok2, %got2, %i2000 : i32
      %known2 = arith.ori %defined2, %bad2 : i1
      %use2 = arith.select %known2, %one2, %i1000 : i32
      %mul2 = arith.muli %acc2, %i31 : i32
      %acc3 = arith.addi %mul2, %use2 : i32
      %src3 = arith.subi %lane, %i5 : i32
      %ok3 = arith.cmpi sge, %src3, %zero : i32
      %there3 = arith.addi %warp, %src3 : i32
      %exists3 = arith.cmpi slt, %there3, %n32 : i32
      %inside3 = arith.cmpi ult, %lane, %i32 : i32
      %defined3 = arith.andi %exists3, %inside3 : i1
      %true3 = arith.constant true
      %not3 = arith.xori %ok3, %true3 : i1
      %bad3 = arith.andi %not3, %inside3 : i1
      %reads3 = arith.andi %defined3, %ok3 : i1
      %got3 = scf.if %reads3 -> i32 {
        %index3 = arith.index_cast %there3 : i32 to index
        %at3 = arith.addi %from, %index3 : index
        %e3 = memref.load %x[%at3] : memref<?xi32>
        scf.yield %e3 : i32
      } else {
        scf.yield %zero : i32
      }
      %one3 = arith.select %ok3, %got3, %i2000 : i32
      %known3 = arith.ori %defined3, %bad3 : i1
      %use3 = arith.select %known3, %one3, %i1000 : i32
      %mul3 = arith.muli %acc3, %i31 : i32
      %acc4 = arith.addi %mul3, %use3 : i32
      %src4 = arith.addi %lane, %i3 : i32
      %ok4 = arith.cmpi slt, %src4, %i32 : i32
      %there4 = arith.addi %warp, %src4 : i32
      %exists4 = arith.cmpi slt, %there4, %n32 : i32
      %inside4 = arith.cmpi ult, %lane, %i32 : i32
      %defined4 = arith.andi %exists4, %inside4 : i1
      %true4 = arith.constant true
      %not4 = arith.xori %ok4, %true4 : i1
      %bad4 = arith.andi %not4, %inside4 : i1
      %reads4 = arith.andi %defined4, %ok4 : i1
      %got4 = scf.if %reads4 -> i32 {
        %index4 = arith.index_cast %there4 : i32 to index
        %at4 = arith.addi %from, %index4 : index
        %e4 = memref.load %x[%at4] : memref<?xi32>
        scf.yield %e4 : i32
      } else {
        scf.yield %zero : i32
      }
      %one4 = arith.select %ok4, %got4, %i2000 : i32
      %known4 = arith.ori %defined4, %bad4 : i1
      %use4 = arith.select %known4, %one4, %i1000 : i32
      %mul4 = arith.muli %acc4, %i31 : i32
      %acc5 = arith.addi %mul4, %use4 : i32
      %src5 = arith.addi %lane, %i16 : i32
      %ok5 = arith.cmpi slt, %src5, %i32 : i32
      %there5 = arith.addi %warp, %src5 : i32
      %exists5 = arith.cmpi slt, %there5, %n32 : i32
      %inside5 = arith.cmpi ult, %lane, %i32 : i32
      %defined5 = arith.andi %exists5, %inside5 : i1
      %true5 = arith.constant true
      %not5 = arith.xori %ok5, %true5 : i1
      %bad5 = arith.andi %not5, %inside5 : i1
      %reads5 = arith.andi %defined5, %ok5 : i1
      %got5 = scf.if %reads5 -> i32 {
        %index5 = arith.index_cast %there5 : i32 to index
        %at5 = arith.addi %from, %index5 : index
        %e5 = memref.load %x[%at5] : memref<?xi32>
        scf.yield %e5 : i32
      } else {
        scf.yield %zero : i32
      }
      %one5 = arith.select %ok5, %got5, %i2000 : i32
      %known5 = arith.ori %defined5, %bad5 : i1
      %use5 = arith.select %known5, %one5, %i1000 : i32
      %mul5 = arith.muli %acc5, %i31 : i32
      %acc6 = arith.addi %mul5, %use5 : i32
      %src6 = arith.addi %i7, %zero : i32
      %ok6 = arith.cmpi slt, %src6, %i32 : i32
      %there6 = arith.addi %warp, %src6 : i32
      %exists6 = arith.cmpi slt, %there6, %n32 : i32
      %inside6 = arith.cmpi ult, %lane, %i32 : i32
      %defined6 = arith.andi %exists6, %inside6 : i1
      %true6 = arith.constant true
      %not6 = arith.xori %ok6, %true6 : i1
      %bad6 = arith.andi %not6, %inside6 : i1
      %reads6 = arith.andi %defined6, %ok6 : i1
      %got6 = scf.if %reads6 -> i32 {
        %index6 = arith.index_cast %there6 : i32 to index
        %at6 = arith.addi %from, %index6 : index
        %e6 = memref.load %x[%at6] : memref<?xi32>
        scf.yield %e6 : i32
      } else {
        scf.yield %zero : i32
      }
      %one6 = arith.select %ok6, %got6, %i2000 : i32
      %known6 = arith.ori %defined6, %bad6 : i1
      %use6 = arith.select %known6, %one6, %i1000 : i32
      %mul6 = arith.muli %acc6, %i31 : i32
      %acc7 = arith.addi %mul6, %use6 : i32
      %src7 = arith.xori %lane, %i3 : i32
      %ok7 = arith.cmpi slt, %src7, %i8 : i32
      %there7 = arith.addi %warp, %src7 : i32
      %exists7 = arith.cmpi slt, %there7, %n32 : i32
      %inside7 = arith.cmpi ult, %lane, %i8 : i32
      %defined7 = arith.andi %exists7, %inside7 : i1
      %true7 = arith.constant true
      %not7 = arith.xori %ok7, %true7 : i1
      %bad7 = arith.andi %not7, %inside7 : i1
      %reads7 = arith.andi %defined7, %ok7 : i1
      %got7 = scf.if %reads7 -> i32 {
        %index7 = arith.index_cast %there7 : i32 to index
        %at7 = arith.addi %from, %index7 : index
        %e7 = memref.load %x[%at7] : memref<?xi32>
        scf.yield %e7 : i32
      } else {
        scf.yield %zero : i32
      }
      %one7 = arith.select %ok7, %got7, %i2000 : i32
      %known7 = arith.ori %defined7, %bad7 : i1
      %use7 = arith.select %known7, %one7, %i1000 : i32
      %mul7 = arith.muli %acc7, %i31 : i32
      %acc8 = arith.addi %mul7, %use7 : i32
      %src8 = arith.addi %lane, %i2 : i32
      %ok8 = arith.cmpi slt, %src8, %i16 : i32
      %there8 = arith.addi %warp, %src8 : i32
      %exists8 = arith.cmpi slt, %there8, %n32 : i32
      %inside8 = arith.cmpi ult, %lane, %i16 : i32
      %defined8 = arith.andi %exists8, %inside8 : i1
      %true8 = arith.constant true
      %not8 = arith.xori %ok8, %true8 : i1
      %bad8 = arith.andi %not8, %inside8 : i1
      %reads8 = arith.andi %defined8, %ok8 : i1
      %got8 = scf.if %reads8 -> i32 {
        %index8 = arith.index_cast %there8 : i32 to index
        %at8 = arith.addi %from, %index8 : index
        %e8 = memref.load %x[%at8] : memref<?xi32>
        scf.yield %e8 : i32
      } else {
        scf.yield %zero : i32
      }
      %one8 = arith.select %ok8, %got8, %i2000 : i32
      %known8 = arith.ori %defined8, %bad8 : i1
      %use8 = arith.select %known8, %one8, %i1000 : i32
      %mul8 = arith.muli %acc8, %i31 : i32
      %acc9 = arith.addi %mul8, %use8 : i32
      %src9 = arith.addi %i5, %zero : i32
      %ok9 = arith.cmpi slt, %src9, %i16 : i32
      %there9 = arith.addi %warp, %src9 : i32
      %exists9 = arith.cmpi slt, %there9, %n32 : i32
      %inside9 = arith.cmpi ult, %lane, %i16 : i32
      %defined9 = arith.andi %exists9, %inside9 : i1
      %true9 = arith.constant true
      %not9 = arith.xori %ok9, %true9 : i1
      %bad9 = arith.andi %not9, %inside9 : i1
      %reads9 = arith.andi %defined9, %ok9 : i1
      %got9 = scf.if %reads9 -> i32 {
        %index9 = arith.index_cast %there9 : i32 to index
        %at9 = arith.addi %from, %index9 : index
        %e9 = memref.load %x[%at9] : memref<?xi32>
        scf.yield %e9 : i32
      } else {
        scf.yield %zero : i32
      }
      %one9 = arith.select %ok9, %got9, %i2000 : i32
      %known9 = arith.ori %defined9, %bad9 : i1
      %use9 = arith.select %known9, %one9, %i1000 : i32
      %mul9 = arith.muli %acc9, %i31 : i32
      %acc10 = arith.addi %mul9, %use9 : i32
      memref.store %acc10, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    %want = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
      memref.store %zero, %want[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    scf.for %b = %c0 to %blocks step %c1 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      func.call @expect(%x, %want, %b, %from, %to)
          : (memref<?xi32>, memref<?xi32>, index, index, index) -> ()
    }
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %a = memref.load %out[%i] : memref<?xi32>
      %e = memref.load %want[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %a, %e : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    memref.dealloc %want : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c7, %c1) : (index, index) -> ()
    func.call @check(%c3, %c31) : (index, index) -> ()
    func.call @check(%c7, %c32) : (index, index) -> ()
    func.call @check(%c3, %c33) : (index, index) -> ()
    func.call @check(%c7, %c256) : (index, index) -> ()
    func.call @check(%c3, %c1024) : (index, index) -> ()
    return
  }
}
