package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
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
import org.apache.calcite.sql.type.SqlTypeUtil;
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

  private static final ParsedTexts<SortKeyCodec> CODECS = new ParsedTexts<>(SortKeyCodec::of);

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
        List.of(value, rex.makeLiteral(requireNonNull(type(type)))));
  }

  /** The value that a key of a type is of. */
  public static RexNode decode(RexBuilder rex, RexNode key, RelDataType type) {
    return rex.makeCall(type, DECODE, List.of(key, rex.makeLiteral(requireNonNull(type(type)))));
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
    return CODECS.of(type);
  }

  /**
   * The type that values of two types are compared as, as {@code =} compares them: exact numbers
   * beside REAL are REALs, in lists, maps and rows too. Null if there is none.
   */
  public static @Nullable RelDataType compared(
      RelDataTypeFactory types, RelDataType left, RelDataType right) {
    return common(types, left, right, true);
  }

  /**
   * The type that has the values of two types: of rows with as many fields one whose fields are;
   * null if there is none.
   */
  static @Nullable RelDataType common(
      RelDataTypeFactory types, RelDataType left, RelDataType right) {
    return common(types, left, right, false);
  }

  private static @Nullable RelDataType common(
      RelDataTypeFactory types, RelDataType left, RelDataType right, boolean compared) {
    boolean nullable = left.isNullable() || right.isNullable();
    if (!left.isStruct() && !right.isStruct()) {
      if (SqlTypeUtil.equalSansNullability(types, left, right)) {
        return types.createTypeWithNullability(left, nullable);
      }
      RelDataType asReals = compared ? comparedAsReals(types, left, right) : null;
      return asReals == null ? types.leastRestrictive(List.of(left, right)) : asReals;
    }
    if (left.getSqlTypeName() == SqlTypeName.NULL || right.getSqlTypeName() == SqlTypeName.NULL) {
      return types.createTypeWithNullability(left.isStruct() ? left : right, true);
    }
    if (!left.isStruct() || !right.isStruct() || left.getFieldCount() != right.getFieldCount()) {
      return null;
    }
    List<RelDataType> fields = new ArrayList<>();
    for (int i = 0; i < left.getFieldCount(); i++) {
      RelDataType type =
          common(
              types,
              left.getFieldList().get(i).getType(),
              right.getFieldList().get(i).getType(),
              compared);
      if (type == null) {
        return null;
      }
      fields.add(type);
    }
    return types.createTypeWithNullability(
        types.createStructType(fields, left.getFieldNames()), nullable);
  }

  /**
   * Of lists and maps one of what they have; null where no REAL is beside another number, which
   * Calcite would make DOUBLEs of.
   */
  private static @Nullable RelDataType comparedAsReals(
      RelDataTypeFactory types, RelDataType left, RelDataType right) {
    boolean nullable = left.isNullable() || right.isNullable();
    RelDataType made = null;
    if (left.getSqlTypeName() == SqlTypeName.ARRAY && right.getSqlTypeName() == SqlTypeName.ARRAY) {
      RelDataType element = compared(types, element(left), element(right));
      made = element == null ? null : types.createArrayType(element, -1);
    } else if (left.getSqlTypeName() == SqlTypeName.MAP
        && right.getSqlTypeName() == SqlTypeName.MAP) {
      RelDataType key =
          compared(types, requireNonNull(left.getKeyType()), requireNonNull(right.getKeyType()));
      RelDataType value =
          compared(
              types, requireNonNull(left.getValueType()), requireNonNull(right.getValueType()));
      made = key == null || value == null ? null : types.createMapType(key, value);
    } else if (left.getSqlTypeName() == SqlTypeName.REAL && SqlTypeUtil.isExactNumeric(right)
        || right.getSqlTypeName() == SqlTypeName.REAL && SqlTypeUtil.isExactNumeric(left)) {
      made = types.createSqlType(SqlTypeName.REAL);
    }
    return made == null ? null : types.createTypeWithNullability(made, nullable);
  }

  private static RelDataType element(RelDataType list) {
    return requireNonNull(list.getComponentType());
  }

  /** Whether the codec of a type reads values of another one: numbers, texts and bytes of all. */
  static boolean isReadAs(RelDataType type, RelDataType codec) {
    SqlTypeName kind = type.getSqlTypeName();
    if (type.isStruct() && codec.isStruct()) {
      return IntStream.range(0, type.getFieldCount())
          .allMatch(i ->
              isReadAs(
                  type.getFieldList().get(i).getType(), codec.getFieldList().get(i).getType()));
    }
    RelDataType element = type.getComponentType();
    RelDataType read = codec.getComponentType();
    if (element != null && read != null) {
      return isReadAs(element, read);
    }
    RelDataType key = type.getKeyType();
    RelDataType value = type.getValueType();
    RelDataType keyRead = codec.getKeyType();
    RelDataType valueRead = codec.getValueType();
    if (key != null && value != null && keyRead != null && valueRead != null) {
      return isReadAs(key, keyRead) && isReadAs(value, valueRead);
    }
    return kind == SqlTypeName.NULL
        || kind == codec.getSqlTypeName()
        || SqlTypeUtil.isNumeric(type) && SqlTypeUtil.isNumeric(codec)
        || SqlTypeUtil.inCharFamily(type) && SqlTypeUtil.inCharFamily(codec)
        || SqlTypeUtil.isBinary(type) && SqlTypeUtil.isBinary(codec)
        || SqlTypeUtil.isInterval(type) && kind.getFamily() == codec.getSqlTypeName().getFamily();
  }

  /**
   * The codec of values of a type; null if they have no order.
   *
   * @see #has
   */
  public static @Nullable SortKeyCodec codec(RelDataType type) {
    String text = type(type);
    return text == null ? null : codec(text);
  }

  /** A type as {@link SortKeyCodec#of} reads it; null if its values have no keys. */
  static @Nullable String type(RelDataType type) {
    return type(CastType.of(type));
  }

  /** As {@link #type(RelDataType)}. */
  static @Nullable String type(CastType type) {
    return switch (type) {
      case CastType.Plain plain -> type(plain);
      case CastType.OfList list -> type("L", List.of(list.element()));
      case CastType.OfMap map -> type("M", List.of(map.key(), map.value()));
      case CastType.OfRow row -> type("R" + row.fields().size() + ":", row.fields());
    };
  }

  private static @Nullable String type(String before, List<CastType> parts) {
    StringBuilder type = new StringBuilder(before);
    for (CastType each : parts) {
      String part = type(each);
      if (part == null) {
        return null;
      }
      type.append(part);
    }
    return type.toString();
  }

  private static @Nullable String type(CastType.Plain type) {
    return switch (type.name()) {
      case BOOLEAN -> "b";
      case TINYINT -> "1";
      case SMALLINT -> "2";
      case INTEGER, DATE, INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH -> "4";
      case TIME -> "t";
      case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> "p";
      case BIGINT,
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
      case DECIMAL -> "n" + type.scale() + ":";
      case CHAR, VARCHAR -> "s";
      case BINARY, VARBINARY -> "x";
      case UUID -> "u";
      case NULL -> "0";
      default -> null;
    };
  }
}
