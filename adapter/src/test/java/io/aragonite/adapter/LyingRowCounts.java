package io.aragonite.adapter;

import io.aragonite.rules.metadata.JoinedRelations;
import io.aragonite.rules.metadata.RowCountSource;
import java.util.concurrent.Callable;
import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;

/** Says the same number of all relations, for a test. */
public final class LyingRowCounts implements RowCountSource {
  private static final ScopedValue<Double> ROWS = ScopedValue.newInstance();

  /** Plans with a number of rows. */
  static <T> T with(double rows, Callable<T> planning) throws Exception {
    return ScopedValue.where(ROWS, rows).call(planning::call);
  }

  @Override
  public boolean knows() {
    return ROWS.isBound();
  }

  @Override
  public @Nullable Double rows(RelNode relation) {
    return knows() ? ROWS.get() : null;
  }

  @Override
  public @Nullable Double rows(JoinedRelations relations) {
    return knows() ? ROWS.get() : null;
  }
}
