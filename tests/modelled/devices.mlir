// Work of several devices, which a modelled clock judges (check_devices.py).

// A kernel that fills a whole device for a while.
func.func private @full() -> !async.token {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 264 : index
  %threads = arith.constant 1024 : index
  %token = async.execute {
    %d = gpu.alloc() : memref<1024xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %steps = arith.constant 300 : index
      %zero = arith.constant 0.0 : f32
      %half = arith.constant 0.5 : f32
      %sum = scf.for %k = %c0 to %steps step %one iter_args(%s = %zero) -> f32 {
        %m = arith.mulf %s, %half : f32
        %a = arith.addf %m, %half : f32
        scf.yield %a : f32
      }
      memref.store %sum, %d[%tx] : memref<1024xf32>
      gpu.terminator
    }
    gpu.dealloc %d : memref<1024xf32>
    async.yield
  }
  return %token : !async.token
}

func.func private @full_on(%device: i32) -> !async.token {
  gpu.set_default_device %device
  %token = func.call @full() : () -> !async.token
  return %token : !async.token
}

// Two such kernels, on two devices or on one.
func.func @two_devices() {
  %d0 = arith.constant 0 : i32
  %d1 = arith.constant 1 : i32
  %a = func.call @full_on(%d0) : (i32) -> !async.token
  %b = func.call @full_on(%d1) : (i32) -> !async.token
  async.await %a : !async.token
  async.await %b : !async.token
  return
}

func.func @one_device() {
  %d0 = arith.constant 0 : i32
  %a = func.call @full_on(%d0) : (i32) -> !async.token
  %b = func.call @full_on(%d0) : (i32) -> !async.token
  async.await %a : !async.token
  async.await %b : !async.token
  return
}

func.func private @array(%device: i32) -> (!async.token, !async.value<memref<4194304xf32>>) {
  %token, %value = async.execute -> !async.value<memref<4194304xf32>> {
    gpu.set_default_device %device
    %d = gpu.alloc() : memref<4194304xf32>
    async.yield %d : memref<4194304xf32>
  }
  return %token, %value : !async.token, !async.value<memref<4194304xf32>>
}

// Copies of 16 MiB from device to device, begun together.
func.func private @copy(%device: i32, %to: memref<4194304xf32>, %from: memref<4194304xf32>)
    -> !async.token {
  %token = async.execute {
    gpu.set_default_device %device
    gpu.memcpy %to, %from : memref<4194304xf32>, memref<4194304xf32>
    async.yield
  }
  return %token : !async.token
}

func.func private @copies(%from0: i32, %to0: i32, %from1: i32, %to1: i32) {
  %t0, %v0 = func.call @array(%from0) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %t1, %v1 = func.call @array(%to0) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %t2, %v2 = func.call @array(%from1) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %t3, %v3 = func.call @array(%to1) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %a0 = async.await %v0 : !async.value<memref<4194304xf32>>
  %b0 = async.await %v1 : !async.value<memref<4194304xf32>>
  %a1 = async.await %v2 : !async.value<memref<4194304xf32>>
  %b1 = async.await %v3 : !async.value<memref<4194304xf32>>
  %c0 = func.call @copy(%from0, %b0, %a0)
      : (i32, memref<4194304xf32>, memref<4194304xf32>) -> !async.token
  %c1 = func.call @copy(%from1, %b1, %a1)
      : (i32, memref<4194304xf32>, memref<4194304xf32>) -> !async.token
  async.await %c0 : !async.token
  async.await %c1 : !async.token
  return
}

func.func @both_ways() {
  %d0 = arith.constant 0 : i32
  %d1 = arith.constant 1 : i32
  func.call @copies(%d0, %d1, %d1, %d0) : (i32, i32, i32, i32) -> ()
  return
}

func.func @from_one() {
  %d0 = arith.constant 0 : i32
  %d1 = arith.constant 1 : i32
  %d2 = arith.constant 2 : i32
  func.call @copies(%d0, %d1, %d0, %d2) : (i32, i32, i32, i32) -> ()
  return
}

// A copy from device to device beside one to the host, both from device 0.
func.func @beside_host() {
  %d0 = arith.constant 0 : i32
  %d1 = arith.constant 1 : i32
  %host = memref.alloc() : memref<4194304xf32>
  %unranked = memref.cast %host : memref<4194304xf32> to memref<*xf32>
  gpu.host_register %unranked : memref<*xf32>
  %t0, %v0 = func.call @array(%d0) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %t1, %v1 = func.call @array(%d1) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %a = async.await %v0 : !async.value<memref<4194304xf32>>
  %b = async.await %v1 : !async.value<memref<4194304xf32>>
  %c0 = func.call @copy(%d0, %b, %a)
      : (i32, memref<4194304xf32>, memref<4194304xf32>) -> !async.token
  %c1 = func.call @copy(%d0, %host, %a)
      : (i32, memref<4194304xf32>, memref<4194304xf32>) -> !async.token
  async.await %c0 : !async.token
  async.await %c1 : !async.token
  gpu.host_unregister %unranked : memref<*xf32>
  memref.dealloc %host : memref<4194304xf32>
  return
}

// A kernel of device 0 that reads 16 MiB of device 1, or of its own.
func.func private @read(%device: i32) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 4096 : index
  %threads = arith.constant 1024 : index
  %t, %v = func.call @array(%device) : (i32) -> (!async.token, !async.value<memref<4194304xf32>>)
  %from = async.await %v : !async.value<memref<4194304xf32>>
  %token = async.execute {
    %d = gpu.alloc() : memref<1024xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
      %base = arith.muli %bx, %sx : index
      %k = arith.addi %base, %tx : index
      %x = memref.load %from[%k] : memref<4194304xf32>
      memref.store %x, %d[%tx] : memref<1024xf32>
      gpu.terminator
    }
    gpu.dealloc %d : memref<1024xf32>
    async.yield
  }
  async.await %token : !async.token
  return
}

func.func @read_peer() {
  %d1 = arith.constant 1 : i32
  func.call @read(%d1) : (i32) -> ()
  return
}

func.func @read_own() {
  %d0 = arith.constant 0 : i32
  func.call @read(%d0) : (i32) -> ()
  return
}
