// What a kernel prints stands before what host code prints that has waited for
// it, however that has: in a region, outside of all, for a group, or for nothing
// but the end of the program.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @say(%n: i32) kernel {
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %b, %c0 : index
    scf.if %first {
      gpu.printf "kernel %d\n", %n : i32
    }
    gpu.return
  }
}

// RUN: device schedules=200
// CHECK: kernel 1
// CHECK: behind kernel 1
// CHECK: kernel 2
// CHECK: behind kernel 2
// CHECK: kernel 3
// CHECK: kernel 4
// CHECK: behind kernels 3 and 4
// CHECK: kernel 5
// CHECK: behind kernel 5
// CHECK: kernel 6
func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %six = arith.constant 6 : i32

  // A host region behind a device region.
  %d1 = async.execute {
    gpu.launch_func @kernels::@say blocks in (%c40, %c1, %c1) threads in (%c1, %c1, %c1) args(%one : i32)
    async.yield
  }
  %h1 = async.execute [%d1] {
    vector.print str "behind kernel 1\n"
    async.yield
  }
  async.await %h1 : !async.token

  // One that both launches and prints.
  %m2 = async.execute {
    gpu.launch_func @kernels::@say blocks in (%c40, %c1, %c1) threads in (%c1, %c1, %c1) args(%two : i32)
    gpu.wait
    vector.print str "behind kernel 2\n"
    async.yield
  }
  async.await %m2 : !async.token

  // A group, awaited outside of all regions.
  %group = async.create_group %c2 : !async.group
  %d3 = async.execute {
    gpu.launch_func @kernels::@say blocks in (%c40, %c1, %c1) threads in (%c1, %c1, %c1) args(%three : i32)
    async.yield
  }
  %d4 = async.execute [%d3] {
    gpu.launch_func @kernels::@say blocks in (%c40, %c1, %c1) threads in (%c1, %c1, %c1) args(%four : i32)
    async.yield
  }
  %i3 = async.add_to_group %d3, %group : !async.token
  %i4 = async.add_to_group %d4, %group : !async.token
  async.await_all %group
  vector.print str "behind kernels 3 and 4\n"

  // No region at all.
  gpu.launch_func @kernels::@say blocks in (%c40, %c1, %c1) threads in (%c1, %c1, %c1) args(%five : i32)
  gpu.wait
  vector.print str "behind kernel 5\n"

  // Nobody waits.
  %d6 = async.execute {
    gpu.launch_func @kernels::@say blocks in (%c40, %c1, %c1) threads in (%c1, %c1, %c1) args(%six : i32)
    async.yield
  }
  return
}

}
