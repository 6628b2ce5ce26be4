# Marks the top of the tests, as in a checkout of llvm-project: suites/llvm.py has lit use a
# configuration of its own instead.
