package io.aragonite.adapter.metadata;

import com.google.common.collect.Lists;
import io.aragonite.rules.function.FineMoment;
import java.sql.SQLException;
import java.util.List;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.AvaticaResultSetMetaData;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;
import org.jspecify.annotations.Nullable;

/** Rows that are in memory, with no statement behind them. It knows which one is the last. */
public final class MemoryResultSet extends AvaticaResultSet {
  private final int size;
  private final List<Object> rows;
  private int at;

  @SuppressWarnings("NullAway") // there is no statement behind these rows
  private MemoryResultSet(Meta.Signature signature, List<Object> rows, TimeZone zone)
      throws SQLException {
    super(null, null, signature, new AvaticaResultSetMetaData(null, null, signature), zone, null);
    this.size = rows.size();
    this.rows = rows;
  }

  /**
   * @param rows arrays of values, in Calcite's internal form
   * @param zone where dates and times are read
   */
  public static MemoryResultSet of(List<ColumnMetaData> columns, List<Object> rows, TimeZone zone)
      throws SQLException {
    Meta.Signature signature =
        Meta.Signature.create(
            columns, "", List.of(), Meta.CursorFactory.ARRAY, Meta.StatementType.SELECT);
    MemoryResultSet result = new MemoryResultSet(signature, rows, zone);
    result.execute2(
        MetaImpl.createCursor(signature.cursorFactory, Lists.transform(rows, MemoryResultSet::cut)),
        columns);
    return result;
  }

  /** A row of which moments have the milliseconds that Avatica knows. */
  private static Object cut(Object row) {
    @Nullable Object[] values = (@Nullable Object[]) row;
    @Nullable Object[] cut = new @Nullable Object[values.length];
    for (int i = 0; i < cut.length; i++) {
      cut[i] = FineMoment.cut(values[i]);
    }
    return cut;
  }

  /**
   * Nanoseconds of the second of the present row's time, where it has more than Avatica's
   * milliseconds; -1 elsewhere.
   *
   * @param column from 1
   */
  public int nanosOfSecond(int column) {
    int row = at;
    if (row < 1 || row > size) {
      return -1;
    }
    @Nullable Object[] values = (@Nullable Object[]) rows.get(row - 1);
    return column > 0 && column <= values.length && values[column - 1] instanceof FineMoment fine
        ? (int) Math.floorMod(FineMoment.millis(fine), 1000L) * 1_000_000 + FineMoment.nanos(fine)
        : -1;
  }

  @Override
  public boolean next() throws SQLException {
    at++;
    return super.next();
  }

  @Override
  public boolean isLast() throws SQLException {
    return getRow() == size && size > 0;
  }
}
