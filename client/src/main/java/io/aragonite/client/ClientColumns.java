package io.aragonite.client;

import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.apache.calcite.avatica.AvaticaResultSetMetaData;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;
import org.jspecify.annotations.Nullable;

/** Columns of a server's result. Instants and UUIDs come as texts whose type's name says what they are. */
final class ClientColumns extends AvaticaResultSetMetaData {
  private static final String INSTANT = "TIMESTAMP WITH TIME ZONE";

  private static final String UUID_TYPE = "UUID";

  private final Meta.Signature signature;

  ClientColumns(AvaticaStatement statement, Meta.Signature signature) {
    super(statement, null, signature);
    this.signature = signature;
  }

  static boolean isInstant(ColumnMetaData column) {
    return column.type.id == Types.VARCHAR && column.type.name.equals(INSTANT);
  }

  static boolean isUuid(ColumnMetaData column) {
    return column.type.id == Types.VARCHAR && column.type.name.equals(UUID_TYPE);
  }

  private @Nullable ColumnMetaData column(int column) {
    return column > 0 && column <= signature.columns.size()
        ? signature.columns.get(column - 1)
        : null;
  }

  @Override
  public int getColumnType(int column) throws SQLException {
    ColumnMetaData known = column(column);
    if (known != null && isInstant(known)) {
      return Types.TIMESTAMP_WITH_TIMEZONE;
    }
    return known != null && isUuid(known) ? Types.OTHER : super.getColumnType(column);
  }

  @Override
  public String getColumnClassName(int column) throws SQLException {
    ColumnMetaData known = column(column);
    if (known != null && isInstant(known)) {
      return OffsetDateTime.class.getName();
    }
    return known != null && isUuid(known)
        ? UUID.class.getName()
        : super.getColumnClassName(column);
  }
}
