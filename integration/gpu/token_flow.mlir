// Tokens of the gpu dialect wherever values go: loops, branches, selects, block
// and function arguments, payloads of async values. Host-shared memory, waits of
// every form.

// A token through a function, in and out.
func.func private @fill(%d: memref<8xi32>, %x: i32, %t: !gpu.async.token) -> !gpu.async.token {
  %u = gpu.memset async [%t] %d, %x : memref<8xi32>, i32
  return %u : !gpu.async.token
}

// A token that a region gives as its value.
func.func private @region(%d: memref<8xi32>, %x: i32) -> !async.value<!gpu.async.token> {
  %t, %v = async.execute -> !async.value<!gpu.async.token> {
    %u = gpu.wait async
    %w = gpu.memset async [%u] %d, %x : memref<8xi32>, i32
    async.yield %w : !gpu.async.token
  }
  return %v : !async.value<!gpu.async.token>
}

func.func private @read(%d: memref<8xi32>, %t: !gpu.async.token) {
  %c0 = arith.constant 0 : index
  %h = memref.alloc() : memref<8xi32>
  %u = gpu.memcpy async [%t] %h, %d : memref<8xi32>, memref<8xi32>
  gpu.wait [%u]
  %v = vector.load %h[%c0] : memref<8xi32>, vector<8xi32>
  vector.print %v : vector<8xi32>
  memref.dealloc %h : memref<8xi32>
  return
}

func.func private @blocks(%d: memref<8xi32>, %n: i32, %t: !gpu.async.token) -> !gpu.async.token {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  cf.br ^loop(%n, %t : i32, !gpu.async.token)
^loop(%i: i32, %u: !gpu.async.token):
  %w = gpu.memset async [%u] %d, %i : memref<8xi32>, i32
  %j = arith.subi %i, %one : i32
  %more = arith.cmpi sgt, %j, %zero : i32
  cf.cond_br %more, ^loop(%j, %w : i32, !gpu.async.token), ^done(%w : !gpu.async.token)
^done(%x: !gpu.async.token):
  return %x : !gpu.async.token
}

// RUN: device schedules=200
// CHECK: ( 3, 3, 3, 3, 3, 3, 3, 3 )
// CHECK: ( 5, 5, 5, 5, 5, 5, 5, 5 )
// CHECK: ( 1, 1, 1, 1, 1, 1, 1, 1 )
// CHECK: ( 7, 7, 7, 7, 7, 7, 7, 7 )
// CHECK: ( 9, 9, 9, 9, 9, 9, 9, 9 )
// CHECK: 5
// CHECK: ( 5, 5, 5, 9, 5, 5, 5, 5 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %yes = arith.constant true
  %no = arith.constant false
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : memref<8xi32>

  // 3: the loop's last fill.
  %t1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %t0) -> !gpu.async.token {
    %x = arith.index_cast %i : index to i32
    %y = arith.addi %x, %one : i32
    %u = func.call @fill(%d, %y, %t) : (memref<8xi32>, i32, !gpu.async.token) -> !gpu.async.token
    scf.yield %u : !gpu.async.token
  }
  call @read(%d, %t1) : (memref<8xi32>, !gpu.async.token) -> ()

  // 5: one branch fills, the other hands on.
  %t2 = scf.if %yes -> !gpu.async.token {
    %u = gpu.memset async [%t1] %d, %five : memref<8xi32>, i32
    scf.yield %u : !gpu.async.token
  } else {
    scf.yield %t1 : !gpu.async.token
  }
  %t3 = arith.select %no, %t1, %t2 : !gpu.async.token
  call @read(%d, %t3) : (memref<8xi32>, !gpu.async.token) -> ()

  // 4, 3, 2, 1: a loop of branches.
  %four = arith.constant 4 : i32
  %t4 = call @blocks(%d, %four, %t3) : (memref<8xi32>, i32, !gpu.async.token) -> !gpu.async.token
  call @read(%d, %t4) : (memref<8xi32>, !gpu.async.token) -> ()

  // A while loop up to 7.
  %r:2 = scf.while (%i = %one, %t = %t4) : (i32, !gpu.async.token) -> (i32, !gpu.async.token) {
    %seven = arith.constant 7 : i32
    %go = arith.cmpi slt, %i, %seven : i32
    scf.condition(%go) %i, %t : i32, !gpu.async.token
  } do {
  ^bb0(%i: i32, %t: !gpu.async.token):
    %j = arith.addi %i, %one : i32
    %u = gpu.memset async [%t] %d, %j : memref<8xi32>, i32
    scf.yield %j, %u : i32, !gpu.async.token
  }
  call @read(%d, %r#1) : (memref<8xi32>, !gpu.async.token) -> ()

  // 9: a token as a region's value, used twice.
  %nine = arith.constant 9 : i32
  %v = call @region(%d, %nine) : (memref<8xi32>, i32) -> !async.value<!gpu.async.token>
  %t5 = async.await %v : !async.value<!gpu.async.token>
  call @read(%d, %t5) : (memref<8xi32>, !gpu.async.token) -> ()
  %t6 = gpu.wait async [%t5, %r#1, %t5]
  %t7 = gpu.dealloc async [%t6] %d : memref<8xi32>
  gpu.wait [%t7]
  gpu.wait

  // Memory that both sides address.
  %m = gpu.alloc host_shared () : memref<8xi32>
  gpu.memset %m, %five : memref<8xi32>, i32
  %x = memref.load %m[%c3] : memref<8xi32>
  vector.print %x : i32
  memref.store %nine, %m[%c3] : memref<8xi32>
  %t8 = gpu.wait async
  call @read(%m, %t8) : (memref<8xi32>, !gpu.async.token) -> ()
  gpu.dealloc %m : memref<8xi32>
  return
}
