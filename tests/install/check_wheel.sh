#!/bin/sh
# Installs the build by pip into an empty environment, without a network, and uses it
# from there: the commands, the Python package, programs of their own.
#
#   check_wheel.sh SOURCE_DIR BUILD_DIR WORK_DIR
#
# Exit status 77 where python3 makes no environments (package python3-venv).
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
build=$2
work=$3
fail() {
  echo "failed: $*"
  exit 1
}

rm -rf "$work"
mkdir -p "$work/nothing"
python3 -m venv "$work/venv" >"$work/venv.log" 2>&1 || {
  echo "skipped: python3 -m venv makes no environment (package python3-venv)"
  exit 77
}
bin=$work/venv/bin
unset PYTHONPATH
export PIP_NO_INDEX=1

# Without a build it says what is missing, and what to do.
export ASYNC_GPU_BUILD_DIR="$work/nothing"
"$bin/pip" install "$source/python" >"$work/pip.log" 2>&1 &&
  fail "pip installs what has no libraries"
grep -q "$work/nothing/bin/async-gpu-opt is missing" "$work/pip.log" ||
  fail "pip does not say what is missing"
grep -q 'cmake --preset release' "$work/pip.log" || fail "pip does not say what to do"
echo "passed: no build"

# Over the libraries as they are built next.
export ASYNC_GPU_BUILD_DIR="$build"
"$bin/pip" install --editable "$source/python" >"$work/pip.log" 2>&1 || {
  cat "$work/pip.log"
  fail "pip install --editable"
}
"$bin/python" -c "import async_gpu; print(async_gpu.__file__)" | grep -q "^$source/" ||
  fail "the package is not the one of the source tree"

"$bin/pip" install --force-reinstall "$source/python" >"$work/pip.log" 2>&1 || {
  cat "$work/pip.log"
  fail "pip install"
}
unset ASYNC_GPU_BUILD_DIR
cd "$work"
said=$("$bin/python" -c "import async_gpu, importlib.metadata
print(async_gpu.__version__, importlib.metadata.version('async-gpu'), async_gpu.__file__)")
case $said in
"$(echo "$said" | cut -d ' ' -f 2) "*" $work/venv/"*) ;;
*) fail "version of the package, of its metadata, and its place: $said" ;;
esac
# Each file as RECORD has it, and a licence.
"$bin/python" - <<'EOF'
import base64, hashlib, importlib.metadata
files = importlib.metadata.files("async-gpu")
for file in files:
    if file.hash:
        digest = hashlib.sha256(file.read_binary()).digest()
        assert file.hash.value == base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), file
assert any(file.match("*.dist-info/licenses/LICENSE") for file in files)
assert any(file.name == "py.typed" for file in files)
data = importlib.metadata.metadata("async-gpu")
assert data["License-Expression"] and data["Summary"]
assert data.get_payload().startswith("# async-gpu\n")
assert "](docs/" not in data.get_payload(), "a link to what is not there"
EOF

sed -n 's,^// CHECK: ,,p' "$source/examples/fork_join.mlir" >expected
for runtime in shared static; do
  "$bin/async-gpu-opt" --emit=exe --runtime=$runtime \
    "$source/examples/fork_join.mlir" -o "program_$runtime"
  "./program_$runtime" | diff expected - || fail "the $runtime program"
done
"$bin/async-gpu-runner" "$source/examples/fork_join.mlir" | diff expected - ||
  fail "async-gpu-runner"
"$bin/async-gpu-info" | grep -q emulated || fail "no emulated device"
"$bin/async-gpu-report" --version | grep -q async-gpu || fail "async-gpu-report"
mkdir docs
cp -R "$source/docs/samples" docs
"$bin/python" docs/samples/layer.py | grep -q '^\[\[0.0, 3.5\]\]' || fail "Python"
echo "passed: wheel"
