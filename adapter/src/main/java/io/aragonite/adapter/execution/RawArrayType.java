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
        ? element
        : ColumnMetaData.scalar(Types.JAVA_OBJECT, element.getName(), ColumnMetaData.Rep.OBJECT);
  }

  /** What the elements are. */
  public AvaticaType element() {
    return element;
  }

  /** A type, which is a raw one if it is an array's. */
  private static AvaticaType of(AvaticaType type) {
    return type instanceof ArrayType array && !(type instanceof RawArrayType)
        ? new RawArrayType(array)
        : type;
  }

  /** Columns, those of arrays with raw types. */
  public static List<ColumnMetaData> raw(List<ColumnMetaData> columns) {
    if (columns.stream().noneMatch(column -> column.type instanceof ArrayType)) {
      return columns;
    }
    List<ColumnMetaData> raw = new ArrayList<>();
    for (ColumnMetaData column : columns) {
      raw.add(column.type instanceof ArrayType ? of(column) : column);
    }
    return raw;
  }

  private static ColumnMetaData of(ColumnMetaData column) {
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
        of(column.type),
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
