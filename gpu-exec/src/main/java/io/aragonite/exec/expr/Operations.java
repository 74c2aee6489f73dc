package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The operations over boxed values. */
final class Operations {
  private record PatternKey(Op op, String pattern, @Nullable String escape) {}

  private static final int MAX_PATTERNS = 256;
  private static final ConcurrentHashMap<PatternKey, Object> PATTERNS = new ConcurrentHashMap<>();

  private Operations() {}

  /** Not distinct: both null, or equal. */
  static boolean same(@Nullable Object a, @Nullable Object b) {
    if (a == null || b == null) {
      return a == null && b == null;
    }
    return compare(a, b) == 0;
  }

  static @Nullable Boolean inList(@Nullable Object[] args) {
    Object value = args[0];
    if (value == null) {
      return null;
    }
    boolean unknown = false;
    for (int i = 1; i < args.length; i++) {
      Object other = args[i];
      if (other == null) {
        unknown = true;
      } else if (compare(value, other) == 0) {
        return true;
      }
    }
    return unknown ? null : false;
  }

  static int compare(Object a, Object b) {
    return switch (a) {
      case String text -> TextFunctions.compare(text, (String) b);
      case Boolean truth -> Boolean.compare(truth, (Boolean) b);
      case byte[] bytes -> Arrays.compareUnsigned(bytes, (byte[]) b);
      case Number number -> Numbers.compare(number, b);
      default ->
          throw new EvalException(
              ErrorCode.EXPRESSION_UNSUPPORTED,
              "values of " + a.getClass().getSimpleName() + " cannot be compared");
    };
  }

  private static long integer(Object value) {
    return value instanceof Long number
        ? number
        : Numbers.fitLong(Numbers.toDecimal(value).setScale(0, RoundingMode.DOWN), DataType.INT64);
  }

  /** A strict operation; no argument is null. */
  static @Nullable Object strict(Expr.Call call, @Nullable Object[] nullableArgs) {
    @SuppressWarnings("NullAway") // checked by the caller
    Object[] args = nullableArgs;
    DataType type = call.type();
    Op op = call.op();
    return switch (op) {
      case EQ -> compare(args[0], args[1]) == 0;
      case NE -> compare(args[0], args[1]) != 0;
      case LT -> compare(args[0], args[1]) < 0;
      case LE -> compare(args[0], args[1]) <= 0;
      case GT -> compare(args[0], args[1]) > 0;
      case GE -> compare(args[0], args[1]) >= 0;
      case NOT -> !(Boolean) args[0];
      case CAST, TRY_CAST -> Casts.cast(args[0], call.args().getFirst().type(), type);
      case EXTRACT, FLOOR_TIME, CEIL_TIME ->
          time(op, TimeUnit.valueOf((String) args[0]), (Long) args[1], call.args().get(1).type());
      case DATETIME_PLUS ->
          plus(
              (Long) args[0],
              call.args().getFirst().type(),
              (Long) args[1],
              call.args().get(1).type());
      case DATETIME_MINUS -> minus(args, call);
      case LOCAL_TIME, LOCAL_TO_INSTANT, INSTANT_TEXT, INSTANT_OF_TEXT, TRY_INSTANT_OF_TEXT ->
          ZonedTimes.of(op, (String) args[0], args[1], call);
      case INSTANT_FLOOR, INSTANT_CEIL ->
          ZonedTimes.rounded(op, (String) args[0], (String) args[1], (Long) args[2], type);
      case GREATEST -> extreme(args, 1);
      case LEAST -> extreme(args, -1);
      default -> ofNumbers(op, args, type);
    };
  }

  /** Operations of numbers and of bits; all others are of texts. */
  private static @Nullable Object ofNumbers(Op op, Object[] args, DataType type) {
    return switch (op) {
      case PLUS, MINUS, TIMES, DIVIDE, MOD -> Numbers.binary(op, args[0], args[1], type);
      case NEGATE -> Numbers.negate(args[0], type);
      case ABS -> Numbers.abs(args[0], type);
      case SIGN -> Numbers.sign(args[0], type);
      case POWER ->
          Numbers.fromDouble(
              Floats.power(Numbers.toDouble(args[0]), Numbers.toDouble(args[1])), type);
      case ATAN2 ->
          Numbers.fromDouble(
              Math.atan2(Numbers.toDouble(args[0]), Numbers.toDouble(args[1])), type);
      case SQRT,
          CBRT,
          EXP,
          LN,
          LOG10,
          SIN,
          COS,
          TAN,
          COT,
          ASIN,
          ACOS,
          ATAN,
          SINH,
          COSH,
          TANH,
          DEGREES,
          RADIANS ->
          Numbers.fromDouble(function(op).applyAsDouble(Numbers.toDouble(args[0])), type);
      case PI -> Numbers.fromDouble(Math.PI, type);
      case FLOOR -> Numbers.floor(args[0], type);
      case CEIL -> Numbers.ceil(args[0], type);
      case ROUND ->
          Numbers.round(
              args[0], args.length > 1 ? integer(args[1]) : 0, RoundingMode.HALF_UP, type);
      case TRUNCATE ->
          Numbers.round(args[0], args.length > 1 ? integer(args[1]) : 0, RoundingMode.DOWN, type);
      case BIT_AND, BIT_OR, BIT_XOR -> bits(op, args[0], args[1]);
      case BIT_NOT -> bitNot(args[0], type);
      case BIT_COUNT -> (Long) (long) Long.bitCount((Long) args[0]);
      case LCM -> {
        long a = integer(args[0]);
        long b = integer(args[1]);
        yield Numbers.binary(Op.TIMES, Integers.negativeShare(a, b), Integers.negative(b), type);
      }
      case GCD -> Numbers.negate(Integers.negativeGcd(integer(args[0]), integer(args[1])), type);
      default -> ofTexts(op, args);
    };
  }

  /** Operations of texts, some of which binary strings have as well. */
  private static Object ofTexts(Op op, Object[] args) {
    return switch (op) {
      case LIKE, ILIKE, SIMILAR ->
          matches(
              op, (String) args[0], (String) args[1], args.length > 2 ? (String) args[2] : null);
      case UPPER -> TextFunctions.upper((String) args[0]);
      case LOWER -> TextFunctions.lower((String) args[0]);
      case INITCAP -> TextFunctions.initcap((String) args[0]);
      case CHAR_LENGTH ->
          args[0] instanceof byte[] bytes
              ? (Long) (long) bytes.length
              : (Long) (long) TextFunctions.length((String) args[0]);
      case OCTET_LENGTH -> (long) bytes(args[0]).length;
      case SUBSTRING -> substring(args);
      case CONCAT -> args[0] instanceof byte[] ? concatBytes(args) : TextFunctions.concat(args);
      case TRIM_BOTH -> trim(args, true, true);
      case TRIM_LEADING -> trim(args, true, false);
      case TRIM_TRAILING -> trim(args, false, true);
      case POSITION -> position(args);
      case REPLACE -> TextFunctions.replace((String) args[0], (String) args[1], (String) args[2]);
      case OVERLAY -> overlay(args);
      case LEFT -> left(args[0], integer(args[1]));
      case RIGHT -> right(args[0], integer(args[1]));
      case LPAD, RPAD ->
          TextFunctions.pad(
              (String) args[0],
              integer(args[1]),
              args.length > 2 ? (String) args[2] : " ",
              op == Op.LPAD);
      case REVERSE -> new StringBuilder((String) args[0]).reverse().toString();
      case REPEAT -> TextFunctions.repeat((String) args[0], integer(args[1]));
      case UUID_OF_TEXT, TRY_UUID_OF_TEXT -> UuidText.of((String) args[0]);
      case FORMAT -> TextFormat.format(args[0], (String) args[1]);
      case ASCII -> {
        String text = (String) args[0];
        yield text.isEmpty() ? 0L : (long) text.codePointAt(0);
      }
      case CHR -> TextFunctions.chr(integer(args[0]));
      case DATE_PART -> DatePart.ordinalOf((String) args[0]);
      default -> throw new IllegalArgumentException(op + " is not strict");
    };
  }

  private static long position(Object[] args) {
    long from = args.length > 2 ? integer(args[2]) : 1;
    return args[0] instanceof byte[] needle
        ? TextFunctions.position(needle, (byte[]) args[1], from)
        : TextFunctions.position((String) args[0], (String) args[1], from);
  }

  private static Object left(Object value, long count) {
    return value instanceof byte[] bytes
        ? TextFunctions.substring(bytes, 1, count)
        : TextFunctions.slice((String) value, 0, count);
  }

  private static Object right(Object value, long count) {
    if (value instanceof byte[] bytes) {
      long from = bytes.length - Math.max(0, count) + 1;
      return TextFunctions.substring(bytes, from, Long.MAX_VALUE);
    }
    String text = (String) value;
    long from = TextFunctions.length(text) - Math.max(0, count);
    return TextFunctions.slice(text, from, Long.MAX_VALUE);
  }

  private static byte[] bytes(Object value) {
    return value instanceof byte[] bytes
        ? bytes
        : ((String) value).getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static boolean matches(Op op, String text, String pattern, @Nullable String escape) {
    PatternKey key = new PatternKey(op, pattern, escape);
    Object compiled = PATTERNS.get(key);
    if (compiled == null) {
      compiled =
          op == Op.SIMILAR
              ? new SimilarPattern(pattern, escape)
              : new LikePattern(pattern, escape, op == Op.ILIKE);
      if (PATTERNS.size() >= MAX_PATTERNS) {
        PATTERNS.clear();
      }
      PATTERNS.put(key, compiled);
    }
    return compiled instanceof LikePattern like
        ? like.matches(text)
        : ((SimilarPattern) compiled).matches(text);
  }

  private static Object substring(Object[] args) {
    long from = integer(args[1]);
    if (args[0] instanceof byte[] bytes) {
      long end =
          args.length > 2 ? TextFunctions.substringEnd(from, integer(args[2])) : Long.MAX_VALUE;
      return TextFunctions.substring(bytes, from, end);
    }
    return args.length > 2
        ? TextFunctions.substring((String) args[0], from, integer(args[2]))
        : TextFunctions.substring((String) args[0], from);
  }

  private static byte[] concatBytes(Object[] args) {
    long total = 0;
    for (Object arg : args) {
      total += ((byte[]) arg).length;
    }
    TextFunctions.checkLength(total);
    byte[] result = new byte[(int) total];
    int at = 0;
    for (Object arg : args) {
      byte[] part = (byte[]) arg;
      System.arraycopy(part, 0, result, at, part.length);
      at += part.length;
    }
    return result;
  }

  private static Object trim(Object[] args, boolean leading, boolean trailing) {
    return args[1] instanceof byte[] bytes
        ? TextFunctions.trim((byte[]) args[0], bytes, leading, trailing)
        : TextFunctions.trim((String) args[0], (String) args[1], leading, trailing);
  }

  private static Object overlay(Object[] args) {
    long from = integer(args[2]);
    if (args[0] instanceof byte[] bytes) {
      byte[] replacement = (byte[]) args[1];
      long length = args.length > 3 ? integer(args[3]) : replacement.length;
      return TextFunctions.overlay(bytes, replacement, from, length);
    }
    String replacement = (String) args[1];
    long length = args.length > 3 ? integer(args[3]) : TextFunctions.length(replacement);
    return TextFunctions.overlay((String) args[0], replacement, from, length);
  }

  private static DoubleUnaryOperator function(Op op) {
    return switch (op) {
      case SQRT -> Math::sqrt;
      case CBRT -> Math::cbrt;
      case EXP -> Math::exp;
      case LN -> x -> Math.log(positive(x));
      case LOG10 -> x -> Math.log10(positive(x));
      case SIN -> Math::sin;
      case COS -> Math::cos;
      case TAN -> Math::tan;
      case COT -> x -> 1 / Math.tan(x);
      case ASIN -> Math::asin;
      case ACOS -> Math::acos;
      case ATAN -> Math::atan;
      case SINH -> Math::sinh;
      case COSH -> Math::cosh;
      case TANH -> Math::tanh;
      case DEGREES -> Math::toDegrees;
      case RADIANS -> Math::toRadians;
      default -> throw new IllegalArgumentException(op.name());
    };
  }

  private static double positive(double x) {
    if (x <= 0) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "there is no logarithm of " + x + ", which is not positive");
    }
    return x;
  }

  private static Object bits(Op op, Object a, Object b) {
    if (a instanceof byte[] x) {
      byte[] y = (byte[]) b;
      if (x.length != y.length) {
        throw new EvalException(
            ErrorCode.INVALID_ARGUMENT,
            "the operands have " + x.length + " and " + y.length + " bytes");
      }
      byte[] result = new byte[x.length];
      for (int i = 0; i < x.length; i++) {
        result[i] = (byte) bits(op, (long) x[i], (long) y[i]);
      }
      return result;
    }
    return bits(op, integer(a), integer(b));
  }

  private static long bits(Op op, long a, long b) {
    return op == Op.BIT_AND ? a & b : op == Op.BIT_OR ? a | b : a ^ b;
  }

  private static Object bitNot(Object value, DataType type) {
    if (value instanceof byte[] bytes) {
      byte[] result = bytes.clone();
      for (int i = 0; i < result.length; i++) {
        result[i] = (byte) ~result[i];
      }
      return result;
    }
    return Numbers.fit(~integer(value), type);
  }

  private static Long time(Op op, TimeUnit unit, long value, DataType type) {
    TypeKind kind = type.kind();
    if (op == Op.EXTRACT) {
      return switch (kind) {
        case DATE -> DateTimes.extractDate(unit, value);
        case TIME -> DateTimes.extractTime(unit, value, type.timestampUnit());
        case TIMESTAMP -> DateTimes.extractTimestamp(unit, value, type.timestampUnit());
        case INTERVAL_MONTH -> DateTimes.extractMonths(unit, value);
        default -> DateTimes.extractInterval(unit, value);
      };
    }
    if (kind == TypeKind.DATE) {
      return op == Op.FLOOR_TIME
          ? DateTimes.floorDate(unit, value)
          : DateTimes.ceilDate(unit, value);
    }
    TimestampUnit of = type.timestampUnit();
    try {
      return op == Op.FLOOR_TIME
          ? DateTimes.floorTimestamp(unit, value, of)
          : DateTimes.ceilTimestamp(unit, value, of);
    } catch (ArithmeticException e) {
      throw Numbers.overflow("the result is beyond the range of " + type.withNullable(true));
    }
  }

  private static Long plus(long value, DataType type, long interval, DataType intervalType) {
    boolean months = intervalType.kind() == TypeKind.INTERVAL_MONTH;
    try {
      return switch (type.kind()) {
        case DATE ->
            Numbers.fit(
                months
                    ? DateTimes.addMonths(value, interval)
                    : value + interval / DateTimes.MILLIS_PER_DAY,
                type);
        case TIME -> {
          TimestampUnit unit = type.timestampUnit();
          long size = interval % DateTimes.MILLIS_PER_DAY * unit.perMilli();
          yield months ? value : Math.floorMod(value + size, unit.perDay());
        }
        default -> {
          TimestampUnit unit = type.timestampUnit();
          yield months
              ? DateTimes.addMonthsToTimestamp(value, interval, unit)
              : DateTimes.addMillisToTimestamp(value, interval, unit);
        }
      };
    } catch (ArithmeticException e) {
      throw Numbers.overflow("the sum is beyond the range of " + type.withNullable(true));
    }
  }

  private static Long minus(Object[] args, Expr.Call call) {
    DataType type = call.args().getFirst().type();
    DataType otherType = call.args().get(1).type();
    long a = (Long) args[0];
    long b = (Long) args[1];
    if (type.kind() == TypeKind.DATE && otherType.kind() == TypeKind.DATE) {
      return call.type().kind() == TypeKind.INTERVAL_MONTH
          ? DateTimes.monthsBetween(a, b)
          : (a - b) * DateTimes.MILLIS_PER_DAY;
    }
    TimestampUnit unit = type.kind() == TypeKind.DATE ? unit(otherType) : unit(type);
    a = type.kind() == TypeKind.DATE ? a * unit.perDay() : a;
    b = otherType.kind() == TypeKind.DATE ? b * unit.perDay() : b;
    if (call.type().kind() == TypeKind.INTERVAL_MONTH) {
      return DateTimes.monthsBetweenTimestamps(a, b, unit);
    }
    long difference = a - b;
    if (((a ^ b) & (a ^ difference)) < 0) {
      throw Numbers.overflow("the difference does not fit an interval");
    }
    if (!unit.isExact(TimestampUnit.MILLIS, difference)) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT,
          "the difference of '%s' and '%s' has more than milliseconds, which an INTERVAL does not"
                  .formatted(Casts.toText(a, type), Casts.toText(b, type))
              + " keep; use TIMESTAMPDIFF(MICROSECOND, ...) or TIMESTAMPDIFF(NANOSECOND, ...)");
    }
    return unit.to(TimestampUnit.MILLIS, difference);
  }

  private static TimestampUnit unit(DataType type) {
    return type.kind() == TypeKind.TIMESTAMP || type.kind() == TypeKind.TIME
        ? type.timestampUnit()
        : TimestampUnit.MILLIS;
  }

  private static Object extreme(Object[] args, int sign) {
    Object best = args[0];
    for (int i = 1; i < args.length; i++) {
      int order =
          best instanceof Double x && args[i] instanceof Double y
              ? Double.compare(y, x) // of 0.0 and -0.0 the one that is asked for
              : compare(args[i], best);
      if (order * sign > 0) {
        best = args[i];
      }
    }
    return best;
  }
}
