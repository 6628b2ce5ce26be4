// A region that takes 80 ms beside one that takes 10 ms, and what joins them. With
// @short, the longer one takes no time. @slow waits to be ended, and @fails ends by an
// error.

func.func private @usleep(i32) -> i32

func.func @fork(%long: i32, %short: i32) {
  %a = async.execute {
    func.call @usleep(%long) : (i32) -> i32
    async.yield
  }
  %b = async.execute {
    func.call @usleep(%short) : (i32) -> i32
    async.yield
  }
  async.await %a : !async.token
  async.await %b : !async.token
  return
}

func.func @main() {
  %long = arith.constant 80000 : i32
  %short = arith.constant 10000 : i32
  func.call @fork(%long, %short) : (i32, i32) -> ()
  return
}

func.func @short() {
  %none = arith.constant 0 : i32
  %short = arith.constant 10000 : i32
  func.call @fork(%none, %short) : (i32, i32) -> ()
  return
}

func.func @slow() {
  %long = arith.constant 100000000 : i32
  func.call @fork(%long, %long) : (i32, i32) -> ()
  return
}

func.func @fails() {
  %a = async.execute {
    %false = arith.constant false
    cf.assert %false, "as it has to"
    async.yield
  }
  async.await %a : !async.token
  return
}
