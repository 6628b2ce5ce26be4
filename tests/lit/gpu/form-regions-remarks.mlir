// What is said of regions, and of memory that loops get anew.
// RUN: async-gpu-opt %s "--async-gpu-form-regions=host-region-ops=0 device-region-ops=0 remarks=true" --verify-diagnostics -o /dev/null

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @sum(%s: memref<64xf32>, %m: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xf32>
    %y = memref.load %s[%i] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %s[%i] : memref<64xf32>
    gpu.return
  }
}

// expected-remark @+1 {{5 tasks form 3 regions, up to 2 concurrent}}
func.func @rounds(%h: memref<64xf32> {llvm.noalias}, %s: memref<64xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+3 {{region 3: device, 2 ops, which frees memory}}
  // expected-remark @+2 {{part of region 3}}
  // expected-remark @+1 {{region 3 depends on region 2: it writes the gpu.alloc}}
  %d = gpu.alloc () : memref<64xf32>
  // expected-remark @+1 {{each iteration has its own gpu.alloc of line 24, as it writes it first; at most two are in flight}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{region 1: device, 1 op}}
    gpu.memcpy %d, %h : memref<64xf32>, memref<64xf32>
    // expected-remark @+2 {{region 2: device, 1 op}}
    // expected-remark @+1 {{region 2 depends on region 1: it reads the gpu.alloc in line 24, which that writes}}
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%s : memref<64xf32>, %d : memref<64xf32>)
  }
  gpu.dealloc %d : memref<64xf32>
  return
}

// expected-remark @+1 {{5 tasks form 2 regions, up to 2 concurrent}}
func.func @waits(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32> {llvm.noalias}, %x: f32) {
  %c0 = arith.constant 0 : index
  %h = memref.alloc() : memref<64xf32>
  // expected-remark @+1 {{region 5: device, 1 op}}
  gpu.memset %a, %x : memref<64xf32>, f32
  // expected-remark @+1 {{region 6: device, 1 op}}
  gpu.memcpy %h, %b : memref<64xf32>, memref<64xf32>
  // expected-remark @+1 {{waits for region 6: it reads the memref.alloc in line 40, which that writes}}
  %y = memref.load %h[%c0] : memref<64xf32>
  vector.print %y : f32
  memref.dealloc %h : memref<64xf32>
  return
}

// expected-remark @+1 {{has tokens of its own: left as it is written}}
func.func @tokens() {
  %t = gpu.wait async
  gpu.wait [%t]
  return
}

// What an op with tokens reads and writes comes after them.
// expected-remark @+1 {{has tokens of its own: left as it is written}}
func.func private @copies(%to: memref<64xf32>, %from: memref<64xf32>) {
  %t = gpu.wait async
  %m = gpu.memcpy async [%t] %to, %from : memref<64xf32>, memref<64xf32>
  gpu.wait [%m]
  return
}

// expected-remark @+1 {{3 tasks form no region: none that is large enough can run concurrently with another}}
func.func @in_order(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32> {llvm.noalias}, %c: memref<64xf32> {llvm.noalias}, %x: f32) {
  gpu.memset %a, %x : memref<64xf32>, f32
  call @copies(%b, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  gpu.memcpy %c, %b : memref<64xf32>, memref<64xf32>
  return
}

func.func private @given() -> memref<64xf32>
func.func private @unknown(memref<64xf32>)

// What is allocated behind a launch is not what that has been given.
// expected-remark @+2 {{4 tasks form 2 regions, up to 2 concurrent}}
// expected-remark @+1 {{2 times memory that may be the same is allocated behind an access, which needs no order with accesses of it}}
func.func @newer(%s: memref<64xf32> {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %g = call @given() : () -> memref<64xf32>
  // expected-remark @+1 {{region 13: device, 1 op}}
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%g : memref<64xf32>, %s : memref<64xf32>)
  %a = gpu.alloc () : memref<64xf32>
  // expected-remark @+1 {{region 14: device, 1 op}}
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %s : memref<64xf32>)
  // expected-remark @+2 {{waits for region 13: }}
  // expected-remark @+1 {{waits for region 14: }}
  call @unknown(%a) : (memref<64xf32>) -> ()
  return
}
}
