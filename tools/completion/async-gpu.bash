# Completes the options of async-gpu's tools in bash: the tool itself lists them.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

_async_gpu() {
  local tool=$1 cur=${COMP_WORDS[COMP_CWORD]} option=
  # Bash takes '=' for a word of its own.
  if [[ $cur == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} cur=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if [[ -n $option ]]; then
    local values
    values=$("$tool" --help=options 2>/dev/null |
      awk -F'\t' -v option="$option" '$1 == option || $1 == option "=" {
        if ($2 ~ /^[a-zA-Z0-9-]+(\|[a-zA-Z0-9-]+)+$/) print $2 }')
    [[ -n $values ]] &&
      mapfile -t COMPREPLY < <(compgen -W "${values//|/ }" -- "$cur")
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W \
      "$("$tool" --help=options 2>/dev/null | cut -f1)" -- "$cur")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
  fi
  return 0
}
# What is none of these is a file.
complete -o default -F _async_gpu \
  async-gpu-opt async-gpu-runner async-gpu-info async-gpu-report
