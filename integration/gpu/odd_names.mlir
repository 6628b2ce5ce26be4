// Symbols of a program may be any text: here, a module and a kernel with quotes,
// a backslash, a blank and a dot in their names.

module attributes {gpu.container_module} {

gpu.module @"a \22module\22\5C" {
  gpu.func @"k.1 \22" (%n: i32) kernel {
    gpu.printf "%d\n", %n : i32
    gpu.return
  }
}

// RUN: device
// CHECK: 42
func.func @main() {
  %c1 = arith.constant 1 : index
  %n = arith.constant 42 : i32
  %t = async.execute {
    gpu.launch_func @"a \22module\22\5C"::@"k.1 \22" blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%n : i32)
    async.yield
  }
  async.await %t : !async.token
  return
}

}
