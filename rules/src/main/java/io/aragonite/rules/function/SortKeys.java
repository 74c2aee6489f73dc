package io.aragonite.rules.function;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lists, maps and rows as bytes that have their order, so that a device compares, groups, sorts and
 * joins them: lists by their elements, a list before those that it begins, rows by their fields,
 * maps by their entries as they stand. A null inside is equal to another one and greater than all
 * else.
 *
 * @see SortKeyCodec the form of the bytes
 */
@Strict
public final class SortKeys {
  /** {@code create_sort_key(value, type)}. */
  public static final SqlOperator CREATE = function("create");

  /** {@code decode_sort_key(key, type)}. */
  public static final SqlOperator DECODE = function("decode");

  private static final Map<String, SortKeyCodec> CODECS = new ConcurrentHashMap<>();

  private SortKeys() {}

  private static SqlOperator function(String name) {
    return new SqlUserDefinedFunction(
        new SqlIdentifier(name + "_sort_key", SqlParserPos.ZERO),
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.ARG0,
        null,
        null,
        ScalarFunctionImpl.create(SortKeys.class, name));
  }

  /** Whether values of a type have such bytes. */
  public static boolean has(RelDataType type) {
    return type(type) != null;
  }

  /**
   * The key of a value, null where the value is.
   *
   * @param type of the keys that it is compared with; its own, or one that has all its values
   */
  public static RexNode create(RexBuilder rex, RexNode value, RelDataType type) {
    RelDataType bytes = rex.getTypeFactory().createSqlType(SqlTypeName.VARBINARY);
    return rex.makeCall(
        rex.getTypeFactory().createTypeWithNullability(bytes, value.getType().isNullable()),
        CREATE,
        List.of(value, rex.makeLiteral(Objects.requireNonNull(type(type)))));
  }

  /** The value that a key of a type is of. */
  public static RexNode decode(RexBuilder rex, RexNode key, RelDataType type) {
    return rex.makeCall(
        type, DECODE, List.of(key, rex.makeLiteral(Objects.requireNonNull(type(type)))));
  }

  /** An expression in which no value is decoded for its key alone. */
  public static RexNode undecoded(RexNode expression) {
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            RexNode visited = super.visitCall(call);
            return visited instanceof RexCall key
                    && key.getOperator().equals(CREATE)
                    && key.getOperands().getFirst() instanceof RexCall value
                    && value.getOperator().equals(DECODE)
                    && value.getOperands().get(1).equals(key.getOperands().get(1))
                ? value.getOperands().getFirst()
                : visited;
          }
        });
  }

  /** Called by generated code. */
  public static ByteString create(Object value, String type) {
    return new ByteString(codec(type).encode(value));
  }

  /** Called by generated code. */
  public static @Nullable Object decode(ByteString key, String type) {
    return codec(type).decode(key.getBytes());
  }

  /**
   * What makes and reads the keys of a type, as calls of {@link #CREATE} and {@link #DECODE} name
   * it.
   */
  public static SortKeyCodec codec(String type) {
    SortKeyCodec known = CODECS.get(type);
    return known != null ? known : CODECS.computeIfAbsent(type, SortKeyCodec::of);
  }

  /** A type as {@link SortKeyCodec#of} reads it; null if its values have no keys. */
  private static @Nullable String type(RelDataType type) {
    if (type.isStruct()) {
      StringBuilder row = new StringBuilder("R" + type.getFieldCount() + ":");
      for (RelDataTypeField field : type.getFieldList()) {
        String part = type(field.getType());
        if (part == null) {
          return null;
        }
        row.append(part);
      }
      return row.toString();
    }
    return switch (type.getSqlTypeName()) {
      case BOOLEAN -> "b";
      case TINYINT -> "1";
      case SMALLINT -> "2";
      case INTEGER, DATE, TIME, INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH -> "4";
      case BIGINT,
          TIMESTAMP,
          TIMESTAMP_WITH_LOCAL_TIME_ZONE,
          INTERVAL_DAY,
          INTERVAL_DAY_HOUR,
          INTERVAL_DAY_MINUTE,
          INTERVAL_DAY_SECOND,
          INTERVAL_HOUR,
          INTERVAL_HOUR_MINUTE,
          INTERVAL_HOUR_SECOND,
          INTERVAL_MINUTE,
          INTERVAL_MINUTE_SECOND,
          INTERVAL_SECOND ->
          "8";
      case REAL -> "f";
      case FLOAT, DOUBLE -> "d";
      case DECIMAL -> "n" + type.getScale() + ":";
      case CHAR, VARCHAR -> "s";
      case BINARY, VARBINARY -> "x";
      case UUID -> "u";
      case NULL -> "0";
      case ARRAY -> of("L", type.getComponentType());
      case MAP -> {
        String key = of("M", type.getKeyType());
        yield key == null ? null : of(key, type.getValueType());
      }
      default -> null;
    };
  }

  private static @Nullable String of(String before, @Nullable RelDataType type) {
    String part = type == null ? null : type(type);
    return part == null ? null : before + part;
  }

  static BigDecimal scaled(Object number, int scale) {
    BigDecimal decimal =
        number instanceof BigDecimal exact ? exact : new BigDecimal(number.toString());
    return decimal.setScale(scale, RoundingMode.HALF_UP);
  }
}
