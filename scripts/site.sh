#!/bin/sh
# Makes a site of the pages with MkDocs (apt-get install mkdocs).
#
#   scripts/site.sh [FOLDER]        where it goes (default: site in the build)
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

case $#,${1-} in
0, | 1,[!-]*) ;;
*)
  echo "usage: scripts/site.sh [FOLDER]" >&2
  exit 2
  ;;
esac
choose_preset
folder=${1:-$build_dir/site}
case $folder in
/*) ;;
*) folder=$PWD/$folder ;;
esac
# MkDocs empties the folder first, but for hidden files.
mark=.async-gpu-site
if [ -e "$folder" ] && [ ! -e "$folder/$mark" ]; then
  [ -d "$folder" ] || die "'$folder' is no folder"
  [ -z "$(ls -A "$folder")" ] || die "'$folder' has files in it that are no site" \
    "Name an empty or a new folder: it is emptied."
fi
ensure_packages cmake mkdocs
mkdir -p "$folder"
: >"$folder/$mark"
SITE_OUTPUT=$(cd "$folder" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
SITE_PAGES=$work/pages
export SITE_PAGES SITE_OUTPUT PYTHONDONTWRITEBYTECODE=1
cmake -DSOURCE="$root" -DOUTPUT="$SITE_PAGES" -DHEADERS=include \
  -P "$root/cmake/CopyDocs.cmake"
cp -r "$root/include" "$SITE_PAGES"
mkdocs --quiet build --clean --config-file "$root/docs/site/mkdocs.yml"
say "wrote $SITE_OUTPUT/index.html"
