package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.ZoneFunctions;
import io.aragonite.rules.translate.CalciteValues;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Instants that literals say: they become literals when the statement is planned, so that an IN
 * list of texts is no call for each row, and files are left out by their bounds.
 */
final class ConstantInstants {
  private static final Set<SqlOperator> OF_TEXT =
      Set.of(ZoneFunctions.INSTANT_OF_TEXT, ZoneFunctions.FINE_INSTANT_OF_TEXT);

  private ConstantInstants() {}

  /** Whether a call makes an instant of literals. */
  static boolean mayBe(SqlCall call) {
    return (OF_TEXT.contains(call.getOperator())
            || call.getOperator().equals(ZoneFunctions.AT_TIME_ZONE))
        && call.getOperandList().stream().allMatch(ConstantInstants::isLiteral);
  }

  private static boolean isLiteral(SqlNode node) {
    return node instanceof SqlLiteral literal && literal.getValue() != null;
  }

  /** The literal; the call where it is no instant, for the error or the digits that it has. */
  static RexNode convert(SqlRexContext context, SqlCall call) {
    RexBuilder rexBuilder = context.getRexBuilder();
    List<RexNode> operands =
        call.getOperandList().stream().map(context::convertExpression).toList();
    RelDataType type = context.getValidator().getValidatedNodeType(call);
    RexNode made = rexBuilder.makeCall(type, call.getOperator(), operands);
    if (type.getSqlTypeName() != SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE) {
      return made;
    }
    TimestampString text = text(call, type);
    return text == null
        ? made
        : rexBuilder.makeTimestampWithLocalTimeZoneLiteral(text, type.getPrecision());
  }

  private static @Nullable TimestampString text(SqlCall call, RelDataType type) {
    String zone = ((SqlLiteral) call.operand(1)).getValueAs(String.class);
    return utc(call.operand(0), type.getPrecision(), zone);
  }

  /**
   * What UTC's clocks show at the moment that a literal says.
   *
   * @param value a text, a local time or a date
   * @param digits of a fraction of a second that are kept
   * @param zone of what has none
   * @return null if it is no moment, or one that a literal of Calcite cannot say
   */
  static @Nullable TimestampString utc(SqlLiteral value, int digits, String zone) {
    DataType to = new DataType(TypeKind.INSTANT, digits, 0, false);
    try {
      Object count =
          value.getTypeName() == SqlTypeName.CHAR
              ? apply(
                  Op.INSTANT_OF_TEXT, DataType.VARCHAR, value.getValueAs(String.class), zone, to)
              : local(value, zone, to);
      return count instanceof Long known ? text(known, to.timestampUnit()) : null;
    } catch (AragoniteException e) {
      return null; // the call says so when it is run
    }
  }

  private static @Nullable Object local(SqlLiteral value, String zone, DataType to) {
    DataType local = DataType.timestamp(to.precision(), false);
    TimestampString shown =
        switch (value.getTypeName()) {
          case TIMESTAMP -> value.getValueAs(TimestampString.class);
          case DATE -> new TimestampString(value.getValueAs(DateString.class) + " 00:00:00");
          default -> null;
        };
    return shown == null || !CalciteValues.fits(shown, local)
        ? null
        : apply(Op.LOCAL_TO_INSTANT, local, CalciteValues.timestamp(shown, local), zone, to);
  }

  private static @Nullable Object apply(
      Op op, DataType from, Object value, String zone, DataType to) {
    List<Expr> args = List.of(new Expr.InputRef(0, DataType.VARCHAR), new Expr.InputRef(1, from));
    return Interpreter.apply(new Expr.Call(op, args, to), new Object[] {zone, value});
  }

  /** What UTC's clocks show; null in years that Calcite's literals do not have. */
  private static @Nullable TimestampString text(long count, TimestampUnit unit) {
    LocalDateTime shown =
        LocalDateTime.ofInstant(
            Instant.ofEpochSecond(
                Math.floorDiv(count, unit.perSecond()),
                Math.floorMod(count, unit.perSecond()) * (1_000_000_000 / unit.perSecond())),
            ZoneOffset.UTC);
    return shown.getYear() < 1 || shown.getYear() > 9999
        ? null
        : new TimestampString(
                shown.getYear(),
                shown.getMonthValue(),
                shown.getDayOfMonth(),
                shown.getHour(),
                shown.getMinute(),
                shown.getSecond())
            .withNanos(shown.getNano());
  }
}
