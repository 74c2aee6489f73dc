package io.aragonite.adapter.metadata;

import io.aragonite.adapter.sql.function.TypeOf;
import java.sql.Types;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.jdbc.CalciteMetaColumnFactory;
import org.apache.calcite.jdbc.CalciteMetaColumnFactoryImpl;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.schema.Table;
import org.jspecify.annotations.Nullable;

/**
 * Columns as {@link java.sql.DatabaseMetaData#getColumns} is expected to tell them: the bare type
 * name ({@code DECIMAL}, where Calcite says {@code DECIMAL(15, 2) NOT NULL}), and a size for every
 * type. Public because Calcite makes it by name.
 */
public final class ColumnMetadataFactory extends CalciteMetaColumnFactoryImpl {
  public static final CalciteMetaColumnFactory INSTANCE = new ColumnMetadataFactory();

  /** What Calcite calls a struct. */
  private static final String STRUCT = "RecordType(";

  public ColumnMetadataFactory() {}

  @Override
  public MetaImpl.MetaColumn createColumn(
      Table table,
      @Nullable String tableCat,
      @Nullable String tableSchem,
      String tableName,
      String columnName,
      int dataType,
      String typeName,
      Integer columnSize,
      @Nullable Integer decimalDigits,
      int numPrecRadix,
      int nullable,
      Integer charOctetLength,
      int ordinalPosition,
      String isNullable) {
    return super.createColumn(
        table,
        tableCat,
        tableSchem,
        tableName,
        columnName,
        ColumnsGuard.isInstant(typeName) ? Types.TIMESTAMP_WITH_TIMEZONE : dataType,
        hasParts(typeName) ? nestedName(table, columnName) : baseName(typeName),
        size(dataType, columnSize),
        isTime(dataType) ? Integer.valueOf(Math.max(0, columnSize)) : decimalDigits,
        numPrecRadix,
        nullable,
        charOctetLength >= 0 ? charOctetLength : TypeMetadata.size(dataType, 0),
        ordinalPosition,
        isNullable);
  }

  /** Whether a type is a struct or a map, or a list of them, as Calcite writes them. */
  private static boolean hasParts(String typeName) {
    return typeName.startsWith("(") || typeName.contains(STRUCT);
  }

  /** As CREATE TABLE takes it. */
  private static String nestedName(Table table, String column) {
    RelDataTypeField field =
        table.getRowType(new JavaTypeFactoryImpl()).getField(column, true, false);
    return field == null ? "OTHER" : TypeOf.name(field.getType());
  }

  private static String baseName(String typeName) {
    String name = ColumnsGuard.typeName(typeName);
    for (String end : new String[] {"(", " NOT NULL", " CHARACTER SET"}) {
      int at = name.indexOf(end);
      if (at > 0) {
        name = name.substring(0, at);
      }
    }
    return name;
  }

  private static boolean isTime(int dataType) {
    return dataType == Types.DATE || dataType == Types.TIME || dataType == Types.TIMESTAMP;
  }

  private static int size(int dataType, int declared) {
    return declared < 0 || isTime(dataType) ? TypeMetadata.size(dataType, declared) : declared;
  }
}
