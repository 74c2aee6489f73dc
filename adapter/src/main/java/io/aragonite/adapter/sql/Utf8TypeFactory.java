package io.aragonite.adapter.sql;

import io.aragonite.rules.function.HostWindows;
import io.aragonite.rules.translate.TypeMapping;
import java.lang.reflect.Type;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.calcite.jdbc.JavaRecordType;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.DelegatingTypeSystem;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/** Calcite's types, but texts are UTF-8: Calcite's own default refuses literals beyond Latin-1. */
public final class Utf8TypeFactory extends JavaTypeFactoryImpl {
  /**
   * @param raggedUnions whether CHARs of several lengths make a VARCHAR in a CASE, UNION or VALUES
   */
  public Utf8TypeFactory(RelDataTypeSystem typeSystem, boolean raggedUnions) {
    super(raggedUnions ? new Ragged(typeSystem) : typeSystem);
  }

  @Override
  public Charset getDefaultCharset() {
    return StandardCharsets.UTF_8;
  }

  /**
   * The rows of a table, whose types another factory may have made: its texts are of the default
   * character set of the process, unless they say otherwise, and become UTF-8.
   */
  @Override
  public RelDataType copyType(RelDataType type) {
    RelDataType copy = super.copyType(type);
    if (!copy.isStruct() || copy instanceof JavaRecordType) {
      return copy;
    }
    List<RelDataType> fields =
        copy.getFieldList().stream().map(field -> utf8(field.getType())).toList();
    boolean same =
        fields.equals(copy.getFieldList().stream().map(RelDataTypeField::getType).toList());
    return same
        ? copy
        : createTypeWithNullability(
            createStructType(copy.getStructKind(), fields, copy.getFieldNames()),
            copy.isNullable());
  }

  /**
   * Structs are arrays wherever Calcite's code makes and reads them: it would declare a class for
   * each of them, which an array is not, so that CASE could not choose between them, and nulls of
   * nested ones had a class that was not there. UUIDs are what they are: Calcite's code read them
   * as objects, which its own functions do not take.
   */
  @Override
  public Type getJavaClass(RelDataType type) {
    if (type.getSqlTypeName() == SqlTypeName.UUID) {
      return UUID.class;
    }
    return type.isStruct() && !(type instanceof JavaRecordType) && !HostWindows.isKey(type)
        ? Object[].class
        : super.getJavaClass(type);
  }

  private RelDataType utf8(RelDataType type) {
    Charset charset = type.getCharset();
    SqlCollation collation = type.getCollation();
    return charset != null
            && collation != null
            && SqlTypeUtil.inCharFamily(type)
            && charset.equals(Util.getDefaultCharset())
        ? createTypeWithCharsetAndCollation(type, StandardCharsets.UTF_8, collation)
        : type;
  }

  /**
   * None for numbers beside dates, times or timestamps: Calcite's own answer is the date, so that a
   * 1 became the second of January 1970. Timestamps for dates beside timestamps. A null beside
   * lists, maps and rows only makes them nullable: Calcite's own answer is the type of one of them
   * then, to which the others' texts were cut off.
   */
  @Override
  public @Nullable RelDataType leastRestrictive(
      List<RelDataType> types, SqlTypeMappingRule mappingRule) {
    boolean numbers = types.stream().anyMatch(SqlTypeUtil::isNumeric);
    boolean moments = types.stream().anyMatch(SqlTypeUtil::isDatetime);
    if (numbers && moments) {
      return null;
    }
    List<RelDataType> valued =
        types.stream().filter(type -> type.getSqlTypeName() != SqlTypeName.NULL).toList();
    if (valued.size() < types.size() && valued.stream().anyMatch(TypeMapping::isNested)) {
      RelDataType nested = leastRestrictive(valued, mappingRule);
      return nested == null ? null : createTypeWithNullability(nested, true);
    }
    RelDataType common =
        super.leastRestrictive(moments ? instants(timestamps(types)) : types, mappingRule);
    return common != null && common.getSqlTypeName() == SqlTypeName.DECIMAL
        ? withAllDigits(common, types)
        : common;
  }

  /**
   * Calcite's own answer has fewer digits after the point where there are too many before it, as
   * sums have: values lost theirs without a word. With too many before the point they are an error.
   */
  private RelDataType withAllDigits(RelDataType common, List<RelDataType> types) {
    int scale =
        types.stream()
            .filter(type -> type.getSqlTypeName() == SqlTypeName.DECIMAL)
            .mapToInt(RelDataType::getScale)
            .max()
            .orElse(0);
    return common.getScale() >= scale
        ? common
        : createTypeWithNullability(
            createSqlType(
                SqlTypeName.DECIMAL, typeSystem.getMaxPrecision(SqlTypeName.DECIMAL), scale),
            common.isNullable());
  }

  /** Types with timestamps in place of dates beside one; Calcite has none for both. */
  private List<RelDataType> timestamps(List<RelDataType> types) {
    int digits =
        types.stream()
            .filter(type -> type.getSqlTypeName() == SqlTypeName.TIMESTAMP)
            .mapToInt(RelDataType::getPrecision)
            .max()
            .orElse(-1);
    return digits < 0
        ? types
        : types.stream()
            .map(type -> type.getSqlTypeName() == SqlTypeName.DATE ? timestamp(type, digits) : type)
            .toList();
  }

  private RelDataType timestamp(RelDataType date, int digits) {
    return createTypeWithNullability(
        createSqlType(SqlTypeName.TIMESTAMP, digits), date.isNullable());
  }

  /** Types with instants in place of local times beside one, as PostgreSQL prefers them. */
  private List<RelDataType> instants(List<RelDataType> types) {
    int digits =
        types.stream()
            .filter(ZonedForms::isInstant)
            .mapToInt(RelDataType::getPrecision)
            .max()
            .orElse(-1);
    boolean mixed =
        digits >= 0
            && types.stream()
                .anyMatch(type -> SqlTypeUtil.isDatetime(type) && !ZonedForms.isInstant(type));
    return !mixed ? types : types.stream().map(type -> instant(type, digits)).toList();
  }

  private RelDataType instant(RelDataType type, int digits) {
    return switch (type.getSqlTypeName()) {
      case DATE, TIMESTAMP ->
          createTypeWithNullability(
              createSqlType(
                  SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE,
                  Math.max(digits, type.getPrecision())),
              type.isNullable());
      default -> type;
    };
  }

  private static final class Ragged extends DelegatingTypeSystem {
    private final RelDataTypeSystem rules;

    Ragged(RelDataTypeSystem rules) {
      super(rules);
      this.rules = rules;
    }

    @Override
    public boolean shouldConvertRaggedUnionTypesToVarying() {
      return true;
    }

    /** Calcite's delegate has its own rule. */
    @Override
    public @Nullable RelDataType deriveDecimalDivideType(
        RelDataTypeFactory factory, RelDataType dividend, RelDataType divisor) {
      return rules.deriveDecimalDivideType(factory, dividend, divisor);
    }
  }
}
