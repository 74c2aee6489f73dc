package io.aragonite.rules.program;

import io.aragonite.rules.function.ListCalls;
import io.aragonite.rules.function.UuidFunctions;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexExecutor;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.Util;

/**
 * Computes constants as Calcite does, but for casts between texts and dates, times and timestamps,
 * and of texts to BOOLEAN, for times and timestamps with more than milliseconds, and for texts with
 * characters beyond U+FFFF: these are left to the engine, which refuses what is none ({@code
 * 22:60:60}), keeps fractions of seconds and counts characters, in a constant as in a column. So
 * are what is {@code -0.0}, which Calcite's literals have less than {@code 0.0}, comparisons of
 * floats, which are Java's in its code, and casts of decimals and floats to exact numbers: its code
 * rounds all halves away from zero and keeps the low bits of what does not fit. Casts of numbers to
 * DOUBLE are computed here: they are in many statements, and Calcite compiles a class for each. So
 * are casts of texts to UUID, of which Calcite takes some that are none.
 */
public record ConstantCasts(RexExecutor calcite) implements RexExecutor {
  /** What a cast of a decimal rounds to; Calcite has no literals of unsigned numbers. */
  private static final Set<SqlTypeName> ROUNDED =
      EnumSet.of(
          SqlTypeName.TINYINT,
          SqlTypeName.SMALLINT,
          SqlTypeName.INTEGER,
          SqlTypeName.BIGINT,
          SqlTypeName.DECIMAL);

  @Override
  public void reduce(RexBuilder builder, List<RexNode> constants, List<RexNode> reduced) {
    List<RexNode> others = new ArrayList<>();
    for (RexNode constant : constants) {
      if (!isLeft(constant) && !isDouble(constant) && !isRounded(constant) && !isUuid(constant)) {
        others.add(constant);
      }
    }
    List<RexNode> values = new ArrayList<>();
    if (!others.isEmpty()) {
      calcite.reduce(builder, others, values);
    }
    int next = 0;
    for (RexNode constant : constants) {
      reduced.add(
          isDouble(constant)
              ? toDouble(builder, (RexCall) constant)
              : isRounded(constant)
                  ? rounded(builder, (RexCall) constant)
                  : isUuid(constant)
                      ? uuid(builder, (RexCall) constant)
                      : isLeft(constant) ? constant : orNegativeZero(constant, values.get(next++)));
    }
  }

  private static boolean isUuid(RexNode node) {
    return (node.isA(SqlKind.CAST) || node.isA(SqlKind.SAFE_CAST))
        && node.getType().getSqlTypeName() == SqlTypeName.UUID
        && node instanceof RexCall call
        && call.getOperands().getFirst() instanceof RexLiteral text
        && text.getValue() instanceof NlsString;
  }

  /** The cast itself where the text is no UUID: the engine says so, or has a null. */
  private static RexNode uuid(RexBuilder builder, RexCall cast) {
    String text = ((RexLiteral) cast.getOperands().getFirst()).getValueAs(String.class);
    UUID value = UuidFunctions.tryOfText(Objects.requireNonNull(text));
    return value == null ? cast : builder.makeLiteral(value, cast.getType(), true);
  }

  private static RexNode orNegativeZero(RexNode constant, RexNode value) {
    return value instanceof RexLiteral literal
            && literal.getValue() instanceof Double number
            && number == 0
            && 1 / number < 0
        ? constant
        : value;
  }

  private static boolean isDouble(RexNode node) {
    return node.isA(SqlKind.CAST)
        && node.getType().getSqlTypeName() == SqlTypeName.DOUBLE
        && node instanceof RexCall call
        && call.getOperands().size() == 1
        && call.getOperands().getFirst() instanceof RexLiteral number
        && SqlTypeUtil.isExactNumeric(number.getType())
        && number.getValueAs(BigDecimal.class) != null;
  }

  private static RexNode toDouble(RexBuilder builder, RexCall cast) {
    BigDecimal number = ((RexLiteral) cast.getOperands().getFirst()).getValueAs(BigDecimal.class);
    return builder.makeLiteral(Objects.requireNonNull(number).doubleValue(), cast.getType(), true);
  }

  private static boolean isRounded(RexNode node) {
    return node.isA(SqlKind.CAST)
        && ROUNDED.contains(node.getType().getSqlTypeName())
        && node instanceof RexCall call
        && call.getOperands().size() == 1
        && call.getOperands().getFirst() instanceof RexLiteral number
        && SqlTypeUtil.isDecimal(number.getType())
        && number.getValueAs(BigDecimal.class) != null;
  }

  /** The cast itself where the number does not fit: the engine says so. */
  private static RexNode rounded(RexBuilder builder, RexCall cast) {
    BigDecimal number = ((RexLiteral) cast.getOperands().getFirst()).getValueAs(BigDecimal.class);
    RelDataType type = cast.getType();
    BigDecimal value =
        Objects.requireNonNull(number).setScale(type.getScale(), RoundingMode.HALF_UP);
    boolean fits =
        SqlTypeUtil.isDecimal(type)
            ? value.precision() - value.scale() <= type.getPrecision() - type.getScale()
            : value.toBigInteger().bitLength() < bits(type.getSqlTypeName());
    return fits ? builder.makeLiteral(value, type, true) : cast;
  }

  private static int bits(SqlTypeName integer) {
    return switch (integer) {
      case TINYINT -> Byte.SIZE;
      case SMALLINT -> Short.SIZE;
      case INTEGER -> Integer.SIZE;
      default -> Long.SIZE;
    };
  }

  private static boolean isLeft(RexNode node) {
    try {
      node.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
              boolean cast = call.isA(SqlKind.CAST) || call.isA(SqlKind.SAFE_CAST);
              if (cast
                  && call.getOperands().size() == 1 // others have a format, which the engine lacks
                  && (isLeft(call.getType(), call.getOperands().getFirst().getType())
                      || isTriedNumber(call))) {
                throw Util.FoundOne.NULL;
              }
              // with a second operand it is the engine's
              boolean exact = call.isA(SqlKind.REINTERPRET) && call.getOperands().size() > 1;
              // CHR makes what requireUnits refuses
              boolean chr = call.getOperator().equals(SqlLibraryOperators.CHR);
              if (exact || chr || ListCalls.compares(call)) {
                throw Util.FoundOne.NULL;
              }
              boolean floats =
                  call.isA(SqlKind.COMPARISON)
                      && call.getOperands().stream()
                          .anyMatch(operand -> SqlTypeUtil.isApproximateNumeric(operand.getType()));
              if (floats) {
                throw Util.FoundOne.NULL;
              }
              requireMillis(call);
              return super.visitCall(call);
            }

            @Override
            public Void visitLiteral(RexLiteral literal) {
              requireMillis(literal);
              requireUnits(literal);
              return super.visitLiteral(literal);
            }
          });
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }

  /** Calcite's code has a null of a number with spaces around it. */
  private static boolean isTriedNumber(RexCall cast) {
    return cast.isA(SqlKind.SAFE_CAST)
        && SqlTypeUtil.isExactNumeric(cast.getType())
        && SqlTypeUtil.inCharFamily(cast.getOperands().getFirst().getType());
  }

  /** Calcite computes with milliseconds. */
  private static void requireMillis(RexNode node) {
    RelDataType type = node.getType();
    boolean moment =
        type.getSqlTypeName() == SqlTypeName.TIMESTAMP || type.getSqlTypeName() == SqlTypeName.TIME;
    if (moment && type.getPrecision() > 3) {
      throw Util.FoundOne.NULL;
    }
  }

  /** Calcite counts and orders UTF-16 units, of which some characters have two. */
  private static void requireUnits(RexLiteral literal) {
    if (literal.getValue() instanceof NlsString text
        && text.getValue().chars().anyMatch(unit -> Character.isSurrogate((char) unit))) {
      throw Util.FoundOne.NULL;
    }
  }

  /** Whether casts are between texts and moments, make truth values or lists of texts, or round. */
  private static boolean isLeft(RelDataType to, RelDataType from) {
    boolean rounded = SqlTypeUtil.isApproximateNumeric(from) || SqlTypeUtil.isDecimal(from);
    boolean text = SqlTypeUtil.inCharFamily(from);
    return rounded && SqlTypeUtil.isExactNumeric(to)
        // Calcite makes infinity of what is too large
        || to.getSqlTypeName() == SqlTypeName.REAL && SqlTypeUtil.isApproximateNumeric(from)
        || text && SqlTypeUtil.isApproximateNumeric(to)
        || text && (to.getComponentType() != null || to.getKeyType() != null)
        || (isMoment(to) || SqlTypeUtil.isBoolean(to) || to.getSqlTypeName() == SqlTypeName.UUID)
            && text
        || isMoment(from) && SqlTypeUtil.inCharFamily(to);
  }

  /** Not times without fractions, which are Calcite's default. */
  private static boolean isMoment(RelDataType type) {
    return SqlTypeUtil.isDate(type) || SqlTypeUtil.isDatetime(type) && type.getPrecision() > 0;
  }
}
