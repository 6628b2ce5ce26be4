// Numbers of all widths, with conversions of other lengths: each is extended as the
// conversion has its sign, and prints as a whole.
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%b1: i1, %b4: i4, %b8: i8, %b16: i16, %b24: i24, %b32: i32, %b40: i40, %b64: i64, %x: index,
                %h: f16, %bf: bf16, %f: f32, %d: f64, %minus: i8, %w: index) kernel {
      gpu.printf "%d %d %d %d %d %d %d %d %d|\n", %b1, %b4, %b8, %b16, %b24, %b32, %b40, %b64, %x : i1, i4, i8, i16, i24, i32, i40, i64, index
      gpu.printf "%u %u %u %u %u %u %u %u %u|\n", %b1, %b4, %b8, %b16, %b24, %b32, %b40, %b64, %x : i1, i4, i8, i16, i24, i32, i40, i64, index
      gpu.printf "%lld %ld %hd %hhd %llx %#x|\n", %b8, %b32, %b64, %b64, %b32, %b8 : i8, i32, i64, i64, i32, i8
      gpu.printf "%f %.3f %8.2e %g|%%|%5d|%-5d|%05d|\n", %h, %bf, %f, %d, %x, %b8, %b16 : f16, bf16, f32, f64, index, i8, i16
      gpu.printf "%*d|%-*d|%c%c%c|%+i|%o\n", %w, %x, %minus, %b32, %b8, %x, %b64, %b32, %b8 : index, index, i8, i32, i8, index, i64, i32, i8
      gpu.printf "%hhu %hx %zu %jd %td %lu|\n", %minus, %minus, %x, %b40, %x, %b8 : i8, i8, index, i40, index, i8
      gpu.printf "nothing %%d\n"
      gpu.return
    }
  }
  // RUN: kernel
  // CHECK: 1 -3 65 -300 -70000 72 -5000000000 4294967377 66|
  // CHECK: 1 13 65 65236 16707216 72 1094511627776 4294967377 66|
  // CHECK: 65 72 81 81 48 0x41|
  // CHECK: 1.500000 -2.500 1.23e+03 0.1|%|   66|65   |-0300|
  // CHECK:     66|72   |ABQ|+72|101
  // CHECK: 251 fb 66 -5000000000 66 65|
  // CHECK: nothing %d
  func.func @main() {
    %c1 = arith.constant 1 : index
    %b1 = arith.constant true
    %b4 = arith.constant -3 : i4
    %b8 = arith.constant 65 : i8
    %b16 = arith.constant -300 : i16
    %b24 = arith.constant -70000 : i24
    %b32 = arith.constant 72 : i32
    %b40 = arith.constant -5000000000 : i40
    %b64 = arith.constant 4294967377 : i64
    %x = arith.constant 66 : index
    %h = arith.constant 1.5 : f16
    %bf = arith.constant -2.5 : bf16
    %f = arith.constant 1234.5 : f32
    %d = arith.constant 0.1 : f64
    %minus = arith.constant -5 : i8
    %w = arith.constant 6 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%b1 : i1, %b4 : i4, %b8 : i8, %b16 : i16, %b24 : i24, %b32 : i32, %b40 : i40, %b64 : i64, %x : index,
                %h : f16, %bf : bf16, %f : f32, %d : f64, %minus : i8, %w : index)
    return
  }
}
