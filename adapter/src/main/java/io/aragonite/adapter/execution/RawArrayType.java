package io.aragonite.adapter.execution;

import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.ColumnMetaData.ArrayType;
import org.apache.calcite.avatica.ColumnMetaData.AvaticaType;

/**
 * The type of an array whose elements Avatica hands out as they are. Its own conversions fail for
 * nested arrays, dates and times without a null, and nulls in nested arrays; and they forget the
 * elements' type.
 */
public final class RawArrayType extends ArrayType {
  private final AvaticaType element;

  private RawArrayType(ArrayType type) {
    super(type.id, type.getName(), type.rep, raw(type.getComponent()));
    element = of(type.getComponent());
  }

  /** Of rows Avatica would take the first field: it makes structs of them itself. */
  private static AvaticaType raw(AvaticaType element) {
    return element instanceof ColumnMetaData.StructType
        ? of(element)
        : ColumnMetaData.scalar(Types.JAVA_OBJECT, element.getName(), ColumnMetaData.Rep.OBJECT);
  }

  /** What the elements are. */
  public AvaticaType element() {
    return element;
  }

  /** A type, which is a raw one if it is an array's or a row's. */
  private static AvaticaType of(AvaticaType type) {
    return switch (type) {
      case RawArrayType raw -> raw;
      case RawStructType raw -> raw;
      case ArrayType array -> new RawArrayType(array);
      case ColumnMetaData.StructType row -> new RawStructType(row);
      default -> type;
    };
  }

  private static boolean isNested(ColumnMetaData column) {
    return column.type instanceof ArrayType || column.type instanceof ColumnMetaData.StructType;
  }

  /** Columns, those of arrays and rows with raw types. */
  public static List<ColumnMetaData> raw(List<ColumnMetaData> columns) {
    if (columns.stream().noneMatch(RawArrayType::isNested)) {
      return columns;
    }
    List<ColumnMetaData> raw = new ArrayList<>();
    for (ColumnMetaData column : columns) {
      raw.add(isNested(column) ? withType(column, of(column.type)) : column);
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
