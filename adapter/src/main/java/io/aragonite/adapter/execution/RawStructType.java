package io.aragonite.adapter.execution;

import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.ColumnMetaData.StructType;
import org.apache.calcite.rel.type.RelDataType;

/**
 * The type of a row whose fields Avatica hands out as they are. Its own conversions make moments of
 * dates and times, whose texts are those of the process's zone.
 */
public final class RawStructType extends StructType {
  private final List<ColumnMetaData> fields;

  RawStructType(StructType type, RelDataType sql) {
    super(raw(type.columns));
    fields = RawArrayType.raw(type.columns, sql);
  }

  /** A row's type for Avatica, whose fields are objects. */
  static StructType opaque(StructType type) {
    return new StructType(raw(type.columns));
  }

  private static List<ColumnMetaData> raw(List<ColumnMetaData> fields) {
    List<ColumnMetaData> raw = new ArrayList<>();
    for (ColumnMetaData field : fields) {
      raw.add(
          RawArrayType.withType(
              field, ColumnMetaData.scalar(Types.JAVA_OBJECT, "OBJECT", Rep.OBJECT)));
    }
    return raw;
  }

  /** What the fields are. */
  public List<ColumnMetaData> fields() {
    return fields;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawStructType that
        && super.equals(that)
        && types(fields).equals(types(that.fields));
  }

  @Override
  public int hashCode() {
    return types(fields).hashCode();
  }

  private static List<ColumnMetaData.AvaticaType> types(List<ColumnMetaData> fields) {
    return fields.stream().map(field -> field.type).toList();
  }
}
