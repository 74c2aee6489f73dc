package io.aragonite.adapter.execution;

import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.ColumnMetaData.ArrayType;
import org.apache.calcite.avatica.ColumnMetaData.AvaticaType;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/**
 * The type of an array whose elements Avatica hands out as they are. Its own conversions fail for
 * nested arrays, dates and times without a null, and nulls in nested arrays; and they forget the
 * elements' type.
 */
public final class RawArrayType extends ArrayType {
  private final AvaticaType element;

  private RawArrayType(ArrayType type, RelDataType sql) {
    super(type.id, type.getName(), type.rep, raw(type.getComponent()));
    element = of(type.getComponent(), Objects.requireNonNull(sql.getComponentType()));
  }

  /** Of rows Avatica would take the first field: it makes structs of them itself. */
  private static AvaticaType raw(AvaticaType element) {
    return element instanceof ColumnMetaData.StructType row
        ? RawStructType.opaque(row)
        : ColumnMetaData.scalar(Types.JAVA_OBJECT, element.getName(), ColumnMetaData.Rep.OBJECT);
  }

  /** What the elements are. */
  public AvaticaType element() {
    return element;
  }

  /**
   * A type, which is a raw one if it is an array's, a row's or a map's.
   *
   * @param sql the same type, which says what a map's keys and values are
   */
  static AvaticaType of(AvaticaType type, RelDataType sql) {
    return switch (type) {
      case ArrayType array -> new RawArrayType(array, sql);
      case ColumnMetaData.StructType row -> new RawStructType(row, sql);
      default -> sql.getKeyType() == null ? type : new RawMapType(type, sql);
    };
  }

  /** The type that a column of such values has. */
  public static AvaticaType of(RelDataType sql) {
    return of(RawMapType.plain(sql), sql);
  }

  /** Columns, those of arrays, rows and maps with raw types. */
  static List<ColumnMetaData> raw(List<ColumnMetaData> columns, @Nullable RelDataType row) {
    if (row == null || !row.isStruct() || row.getFieldCount() != columns.size()) {
      return columns;
    }
    List<ColumnMetaData> raw = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      ColumnMetaData column = columns.get(i);
      AvaticaType type = of(column.type, row.getFieldList().get(i).getType());
      raw.add(type.equals(column.type) ? column : withType(column, type));
    }
    return raw;
  }

  /** A column, of another type. */
  static ColumnMetaData withType(ColumnMetaData column, AvaticaType type) {
    return new ColumnMetaData(
        column.ordinal,
        column.autoIncrement,
        column.caseSensitive,
        column.searchable,
        column.currency,
        column.nullable,
        column.signed,
        column.displaySize,
        column.label,
        column.columnName,
        column.schemaName,
        column.precision,
        column.scale,
        column.tableName,
        column.catalogName,
        type,
        column.readOnly,
        column.writable,
        column.definitelyWritable,
        column.columnClassName);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawArrayType that && super.equals(that) && element.equals(that.element);
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + element.hashCode();
  }
}
