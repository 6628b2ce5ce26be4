// A region on a device that is not there. The program runs with three.
// CARD: unpacked, it may have as many devices
// DEVICES: 3
// CARD-ERROR: there is no device 3
// RUN: EMU_DEVICES=3
// ERROR: missing_device.mlir:[[@LINE+4]]:8: error: there is no device 3: the emu driver has 3 devices
func.func @main() {
  %c0 = arith.constant 0 : i32
  %d = memref.alloc() : memref<4xi32>
  %t = async.execute attributes {async_gpu.device = 3 : i32} {
    gpu.memset %d, %c0 : memref<4xi32>, i32
    async.yield
  }
  async.await %t : !async.token
  return
}
