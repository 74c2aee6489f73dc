package io.aragonite.exec.device;

import java.util.AbstractList;
import java.util.RandomAccess;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Rows for a function of many, which ends when its query is cancelled or out of time. */
public final class PolledRows extends AbstractList<@Nullable Object[]> implements RandomAccess {
  /** Bytes a row that an aggregate may need beside the rows: to sort values, or to count them. */
  public static final long SCRATCH_BYTES = 64;

  private static final int BETWEEN = 1023;

  private final ExecContext context;
  private final int count;
  private final IntFunction<@Nullable Object[]> rows;
  private int asked;

  public PolledRows(ExecContext context, int count, IntFunction<@Nullable Object[]> rows) {
    this.context = context;
    this.count = count;
    this.rows = rows;
  }

  @Override
  public @Nullable Object[] get(int i) {
    if ((asked++ & BETWEEN) == 0) {
      context.checkCancelled();
    }
    return rows.apply(i);
  }

  @Override
  public int size() {
    return count;
  }
}
