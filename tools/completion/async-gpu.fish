# Completes the options of async-gpu's tools in fish: the tool itself lists them.
# Installed once for each of them, under its name.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -l tool (string replace -r '\.fish$' '' (status basename))
for line in ($tool --help=options 2>/dev/null)
    set -l parts (string split \t -- $line)
    set -l name (string replace -r '^-+' '' -- (string replace -r '=$' '' -- $parts[1]))
    set -l arguments -c $tool -d "$parts[3]"
    if string match -q -- '--*' $parts[1]
        set -a arguments -l $name
    else
        set -a arguments -o $name
    end
    if string match -qr -- '^[a-zA-Z0-9-]+(\|[a-zA-Z0-9-]+)+$' $parts[2]
        set -a arguments -x -a (string replace -a '|' ' ' -- $parts[2])
    else if string match -q -- '*=' $parts[1]; or test $parts[1] = -o
        set -a arguments -r
    end
    complete $arguments
end
