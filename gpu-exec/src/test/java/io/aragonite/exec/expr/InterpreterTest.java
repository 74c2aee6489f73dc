package io.aragonite.exec.expr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** The reference semantics, operation by operation. */
class InterpreterTest {
  private static final DataType INT64 = DataType.INT64.withNullable(true);
  private static final DataType INT32 = DataType.INT32.withNullable(true);
  private static final DataType FLOAT64 = DataType.FLOAT64.withNullable(true);
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);
  private static final DataType BOOLEAN = DataType.BOOLEAN.withNullable(true);
  private static final DataType DATE = DataType.DATE.withNullable(true);
  private static final DataType TIMESTAMP = new DataType(TypeKind.TIMESTAMP, 3, 0, true);
  private static final DataType TIME = new DataType(TypeKind.TIME, 0, 0, true);
  private static final DataType MONTHS = DataType.of(TypeKind.INTERVAL_MONTH, true);
  private static final DataType MILLIS = DataType.of(TypeKind.INTERVAL_DAY, true);
  private static final DataType BYTES = DataType.of(TypeKind.BINARY, true);

  private static DataType decimal(int precision, int scale) {
    return DataType.decimal(precision, scale, true);
  }

  private static DataType type(@Nullable Object value) {
    return switch (value) {
      case null -> DataType.of(TypeKind.NULL, true);
      case Boolean truth -> BOOLEAN;
      case Long number -> INT64;
      case Double number -> FLOAT64;
      case BigDecimal decimal -> decimal(38, decimal.scale());
      case byte[] bytes -> BYTES;
      default -> TEXT;
    };
  }

  private static Expr literal(@Nullable Object value) {
    return value instanceof Expr expr ? expr : Expr.literal(value, type(value));
  }

  private static @Nullable Object run(Op op, DataType type, @Nullable Object... args) {
    Expr[] exprs = Arrays.stream(args).map(InterpreterTest::literal).toArray(Expr[]::new);
    return Interpreter.evaluate(Expr.call(op, type, exprs), column -> null);
  }

  private static @Nullable Object cast(@Nullable Object value, DataType from, DataType to) {
    return Interpreter.evaluate(Expr.call(Op.CAST, to, Expr.literal(value, from)), column -> null);
  }

  private static void assertFails(ErrorCode code, org.junit.jupiter.api.function.Executable work) {
    AragoniteException e = assertThrows(AragoniteException.class, work);
    assertEquals(code, e.code(), e.getMessage());
  }

  private static BigDecimal number(String text) {
    return new BigDecimal(text);
  }

  @Test
  void integersOverflowAsErrors() {
    assertEquals(5L, run(Op.PLUS, INT64, 2L, 3L));
    assertEquals(-2L, run(Op.DIVIDE, INT64, -7L, 3L));
    assertEquals(-1L, run(Op.MOD, INT64, -7L, 3L));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> run(Op.PLUS, INT64, Long.MAX_VALUE, 1L));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> run(Op.TIMES, INT32, 1L << 20, 1L << 20));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> run(Op.DIVIDE, INT64, Long.MIN_VALUE, -1L));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> run(Op.NEGATE, INT64, Long.MIN_VALUE));
    assertFails(ErrorCode.DIVISION_BY_ZERO, () -> run(Op.DIVIDE, INT64, 1L, 0L));
    assertFails(ErrorCode.DIVISION_BY_ZERO, () -> run(Op.MOD, FLOAT64, 1.0, 0.0));
    assertEquals(Double.POSITIVE_INFINITY, run(Op.DIVIDE, FLOAT64, 1.0, 0.0));
    assertNull(run(Op.PLUS, INT64, 1L, null));
  }

  @Test
  void errorsNameTheExpression() {
    Expr expr = Expr.call(Op.DIVIDE, INT64, Expr.ref(0, INT64), Expr.ref(1, INT64));
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () -> Interpreter.evaluate(expr, column -> (long) column - 1));
    assertEquals(ErrorCode.DIVISION_BY_ZERO, e.code());
    assertTrue(e.getMessage().contains("$0 / $1"), e.getMessage());
  }

  @Test
  void decimalsRoundHalfAwayFromZero() {
    assertEquals(number("0.13"), run(Op.PLUS, decimal(10, 2), number("0.100"), number("0.025")));
    assertEquals(number("-0.13"), run(Op.MINUS, decimal(10, 2), number("-0.100"), number("0.025")));
    assertEquals(number("0.6667"), run(Op.DIVIDE, decimal(10, 4), number("2"), number("3")));
    assertEquals(number("-0.667"), run(Op.DIVIDE, decimal(10, 3), number("-2"), number("3")));
    assertEquals(number("1.23"), run(Op.TIMES, decimal(10, 2), number("1.1"), number("1.1137")));
    assertFails(
        ErrorCode.NUMERIC_OVERFLOW,
        () -> run(Op.TIMES, decimal(4, 2), number("10.00"), number("10.00")));
    assertEquals(
        number("99999999999999999999999999999999999998"),
        run(
            Op.PLUS,
            decimal(38, 0),
            number("99999999999999999999999999999999999997"),
            number("1")));
    assertEquals(number("0.5"), run(Op.MOD, decimal(10, 1), number("5.5"), number("2.5")));
    assertEquals(number("-3"), run(Op.FLOOR, decimal(10, 0), number("-2.1")));
    assertEquals(number("-2"), run(Op.CEIL, decimal(10, 0), number("-2.9")));
    assertEquals(number("2.35"), run(Op.ROUND, decimal(10, 2), number("2.345"), 2L));
    assertEquals(number("1200.0"), run(Op.ROUND, decimal(10, 1), number("1234.5"), -2L));
    assertEquals(number("2.34"), run(Op.TRUNCATE, decimal(10, 2), number("2.349"), 2L));
    assertEquals(number("-1.0"), run(Op.SIGN, decimal(10, 1), number("-7.5")));
  }

  @Test
  void comparisonsAndThreeValuedLogic() {
    assertEquals(true, run(Op.EQ, BOOLEAN, number("1.50"), number("1.5")));
    assertEquals(true, run(Op.EQ, BOOLEAN, Double.NaN, Double.NaN));
    assertEquals(true, run(Op.IS_NOT_DISTINCT_FROM, BOOLEAN, Double.NaN, Double.NaN));
    assertEquals(true, run(Op.NE, BOOLEAN, Double.NaN, 1.0));
    assertEquals(true, run(Op.EQ, BOOLEAN, 0.0, -0.0));
    assertEquals(true, run(Op.LT, BOOLEAN, "a", "𝒳"));
    // By code points, not by UTF-16 units: U+FF01 is below U+1D4B3.
    assertEquals(true, run(Op.LT, BOOLEAN, "\uFF01", "𝒳"));
    assertEquals(true, run(Op.IS_NOT_DISTINCT_FROM, BOOLEAN, null, null));
    assertEquals(true, run(Op.IS_DISTINCT_FROM, BOOLEAN, null, 1L));
    assertEquals(false, run(Op.AND, BOOLEAN, null, false));
    assertNull(run(Op.AND, BOOLEAN, null, true));
    assertEquals(true, run(Op.OR, BOOLEAN, null, true));
    assertNull(run(Op.OR, BOOLEAN, null, false));
    assertNull(run(Op.NOT, BOOLEAN, (Object) null));
    assertEquals(true, run(Op.IS_NOT_TRUE, BOOLEAN, (Object) null));
    assertEquals(true, run(Op.IN_LIST, BOOLEAN, 2L, 1L, null, 2L));
    assertNull(run(Op.IN_LIST, BOOLEAN, 3L, 1L, null, 2L));
    assertEquals(false, run(Op.IN_LIST, BOOLEAN, 3L, 1L, 2L));
    Expr failing = Expr.call(Op.DIVIDE, INT64, literal(1L), literal(0L));
    assertEquals(7L, run(Op.CASE, INT64, true, 7L, failing));
    assertEquals(7L, run(Op.CASE, INT64, null, failing, 7L));
    assertEquals(7L, run(Op.COALESCE, INT64, null, 7L, failing));
    Expr test = Expr.call(Op.EQ, BOOLEAN, failing, literal(1L));
    assertEquals(false, run(Op.AND, BOOLEAN, false, test));
    assertFails(ErrorCode.DIVISION_BY_ZERO, () -> run(Op.AND, BOOLEAN, true, test));
  }

  @Test
  void castsOfNumbers() {
    assertEquals(2L, cast(1.7, FLOAT64, INT32));
    assertEquals(-2L, cast(-1.7, FLOAT64, INT32));
    assertEquals(2L, cast(2.5, FLOAT64, INT32));
    assertEquals(-4L, cast(-3.5, FLOAT64, INT32));
    assertEquals(0L, cast(0.49999999999999994, FLOAT64, INT64));
    assertEquals(2L, cast(number("1.50"), decimal(5, 2), INT32));
    assertEquals(-3L, cast(number("-2.50"), decimal(5, 2), INT32));
    assertEquals(number("1.6"), cast(number("1.55"), decimal(5, 2), decimal(5, 1)));
    assertEquals(number("0.3"), cast(0.25, FLOAT64, decimal(5, 1)));
    assertEquals(number("0.10"), cast(0.1, FLOAT64, decimal(5, 2)));
    assertEquals(0.1, cast(number("0.10"), decimal(5, 2), FLOAT64));
    DataType real = DataType.of(TypeKind.FLOAT32, true);
    double infinity = Double.POSITIVE_INFINITY;
    assertEquals(infinity, cast(infinity, FLOAT64, real));
    assertEquals((double) Float.MAX_VALUE, cast(0x1.fffffefffffffp127, FLOAT64, real));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast(0x1.ffffffp127, FLOAT64, real));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast(-Double.MAX_VALUE, FLOAT64, real));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast("1e400", TEXT, FLOAT64));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast("-1e39", TEXT, real));
    assertEquals((double) 0.1f, cast(0.1, FLOAT64, real));
    assertFails(
        ErrorCode.NUMERIC_OVERFLOW, () -> cast(128L, INT64, DataType.of(TypeKind.INT8, true)));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast(Double.NaN, FLOAT64, INT64));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast(1e30, FLOAT64, INT64));
    assertFails(ErrorCode.NUMERIC_OVERFLOW, () -> cast(1000L, INT64, decimal(3, 0)));
  }

  @Test
  void castsFromText() {
    assertEquals(-17L, cast(" -17 ", TEXT, INT32));
    assertEquals(number("12.35"), cast(" 12.345 ", TEXT, decimal(5, 2)));
    assertEquals(12.5, cast(" 1.25e1", TEXT, FLOAT64));
    assertEquals(true, cast(" true ", TEXT, BOOLEAN));
    assertEquals(-1L, cast(" 1969-12-31 ", TEXT, DATE));
    assertEquals(LocalDate.of(1, 2, 3).toEpochDay(), cast("0001-2-3", TEXT, DATE));
    assertEquals(45_296_789_012L, cast("12:34:56.789012", TEXT, DataType.time(6, true)));
    assertEquals(45_296_789_000L, cast("12:34:56.789012", TEXT, DataType.time(3, true)));
    assertFails(ErrorCode.INVALID_ARGUMENT, () -> cast("12:34:56.7890123", TEXT, TIME));
    assertEquals(45_296_000_000L, cast("12:34:56.789", TEXT, TIME));
    assertEquals(-500L, cast("1969-12-31 23:59:59.5", TEXT, TIMESTAMP));
    assertEquals(14L, cast("1-2", TEXT, MONTHS));
    assertEquals(-93_784_000L, cast("-1 02:03:04", TEXT, MILLIS));
    assertFails(ErrorCode.INVALID_CAST, () -> cast("1.5", TEXT, INT32));
    assertFails(ErrorCode.INVALID_CAST, () -> cast("", TEXT, INT64));
    assertEquals(true, cast("yes", TEXT, BOOLEAN));
    assertFails(ErrorCode.INVALID_CAST, () -> cast("yess", TEXT, BOOLEAN));
    assertFails(ErrorCode.INVALID_DATETIME, () -> cast("1999-02-29", TEXT, DATE));
    assertFails(ErrorCode.INVALID_DATETIME, () -> cast("1999-02-2x", TEXT, DATE));
    assertFails(ErrorCode.INVALID_DATETIME, () -> cast("24:00:00", TEXT, TIME));
    assertFails(ErrorCode.INVALID_CAST, () -> cast("128", TEXT, DataType.of(TypeKind.INT8, true)));
    assertEquals(3_723_000_000L, cast("1:2:3", TEXT, TIME));
    assertEquals(
        cast("1945-02-02 12:02:05", TEXT, TIMESTAMP), cast("1945-2-2 12:2:5", TEXT, TIMESTAMP));
    assertFails(ErrorCode.INVALID_DATETIME, () -> cast("1945-02-02 12", TEXT, TIMESTAMP));
    assertEquals(
        cast("1945-02-02 12:02:00", TEXT, TIMESTAMP), cast("1945-02-02 12:02", TEXT, TIMESTAMP));
    assertEquals(-1L, cast("1969-12-31 23:59:59.999999", TEXT, DataType.timestamp(6, true)));
    assertEquals(
        Long.MIN_VALUE, cast("1677-09-21 00:12:43.145224192", TEXT, DataType.timestamp(9, true)));
    assertFails(
        ErrorCode.NUMERIC_OVERFLOW,
        () -> cast("1677-09-21 00:12:43.145224191", TEXT, DataType.timestamp(9, true)));
    assertEquals(-1_000L, cast(-1L, TIMESTAMP, DataType.timestamp(6, true)));
    assertEquals(-2L, cast(-1_001L, DataType.timestamp(6, true), TIMESTAMP));
    assertEquals(-1_100L, cast(-1_001L, DataType.timestamp(6, true), DataType.timestamp(4, true)));
    assertEquals("1969-12-31 23:59:59.999999999", cast(-1L, DataType.timestamp(9, true), TEXT));
    assertFails(
        ErrorCode.NUMERIC_OVERFLOW,
        () -> cast(Long.MAX_VALUE / 1000, TIMESTAMP, DataType.timestamp(9, true)));
    assertEquals(0L, cast("1970-01-01", TEXT, TIMESTAMP));
    assertNull(run(Op.TRY_CAST, INT64, "x"));
    assertNull(run(Op.TRY_CAST, DATE, "x"));
  }

  @Test
  void castsToText() {
    assertEquals(".5", cast(number("0.5"), decimal(5, 1), TEXT));
    assertEquals("-.5", cast(number("-0.5"), decimal(5, 1), TEXT));
    assertEquals("0", cast(number("0"), decimal(5, 0), TEXT));
    assertEquals("0E0", cast(0.0, FLOAT64, TEXT));
    assertEquals("1.5", cast(1.5, FLOAT64, TEXT));
    assertEquals("TRUE", cast(true, BOOLEAN, TEXT));
    assertEquals("1969-12-31", cast(-1L, DATE, TEXT));
    assertEquals("1969-12-31 23:59:59.5", cast(-500L, TIMESTAMP, TEXT));
    assertEquals("00:00:01.00001", cast(1_000_010L, TIME, TEXT));
    assertEquals("-1 years -2 mons", cast(-14L, MONTHS, TEXT));
    assertEquals("1 day 02:03:04", cast(93_784_000L, MILLIS, TEXT));
    assertEquals("ab", cast("ab", TEXT, new DataType(TypeKind.CHAR, 4, 0, true)));
    assertEquals("a", cast("a   b", TEXT, new DataType(TypeKind.CHAR, 4, 0, true)));
    assertEquals("𝒳b", cast("𝒳bc", TEXT, new DataType(TypeKind.VARCHAR, 2, 0, true)));
    assertEquals("12", cast(1234L, INT64, new DataType(TypeKind.VARCHAR, 2, 0, true)));
    assertEquals("ff00", cast(new byte[] {-1, 0}, BYTES, TEXT));
  }

  @Test
  void datesFollowTheProlepticCalendar() {
    for (long day = -800_000; day < 800_000; day += 37) {
      LocalDate date = LocalDate.ofEpochDay(day);
      assertEquals(date.getYear(), DateTimes.year(day));
      assertEquals(date.getMonthValue(), DateTimes.month(day));
      assertEquals(date.getDayOfMonth(), DateTimes.day(day));
      assertEquals(day, DateTimes.days(date.getYear(), date.getMonthValue(), date.getDayOfMonth()));
      assertEquals(date.getDayOfYear(), DateTimes.extractDate(TimeUnit.DOY, day));
      assertEquals(
          date.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), DateTimes.extractDate(TimeUnit.WEEK, day));
      assertEquals(
          date.get(IsoFields.WEEK_BASED_YEAR), DateTimes.extractDate(TimeUnit.ISOYEAR, day));
      assertEquals(date.get(ChronoField.DAY_OF_WEEK), DateTimes.extractDate(TimeUnit.ISODOW, day));
      assertEquals(date.plusMonths(day % 50).toEpochDay(), DateTimes.addMonths(day, day % 50));
      assertEquals(date.withDayOfMonth(1).toEpochDay(), DateTimes.floorDate(TimeUnit.MONTH, day));
    }
  }

  @Test
  void datesAndIntervals() {
    long date = LocalDate.of(1998, 12, 1).toEpochDay();
    assertEquals(
        date - 90,
        run(
            Op.DATETIME_PLUS,
            DATE,
            Expr.literal(date, DATE),
            Expr.literal(-90 * DateTimes.MILLIS_PER_DAY, MILLIS)));
    assertEquals(
        LocalDate.of(2000, 2, 29).toEpochDay(),
        run(
            Op.DATETIME_PLUS,
            DATE,
            Expr.literal(LocalDate.of(2000, 1, 31).toEpochDay(), DATE),
            Expr.literal(1L, MONTHS)));
    assertEquals(
        1L,
        run(
            Op.DATETIME_MINUS,
            MONTHS,
            Expr.literal(LocalDate.of(2000, 3, 30).toEpochDay(), DATE),
            Expr.literal(LocalDate.of(2000, 1, 31).toEpochDay(), DATE)));
    assertEquals(
        DateTimes.MILLIS_PER_DAY,
        run(Op.DATETIME_MINUS, MILLIS, Expr.literal(1L, DATE), Expr.literal(0L, DATE)));
    assertEquals(23L, run(Op.EXTRACT, INT64, "HOUR", Expr.literal(-1L, TIMESTAMP)));
    assertEquals(1969L, run(Op.EXTRACT, INT64, "YEAR", Expr.literal(-1L, TIMESTAMP)));
    assertEquals(-1L, run(Op.EXTRACT, INT64, "EPOCH", Expr.literal(-1L, TIMESTAMP)));
    assertEquals(2L, run(Op.EXTRACT, INT64, "MONTH", Expr.literal(14L, MONTHS)));
    assertEquals(
        LocalDate.of(1999, 1, 1).toEpochDay(),
        run(Op.CEIL_TIME, DATE, "YEAR", Expr.literal(date, DATE)));
    assertEquals(-86_400_000L, run(Op.FLOOR_TIME, TIMESTAMP, "DAY", Expr.literal(-1L, TIMESTAMP)));
  }

  @Test
  void textFunctionsCountCodePoints() {
    assertEquals(2L, run(Op.CHAR_LENGTH, INT64, "𝒳a"));
    assertEquals(5L, run(Op.OCTET_LENGTH, INT64, "𝒳a"));
    assertEquals("a", run(Op.SUBSTRING, TEXT, "𝒳a", 2L));
    assertEquals("𝒳", run(Op.SUBSTRING, TEXT, "𝒳a", 0L, 2L));
    assertEquals("", run(Op.SUBSTRING, TEXT, "abc", -5L, 3L));
    assertFails(ErrorCode.INVALID_ARGUMENT, () -> run(Op.SUBSTRING, TEXT, "abc", 1L, -1L));
    assertEquals("Hello World1x", run(Op.INITCAP, TEXT, "hELLO wORLD1X"));
    assertEquals("x", run(Op.TRIM_BOTH, TEXT, "ab", "abxba"));
    assertEquals("x  ", run(Op.TRIM_LEADING, TEXT, " ", "  x  "));
    assertEquals("  x", run(Op.TRIM_TRAILING, TEXT, " ", "  x  "));
    assertEquals(3L, run(Op.POSITION, INT64, "b", "𝒳ab"));
    assertEquals(4L, run(Op.POSITION, INT64, "a", "axya", 2L));
    assertEquals(0L, run(Op.POSITION, INT64, "z", "abc"));
    assertEquals("axxa", run(Op.REPLACE, TEXT, "aba", "b", "xx"));
    assertEquals("w33333resou3rce", run(Op.OVERLAY, TEXT, "w3333333rce", "resou", 7L, 1L));
    assertEquals("abXf", run(Op.OVERLAY, TEXT, "abcdef", "X", 3L, 3L));
    assertEquals("ab", run(Op.LEFT, TEXT, "abc", 2L));
    assertEquals("bc", run(Op.RIGHT, TEXT, "abc", 2L));
    assertEquals("xyxab", run(Op.LPAD, TEXT, "ab", 5L, "xy"));
    assertEquals("ab   ", run(Op.RPAD, TEXT, "ab", 5L));
    String uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
    assertEquals(uuid, run(Op.UUID_OF_TEXT, TEXT, "{A0EEBC999c0b-4ef8bb6d6bb9-bd380a11}"));
    assertEquals(uuid, run(Op.TRY_UUID_OF_TEXT, TEXT, uuid));
    for (String none :
        new String[] {
          "",
          "{}",
          "1-1-1-1-1",
          uuid + "0",
          "-" + uuid,
          uuid + "-",
          "g" + uuid.substring(1),
          " " + uuid,
          uuid + " "
        }) {
      assertFails(ErrorCode.INVALID_ARGUMENT, () -> run(Op.UUID_OF_TEXT, TEXT, none));
      assertNull(run(Op.TRY_UUID_OF_TEXT, TEXT, none));
    }
    assertEquals("a𝒳", run(Op.REVERSE, TEXT, "𝒳a"));
    assertEquals("ababab", run(Op.REPEAT, TEXT, "ab", 3L));
    assertFails(ErrorCode.RESULT_TOO_LARGE, () -> run(Op.REPEAT, TEXT, "ab", 1L << 40));
    assertEquals(0x1D4B3L, run(Op.ASCII, INT64, "𝒳"));
    assertEquals("A", run(Op.CHR, TEXT, 65L));
    assertEquals("abc", run(Op.CONCAT, TEXT, "a", "b", "c"));
    assertArrayEquals(
        new byte[] {2, 3}, (byte[]) run(Op.SUBSTRING, BYTES, new byte[] {1, 2, 3}, 2L));
  }

  @Test
  void likeMatches() {
    assertTrue(like("special requests", "%special%requests%"));
    assertTrue(like("𝒳", "_"));
    assertTrue(like("a\nb", "a_b"));
    assertFalse(like("ab", "a"));
    assertTrue(like("", "%"));
    assertEquals(true, run(Op.LIKE, BOOLEAN, "a%b", "a!%b", "!"));
    assertEquals(false, run(Op.LIKE, BOOLEAN, "axb", "a!%b", "!"));
    assertEquals(true, run(Op.ILIKE, BOOLEAN, "ÄB", "ä%"));
    assertFails(ErrorCode.INVALID_ESCAPE, () -> run(Op.LIKE, BOOLEAN, "a", "a!b", "!"));
    assertFails(ErrorCode.INVALID_ESCAPE, () -> run(Op.LIKE, BOOLEAN, "a", "a", "!!"));
    String text = "a".repeat(20_000);
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> assertFalse(like(text, "%a%a%a%a%a%a%a%a%b")));
  }

  private static boolean like(String text, String pattern) {
    return Boolean.TRUE.equals(run(Op.LIKE, BOOLEAN, text, pattern));
  }

  private static boolean similar(String text, String pattern) {
    return Boolean.TRUE.equals(run(Op.SIMILAR, BOOLEAN, text, pattern));
  }

  @Test
  void similarMatches() {
    assertTrue(similar("abcabc", "(abc)*"));
    assertTrue(similar("", "(abc)*"));
    assertFalse(similar("abca", "(abc)*"));
    assertTrue(similar("xaby", "%(ab|cd)_"));
    assertTrue(similar("aaa", "a{2,3}"));
    assertFalse(similar("aaaa", "a{2,3}"));
    assertTrue(similar("aaaa", "a{2,}"));
    assertTrue(similar("b7", "[a-c][[:DIGIT:]]"));
    assertFalse(similar("d", "[^a-d]"));
    assertTrue(similar("e", "[^a-d]"));
    assertTrue(similar("e", "[a-z^a-d]"));
    assertTrue(similar("a.b", "a.b"));
    assertFalse(similar("axb", "a.b"));
    assertFalse(similar("y", "x+?y"));
    assertFails(ErrorCode.INVALID_REGEX, () -> similar("a", "(a"));
    assertFails(ErrorCode.INVALID_REGEX, () -> similar("a", "*a"));
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> assertFalse(similar("a".repeat(3_000) + "b", "((a*)*)*")));
  }

  @Test
  void mathematics() {
    assertEquals(8.0, run(Op.POWER, FLOAT64, 2.0, 3.0));
    assertEquals(3.0, run(Op.SQRT, FLOAT64, 9.0));
    assertEquals(2.0, run(Op.LOG10, FLOAT64, 100.0));
    assertFails(ErrorCode.INVALID_ARGUMENT, () -> run(Op.LN, FLOAT64, 0.0));
    assertEquals(0.13, run(Op.ROUND, FLOAT64, 0.125, 2L));
    assertEquals(Math.PI, run(Op.PI, FLOAT64));
    assertEquals(4L, run(Op.BIT_AND, INT64, 6L, 12L));
    assertEquals(-7L, run(Op.BIT_NOT, INT64, 6L));
    assertEquals(2L, run(Op.BIT_COUNT, INT64, 6L));
    assertEquals(64L, run(Op.BIT_COUNT, INT64, -1L));
    assertEquals(1L, run(Op.BIT_COUNT, INT64, Long.MIN_VALUE));
    assertEquals(3L, run(Op.GREATEST, INT64, 1L, 3L, 2L));
    assertEquals("a", run(Op.LEAST, TEXT, "b", "a"));
  }

  @Test
  void hostCallsGetNullsAndKeepErrors() {
    Expr call =
        new Expr.HostFunctionCall(
            "F",
            args -> args[0] == null ? "none" : 10 / (args.length - 1) + "",
            List.of(literal(null)),
            true,
            TEXT);
    assertEquals("none", Interpreter.evaluate(call, column -> null));
    Expr failing =
        new Expr.HostFunctionCall(
            "F", args -> 10 / (args.length - 1) + "", List.of(literal("x")), true, TEXT);
    assertFails(ErrorCode.DIVISION_BY_ZERO, () -> Interpreter.evaluate(failing, column -> null));
  }

  @Test
  void hashesDependOnValuesOnly() {
    assertEquals(KeyHash.of(0.0), KeyHash.of(-0.0));
    assertEquals(KeyHash.of(number("12.50")), KeyHash.ofDecimal(0, 1250));
    assertEquals(KeyHash.of(number("-12.50")), KeyHash.ofDecimal(-1, -1250));
    java.util.Set<Long> seen = new java.util.HashSet<>();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      assertTrue(seen.add(KeyHash.ofBytes(bytes)), "length " + i);
      try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
        long address = arena.allocate(64).address();
        io.aragonite.exec.memory.Mem.copy(bytes, 0, address, bytes.length);
        assertEquals(KeyHash.ofBytes(bytes), KeyHash.ofBytes(address, bytes.length));
      }
      text.append((char) ('a' + i % 26));
    }
  }
}
