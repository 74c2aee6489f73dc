package io.aragonite.exec.codegen;

/** The superclass of generated code. Instances have no state. */
abstract class Kernel {
  /**
   * Runs over a batch.
   *
   * @return the number of rows selected, for a predicate; 0 for a projection
   */
  abstract int run(KernelArgs a);
}
