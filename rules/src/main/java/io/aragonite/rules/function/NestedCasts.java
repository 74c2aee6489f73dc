package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Op;
import java.util.List;
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
  /** By {@link #text}. */
  private static final ParsedTexts<NestedCast> KNOWN = new ParsedTexts<>(NestedCasts::parsed);

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
      throw refused(value.getType(), to);
    }
    return rexBuilder.makeCall(
        to,
        HostMethods.function(SqlStdOperatorTable.LOWER, NestedCasts.class, "cast"),
        List.of(value, rexBuilder.makeLiteral(text(from, type, safe ? Op.TRY_CAST : Op.CAST))));
  }

  static AragoniteException refused(RelDataType from, RelDataType to) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "A value of type %s cannot be cast to %s.".formatted(from, to));
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

  /**
   * @param cast as {@link #text} writes it
   */
  public static @Nullable Object cast(Object value, String cast) {
    return KNOWN.of(cast).of(value);
  }

  /** What is cast how to what, in one text: generated code would join several for each value. */
  private static String text(CastType from, CastType to, Op op) {
    return op + " " + from.text() + " " + to.text();
  }

  private static NestedCast parsed(String text) {
    String[] parts = text.split(" ", -1);
    return requireNonNull(
        NestedCast.of(CastType.parse(parts[1]), CastType.parse(parts[2]), Op.valueOf(parts[0])));
  }
}
