func.func @main() {
  mpi.init
  return
}
