// A breadth-first search by frontiers, until one is empty: the device looks, so that all
// levels but the first are one launch. The host searches the same graph, and compares.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @k {
    // Vertex v has edges from v - 1 and, unless it is the last, from v + 1.
    gpu.func @expand(%front: memref<43xi32>, %next: memref<43xi32>, %level: memref<43xi32>,
                     %found: memref<1xi32>, %d: i32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %last = arith.constant 42 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %v = gpu.block_id x
      %seen = memref.load %level[%v] : memref<43xi32>
      %open = arith.cmpi slt, %seen, %zero : i32
      scf.if %open {
        %below = arith.subi %v, %c1 : index
        %more = arith.addi %v, %c1 : index
        %above = arith.minui %more, %last : index
        %x = memref.load %front[%below] : memref<43xi32>
        %y = memref.load %front[%above] : memref<43xi32>
        %any = arith.ori %x, %y : i32
        %is = arith.cmpi ne, %any, %zero : i32
        scf.if %is {
          %reached = arith.addi %d, %one : i32
          memref.store %reached, %level[%v] : memref<43xi32>
          memref.store %one, %next[%v] : memref<43xi32>
          %old = memref.atomic_rmw addi %one, %found[%c0] : (i32, memref<1xi32>) -> i32
        }
      }
      gpu.return
    }
    gpu.func @start(%front: memref<43xi32>, %level: memref<43xi32>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      memref.store %one, %front[%c0] : memref<43xi32>
      memref.store %zero, %level[%c0] : memref<43xi32>
      gpu.return
    }
  }
  // RUN: device schedules=20
  // CHECK: levels, vertices that differ:
  // CHECK: 43
  // CHECK: 0
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 43 : index
    %none = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %front = gpu.alloc() : memref<43xi32>
    %next = gpu.alloc() : memref<43xi32>
    %level = gpu.alloc() : memref<43xi32>
    %found = gpu.alloc() : memref<1xi32>
    %h = memref.alloc() : memref<1xi32>
    %levels = memref.alloc() : memref<43xi32>
    gpu.memset %front, %zero : memref<43xi32>, i32
    gpu.memset %next, %zero : memref<43xi32>, i32
    gpu.memset %level, %none : memref<43xi32>, i32
    gpu.launch_func @k::@start blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%front : memref<43xi32>, %level : memref<43xi32>)
    %depth = scf.while (%d = %zero) : (i32) -> i32 {
      gpu.memset %found, %zero : memref<1xi32>, i32
      gpu.launch_func @k::@expand blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%front : memref<43xi32>, %next : memref<43xi32>, %level : memref<43xi32>,
             %found : memref<1xi32>, %d : i32)
      gpu.memcpy %front, %next : memref<43xi32>, memref<43xi32>
      gpu.memset %next, %zero : memref<43xi32>, i32
      gpu.memcpy %h, %found : memref<1xi32>, memref<1xi32>
      %count = memref.load %h[%c0] : memref<1xi32>
      %go = arith.cmpi sgt, %count, %zero : i32
      %e = arith.addi %d, %one : i32
      scf.condition(%go) %e : i32
    } do {
    ^bb0(%e: i32):
      scf.yield %e : i32
    }
    gpu.memcpy %levels, %level : memref<43xi32>, memref<43xi32>

    // The host: as often as anything changes, each vertex is one further than the nearest.
    %own = memref.alloc() : memref<43xi32>
    %far = arith.constant 1000 : i32
    scf.for %v = %c0 to %n step %c1 {
      memref.store %far, %own[%v] : memref<43xi32>
    }
    memref.store %zero, %own[%c0] : memref<43xi32>
    scf.for %i = %c0 to %n step %c1 {
      scf.for %v = %c1 to %n step %c1 {
        %below = arith.subi %v, %c1 : index
        %x = memref.load %own[%below] : memref<43xi32>
        %y = memref.load %own[%v] : memref<43xi32>
        %step = arith.addi %x, %one : i32
        %least = arith.minsi %step, %y : i32
        memref.store %least, %own[%v] : memref<43xi32>
      }
    }
    %differ = scf.for %v = %c0 to %n step %c1 iter_args(%all = %zero) -> i32 {
      %x = memref.load %own[%v] : memref<43xi32>
      %y = memref.load %levels[%v] : memref<43xi32>
      %is = arith.cmpi ne, %x, %y : i32
      %more = arith.extui %is : i1 to i32
      %sum = arith.addi %all, %more : i32
      scf.yield %sum : i32
    }
    vector.print str "levels, vertices that differ:\n"
    vector.print %depth : i32
    vector.print %differ : i32
    memref.dealloc %own : memref<43xi32>
    memref.dealloc %levels : memref<43xi32>
    memref.dealloc %h : memref<1xi32>
    gpu.dealloc %front : memref<43xi32>
    gpu.dealloc %next : memref<43xi32>
    gpu.dealloc %level : memref<43xi32>
    gpu.dealloc %found : memref<1xi32>
    return
  }
}
