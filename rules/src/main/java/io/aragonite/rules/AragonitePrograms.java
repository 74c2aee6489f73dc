package io.aragonite.rules;

import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.program.LogicalPhase;
import io.aragonite.rules.program.PhysicalPhase;
import io.aragonite.rules.program.WrittenCasts;
import org.apache.calcite.tools.Program;
import org.apache.calcite.tools.Programs;

/** The planning programs. */
public final class AragonitePrograms {
  private AragonitePrograms() {}

  /**
   * The whole way from a converted query to a plan in the Enumerable convention, for {@code
   * Prepare.getProgram()} and {@code Frameworks}: subqueries, correlation, unused columns, join
   * order, physical operators. It may be shared by threads.
   */
  public static Program program() {
    return Programs.sequence(
        new LogicalPhase(),
        new PhysicalPhase(),
        new WrittenCasts(),
        Programs.calc(GpuMetadata.PROVIDER));
  }
}
