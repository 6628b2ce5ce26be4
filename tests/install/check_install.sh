#!/bin/sh
# Installs the build tree, moves what came out elsewhere, and uses it from
# there as a user would: the tools, pkg-config and CMake's find_package.
#
#   check_install.sh SOURCE_DIR BUILD_DIR WORK_DIR
#
# CC names the C compiler. Exit status 77 where pkg-config is missing.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
build=$2
work=$3
command -v pkg-config >/dev/null || {
  echo "skipped: pkg-config is not installed"
  exit 77
}

rm -rf "$work"
mkdir -p "$work"
# A copy of the manifest stays: another installation writes it anew.
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
cp "$build/install_manifest.txt" "$work/manifest.txt"
mv "$work/first" "$work/moved"
prefix=$work/moved

# expect SOURCE COMMAND...: the command prints what the CHECK lines of SOURCE say.
expect() {
  sed -n 's,^// CHECK: ,,p' "$1" >"$work/expected"
  [ -s "$work/expected" ]
  shift
  "$@" >"$work/output" || {
    echo "failed: $*"
    exit 1
  }
  diff "$work/expected" "$work/output"
  echo "passed: $*"
}

python3 -B "$source/tests/install/check_elf.py" "$prefix"

"$prefix/bin/async-gpu-info" >/dev/null
for tool in opt runner info report; do
  grep -q '^\.SH OPTIONS' "$prefix/share/man/man1/async-gpu-$tool.1"
done
expect "$source/examples/fork_join.mlir" \
  "$prefix/bin/async-gpu-runner" "$source/examples/fork_join.mlir"
for runtime in shared static; do
  "$prefix/bin/async-gpu-opt" --emit=exe --runtime=$runtime \
    "$source/examples/fork_join.mlir" -o "$work/fork_join_$runtime"
  expect "$source/examples/fork_join.mlir" "$work/fork_join_$runtime"
done

# A program, the runtime library and the emulated device, and nothing else of what
# is here; then a program with these inside.
mkdir "$work/alone"
cp "$work/fork_join_shared" "$work/alone/program"
cp "$prefix/lib/libasync_gpu_runtime.so.0" "$prefix/lib/libasync_gpu_emu.so.0" \
  "$work/alone"
mv "$prefix/lib" "$prefix/hidden"
expect "$source/examples/fork_join.mlir" "$work/alone/program"
rm "$work/alone/"*.so.0
cp "$work/fork_join_static" "$work/alone/program"
expect "$source/examples/fork_join.mlir" "$work/alone/program"
mv "$prefix/hidden" "$prefix/lib"

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
for pair in host_and_device:runtime embed_compiler:compiler; do
  example=${pair%:*}
  # pkg-config writes words of a shell: a space in a path has a backslash.
  eval "set -- $(pkg-config --cflags --libs "async-gpu-${pair#*:}")"
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$source/examples/c/$example.c" \
    -o "$work/$example" "$@"
  expect "$source/examples/c/$example.c" "$work/$example"
done

cmake -G Ninja -S "$source/examples/c" -B "$work/cmake" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
cmake --build "$work/cmake" >"$work/build.log"
for example in host_and_device host_and_device_static embed_compiler; do
  expect "$source/examples/c/${example%_static}.c" "$work/cmake/$example"
done

# The other name.
mkdir "$work/other"
cat >"$work/other/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES C)
find_package(async_gpu 0.1 REQUIRED)
if(NOT TARGET AsyncGpu::compiler)
  message(FATAL_ERROR "no target")
endif()
CMAKE
cmake -G Ninja -S "$work/other" -B "$work/other/build" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
echo "passed: find_package(async_gpu)"

# The documentation leads to what is installed.
python3 "$source/tests/docs/links.py" "$prefix/share/doc/async-gpu"
echo "passed: links"
case ${CC-} in
*-fsanitize*) ;; # Python itself has none
*)
  (cd "$prefix/share/doc/async-gpu" &&
    PYTHONPATH=$prefix/lib/python3/dist-packages \
      python3 docs/samples/layer.py) | grep '^\[\[0.0, 3.5\]\]'
  echo "passed: the Python package"
  ;;
esac

# The target `uninstall` takes all of it away, and no folder that is not empty.
mv "$prefix" "$work/first"
touch "$work/first/lib/another"
cmake -DMANIFEST="$work/manifest.txt" -P "$source/cmake/Uninstall.cmake"
left=$(find "$work/first" ! -type d)
folders=$(find "$work/first" -iname '*async[-_]gpu*' ! -path '*/first')
if [ "$left" != "$work/first/lib/another" ] || [ -n "$folders" ]; then
  echo "left after uninstalling: $left $folders"
  exit 1
fi
echo "passed: uninstalling"
