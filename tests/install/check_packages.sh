#!/bin/sh
# Makes the Debian packages and the source tarball, unpacks them into an empty
# folder, and uses them from there.
#
#   check_packages.sh SOURCE_DIR BUILD_DIR WORK_DIR
#
# Exit status 77 where dpkg-shlibdeps is missing. Where lintian is installed it looks
# at the packages, which are as they will be published then; elsewhere they are not
# compressed, and what the tools need of LLVM, which takes half a minute, is not
# looked for.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
build=$2
work=$3
command -v dpkg-shlibdeps >/dev/null || {
  echo "skipped: dpkg-shlibdeps (package dpkg-dev) is not installed"
  exit 77
}
fail() {
  echo "failed: $*"
  exit 1
}

rm -rf "$work"
mkdir -p "$work/root"
set --
if ! command -v lintian >/dev/null; then
  echo "not checked: lintian is not installed"
  set -- -D CPACK_DEBIAN_COMPRESSION_TYPE=none \
    -D CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS=OFF \
    -D CPACK_DEBIAN_COMPILER_PACKAGE_SHLIBDEPS=OFF
fi
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages" "$@" \
  >"$work/cpack.log" || {
  cat "$work/cpack.log"
  exit 1
}
for name in libasync-gpu-runtime0 libasync-gpu-compiler0 async-gpu \
  libasync-gpu-dev python3-async-gpu async-gpu-doc; do
  set -- "$work/packages/${name}"_*.deb
  [ -f "$1" ] || fail "there is no package $name"
  dpkg-deb --extract "$1" "$work/root"
  [ -f "$work/root/usr/share/doc/$name/copyright" ] || fail "$name: no copyright"
done
# A package with a script that runs behind its removal stays in dpkg's list.
for package in "$work/packages"/*.deb; do
  dpkg-deb --ctrl-tarfile "$package" | tar -t | grep 'post\(inst\|rm\)' &&
    fail "$package has scripts"
done
lib=$work/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
[ -f "$lib/libasync_gpu_runtime.so.0" ] || fail "no library in $lib"
outside=$(find "$work/root/usr/lib" -type f ! -path "$lib/*" ! -name '*.py*' \
  ! -name py.typed)
[ -z "$outside" ] || fail "outside of the architecture's folder: $outside"
grep rpath "$lib"/pkgconfig/*.pc &&
  fail "pkg-config names a folder where the loader looks by itself"
dpkg-deb --field "$work/packages"/libasync-gpu-runtime0_*.deb Depends |
  grep libc6 || fail "the runtime does not say what it needs"
if command -v lintian >/dev/null; then
  said=$(TMPDIR=$work lintian --allow-root "$work/packages"/*.deb 2>&1) || :
  [ -z "$said" ] || fail "lintian says: $said"
  dpkg-deb --field "$work/packages"/async-gpu_*.deb Depends |
    grep libmlir || fail "async-gpu does not say what it needs"
fi

usr=$work/root/usr
for runtime in shared static; do
  "$usr/bin/async-gpu-opt" --emit=exe --runtime=$runtime \
    "$usr/share/doc/async-gpu/examples/fork_join.mlir" -o "$work/program"
  "$work/program" | grep 'elements out of 1024 that are wrong: 0' ||
    fail "the $runtime program"
done
"$usr/bin/async-gpu-info" | grep -q emulated || fail "no emulated device"
if command -v pkg-config >/dev/null; then
  eval "set -- $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs \
    async-gpu-runtime)"
  ${CC:-cc} -std=c11 "$source/examples/c/host_and_device.c" -o "$work/program" "$@"
  LD_LIBRARY_PATH=$lib "$work/program" >/dev/null || fail "pkg-config"
fi
cmake -S "$source/examples/c" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$usr" \
  >"$work/cmake.log" || fail "find_package(AsyncGpu)"
cmake --build "$work/cmake" --target host_and_device >"$work/cmake.log" ||
  fail "a program of CMake's"
"$work/cmake/host_and_device" >/dev/null || fail "the program of CMake's"
# Where /lib is a link to /usr/lib, CMake may come that way.
ln -s usr/lib "$work/root/lib"
cmake -S "$source/examples/c" -B "$work/linked" -DCMAKE_PREFIX_PATH="$work/root" \
  >"$work/cmake.log" || fail "find_package(AsyncGpu) through a link"
(cd "$usr/share/doc/async-gpu" && PYTHONPATH=$usr/lib/python3/dist-packages \
  python3 docs/samples/layer.py) | grep '^\[\[0.0, 3.5\]\]' || fail "Python"
zcat "$usr/share/man/man1/async-gpu-opt.1.gz" | grep -q '^\.SH NAME' ||
  fail "no page of the manual"
python3 "$source/tests/docs/links.py" "$usr/share/doc/async-gpu"
echo "passed: packages"

cpack --config "$build/CPackSourceConfig.cmake" -G TGZ -B "$work/source" \
  >"$work/cpack.log"
mkdir "$work/unpacked"
tar -xf "$work/source"/async-gpu-*.tar.gz -C "$work/unpacked" --strip-components=1
[ ! -e "$work/unpacked/.git" ] || fail "the tarball has .git"
if git -C "$source" rev-parse >/dev/null 2>&1; then
  git -C "$source" ls-files | sort >"$work/known"
  (cd "$work/unpacked" && find . -type f | sed 's,^\./,,' | sort) >"$work/packed"
  lacking=$(comm -23 "$work/known" "$work/packed")
  [ -z "$lacking" ] || fail "the tarball lacks $lacking"
fi
cmake -G Ninja -S "$work/unpacked" -B "$work/configured" -DBUILD_TESTING=OFF \
  >"$work/configure.log" || fail "the tarball cannot be configured"
cmake --build "$work/configured" --target async-gpu-report >"$work/build.log" ||
  fail "the tarball does not build"
"$work/configured/bin/async-gpu-report" --version
echo "passed: source tarball"
