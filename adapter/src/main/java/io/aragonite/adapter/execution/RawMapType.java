package io.aragonite.adapter.execution;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.ColumnMetaData.AvaticaType;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.ColumnMetaData.ScalarType;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlIntervalQualifier;

/** The type of a map, which knows those of its keys and values; Avatica's is an object's. */
public final class RawMapType extends ScalarType {
  private final AvaticaType key;
  private final AvaticaType value;

  RawMapType(AvaticaType type, RelDataType sql) {
    super(type.id, type.getName(), type.rep);
    key = RawArrayType.of(Objects.requireNonNull(sql.getKeyType()));
    value = RawArrayType.of(Objects.requireNonNull(sql.getValueType()));
  }

  public AvaticaType key() {
    return key;
  }

  public AvaticaType value() {
    return value;
  }

  /** The type that Calcite gives a column. */
  static AvaticaType plain(RelDataType sql) {
    RelDataType component = sql.getComponentType();
    if (component != null) {
      return ColumnMetaData.array(plain(component), sql.toString(), Rep.OBJECT);
    }
    if (sql.isStruct()) {
      List<ColumnMetaData> fields = new ArrayList<>();
      for (RelDataTypeField field : sql.getFieldList()) {
        ColumnMetaData named =
            MetaImpl.columnMetaData(field.getName(), field.getIndex(), String.class, true);
        fields.add(RawArrayType.withType(named, plain(field.getType())));
      }
      return ColumnMetaData.struct(fields);
    }
    return ColumnMetaData.scalar(
        sql.getSqlTypeName().getJdbcOrdinal(),
        name(sql),
        Rep.of(new JavaTypeFactoryImpl().getJavaClass(sql)));
  }

  /** As Calcite names the type of a column: Avatica reads the units of intervals. */
  private static String name(RelDataType sql) {
    SqlIntervalQualifier units = sql.getIntervalQualifier();
    if (units != null) {
      return "INTERVAL_" + units.toString().replace(' ', '_');
    }
    return sql.getKeyType() == null ? sql.getSqlTypeName().getName() : sql.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawMapType that
        && super.equals(that)
        && key.equals(that.key)
        && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), key, value);
  }
}
