# RUN lines whose paths are one word each, whatever folder this is in.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shlex

import lit.formats
import lit.TestRunner


class ShTest(lit.formats.ShTest):
    def execute(self, test, litConfig):
        source = test.getSourcePath()
        _, temporary = lit.TestRunner.getTempPaths(test)
        return lit.TestRunner.executeShTest(
            test, litConfig, self.execute_external,
            [("%s", shlex.quote(source)),
             ("%S", shlex.quote(os.path.dirname(source))),
             ("%t", shlex.quote(temporary + ".tmp"))])
