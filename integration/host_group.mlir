// A group of regions, one per element, all awaited at once; a region whose
// token belongs to a group awaited inside another region; a recursion with two
// regions per call.
// MATRIX: ours-on-ours, upstream's workers all wait in functions that regions call; its lowering has no loops with awaits in them

// fib(n), each half in a region of its own.
func.func @fib(%n: i64) -> i64 {
  %two = arith.constant 2 : i64
  %small = arith.cmpi slt, %n, %two : i64
  %r = scf.if %small -> i64 {
    scf.yield %n : i64
  } else {
    %one = arith.constant 1 : i64
    %n1 = arith.subi %n, %one : i64
    %n2 = arith.subi %n, %two : i64
    %t1, %f1 = async.execute -> !async.value<i64> {
      %f = func.call @fib(%n1) : (i64) -> i64
      async.yield %f : i64
    }
    %t2, %f2 = async.execute -> !async.value<i64> {
      %f = func.call @fib(%n2) : (i64) -> i64
      async.yield %f : i64
    }
    %a = async.await %f1 : !async.value<i64>
    %b = async.await %f2 : !async.value<i64>
    %s = arith.addi %a, %b : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// RUN: device
// CHECK: sum of squares: 328350
// CHECK: fib(15): 610
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0 : i64
  %data = memref.alloc() : memref<100xi64>

  // data[i] = i * i
  %group = async.create_group %c100 : !async.group
  scf.for %i = %c0 to %c100 step %c1 {
    %t = async.execute {
      %x = arith.index_cast %i : index to i64
      %y = arith.muli %x, %x : i64
      memref.store %y, %data[%i] : memref<100xi64>
      async.yield
    }
    %rank = async.add_to_group %t, %group : !async.token
  }
  async.await_all %group

  // The sum, 328350, in a region that awaits a group of its own: two regions
  // add up one half each.
  %t, %sum = async.execute -> !async.value<i64> {
    %c2 = arith.constant 2 : index
    %c50 = arith.constant 50 : index
    %halves = memref.alloc() : memref<2xi64>
    %inner = async.create_group %c2 : !async.group
    scf.for %h = %c0 to %c2 step %c1 {
      %token = async.execute {
        %from = arith.muli %h, %c50 : index
        %to = arith.addi %from, %c50 : index
        %s = scf.for %i = %from to %to step %c1
            iter_args(%acc = %zero) -> i64 {
          %x = memref.load %data[%i] : memref<100xi64>
          %next = arith.addi %acc, %x : i64
          scf.yield %next : i64
        }
        memref.store %s, %halves[%h] : memref<2xi64>
        async.yield
      }
      %rank = async.add_to_group %token, %inner : !async.token
    }
    async.await_all %inner
    %low = memref.load %halves[%c0] : memref<2xi64>
    %high = memref.load %halves[%c1] : memref<2xi64>
    %s = arith.addi %low, %high : i64
    memref.dealloc %halves : memref<2xi64>
    async.yield %s : i64
  }
  %r = async.await %sum : !async.value<i64>
  vector.print str "sum of squares: "
  vector.print %r : i64

  %n = arith.constant 15 : i64
  %f = func.call @fib(%n) : (i64) -> i64
  vector.print str "fib(15): "
  vector.print %f : i64
  memref.dealloc %data : memref<100xi64>
  return
}
