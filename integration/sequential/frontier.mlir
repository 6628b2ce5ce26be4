// Breadth-first search by frontiers: a kernel visits the neighbours of what the round
// before has reached, and says whether there were any new ones. The host goes round until
// there are none. With graphs, and a driver that has conditional nodes, the device does.
// FLAGS: --sequential --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // A ring of 32 vertices with a chord from each i to 5 i mod 32; a thread for each.
    gpu.func @visit(%distance: memref<32xi32>, %level: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %i = gpu.thread_id x
      %now = memref.load %level[%c0] : memref<1xi32>
      %next = arith.addi %now, %one : i32
      %own = memref.atomic_rmw addi %zero, %distance[%i] : (i32, memref<32xi32>) -> i32
      %is_front = arith.cmpi eq, %own, %now : i32
      scf.if %is_front {
        %beside = arith.addi %i, %c1 : index
        %a = arith.remui %beside, %c32 : index
        %far = arith.muli %i, %c5 : index
        %b = arith.remui %far, %c32 : index
        %da = memref.atomic_rmw minu %next, %distance[%a] : (i32, memref<32xi32>) -> i32
        %db = memref.atomic_rmw minu %next, %distance[%b] : (i32, memref<32xi32>) -> i32
      }
      gpu.return
    }
    // The next level, and whether anything is on it.
    gpu.func @advance(%distance: memref<32xi32>, %level: memref<1xi32>,
                      %found: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %now = memref.load %level[%c0] : memref<1xi32>
      %next = arith.addi %now, %one : i32
      %count = scf.for %i = %c0 to %c32 step %c1 iter_args(%sum = %zero) -> i32 {
        %d = memref.load %distance[%i] : memref<32xi32>
        %is_on = arith.cmpi eq, %d, %next : i32
        %more = arith.extui %is_on : i1 to i32
        %new = arith.addi %sum, %more : i32
        scf.yield %new : i32
      }
      memref.store %next, %level[%c0] : memref<1xi32>
      memref.store %count, %found[%c0] : memref<1xi32>
      gpu.return
    }
  }

  // RUN: device schedules=20 --memory=discrete
  // RUN: device schedules=20 --memory=unified
  // CHECK: levels, farthest:
  // CHECK: 7
  // CHECK: 135
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %none = arith.constant 1000 : i32
    %distance = memref.alloc() : memref<32xi32>
    %level = memref.alloc() : memref<1xi32>
    %found = memref.alloc() : memref<1xi32>
    scf.for %i = %c1 to %c32 step %c1 {
      memref.store %none, %distance[%i] : memref<32xi32>
    }
    memref.store %zero, %distance[%c0] : memref<32xi32>
    memref.store %zero, %level[%c0] : memref<1xi32>
    scf.while : () -> () {
      gpu.launch_func @kernels::@visit blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%distance : memref<32xi32>, %level : memref<1xi32>)
      gpu.launch_func @kernels::@advance blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%distance : memref<32xi32>, %level : memref<1xi32>, %found : memref<1xi32>)
      %count = memref.load %found[%c0] : memref<1xi32>
      %again = arith.cmpi ne, %count, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    vector.print str "levels, farthest:\n"
    %levels = memref.load %level[%c0] : memref<1xi32>
    vector.print %levels : i32
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %zero) -> i32 {
      %d = memref.load %distance[%i] : memref<32xi32>
      %more = arith.addi %s, %d : i32
      scf.yield %more : i32
    }
    vector.print %sum : i32
    memref.dealloc %distance : memref<32xi32>
    memref.dealloc %level : memref<1xi32>
    memref.dealloc %found : memref<1xi32>
    return
  }
}
