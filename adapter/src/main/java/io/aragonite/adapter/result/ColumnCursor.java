package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.TrackedResult;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.rules.runtime.RowEnumerator;
import java.sql.Types;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.util.AbstractCursor;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a result where the engine left them: a value becomes an object when it is asked for.
 * Avatica's own cursors want all values of a row as objects beforehand, which are most of what a
 * row costs: memory that nothing has touched yet, in a heap with room for many results.
 */
final class ColumnCursor extends AbstractCursor {
  private final TrackedResult result;
  private final RowEnumerator rows;

  /** Of which class values are that can be handed out as they are, null if of none. */
  private final @Nullable Class<?>[] plain;

  /** What times count where that is finer than Avatica's milliseconds, null elsewhere. */
  private final @Nullable TimestampUnit[] units;

  /** Which columns are times of day: Avatica has these in 32 bits. */
  private final boolean[] times;

  private long rowsLeft;

  /** The present row, where the rows are one ahead of it already; null elsewhere. */
  private @Nullable Object @Nullable [] kept;

  /** Whether the row after the kept one is there. */
  private boolean more;

  /** Whether the last row has been passed: the rows' memory is given back then, before a close. */
  private boolean ended;

  /**
   * @param result whose rows nobody has read; it is taken
   * @param maxRows after how many rows it ends
   */
  ColumnCursor(TrackedResult result, List<ColumnMetaData> columns, long maxRows) {
    plain = new Class<?>[columns.size()];
    units = new TimestampUnit[columns.size()];
    times = new boolean[columns.size()];
    for (int i = 0; i < plain.length; i++) {
      plain[i] = plain(columns.get(i));
      units[i] = unit(columns.get(i));
      times[i] = columns.get(i).type.id == Types.TIME;
    }
    this.result = result;
    this.rowsLeft = maxRows;
    this.rows = result.query().rows(result.take(false), true);
  }

  /**
   * The value that {@link java.sql.ResultSet#getObject(int)} returns if Avatica would find the same
   * object after some detours: null says that it is to be asked.
   *
   * @param column from 1
   */
  @Nullable Object plain(int column) {
    if (column < 1 || column > plain.length || closed()) {
      return null;
    }
    Class<?> type = plain[column - 1];
    Object value = type == null ? null : value(column - 1);
    if (value == null || value.getClass() != type) {
      return null;
    }
    wasNull[0] = false;
    return value;
  }

  private static @Nullable Class<?> plain(ColumnMetaData column) {
    return switch (column.type.id) {
      case Types.BIGINT -> column.signed ? Long.class : null;
      case Types.INTEGER -> column.signed ? Integer.class : null;
      case Types.DOUBLE -> Double.class;
      case Types.VARCHAR -> String.class;
      default -> null;
    };
  }

  private static Object millis(long millis, boolean time) {
    return time ? (Object) (int) millis : millis;
  }

  private static @Nullable TimestampUnit unit(ColumnMetaData column) {
    if (column.type.id == Types.TIME) {
      return TimestampUnit.MICROS;
    }
    TimestampUnit unit = TimestampUnit.of(column.precision);
    return column.type.id == Types.TIMESTAMP && unit != TimestampUnit.MILLIS ? unit : null;
  }

  /**
   * Nanoseconds of the second of the present row's time, where it has more than Avatica's
   * milliseconds; -1 elsewhere, and for nulls.
   *
   * @param column from 1
   */
  int nanosOfSecond(int column) {
    if (column < 1 || column > units.length || closed()) {
      return -1;
    }
    TimestampUnit unit = units[column - 1];
    if (unit == null
        || !(value(column - 1) instanceof Long value)
        || times[column - 1] && unit.isExact(TimestampUnit.MILLIS, value)) {
      return -1;
    }
    return (int) (Math.floorMod(value, unit.perSecond()) * (1_000_000_000 / unit.perSecond()));
  }

  @Override
  public boolean next() {
    if (rowsLeft == 0) {
      ended = true;
      close(); // so that it is at no row
      return false;
    }
    rowsLeft--;
    if (kept != null) {
      kept = null;
      ended = !more;
    } else {
      ended = !rows.moveNext();
    }
    return !ended;
  }

  /** Whether the present row's memory is gone; a kept row has its own. */
  private boolean closed() {
    return kept == null && result.closed();
  }

  private @Nullable Object value(int column) {
    @Nullable Object[] row = kept;
    return row == null ? rows.value(column) : row[column];
  }

  /** Whether no row comes after the present one, which stays where it is. */
  boolean atLastRow() {
    if (rowsLeft == 0) {
      return true;
    }
    if (kept == null) {
      Object row = rows.current();
      // the one value of a row may be a row itself, with values of its own
      kept = plain.length == 1 ? new @Nullable Object[] {row} : (@Nullable Object[]) row;
      more = rows.moveNext();
    }
    return !more;
  }

  @Override
  public void close() {
    rows.close();
  }

  @Override
  protected Getter createGetter(int column) {
    return new AbstractGetter() {
      @Override
      public @Nullable Object getObject() {
        // Another thread closes what a connection's results hold before the results themselves.
        if (ended) {
          throw new NoSuchElementException("the cursor position is behind the last row");
        }
        if (closed()) {
          throw TrackedResult.late();
        }
        Object value = value(column);
        wasNull[0] = value == null;
        TimestampUnit unit = units[column];
        return unit == null || !(value instanceof Long number)
            ? value
            : millis(unit.to(TimestampUnit.MILLIS, number), times[column]);
      }
    };
  }
}
