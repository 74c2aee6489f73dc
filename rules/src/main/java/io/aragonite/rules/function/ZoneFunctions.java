package io.aragonite.rules.function;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/**
 * Functions of instants and time zones. Calcite's own casts and parts of a TIMESTAMP WITH LOCAL
 * TIME ZONE are of milliseconds and know no zones by the day; the validator writes them by these.
 * The methods are for what Calcite's code evaluates, which has milliseconds.
 */
@Strict
public final class ZoneFunctions {
  /** {@code AT_TIME_ZONE(x, zone)}: of an instant the local time, of a local time the instant. */
  public static final SqlFunction AT_TIME_ZONE =
      SqlBasicFunction.create(
          "AT_TIME_ZONE",
          nullable(ZoneFunctions::other),
          OperandTypes.family(SqlTypeFamily.DATETIME, SqlTypeFamily.CHARACTER),
          SqlFunctionCategory.TIMEDATE);

  /** {@code INSTANT_FLOOR(x, unit, zone)}: the beginning of an hour or minute of local time. */
  public static final SqlFunction INSTANT_FLOOR = rounding("INSTANT_FLOOR");

  /** {@code INSTANT_CEIL(x, unit, zone)}. */
  public static final SqlFunction INSTANT_CEIL = rounding("INSTANT_CEIL");

  /** {@code INSTANT_TEXT(x, zone)}. */
  public static final SqlFunction INSTANT_TEXT =
      SqlBasicFunction.create(
          "INSTANT_TEXT",
          nullable(ReturnTypes.VARCHAR),
          OperandTypes.family(SqlTypeFamily.TIMESTAMP, SqlTypeFamily.CHARACTER),
          SqlFunctionCategory.TIMEDATE);

  /** {@code INSTANT_OF_TEXT(x, zone)}, with microseconds. */
  public static final SqlFunction INSTANT_OF_TEXT = ofText("INSTANT_OF_TEXT", 6);

  /** {@code INSTANT_OF_TEXT} with nanoseconds. */
  public static final SqlFunction FINE_INSTANT_OF_TEXT = ofText("FINE_INSTANT_OF_TEXT", 9);

  /** {@link #INSTANT_OF_TEXT}, but null where the text is no moment. */
  public static final SqlFunction TRY_INSTANT_OF_TEXT = tried("TRY_INSTANT_OF_TEXT", 6);

  /** {@code TRY_INSTANT_OF_TEXT} with nanoseconds. */
  public static final SqlFunction TRY_FINE_INSTANT_OF_TEXT = tried("TRY_FINE_INSTANT_OF_TEXT", 9);

  private static final DataType MILLIS = DataType.timestamp(3, false);
  private static final DataType INSTANT = new DataType(TypeKind.INSTANT, 3, 0, false);

  private ZoneFunctions() {}

  private static SqlFunction rounding(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.ARG0,
        OperandTypes.family(
            SqlTypeFamily.TIMESTAMP, SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
        SqlFunctionCategory.TIMEDATE);
  }

  private static SqlFunction ofText(String name, int digits) {
    return ofText(name, nullable(instants(digits)));
  }

  private static SqlFunction tried(String name, int digits) {
    return ofText(name, instants(digits).andThen(SqlTypeTransforms.FORCE_NULLABLE));
  }

  private static SqlReturnTypeInference instants(int digits) {
    return binding ->
        binding.getTypeFactory().createSqlType(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, digits);
  }

  private static SqlFunction ofText(String name, SqlReturnTypeInference type) {
    return SqlBasicFunction.create(
        name,
        type,
        OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
        SqlFunctionCategory.TIMEDATE);
  }

  private static SqlReturnTypeInference nullable(SqlReturnTypeInference type) {
    return type.andThen(SqlTypeTransforms.TO_NULLABLE);
  }

  /** Of an instant's type that of a local time with as many digits, and the other way round. */
  private static RelDataType other(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    RelDataType type = binding.getOperandType(0);
    return switch (type.getSqlTypeName()) {
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          types.createSqlType(SqlTypeName.TIMESTAMP, type.getPrecision());
      case TIMESTAMP ->
          types.createSqlType(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, type.getPrecision());
      default -> types.createSqlType(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 0);
    };
  }

  private static Object apply(Op op, DataType from, DataType to, Object value, String zone) {
    return Objects.requireNonNull(tried(op, from, to, value, zone));
  }

  private static @Nullable Object tried(
      Op op, DataType from, DataType to, Object value, String zone) {
    List<Expr> args = List.of(new Expr.InputRef(0, DataType.VARCHAR), new Expr.InputRef(1, from));
    return Interpreter.apply(new Expr.Call(op, args, to), new Object[] {zone, value});
  }

  public static long localTime(long instant, String zone) {
    return (Long) apply(Op.LOCAL_TIME, INSTANT, MILLIS, instant, zone);
  }

  public static long instant(long local, String zone) {
    return (Long) apply(Op.LOCAL_TO_INSTANT, MILLIS, INSTANT, local, zone);
  }

  /** Of a date's midnight: Calcite's code has days of it. */
  public static long instantOfDate(int days, String zone) {
    return instant(days * TimestampUnit.MILLIS.perDay(), zone);
  }

  public static long instantFloor(long instant, String unit, String zone) {
    return rounded(Op.INSTANT_FLOOR, instant, unit, zone);
  }

  public static long instantCeil(long instant, String unit, String zone) {
    return rounded(Op.INSTANT_CEIL, instant, unit, zone);
  }

  private static long rounded(Op op, long instant, String unit, String zone) {
    List<Expr> args =
        List.of(
            new Expr.InputRef(0, DataType.VARCHAR),
            new Expr.InputRef(1, DataType.VARCHAR),
            new Expr.InputRef(2, INSTANT));
    return (Long)
        Objects.requireNonNull(
            Interpreter.apply(
                new Expr.Call(op, args, INSTANT), new Object[] {zone, unit, instant}));
  }

  public static String instantText(long instant, String zone) {
    return (String) apply(Op.INSTANT_TEXT, INSTANT, DataType.VARCHAR, instant, zone);
  }

  public static @Nullable Long tryInstantOfText(String text, String zone) {
    return (Long)
        tried(Op.TRY_INSTANT_OF_TEXT, DataType.VARCHAR, INSTANT.withNullable(true), text, zone);
  }

  public static long instantOfText(String text, String zone) {
    return (Long) apply(Op.INSTANT_OF_TEXT, DataType.VARCHAR, INSTANT, text, zone);
  }
}
