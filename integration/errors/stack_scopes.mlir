// Assertions and allocations that fail in scopes of the stack, which hold
// branches, in functions and in parallel loops.
// FAULTS: none, no work is put on a device

func.func private @is_less(%i: index, %n: index) -> i1 {
  %less = arith.cmpi ult, %i, %n : index
  return %less : i1
}

// RUN: @in_function
// CHECK: 0
// CHECK: 1
// CHECK: 2
// ERROR: stack_scopes.mlir:[[@LINE+23]]:7: error: {{.*}}three at most
func.func @in_function() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    func.call @check(%i) : (index) -> ()
  }
  return
}

func.func private @check(%i: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  memref.alloca_scope {
    %m = memref.alloca() : memref<1xindex>
    memref.store %i, %m[%c0] : memref<1xindex>
    %less = func.call @is_less(%i, %c3) : (index, index) -> i1
    scf.if %less {
      vector.print %i : index
    } else {
      %j = memref.load %m[%c0] : memref<1xindex>
      %fine = func.call @is_less(%j, %c3) : (index, index) -> i1
      cf.assert %fine, "three at most"
    }
  }
  return
}

// RUN: @in_loop
// CHECK: awaited
// ERROR: stack_scopes.mlir:[[@LINE+16]]:11: error: {{.*}}not the last
func.func @in_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %c49 = arith.constant 49 : index
  %t = async.execute {
    scf.parallel (%i) = (%c0) to (%c50) step (%c1) {
      %early = func.call @is_less(%i, %c1) : (index, index) -> i1
      scf.if %early {
      } else {
        memref.alloca_scope {
          %m = memref.alloca() : memref<1xindex>
          memref.store %i, %m[%c0] : memref<1xindex>
          %j = memref.load %m[%c0] : memref<1xindex>
          %fine = func.call @is_less(%j, %c49) : (index, index) -> i1
          cf.assert %fine, "not the last"
        }
      }
      scf.reduce
    }
    async.yield
  }
  async.runtime.await %t : !async.token
  vector.print str "awaited\n"
  async.await %t : !async.token
  return
}
