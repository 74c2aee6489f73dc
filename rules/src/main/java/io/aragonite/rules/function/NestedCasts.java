package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Op;
import java.util.List;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Casts of lists and maps for Calcite's code, which fails over nulls in lists and leaves maps and
 * rows in them as they are.
 *
 * @see NestedCast
 */
@Strict
public final class NestedCasts {
  /** By {@link #text}. */
  private static final ParsedTexts<NestedCast> KNOWN = new ParsedTexts<>(NestedCasts::parsed);

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
        HostMethods.function(SqlStdOperatorTable.LOWER, NestedCasts.class, "cast"),
        List.of(value, rexBuilder.makeLiteral(text(from, type, safe ? Op.TRY_CAST : Op.CAST))));
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
