"""Makes wheels of the Python package and of what a build of async-gpu has made.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

pip calls it for `pip install ./python` (PEP 517 and 660), and scripts/wheel.sh for
wheels that run elsewhere. The build is in ASYNC_GPU_BUILD_DIR, else in ../build. As
config_settings, or options of this file: `build`, its folder; `platform`, what the
wheel is for, by default this machine; `licenses`, a folder with those of what is
linked in.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import re
import sys
import sysconfig
import zipfile
from typing import Any, Dict, List, Optional, Tuple

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib  # type: ignore

HERE = pathlib.Path(__file__).resolve().parents[1]
SOURCE = HERE.parent
PACKAGE = "async_gpu"

TOOLS = [f"async-gpu-{name}" for name in ("opt", "runner", "info", "report")]
# By the names that programs load them by; a wheel has no links.
LIBRARIES = ["libasync_gpu_runtime.so.0", "libasync_gpu_emu.so.0",
             "libasync_gpu_mpi.so.0", "libasync_gpu_compiler.so.0",
             "libasync_gpu_schedule.so"]
# In builds over static archives of LLVM.
LLVM = ["libasync_gpu_llvm.so.0", "libasync_gpu_runner_utils.so"]
# What --emit=exe links.
ARCHIVES = ["libasync_gpu_runtime.a", "libasync_gpu_emu.a", "libasync_gpu_mpi.a",
            "libasync_gpu_utils.a"]
LINKED = ["libasync_gpu_runtime.so", "libasync_gpu_mpi.so"]

NO_BUILD = """\
error: async_gpu consists of libraries and tools that are compiled first.
  {missing} is missing.
  Install a wheel of async-gpu, or build it and install that build:
    cmake --preset release && cmake --build --preset release --target installed
    pip install ./python
  A build elsewhere is named by ASYNC_GPU_BUILD_DIR. docs/installing.md says more."""

File = Tuple[str, bytes, bool]


def find_build(settings: Dict[str, Any]) -> pathlib.Path:
    """The folder of the build, if all that a wheel takes is there."""
    folder = pathlib.Path(settings.get("build") or
                          os.environ.get("ASYNC_GPU_BUILD_DIR") or
                          SOURCE / "build").absolute()
    for name in [*(f"bin/{tool}" for tool in TOOLS),
                 *(f"lib/{library}" for library in (*LIBRARIES, *ARCHIVES))]:
        if not (folder / name).is_file():
            sys.exit(NO_BUILD.format(missing=folder / name))
    return folder


# ---------------------------------------------------------------------------
# Metadata
# ---------------------------------------------------------------------------


def read_project() -> Dict[str, Any]:
    with open(HERE / "pyproject.toml", "rb") as file:
        project: Dict[str, Any] = tomllib.load(file)["project"]
    text = (HERE / PACKAGE / "__init__.py").read_text()
    found = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    assert found
    project["version"] = found[1]
    return project


def describe() -> str:
    """The first page, without what only a tree of the sources has: pictures, and
    links to other files."""
    text = (SOURCE / "README.md").read_text()
    text = re.sub(r"^!\[[^]]*\]\([^)]*\)\n+(\*.*?\*\n+)?", "", text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def metadata(project: Dict[str, Any], licenses: List[str]) -> str:
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}",
             f"Version: {project['version']}",
             f"Summary: {project['description']}",
             f"Keywords: {','.join(project['keywords'])}",
             f"License-Expression: {project['license']}",
             *(f"License-File: {name}" for name in licenses),
             *(f"Classifier: {name}" for name in project["classifiers"]),
             f"Requires-Python: {project['requires-python']}"]
    for extra, packages in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}",
                  *(f"Requires-Dist: {package}; extra == '{extra}'"
                    for package in packages)]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + describe()


# ---------------------------------------------------------------------------
# Wheels
# ---------------------------------------------------------------------------


def package_files() -> List[File]:
    files = [(path.relative_to(HERE).as_posix(), path.read_bytes(), False)
             for path in sorted((HERE / PACKAGE).iterdir())
             if path.suffix == ".py" or path.name == "py.typed"]
    return [*files, ("async_gpu_tools.py",
                     (HERE / "async_gpu_tools.py").read_bytes(), False)]


def built_files(build: pathlib.Path) -> List[File]:
    def take(name: str, is_program: bool) -> File:
        return f"{PACKAGE}/{name}", (build / name).read_bytes(), is_program

    llvm = [library for library in LLVM if (build / "lib" / library).exists()]
    headers = sorted((SOURCE / "include" / PACKAGE).glob("*.h"))
    return [*(take(f"bin/{tool}", True) for tool in TOOLS),
            *(take(f"lib/{library}", True) for library in [*LIBRARIES, *llvm]),
            *(take(f"lib/{archive}", False) for archive in ARCHIVES),
            *((f"{PACKAGE}/lib/{name}", f"INPUT({name}.0)\n".encode(), False)
              for name in LINKED),
            *((f"{PACKAGE}/include/{PACKAGE}/{header.name}", header.read_bytes(),
               False) for header in headers)]


def write_wheel(folder: str, files: List[File], platform: str,
                licenses: List[pathlib.Path], scripts: bool) -> str:
    """Writes the wheel into `folder` and returns its name."""
    project = read_project()
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{stem}.dist-info"
    tag = f"py3-none-{platform}"
    files = [*files,
             *((f"{info}/licenses/{path.name}", path.read_bytes(), False)
               for path in licenses),
             (f"{info}/METADATA",
              metadata(project, [path.name for path in licenses]).encode(), False),
             (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: async_gpu_build\n"
              f"Root-Is-Purelib: false\nTag: {tag}\n".encode(), False)]
    if scripts:
        lines = [f"{name} = {target}" for name, target in project["scripts"].items()]
        files.append((f"{info}/entry_points.txt", "\n".join(
            ["[console_scripts]", *lines, ""]).encode(), False))
    name = f"{stem}-{tag}.whl"
    rows = []
    # Small where many get it, soon there where pip unpacks it at once.
    level = 1 if platform == own_platform() else 9
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED,
                         compresslevel=level) as wheel:
        def add(path: str, data: bytes, is_program: bool) -> None:
            # The same bytes whenever it is made.
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)

        for path, data, is_program in files:
            add(path, data, is_program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            rows.append(f"{path},sha256={digest.rstrip(b'=').decode()},{len(data)}\n")
        add(f"{info}/RECORD", "".join([*rows, f"{info}/RECORD,,\n"]).encode(), False)
    return name


def own_platform() -> str:
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def build_wheel(wheel_directory: str,
                config_settings: Optional[Dict[str, Any]] = None,
                metadata_directory: Optional[str] = None) -> str:
    settings = config_settings or {}
    build = find_build(settings)
    licenses = [SOURCE / "LICENSE"]
    if settings.get("licenses"):
        licenses += sorted(pathlib.Path(settings["licenses"]).iterdir())
    return write_wheel(wheel_directory, [*package_files(), *built_files(build)],
                       settings.get("platform") or own_platform(), licenses, True)


def build_editable(wheel_directory: str,
                   config_settings: Optional[Dict[str, Any]] = None,
                   metadata_directory: Optional[str] = None) -> str:
    """The package as it stands here, over the libraries as they are built next."""
    find_build(config_settings or {})
    return write_wheel(wheel_directory, [(f"__{PACKAGE}.pth", f"{HERE}\n".encode(), False)],
                       own_platform(), [SOURCE / "LICENSE"], False)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a wheel of a build.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--licenses")
    parser.add_argument("folder")
    settings = vars(parser.parse_args())
    print(build_wheel(settings.pop("folder"), settings))


if __name__ == "__main__":
    main()
