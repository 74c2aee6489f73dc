package io.aragonite.adapter.metadata;

import java.sql.SQLException;
import java.util.List;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.AvaticaResultSetMetaData;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;

/** Rows that are in memory, with no statement behind them. It knows which one is the last. */
public final class MemoryResultSet extends AvaticaResultSet {
  private final int size;

  @SuppressWarnings("NullAway") // there is no statement behind these rows
  private MemoryResultSet(Meta.Signature signature, int size, TimeZone zone) throws SQLException {
    super(null, null, signature, new AvaticaResultSetMetaData(null, null, signature), zone, null);
    this.size = size;
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
    MemoryResultSet result = new MemoryResultSet(signature, rows.size(), zone);
    result.execute2(MetaImpl.createCursor(signature.cursorFactory, rows), columns);
    return result;
  }

  @Override
  public boolean isLast() throws SQLException {
    return getRow() == size && size > 0;
  }
}
