package io.aragonite.bench.command;

import io.aragonite.bench.cold.ColdWorkload;
import java.math.BigDecimal;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Refuses options that would time nothing, or not what was asked for. */
record WorkloadChecks(CommandSpec command, ColdWorkload workload) {
  /**
   * A number of runs or of orders.
   *
   * @throws ParameterException if it is less
   */
  void atLeast(int least, String option, int value) {
    require(value >= least, "%s is %d at least, not %d".formatted(option, least, value));
  }

  /**
   * Numbers of queries.
   *
   * @throws ParameterException if the workload has no such query
   */
  void queries(List<Integer> queries) {
    for (int query : queries) {
      require(
          query >= 1 && query <= workload.count(),
          "--queries are 1 to %d, not %d".formatted(workload.count(), query));
    }
  }

  /**
   * A scale factor.
   *
   * @throws ParameterException if there are no tables of this scale
   */
  void scale(String option, BigDecimal scale) {
    try {
      workload.dataset(scale.doubleValue());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), option + ": " + e.getMessage(), e);
    }
  }

  /**
   * @throws ParameterException with this message
   */
  void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(command.commandLine(), message);
    }
  }
}
