package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Op;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Casts for Calcite's code, which fails over nulls in lists, leaves maps and rows in them as they
 * are, and casts many plain values otherwise than the engine.
 *
 * @see NestedCast
 */
@Strict
public final class NestedCasts {
  /** By the types and the kind of the cast. */
  private static final Map<String, NestedCast> KNOWN = new ConcurrentHashMap<>();

  private static final List<SqlTypeName> WIDER =
      List.of(SqlTypeName.TINYINT, SqlTypeName.SMALLINT, SqlTypeName.INTEGER, SqlTypeName.BIGINT);

  private NestedCasts() {}

  /** Whether values of a type are lists or maps. */
  static boolean isCollection(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.ARRAY || type.getSqlTypeName() == SqlTypeName.MAP;
  }

  /** Whether the elements of a list, or of the lists in it, are of no type: all are null. */
  static boolean isOfNulls(RelDataType list) {
    RelDataType type = list.getComponentType();
    return type != null && (type.getSqlTypeName() == SqlTypeName.NULL || isOfNulls(type));
  }

  /** Whether a cast of a list leaves it as it is, or there is none. */
  static boolean isSame(RelDataType from, RelDataType to) {
    NestedCast cast = NestedCast.of(CastType.of(from), CastType.of(to), Op.CAST);
    return cast == null || cast.isSame();
  }

  /**
   * The call that casts a list or a map.
   *
   * @param safe whether what cannot be cast is null
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if nothing does
   */
  static RexNode call(RexBuilder rexBuilder, RexNode value, RelDataType to, boolean safe) {
    CastType from = CastType.of(value.getType());
    CastType type = CastType.of(to);
    if (NestedCast.of(from, type, Op.CAST) == null) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A value of type %s cannot be cast to %s.".formatted(value.getType(), to));
    }
    return rexBuilder.makeCall(
        to,
        HostMethods.function(
            SqlStdOperatorTable.LOWER, NestedCasts.class, safe ? "tryCast" : "cast"),
        List.of(value, rexBuilder.makeLiteral(from.text()), rexBuilder.makeLiteral(type.text())));
  }

  /**
   * The call that casts a plain value as the engine does.
   *
   * @return null where Calcite's code does it the same way, or nothing else casts it
   */
  static @Nullable RexNode plain(RexBuilder rexBuilder, RexCall cast) {
    RexNode value = cast.getOperands().getFirst();
    RelDataType to = cast.getType();
    if (isCollection(value.getType())
        || isCollection(to)
        || value.getType().isStruct()
        || to.isStruct()
        || RexUtil.isNull(value)
        || isExact(value.getType().getSqlTypeName(), to.getSqlTypeName())
        || isSame(value.getType(), to)) {
      return null;
    }
    return call(rexBuilder, value, to, cast.isA(SqlKind.SAFE_CAST));
  }

  /** Whether each number is, or is rounded to, one of the other type: Calcite's code does so. */
  private static boolean isExact(SqlTypeName from, SqlTypeName to) {
    boolean toDouble = to == SqlTypeName.FLOAT || to == SqlTypeName.DOUBLE;
    return WIDER.contains(from)
        ? toDouble || WIDER.indexOf(from) <= WIDER.indexOf(to)
        : from == SqlTypeName.REAL && toDouble;
  }

  public static @Nullable Object cast(Object value, String from, String to) {
    return cast(from, to, Op.CAST).of(value);
  }

  public static @Nullable Object tryCast(Object value, String from, String to) {
    return cast(from, to, Op.TRY_CAST).of(value);
  }

  private static NestedCast cast(String from, String to, Op op) {
    String key = from + " " + to + " " + op;
    NestedCast known = KNOWN.get(key);
    return known != null
        ? known
        : KNOWN.computeIfAbsent(
            key,
            made -> requireNonNull(NestedCast.of(CastType.parse(from), CastType.parse(to), op)));
  }
}
