#!/bin/sh
# Makes wheels, which `pip install` takes on any Linux with glibc 2.28 or later:
# async_gpu-VERSION-py3-none-manylinux_2_28_ARCH.whl, with LLVM and MLIR inside. On a
# machine that has none of what that takes, it first installs the packages.
#
#   scripts/wheel.sh [--cache FOLDER] [--arch ARCH] [--llvm-only] [FOLDER]
#
# ARCH is x86_64 or aarch64 (default: both). FOLDER is where the wheels go (default:
# wheels in the build). What comes from pip's package index, 620 MB, is kept in the
# cache (default: async-gpu-wheel in the user's), and not asked for again. --llvm-only
# builds no wheel, but the library with LLVM that goes into it.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

# LLVM and MLIR as static archives, and the compiler with headers of each glibc.
glibc=2.28
llvm=22.1.8.2
mlir=22.1.8.4
zig=0.17.1
auditwheel=6.8.2

cache=${XDG_CACHE_HOME:-$HOME/.cache}/async-gpu-wheel
architectures="x86_64 aarch64"
output=
llvm_only=
while [ $# -gt 0 ]; do
  case $1,${2-} in
  --cache,?*) cache=$2 && shift ;;
  --arch,x86_64 | --arch,aarch64) architectures=$2 && shift ;;
  --llvm-only,*) llvm_only=1 ;;
  -*)
    echo "usage: scripts/wheel.sh [--cache FOLDER] [--arch ARCH] [--llvm-only] [FOLDER]" >&2
    exit 2
    ;;
  *) output=$1 ;;
  esac
  shift
done
case ${ASYNC_GPU_BUILD_DIR-} in
'') build_dir=$root/build-wheel ;;
/*) build_dir=$ASYNC_GPU_BUILD_DIR ;;
*) build_dir=$PWD/$ASYNC_GPU_BUILD_DIR ;;
esac
output=${output:-$build_dir/wheels}
mkdir -p "$cache" "$output"
cache=$(cd "$cache" && pwd -P)
output=$(cd "$output" && pwd -P)

# Debian's libstdc++ as an archive, of this machine and of the other one.
own=$(uname -m)
packages="cmake ninja-build llvm-22 python3 python3-venv"
for architecture in $architectures; do
  case $own,$architecture in
  "$architecture,$architecture") packages="$packages libstdc++-12-dev" ;;
  *,aarch64) packages="$packages libstdc++-12-dev-arm64-cross" ;;
  *,x86_64) packages="$packages libstdc++-12-dev-amd64-cross" ;;
  esac
done
# shellcheck disable=SC2086
ensure_packages $packages

# get PACKAGE VERSION ARCH: its wheel, into $cache/ARCH.
get() {
  set -- "$1" "$2" "$3" "$cache/$3/$(printf '%s' "$1" | tr - _)-$2"
  for file in "$4"-*.whl; do
    if [ -f "$file" ]; then
      return
    fi
  done
  say "getting $1 $2 for $3"
  "$cache/venv/bin/pip" --quiet download --no-deps --only-binary :all: \
    --platform "manylinux_2_28_$3" --dest "$cache/$3" "$1==$2" >&2 ||
    die "pip could not get $1 $2; its messages are above"
}

if ! [ -x "$cache/venv/bin/auditwheel" ] ||
  ! [ -x "$cache/venv/zig-$zig" ]; then
  python3 -m venv "$cache/venv"
  say "installing ziglang $zig and auditwheel $auditwheel"
  "$cache/venv/bin/pip" --quiet install "ziglang==$zig" \
    "auditwheel==$auditwheel" >&2 || die "pip could not install them"
  cat >"$cache/venv/zig-$zig" <<EOF
#!/bin/sh
exec "$cache"/venv/lib/python3*/site-packages/ziglang/zig "\$@"
EOF
  chmod +x "$cache/venv/zig-$zig"
fi
export ZIG_GLOBAL_CACHE_DIR="$cache/zig" ZIG_LOCAL_CACHE_DIR="$cache/zig"

# unpack ARCH: LLVM's and MLIR's archives and headers into $cache/ARCH/llvm-VERSION.
unpack() {
  tree=$cache/$1/llvm-$llvm-$mlir
  if [ -f "$tree/.complete" ]; then
    return
  fi
  get xtc-llvm-dev "$llvm" "$1"
  get xtc-mlir-dev "$mlir" "$1"
  rm -rf "$tree"
  for wheel in "$cache/$1"/xtc_*.whl; do
    python3 -m zipfile -e "$wheel" "$tree"
  done
  # CMake's files insist on programs and shared libraries that are in other packages.
  for file in "$tree"/*/lib/cmake/*/*-release.cmake; do
    top=${file%/lib/cmake/*}
    sed -n 's,.*"${_IMPORT_PREFIX}/\([^"]*\)".*,\1,p' "$file" | while read -r lacking; do
      mkdir -p "$top/${lacking%/*}"
      [ -e "$top/$lacking" ] || : >"$top/$lacking"
    done
  done
  : >"$tree/.complete"
}

# find FILE ARCH: where Debian has it for that architecture.
find_library() {
  for folder in "/usr/lib/gcc/$2-linux-gnu/12" "/usr/lib/gcc-cross/$2-linux-gnu/12" \
    "/lib/$2-linux-gnu" "/usr/$2-linux-gnu/lib"; do
    if [ -f "$folder/$1" ]; then
      echo "$folder/$1"
      return
    fi
  done
  die "there is no $1 for $2"
}

# configure ARCH, in $work
configure() {
  unpack "$1"
  work=$build_dir/$1
  libstdcxx=$(find_library libstdc++.a "$1")
  libgcc=$(find_library libgcc_s.so.1 "$1")
  say "building for $1"
  cmake -G Ninja -S "$root" -B "$work" --log-level=WARNING \
    -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/zig.cmake" \
    -DASYNC_GPU_ZIG="$cache/venv/zig-$zig" \
    -DASYNC_GPU_ZIG_TARGET="$1-linux-gnu.$glibc" \
    -DASYNC_GPU_LIBSTDCXX="$libstdcxx;$libgcc" \
    -DMLIR_DIR="$tree/mlir/lib/cmake/mlir" -DLLVM_DIR="$tree/llvm/lib/cmake/llvm" \
    -DASYNC_GPU_STATIC_LLVM=ON -DASYNC_GPU_UTILITIES_DIR= \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 \
    -DBUILD_TESTING=OFF >&2
}

# compile TARGET ...
compile() {
  ninja -C "$work" -j "$(nproc)" "$@" >"$work/log" || {
    cat "$work/log" >&2
    die "the build failed; its messages are above"
  }
}

# make_wheel ARCH: of what is configured in $work.
make_wheel() {
  compile async-gpu-opt async-gpu-runner async-gpu-info async-gpu-report \
    async_gpu_compiler_shared async_gpu_schedule
  stage=$work/stage
  rm -rf "$stage"
  mkdir -p "$stage/bin" "$stage/lib" "$stage/licenses"
  cp "$work"/bin/async-gpu-* "$stage/bin"
  cp "$work"/lib/*.so.0 "$work"/lib/libasync_gpu_schedule.so \
    "$work/lib/libasync_gpu_runner_utils.so" \
    "$work/lib/libasync_gpu_runtime.a" "$work/lib/libasync_gpu_emu.a" \
    "$work/lib/libasync_gpu_mpi.a" "$work/lib/libasync_gpu_utils.a" "$stage/lib"
  /usr/lib/llvm-22/bin/llvm-strip --strip-unneeded "$stage"/bin/* "$stage"/lib/*.so*
  cp /usr/share/doc/llvm-22/copyright "$stage/licenses/LLVM"
  cp /usr/share/doc/libstdc++6/copyright "$stage/licenses/libstdc++"
  cp "$cache"/venv/lib/python3*/site-packages/ziglang/LICENSE "$stage/licenses/zig"
  wheel=$output/$(python3 "$root/python/backend/async_gpu_build.py" --build "$stage" \
    --platform "manylinux_$(echo $glibc | tr . _)_$1" --licenses "$stage/licenses" \
    "$output")
  # "... consistent with the following platform tag: "manylinux_2_27_x86_64"."
  said=$("$cache/venv/bin/auditwheel" show "$wheel" | tr '\n' ' ')
  oldest=$(expr "$said" : '.*following platform tag: *"manylinux_\([0-9_]*\)_'"$1" | tr _ .)
  [ "$(printf '%s\n' "$oldest" "$glibc" | sort -V | tail -n 1)" = "$glibc" ] ||
    die "the wheel does not run on what its name says" "$said"
  echo "$wheel"
}

for architecture in $architectures; do
  configure "$architecture"
  if [ -n "$llvm_only" ]; then
    compile async_gpu_llvm
    echo "$work/lib/libasync_gpu_llvm.so.0"
  else
    make_wheel "$architecture"
  fi
done
