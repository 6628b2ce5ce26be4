// RUN: async-gpu-opt %s --split-input-file --verify-diagnostics --async-gpu-kernels-to-nvvm

gpu.module @m {
  gpu.func @dynamic(%n: index) kernel {
    // expected-error @+1 {{workgroup memory that a kernel asks for has a constant size and no layout; gpu.dynamic_shared_memory has the size that a launch gives}}
    %a = memref.alloc(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{private memory that a kernel asks for has a constant size and no layout}}
    %b = memref.alloc(%n) : memref<?xf32, #gpu.address_space<private>>
    // expected-error @+1 {{workgroup memory that a kernel asks for has a constant size and no layout; }}
    %c = memref.alloca() : memref<4x4xf32, strided<[8, 1]>, 3>
    gpu.return
  }

  gpu.func @carried(%n: index, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = memref.get_global @w : memref<4xf32, #gpu.address_space<workgroup>>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %first)
        -> memref<4xf32, #gpu.address_space<workgroup>> {
      // expected-error @+1 {{workgroup memory that a kernel asks for is one buffer, however often this is run, and cannot be handed on to where another may be needed}}
      %next = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %v, %m[%c1] : memref<4xf32, #gpu.address_space<workgroup>>
      scf.yield %next : memref<4xf32, #gpu.address_space<workgroup>>
    }
    memref.store %v, %last[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  memref.global "private" @w : memref<4xf32, #gpu.address_space<workgroup>>
}

// -----

// Memory of the stack: `scf.while` is no allocation scope, and neither are
// blocks in a circle.
gpu.module @stack {
  gpu.func @while(%ok: i1) kernel {
    %first = memref.alloca() : memref<1xi32>
    %last = scf.while (%m = %first) : (memref<1xi32>) -> memref<1xi32> {
      scf.condition(%ok) %m : memref<1xi32>
    } do {
    ^bb0(%m: memref<1xi32>):
      // expected-error @+1 {{private memory that a kernel asks for is one buffer, however often this is run, and cannot be handed on to where another may be needed}}
      %next = memref.alloca() : memref<1xi32>
      scf.yield %next : memref<1xi32>
    }
    gpu.return
  }

  gpu.func @blocks(%ok: i1) kernel {
    %first = memref.alloca() : memref<1xi32, 5>
    cf.br ^loop(%first : memref<1xi32, 5>)
  ^loop(%m: memref<1xi32, 5>):
    // expected-error @+1 {{allocate as many as are needed in front of the loop}}
    %next = memref.alloca() : memref<1xi32, 5>
    cf.cond_br %ok, ^loop(%next : memref<1xi32, 5>), ^end
  ^end:
    gpu.return
  }

  // As part of the value that a loop in the loop begins with.
  gpu.func @nested(%n: index, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = memref.alloc() : memref<4xf32, 3>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first)
        -> memref<4xf32, 3> {
      // expected-error @+1 {{workgroup memory that a kernel asks for is one buffer}}
      %own = memref.alloc() : memref<4xf32, 3>
      %b = scf.for %j = %c0 to %n step %c1 iter_args(%c = %own)
          -> memref<4xf32, 3> {
        scf.yield %c : memref<4xf32, 3>
      }
      scf.yield %b : memref<4xf32, 3>
    }
    memref.store %x, %last[%c0] : memref<4xf32, 3>
    gpu.return
  }
}
