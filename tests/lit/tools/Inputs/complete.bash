# Prints what the completion in the file $1 offers for some command lines.
. "$1"
compopt() { :; } # only bash itself may call it
offer() {
  local shown=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _async_gpu "$1"
  echo "$shown: ${COMPREPLY[*]}"
}
offer 'async-gpu-opt --emit=pl' async-gpu-opt --emit = pl
offer 'async-gpu-opt --emit=' async-gpu-opt --emit =
offer 'async-gpu-runner --dev' async-gpu-runner --dev
offer 'async-gpu-info --' async-gpu-info --
offer 'async-gpu-opt example' async-gpu-opt example
