// The device's global memory is memory like any other to the host.
// RUN: async-gpu-opt %s --async-gpu-memory-spaces --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: memref.global "private" @data : memref<4xf32>
memref.global "private" @data : memref<4xf32, #gpu.address_space<global>>

// Types in types, block arguments and attributes; casts that do nothing now.
// CHECK-LABEL: func.func @types(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<4xf32>, %{{.*}}: !async.value<memref<?xf32, strided<[2]>>>) -> memref<4xf32>
// CHECK-NOT: memory_space_cast
// CHECK: cf.br ^bb1(%[[M]] : memref<4xf32>)
// CHECK: memref.get_global @data : memref<4xf32>
func.func @types(%m: memref<4xf32, #gpu.address_space<global>>,
    %v: !async.value<memref<?xf32, strided<[2]>, #gpu.address_space<global>>>) -> memref<4xf32> {
  cf.br ^next(%m : memref<4xf32, #gpu.address_space<global>>)
^next(%a: memref<4xf32, #gpu.address_space<global>>):
  %g = memref.get_global @data : memref<4xf32, #gpu.address_space<global>>
  %c = memref.memory_space_cast %a : memref<4xf32, #gpu.address_space<global>> to memref<4xf32>
  return %c : memref<4xf32>
}

// So is what has a number that only devices know.
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: memref<4x2xf32>, %{{.*}}: memref<?xf32, strided<[2], offset: 3>>)
// CHECK: memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.dealloc %{{.*}} : memref<4xf32>
// CHECK-NOT: memory_space_cast
func.func @numbers(%m: memref<4x2xf32, 1>, %n: memref<?xf32, strided<[2], offset: 3>, 3>) {
  %a = memref.alloc() : memref<4xf32, 2>
  memref.dealloc %a : memref<4xf32, 2>
  %c = memref.memory_space_cast %m : memref<4x2xf32, 1> to memref<4x2xf32>
  return
}

// Other spaces stay.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: memref<4xf32, #gpu.address_space<workgroup>>, %{{.*}}: memref<4xf32, 256>
// CHECK: memref.memory_space_cast %{{.*}} : memref<4xf32, 256> to memref<4xf32>
func.func @others(%m: memref<4xf32, #gpu.address_space<workgroup>>, %n: memref<4xf32, 256>) {
  %c = memref.memory_space_cast %n : memref<4xf32, 256> to memref<4xf32>
  return
}

// -----

// The workgroup memory of kernels that stood in a gpu.launch.
// CHECK-NOT: @tile
memref.global "private" @tile : memref<4xf32, #gpu.address_space<workgroup>>

// -----

memref.global "private" @tile : memref<4xf32, #gpu.address_space<workgroup>>
func.func @host() {
  // expected-error@+1 {{workgroup memory is a kernel's, and this is code of the host: use memory of gpu.alloc}}
  %g = memref.get_global @tile : memref<4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// expected-error@+1 {{kernels keep their memory spaces: run --async-gpu-kernels before this pass}}
gpu.module @m {
}
