package io.aragonite.client;

import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import org.apache.calcite.avatica.AvaticaResultSetMetaData;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;

/** Columns of a server's result. An instant comes as a text whose type's name says what it is. */
final class ClientColumns extends AvaticaResultSetMetaData {
  private static final String INSTANT = "TIMESTAMP WITH TIME ZONE";

  private final Meta.Signature signature;

  ClientColumns(AvaticaStatement statement, Meta.Signature signature) {
    super(statement, null, signature);
    this.signature = signature;
  }

  static boolean isInstant(ColumnMetaData column) {
    return column.type.id == Types.VARCHAR && column.type.name.equals(INSTANT);
  }

  private boolean isInstant(int column) {
    return column > 0
        && column <= signature.columns.size()
        && isInstant(signature.columns.get(column - 1));
  }

  @Override
  public int getColumnType(int column) throws SQLException {
    return isInstant(column) ? Types.TIMESTAMP_WITH_TIMEZONE : super.getColumnType(column);
  }

  @Override
  public String getColumnClassName(int column) throws SQLException {
    return isInstant(column)
        ? OffsetDateTime.class.getName()
        : super.getColumnClassName(column);
  }
}
