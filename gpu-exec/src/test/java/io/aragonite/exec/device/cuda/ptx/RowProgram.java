package io.aragonite.exec.device.cuda.ptx;

/** A kernel for rows that runs over host memory. */
interface RowProgram {
  /**
   * Runs the kernel.
   *
   * @param threads of a block
   * @param arguments the bits of the kernel's arguments
   */
  void run(int blocks, int threads, long[] arguments);
}
