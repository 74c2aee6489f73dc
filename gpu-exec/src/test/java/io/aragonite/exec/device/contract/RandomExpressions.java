package io.aragonite.exec.device.contract;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Random columns of all storages, and random typed expressions over them. */
final class RandomExpressions {
  private static final List<String> DATE_PARTS =
      List.of(
          "YEAR", "MONTH", "DAY", "QUARTER", "DOW", "DOY", "WEEK", "ISOYEAR", "DECADE", "CENTURY");
  private static final List<String> TIME_PARTS =
      List.of("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND", "EPOCH");

  private static final String[] WORDS = {
    "",
    "a",
    "PROMO BRUSHED",
    "special requests",
    "äöü",
    "Aa",
    "abc",
    "green mint",
    "1",
    "-17",
    " 42 ",
    "12.50",
    "1995-03-15",
    "x_y%z",
    "special packages wake requests",
    "𝒳𝒴",
    "b",
    "ab"
  };

  final Random random;
  final List<ColumnShape> shapes = new ArrayList<>();
  private final Dictionary words;

  RandomExpressions(Random random) {
    this.random = random;
    this.words = dictionary(WORDS);
    Dictionary others = dictionary("a", "b", "green mint", "zz", "");
    add(DataType.INT32, Storage.INT, -20, 20);
    add(nullable(DataType.INT64), Storage.LONG);
    add(DataType.decimal(15, 2, false), Storage.INT, 0, 1_000_000);
    add(DataType.decimal(12, 3, true), Storage.LONG);
    add(DataType.decimal(30, 4, true), Storage.LONG128);
    add(nullable(DataType.FLOAT64), Storage.DOUBLE);
    add(DataType.DATE, Storage.SHORT, 8035, 10591);
    add(new DataType(TypeKind.TIMESTAMP, 3, 0, true), Storage.LONG);
    shapes.add(new ColumnShape(nullable(DataType.VARCHAR), Storage.CODE, true, words, null));
    shapes.add(new ColumnShape(DataType.VARCHAR, Storage.CODE8, false, words, null));
    add(new DataType(TypeKind.CHAR, 40, 0, true), Storage.BYTES);
    add(new DataType(TypeKind.VARCHAR, 60, 0, false), Storage.BYTES);
    add(nullable(DataType.BOOLEAN), Storage.BYTE);
    add(DataType.of(TypeKind.INT16, true), Storage.SHORT);
    add(DataType.of(TypeKind.FLOAT32, true), Storage.FLOAT);
    add(DataType.of(TypeKind.INTERVAL_DAY, true), Storage.LONG);
    add(DataType.of(TypeKind.INTERVAL_MONTH, false), Storage.INT, -30, 30);
    add(DataType.of(TypeKind.BINARY, true), Storage.BYTES);
    shapes.add(new ColumnShape(nullable(DataType.VARCHAR), Storage.CODE, true, others, null));
    add(DataType.decimal(31, 4, false), Storage.LONG, -1_000_000_000L, 1_000_000_000_000L);
    add(DataType.BOOLEAN, Storage.BYTE);
    add(nullable(DataType.DATE), Storage.INT);
    add(DataType.of(TypeKind.INT8, false), Storage.BYTE);
    add(DataType.timestamp(6, true), Storage.LONG);
    add(DataType.timestamp(9, true), Storage.LONG);
    add(DataType.timestamp(5, false), Storage.LONG, -4_000_000_000_000L, 4_000_000_000_000L);
    add(DataType.time(6, true), Storage.LONG);
    add(DataType.of(TypeKind.NULL, true), Storage.NONE);
  }

  private static DataType nullable(DataType type) {
    return type.withNullable(true);
  }

  private static Dictionary dictionary(String... values) {
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    for (String value : values) {
      distinct.add(value.getBytes(StandardCharsets.UTF_8));
    }
    return new Dictionary(distinct.toArray(byte[][]::new));
  }

  private void add(DataType type, Storage storage) {
    shapes.add(new ColumnShape(type, storage, type.nullable(), null, null));
  }

  private void add(DataType type, Storage storage, long min, long max) {
    shapes.add(new ColumnShape(type, storage, type.nullable(), null, new ValueRange(min, max)));
  }

  boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** A value of a column. */
  @Nullable Object value(ColumnShape shape) {
    if (shape.storage() == Storage.NONE || (shape.mayBeNull() && chance(5))) {
      return null;
    }
    Dictionary dictionary = shape.dictionary();
    if (dictionary != null) {
      return dictionary.text(random.nextInt(dictionary.size()));
    }
    ValueRange range = shape.range();
    if (range != null) {
      long value =
          chance(8)
              ? (random.nextBoolean() ? range.min() : range.max())
              : random.nextLong(range.min(), range.max() + 1);
      return shape.type().kind() == TypeKind.DECIMAL
          ? BigDecimal.valueOf(value, shape.type().scale())
          : (Object) value;
    }
    return value(shape.type());
  }

  /** A value of a type. */
  Object value(DataType type) {
    boolean extreme = chance(12);
    return switch (type.kind()) {
      case BOOLEAN -> random.nextBoolean();
      case INT8 -> extreme ? -128L : (long) random.nextInt(-100, 100);
      case INT16 -> extreme ? 32767L : (long) random.nextInt(-300, 300);
      case INT32 -> extreme ? (long) Integer.MIN_VALUE : (long) random.nextInt(-1000, 1000);
      case INT64 ->
          extreme
              ? (random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE)
              : random.nextInt(-50, 50);
      case FLOAT32 -> (double) (extreme ? Float.NaN : random.nextInt(-40, 40) / 4f);
      case FLOAT64 ->
          extreme
              ? pick(List.of(Double.NaN, -0.0, 0.0, 1e300, Double.POSITIVE_INFINITY))
              : (Double) (random.nextInt(-400, 400) / 8.0);
      case DECIMAL -> {
        int digits = extreme ? type.precision() : Math.min(type.precision(), 6);
        BigInteger unscaled = new BigInteger(130, random).mod(BigInteger.TEN.pow(digits));
        yield new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
      }
      case DATE -> extreme ? -700_000L : (long) random.nextInt(-3000, 12_000);
      case TIME -> random.nextLong(86_400_000_000L);
      case TIMESTAMP, INSTANT ->
          type.timestampUnit() == TimestampUnit.NANOS && extreme
              ? (random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE)
              : random.nextLong(-3_000_000_000_000L, 3_000_000_000_000L)
                      * type.timestampUnit().perMilli()
                  + (chance(3) ? 0 : random.nextLong(type.timestampUnit().perMilli()));
      case INTERVAL_MONTH -> (long) random.nextInt(-40, 40);
      case INTERVAL_DAY -> random.nextLong(-10_000_000_000L, 10_000_000_000L);
      case CHAR, VARCHAR -> {
        String word = WORDS[random.nextInt(WORDS.length)];
        yield chance(3) ? word + WORDS[random.nextInt(WORDS.length)] : word;
      }
      case BINARY -> WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8);
      case NULL, OPAQUE -> throw new IllegalArgumentException(type.toString());
    };
  }

  private Expr ref(int index) {
    return Expr.ref(index, shapes.get(index).type());
  }

  private Expr column(TypeKind... kinds) {
    List<Integer> fitting = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      if (Arrays.asList(kinds).contains(shapes.get(i).type().kind())) {
        fitting.add(i);
      }
    }
    return ref(pick(fitting));
  }

  private Expr literal(DataType type) {
    return chance(15)
        ? Expr.literal(null, type.withNullable(true))
        : Expr.literal(value(type), type.withNullable(false));
  }

  private static Expr call(Op op, DataType type, Expr... args) {
    boolean nullable = Arrays.stream(args).anyMatch(arg -> arg.type().nullable());
    return Expr.call(op, type.withNullable(nullable), args);
  }

  private static Expr cast(Expr value, DataType type) {
    return call(Op.CAST, type, value);
  }

  Expr any(int depth) {
    return switch (random.nextInt(9)) {
      case 0, 1 -> truth(depth);
      case 2 -> integer(depth);
      case 3, 4 -> decimal(depth);
      case 5 -> floating(depth);
      case 6 -> text(depth);
      case 7 -> chance(2) ? date(depth) : keyWord();
      default ->
          chance(3) ? ref(24) : cast(text(depth - 1), new DataType(TypeKind.CHAR, 7, 0, true));
    };
  }

  private Expr keyWord() {
    List<Expr> keys = new ArrayList<>();
    List<ColumnShape> keyShapes = new ArrayList<>();
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      int index = random.nextInt(shapes.size());
      keys.add(ref(index));
      keyShapes.add(shapes.get(index));
    }
    return new Expr.KeyWord(keys, KeyLayouts.choose(keyShapes));
  }

  Expr truth(int depth) {
    if (depth <= 0) {
      return chance(4) ? literal(DataType.BOOLEAN) : column(TypeKind.BOOLEAN);
    }
    int d = depth - 1;
    return switch (random.nextInt(16)) {
      case 13 -> compare(difference(d), column(TypeKind.INTERVAL_DAY));
      case 14 -> compare(column(TypeKind.TIME), literal(DataType.time(6, false)));
      case 0, 1 -> {
        Expr[] args = new Expr[random.nextInt(2, 5)];
        Arrays.setAll(args, i -> truth(d));
        yield call(chance(2) ? Op.AND : Op.OR, DataType.BOOLEAN, args);
      }
      case 2 -> call(Op.NOT, DataType.BOOLEAN, truth(d));
      case 3 -> Expr.call(pick(List.of(Op.IS_NULL, Op.IS_NOT_NULL)), DataType.BOOLEAN, any(d));
      case 4 ->
          Expr.call(
              pick(List.of(Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE, Op.IS_NOT_FALSE)),
              DataType.BOOLEAN,
              truth(d));
      case 5, 6 -> compare(integer(d), integer(d));
      case 7 -> compare(decimal(d), decimal(d));
      case 8 -> compare(floating(d), floating(d));
      case 9 -> compare(text(d), text(d));
      case 10 -> compare(date(d), chance(2) ? literal(DataType.DATE) : date(d));
      case 11 -> inList(d);
      case 12 ->
          call(
              chance(4) ? Op.ILIKE : Op.LIKE,
              DataType.BOOLEAN,
              text(d),
              Expr.literal(
                  pick(
                      List.of(
                          "%special%requests%",
                          "PROMO%", "%mint", "a_c", "%ä%", "%", "", "_", "%e%_ s%", "ab%b", "%1",
                          "%__%")),
                  DataType.VARCHAR));
      default -> choice(DataType.BOOLEAN, d, () -> truth(d));
    };
  }

  /** An interval from one date, time of day or timestamp to another. */
  private Expr difference(int depth) {
    DataType type = DataType.of(TypeKind.INTERVAL_DAY, false);
    return switch (random.nextInt(3)) {
      case 0 -> call(Op.DATETIME_MINUS, type, date(depth), date(depth));
      case 1 -> call(Op.DATETIME_MINUS, type, column(TypeKind.TIME), column(TypeKind.TIME));
      default -> {
        Expr a = timestamp(depth);
        yield call(Op.DATETIME_MINUS, type, a, cast(timestamp(depth), a.type()));
      }
    };
  }

  /** A cast whose failures are nulls. */
  private static Expr tryCast(Expr value, DataType type) {
    return Expr.call(Op.TRY_CAST, type.withNullable(true), value);
  }

  private Expr compare(Expr a, Expr b) {
    Op op =
        pick(
            List.of(
                Op.EQ,
                Op.NE,
                Op.LT,
                Op.LE,
                Op.GT,
                Op.GE,
                Op.IS_DISTINCT_FROM,
                Op.IS_NOT_DISTINCT_FROM));
    return op == Op.IS_DISTINCT_FROM || op == Op.IS_NOT_DISTINCT_FROM
        ? Expr.call(op, DataType.BOOLEAN, a, b)
        : call(op, DataType.BOOLEAN, a, b);
  }

  private Expr inList(int depth) {
    Expr value =
        switch (random.nextInt(4)) {
          case 0 -> integer(depth);
          case 1 -> decimal(depth);
          case 2 -> floating(depth);
          default -> text(depth);
        };
    Expr[] args = new Expr[random.nextInt(2, chance(3) ? 40 : 5)];
    args[0] = value;
    for (int i = 1; i < args.length; i++) {
      args[i] = literal(value.type());
    }
    return call(Op.IN_LIST, DataType.BOOLEAN, args);
  }

  private Expr choice(DataType type, int depth, java.util.function.Supplier<Expr> values) {
    Expr a = values.get();
    Expr b = chance(6) ? Expr.literal(null, type.withNullable(true)) : values.get();
    boolean nullable = a.type().nullable() || b.type().nullable();
    DataType result = type.withNullable(nullable);
    return switch (random.nextInt(3)) {
      case 0 -> Expr.call(Op.CASE, result, truth(depth), a, b);
      case 1 -> Expr.call(Op.CASE, result, truth(depth), a, truth(depth), b, a);
      default -> Expr.call(Op.COALESCE, type.withNullable(true), a, b);
    };
  }

  /** INT64. */
  Expr integer(int depth) {
    DataType type = DataType.INT64;
    if (depth <= 0) {
      return chance(3)
          ? literal(type)
          : cast(column(TypeKind.INT8, TypeKind.INT16, TypeKind.INT32, TypeKind.INT64), type);
    }
    int d = depth - 1;
    return switch (random.nextInt(12)) {
      case 0 -> call(pick(List.of(Op.PLUS, Op.MINUS, Op.TIMES)), type, integer(d), integer(d));
      case 1 ->
          call(
              pick(List.of(Op.PLUS, Op.MINUS, Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.GCD, Op.LCM)),
              type,
              integer(d),
              integer(d));
      case 2 -> call(pick(List.of(Op.DIVIDE, Op.MOD)), type, integer(d), nonZero(integer(d), type));
      case 3 ->
          call(
              pick(List.of(Op.NEGATE, Op.ABS, Op.SIGN, Op.BIT_NOT, Op.BIT_COUNT)),
              type,
              integer(d));
      case 4 -> call(pick(List.of(Op.CHAR_LENGTH, Op.OCTET_LENGTH)), type, text(d));
      case 5 ->
          call(
              Op.EXTRACT,
              type,
              Expr.literal(pick(DATE_PARTS), DataType.VARCHAR),
              chance(3) ? timestamp(d) : date(d));
      case 6 ->
          chance(3)
              ? tryCast(chance(2) ? numeral() : chance(2) ? text(d) : decimal(d), type)
              : chance(4) ? cast(numeral(), type) : cast(decimal(d), type);
      case 7 ->
          chance(3)
              ? cast(tryCast(integer(d), DataType.of(TypeKind.INT16, true)), type)
              : cast(cast(integer(d), DataType.of(TypeKind.INT16, false)), type);
      case 8 -> cast(floating(d), type);
      case 9 ->
          call(Op.EXTRACT, type, Expr.literal(pick(TIME_PARTS), DataType.VARCHAR), timestamp(d));
      case 10 -> call(pick(List.of(Op.GREATEST, Op.LEAST)), type, integer(d), integer(d));
      default -> choice(type, d, () -> integer(d));
    };
  }

  /** Text that mostly is a number, sometimes with blanks and signs. */
  private Expr numeral() {
    Expr plain =
        cast(column(TypeKind.INT8, TypeKind.INT32), new DataType(TypeKind.CHAR, 6, 0, false));
    Expr point = Expr.literal(pick(List.of("", ".5", ".", " ", "0.125", "e1")), DataType.VARCHAR);
    Expr sign = Expr.literal(pick(List.of("", "", " ", "+", "-", "000")), DataType.VARCHAR);
    Expr trimmed = call(Op.TRIM_BOTH, DataType.VARCHAR, Expr.literal(" ", DataType.VARCHAR), plain);
    return switch (random.nextInt(4)) {
      case 0 -> call(Op.CONCAT, DataType.VARCHAR, sign, trimmed);
      case 1 -> call(Op.CONCAT, DataType.VARCHAR, trimmed, point);
      default -> plain;
    };
  }

  /** Mostly without zeros, so that most batches do not fail. */
  private Expr nonZero(Expr value, DataType type) {
    if (chance(8)) {
      return value;
    }
    Object zero =
        type.kind() == TypeKind.DECIMAL ? new BigDecimal(BigInteger.ZERO, type.scale()) : 0L;
    Object one =
        type.kind() == TypeKind.DECIMAL ? new BigDecimal(BigInteger.ONE, type.scale()) : 1L;
    return Expr.call(
        Op.CASE,
        value.type(),
        Expr.call(
            Op.EQ,
            DataType.BOOLEAN.withNullable(value.type().nullable()),
            value,
            Expr.literal(zero, type.withNullable(false))),
        Expr.literal(one, type.withNullable(false)),
        value);
  }

  Expr decimal(int depth) {
    if (depth <= 0) {
      return chance(3)
          ? literal(DataType.decimal(random.nextInt(6, 9), random.nextInt(0, 6), false))
          : column(TypeKind.DECIMAL);
    }
    int d = depth - 1;
    return switch (random.nextInt(9)) {
      case 0, 1, 2 -> {
        Expr a = decimal(d);
        Expr b = decimal(d);
        Op op = pick(List.of(Op.PLUS, Op.MINUS, Op.TIMES));
        int scale =
            op == Op.TIMES
                ? a.type().scale() + b.type().scale()
                : Math.max(a.type().scale(), b.type().scale());
        scale = chance(6) ? Math.max(0, scale - 2) : Math.min(scale, 10);
        int precision = chance(2) ? 38 : chance(3) ? 18 : 28;
        yield call(op, DataType.decimal(precision, Math.min(scale, precision), false), a, b);
      }
      case 3 -> {
        Expr a = decimal(d);
        Expr b = decimal(d);
        yield call(
            chance(4) ? Op.MOD : Op.DIVIDE,
            DataType.decimal(38, 8, false),
            a,
            nonZero(b, b.type()));
      }
      case 4 -> {
        Expr a = decimal(d);
        yield call(pick(List.of(Op.NEGATE, Op.ABS, Op.SIGN)), a.type(), a);
      }
      case 5 -> {
        Expr a = decimal(d);
        if (chance(2)) {
          yield call(
              chance(2) ? Op.ROUND : Op.TRUNCATE,
              DataType.decimal(38, random.nextInt(4, 7), false),
              a,
              literalOf(random.nextInt(-3, 5)));
        }
        yield call(
            pick(List.of(Op.FLOOR, Op.CEIL, Op.ROUND, Op.TRUNCATE)),
            DataType.decimal(38, 0, false),
            a);
      }
      case 6 ->
          cast(
              chance(5) ? numeral() : chance(2) ? integer(d) : decimal(d),
              DataType.decimal(random.nextInt(12, 38), random.nextInt(0, 6), false));
      case 7 -> cast(decimal(d), DataType.decimal(15, 2, false));
      default -> {
        DataType type = DataType.decimal(30, 5, false);
        yield choice(type, d, () -> cast(decimal(d), type));
      }
    };
  }

  Expr floating(int depth) {
    DataType type = DataType.FLOAT64;
    if (depth <= 0) {
      return chance(3) ? literal(type) : cast(column(TypeKind.FLOAT32, TypeKind.FLOAT64), type);
    }
    int d = depth - 1;
    return switch (random.nextInt(8)) {
      case 0, 1 ->
          call(
              pick(List.of(Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE)),
              type,
              floating(d),
              floating(d));
      case 2 ->
          call(
              pick(List.of(Op.SQRT, Op.EXP, Op.ABS, Op.FLOOR, Op.CEIL, Op.NEGATE, Op.SIN)),
              type,
              floating(d));
      case 3 -> cast(integer(d), type);
      case 4 ->
          chance(5)
              ? tryCast(chance(2) ? numeral() : text(d), type)
              : cast(chance(3) ? numeral() : decimal(d), type);
      case 5 -> cast(cast(floating(d), DataType.of(TypeKind.FLOAT32, false)), type);
      case 6 ->
          call(Op.POWER, type, floating(d), chance(2) ? Expr.literal(0.5, type) : literal(type));
      default -> choice(type, d, () -> floating(d));
    };
  }

  Expr text(int depth) {
    DataType type = DataType.VARCHAR;
    if (depth <= 0) {
      return chance(4) ? literal(type) : column(TypeKind.CHAR, TypeKind.VARCHAR);
    }
    int d = depth - 1;
    return switch (random.nextInt(12)) {
      case 0 -> call(pick(List.of(Op.UPPER, Op.LOWER, Op.INITCAP)), type, text(d));
      case 1, 2 ->
          chance(2)
              ? call(Op.SUBSTRING, type, text(d), small())
              : call(Op.SUBSTRING, type, text(d), small(), literalOf(random.nextInt(0, 8)));
      case 3 -> call(Op.CONCAT, type, text(d), text(d), text(d));
      case 4 ->
          call(
              pick(List.of(Op.TRIM_BOTH, Op.TRIM_LEADING, Op.TRIM_TRAILING)),
              type,
              Expr.literal(pick(List.of(" ", "a", "äa")), type),
              text(d));
      case 5 -> cast(text(d), new DataType(TypeKind.VARCHAR, random.nextInt(0, 30), 0, false));
      case 6 -> cast(text(d), new DataType(TypeKind.CHAR, random.nextInt(1, 30), 0, false));
      case 7 ->
          cast(
              chance(3) ? date(d) : chance(3) ? timestamp(d) : chance(2) ? integer(d) : decimal(d),
              chance(2)
                  ? type
                  : new DataType(
                      chance(2) ? TypeKind.CHAR : TypeKind.VARCHAR,
                      random.nextInt(1, 20),
                      0,
                      false));
      case 8 -> call(Op.REPLACE, type, text(d), literal(type), literal(type));
      case 9 -> call(chance(2) ? Op.LEFT : Op.RIGHT, type, text(d), small());
      case 10 -> {
        Expr arg = text(d);
        yield new Expr.HostFunctionCall(
            "TWICE",
            args -> args[0] == null ? null : args[0] + "" + args[0],
            List.of(arg),
            true,
            type.withNullable(arg.type().nullable()));
      }
      default -> choice(type, d, () -> text(d));
    };
  }

  private Expr literalOf(long value) {
    return Expr.literal(value, DataType.INT32);
  }

  private Expr small() {
    return chance(3)
        ? cast(column(TypeKind.INT8), DataType.INT32)
        : literalOf(random.nextInt(-2, 9));
  }

  Expr date(int depth) {
    DataType type = DataType.DATE;
    if (depth <= 0) {
      return chance(4) ? literal(type) : column(TypeKind.DATE);
    }
    int d = depth - 1;
    return switch (random.nextInt(6)) {
      case 0 -> call(Op.DATETIME_PLUS, type, date(d), column(TypeKind.INTERVAL_MONTH));
      case 1 ->
          call(Op.DATETIME_PLUS, type, date(d), literal(DataType.of(TypeKind.INTERVAL_DAY, false)));
      case 2 -> cast(timestamp(d), type);
      case 3 ->
          call(
              chance(2) ? Op.FLOOR_TIME : Op.CEIL_TIME,
              type,
              Expr.literal(pick(List.of("YEAR", "MONTH", "QUARTER", "WEEK")), DataType.VARCHAR),
              date(d));
      case 4 ->
          chance(6)
              ? tryCast(chance(2) ? text(d) : cast(date(d), DataType.VARCHAR), type)
              : chance(3)
                  ? cast(cast(date(d), DataType.VARCHAR), type)
                  : cast(cast(date(d), DataType.of(TypeKind.TIMESTAMP, false)), type);
      default -> choice(type, d, () -> date(d));
    };
  }

  private Expr zone() {
    return Expr.literal(
        pick(List.of("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "-03:30")),
        DataType.VARCHAR);
  }

  /** An instant, or the beginning of an hour or minute of a zone. */
  private Expr rounded(Expr instant) {
    return chance(2)
        ? instant
        : call(
            chance(2) ? Op.INSTANT_FLOOR : Op.INSTANT_CEIL,
            instant.type(),
            zone(),
            Expr.literal(pick(List.of("HOUR", "MINUTE")), DataType.VARCHAR),
            instant);
  }

  /** A timestamp of any unit. */
  private Expr timestamp(int depth) {
    Expr column = column(TypeKind.TIMESTAMP);
    if (depth <= 0 || chance(2)) {
      return column;
    }
    Expr value = timestamp(depth - 1);
    DataType type = value.type();
    return switch (random.nextInt(5)) {
      case 4 ->
          call(
              Op.LOCAL_TIME,
              type,
              zone(),
              rounded(
                  call(
                      Op.LOCAL_TO_INSTANT,
                      new DataType(TypeKind.INSTANT, type.precision(), 0, type.nullable()),
                      zone(),
                      value)));
      case 0 ->
          call(
              chance(2) ? Op.FLOOR_TIME : Op.CEIL_TIME,
              type,
              Expr.literal(
                  pick(List.of("YEAR", "WEEK", "HOUR", "SECOND", "MILLISECOND", "MICROSECOND")),
                  DataType.VARCHAR),
              value);
      case 1 -> call(Op.DATETIME_PLUS, type, value, column(TypeKind.INTERVAL_MONTH));
      case 2 -> call(Op.DATETIME_PLUS, type, value, column(TypeKind.INTERVAL_DAY));
      default ->
          chance(5)
              ? cast(date(depth - 1), DataType.timestamp(9, false))
              : cast(value, DataType.timestamp(pick(List.of(0, 3, 4, 6, 7, 9)), false));
    };
  }
}
