package io.aragonite.rules.function;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Casts of lists, element by element as the engine casts values. Calcite's code fails over elements
 * that are null.
 */
@Strict
public final class ListCasts {
  /** Before the type of the elements of a list of lists. */
  private static final String LIST = "[";

  /** The type of UUIDs, which are objects in Calcite's lists. */
  private static final String UUIDS = "UUID";

  private static final Pattern PADDING = Pattern.compile(" ++$");

  private ListCasts() {}

  /** What the elements of a list are of, as a text; null if the engine has no such values. */
  static @Nullable String element(RelDataType list) {
    RelDataType type = list.getComponentType();
    return type == null ? null : text(type);
  }

  /** A type as a text; null if the engine has no such values. */
  static @Nullable String text(RelDataType type) {
    if (type.getSqlTypeName() == SqlTypeName.ARRAY) {
      String inner = element(type);
      return inner == null ? null : LIST + inner;
    }
    if (type.getSqlTypeName() == SqlTypeName.UUID) {
      return UUIDS;
    }
    TypeKind kind = kind(type);
    return kind == null
        ? null
        : "%s:%d:%d"
            .formatted(kind, precision(type, kind), kind == TypeKind.DECIMAL ? type.getScale() : 0);
  }

  private static @Nullable TypeKind kind(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case BOOLEAN -> TypeKind.BOOLEAN;
      case TINYINT -> TypeKind.INT8;
      case SMALLINT -> TypeKind.INT16;
      case INTEGER -> TypeKind.INT32;
      case BIGINT -> TypeKind.INT64;
      case REAL -> TypeKind.FLOAT32;
      case FLOAT, DOUBLE -> TypeKind.FLOAT64;
      case DECIMAL -> TypeKind.DECIMAL;
      case CHAR -> TypeKind.CHAR;
      case VARCHAR -> TypeKind.VARCHAR;
      case DATE -> TypeKind.DATE;
      case TIMESTAMP -> TypeKind.TIMESTAMP;
      default -> null;
    };
  }

  /** Calcite's code has milliseconds of a timestamp. */
  private static int precision(RelDataType type, TypeKind kind) {
    return switch (kind) {
      case DECIMAL, CHAR, VARCHAR -> type.getPrecision();
      case TIMESTAMP -> Math.min(type.getPrecision(), 3);
      default -> 0;
    };
  }

  /** Whether a cast is of a list to another one, which {@link #cast} or {@link #tryCast} makes. */
  static boolean isOf(RexCall cast) {
    String to = element(cast.getType());
    String from = element(cast.getOperands().get(0).getType());
    return to != null
        && from != null
        && to.startsWith(LIST) == from.startsWith(LIST)
        && (!to.endsWith(UUIDS) || isTextOrUuid(from))
        && (!from.endsWith(UUIDS) || isTextOrUuid(to));
  }

  private static boolean isTextOrUuid(String type) {
    return type.endsWith(UUIDS)
        || type.contains(TypeKind.VARCHAR + ":")
        || type.contains(TypeKind.CHAR + ":");
  }

  /** Whether numbers of the elements' types are of one form already. */
  static boolean isAlike(RelDataType list, RelDataType other) {
    String element = element(list);
    return element == null
        || element.equals(element(other)) && !element.contains(TypeKind.DECIMAL.name());
  }

  /** Whether the elements of a list, or of the lists in it, are of no type: all are null. */
  static boolean isOfNulls(RelDataType list) {
    RelDataType type = list.getComponentType();
    return type != null && (type.getSqlTypeName() == SqlTypeName.NULL || isOfNulls(type));
  }

  /** A list without elements, or of nulls, as one of another type. */
  public static List<?> retyped(List<?> list) {
    return list;
  }

  public static List<@Nullable Object> cast(List<?> list, String from, String to) {
    return cast(Op.CAST, list, from.trim(), to.trim());
  }

  public static List<@Nullable Object> tryCast(List<?> list, String from, String to) {
    return cast(Op.TRY_CAST, list, from.trim(), to.trim());
  }

  private static List<@Nullable Object> cast(Op op, List<?> list, String from, String to) {
    if (to.equals(UUIDS)) {
      return uuids(op, list);
    }
    if (from.equals(UUIDS)) {
      List<@Nullable Object> texts = new ArrayList<>(list.size());
      list.forEach(value -> texts.add(value == null ? null : value.toString()));
      return cast(op, texts, type(TypeKind.VARCHAR + ":-1:0"), type(to));
    }
    if (!from.startsWith(LIST) || !to.startsWith(LIST)) {
      return cast(op, list, type(from), type(to));
    }
    List<@Nullable Object> made = new ArrayList<>(list.size());
    for (Object inner : list) {
      made.add(
          inner == null ? null : cast(op, (List<?>) inner, from.substring(1), to.substring(1)));
    }
    return made;
  }

  private static List<@Nullable Object> uuids(Op op, List<?> list) {
    List<@Nullable Object> made = new ArrayList<>(list.size());
    for (Object value : list) {
      made.add(
          value instanceof String text
              ? op == Op.CAST ? UuidFunctions.ofText(text) : UuidFunctions.tryOfText(text)
              : value);
    }
    return made;
  }

  private static DataType type(String text) {
    String[] parts = text.split(":", -1);
    return new DataType(
        TypeKind.valueOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), true);
  }

  private static List<@Nullable Object> cast(Op op, List<?> list, DataType from, DataType to) {
    Expr.Call cast = new Expr.Call(op, List.of(new Expr.InputRef(0, from)), to);
    List<@Nullable Object> made = new ArrayList<>(list.size());
    for (Object value : list) {
      // Calcite's code puts decimals of other scales into a list
      boolean same = value == null || from.equals(to) && to.kind() != TypeKind.DECIMAL;
      made.add(same ? value : calcites(Interpreter.apply(cast, new Object[] {engines(value)}), to));
    }
    return made;
  }

  private static Object engines(Object value) {
    return switch (value) {
      case Integer number -> number.longValue();
      case Byte number -> number.longValue();
      case Short number -> number.longValue();
      case Float number -> number.doubleValue();
      default -> value;
    };
  }

  private static @Nullable Object calcites(@Nullable Object value, DataType type) {
    if (value == null) {
      return null;
    }
    return switch (type.kind()) {
      case INT8 -> ((Long) value).byteValue();
      case INT16 -> ((Long) value).shortValue();
      case INT32, DATE -> ((Long) value).intValue();
      case FLOAT32 -> ((Double) value).floatValue();
      default -> value;
    };
  }
}
