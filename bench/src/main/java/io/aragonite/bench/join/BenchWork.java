package io.aragonite.bench.join;

import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;

/** Tables, and a join of them or several. */
interface BenchWork {
  PhysicalPlan plan(JoinAlgorithm algorithm);

  /** Takes the output of one run. */
  BenchCheck newCheck();
}
