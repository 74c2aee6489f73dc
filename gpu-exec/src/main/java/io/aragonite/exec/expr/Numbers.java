package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Arithmetic on boxed numbers: exact on integers and decimals, Java's on floats. */
final class Numbers {
  private static final BigInteger[] POWERS = new BigInteger[DataType.MAX_DECIMAL_PRECISION + 1];

  static {
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = BigInteger.TEN.pow(i);
    }
  }

  private Numbers() {}

  static BigInteger powerOfTen(int exponent) {
    return exponent < POWERS.length ? POWERS[exponent] : BigInteger.TEN.pow(exponent);
  }

  static double toDouble(Object value) {
    return ((Number) value).doubleValue();
  }

  static BigDecimal toDecimal(Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal;
    }
    if (value instanceof Long number) {
      return BigDecimal.valueOf(number);
    }
    double number = toDouble(value);
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      throw overflow("the value " + number + " is not a decimal number");
    }
    return BigDecimal.valueOf(number);
  }

  static EvalException overflow(String detail) {
    return new EvalException(ErrorCode.NUMERIC_OVERFLOW, detail);
  }

  static EvalException doesNotFit(Object value, DataType type) {
    return overflow("the value " + value + " does not fit " + type.withNullable(true));
  }

  /** The smallest value of an integer-like kind. */
  static long min(TypeKind kind) {
    return switch (kind) {
      case INT8 -> Byte.MIN_VALUE;
      case INT16 -> Short.MIN_VALUE;
      case INT32, DATE, INTERVAL_MONTH -> Integer.MIN_VALUE;
      default -> Long.MIN_VALUE;
    };
  }

  static long max(TypeKind kind) {
    return switch (kind) {
      case INT8 -> Byte.MAX_VALUE;
      case INT16 -> Short.MAX_VALUE;
      case INT32, DATE, INTERVAL_MONTH -> Integer.MAX_VALUE;
      default -> Long.MAX_VALUE;
    };
  }

  /** Checks an integer against the width of its type. */
  static Long fit(long value, DataType type) {
    if (value < min(type.kind()) || value > max(type.kind())) {
      throw doesNotFit(value, type);
    }
    return value;
  }

  /** An exact result as a decimal of the type: rounded half away from zero, then checked. */
  static BigDecimal fit(BigDecimal value, DataType type, RoundingMode rounding) {
    BigDecimal scaled = value.setScale(type.scale(), rounding);
    if (scaled.unscaledValue().abs().compareTo(powerOfTen(type.precision())) >= 0) {
      throw doesNotFit(value.toPlainString(), type);
    }
    return scaled;
  }

  /** A float of the type's width. */
  static Double fit(double value, DataType type) {
    return type.kind() == TypeKind.FLOAT32 ? (double) (float) value : value;
  }

  /** The same of a value that is cast: one that is finite stays so. */
  static Double cast(double value, DataType type) {
    Double fitted = fit(value, type);
    if (Double.isInfinite(fitted) && !Double.isInfinite(value)) {
      throw doesNotFit(value, type);
    }
    return fitted;
  }

  /** A number that an operation has computed, in the form of its result type. */
  static Object result(BigDecimal value, DataType type) {
    if (type.kind() == TypeKind.DECIMAL) {
      return fit(value, type, RoundingMode.HALF_UP);
    }
    if (type.kind().isFloat()) {
      return fit(value.doubleValue(), type);
    }
    return fitLong(value.setScale(0, RoundingMode.DOWN), type);
  }

  static Long fitLong(BigDecimal integral, DataType type) {
    BigInteger value = integral.toBigInteger();
    if (value.bitLength() > 63) {
      throw doesNotFit(value, type);
    }
    return fit(value.longValue(), type);
  }

  static Object binary(Op op, Object left, Object right, DataType type) {
    if (type.kind().isFloat()) {
      double a = toDouble(left);
      double b = toDouble(right);
      return fit(
          switch (op) {
            case PLUS -> a + b;
            case MINUS -> a - b;
            case TIMES -> a * b;
            case DIVIDE -> a / b;
            case MOD -> {
              if (b == 0) {
                throw divisionByZero();
              }
              yield a % b;
            }
            default -> throw new IllegalArgumentException(op.name());
          },
          type);
    }
    if (type.kind() == TypeKind.DECIMAL
        || !(left instanceof Long a)
        || !(right instanceof Long b)) {
      return result(decimal(op, toDecimal(left), toDecimal(right), type), type);
    }
    try {
      return fit(
          switch (op) {
            case PLUS -> Math.addExact(a, b);
            case MINUS -> Math.subtractExact(a, b);
            case TIMES -> Math.multiplyExact(a, b);
            case DIVIDE -> {
              if (b == 0) {
                throw divisionByZero();
              }
              yield Math.divideExact(a, b);
            }
            case MOD -> {
              if (b == 0) {
                throw divisionByZero();
              }
              yield a % b;
            }
            default -> throw new IllegalArgumentException(op.name());
          },
          type);
    } catch (ArithmeticException e) {
      throw overflow("the result does not fit " + type.withNullable(true));
    }
  }

  private static BigDecimal decimal(Op op, BigDecimal a, BigDecimal b, DataType type) {
    return switch (op) {
      case PLUS -> a.add(b);
      case MINUS -> a.subtract(b);
      case TIMES -> a.multiply(b);
      case DIVIDE -> {
        if (b.signum() == 0) {
          throw divisionByZero();
        }
        boolean decimal = type.kind() == TypeKind.DECIMAL;
        yield a.divide(
            b, decimal ? type.scale() : 0, decimal ? RoundingMode.HALF_UP : RoundingMode.DOWN);
      }
      case MOD -> {
        if (b.signum() == 0) {
          throw divisionByZero();
        }
        yield a.remainder(b);
      }
      default -> throw new IllegalArgumentException(op.name());
    };
  }

  static EvalException divisionByZero() {
    return new EvalException(ErrorCode.DIVISION_BY_ZERO, "division by zero");
  }

  static Object negate(Object value, DataType type) {
    return value instanceof Double number
        ? fit(-number, type)
        : result(toDecimal(value).negate(), type);
  }

  static Object abs(Object value, DataType type) {
    return value instanceof Double number
        ? fit(Math.abs(number), type)
        : result(toDecimal(value).abs(), type);
  }

  static Object sign(Object value, DataType type) {
    return value instanceof Double number
        ? fit(Math.signum(number), type)
        : result(BigDecimal.valueOf(toDecimal(value).signum()), type);
  }

  static Object floor(Object value, DataType type) {
    return value instanceof Double number
        ? fromDouble(Math.floor(number), type)
        : result(toDecimal(value).setScale(0, RoundingMode.FLOOR), type);
  }

  static Object ceil(Object value, DataType type) {
    return value instanceof Double number
        ? fromDouble(Math.ceil(number), type)
        : result(toDecimal(value).setScale(0, RoundingMode.CEILING), type);
  }

  /** ROUND (half away from zero) and TRUNCATE (towards zero) to a number of digits. */
  static Object round(Object value, long digits, RoundingMode rounding, DataType type) {
    if (value instanceof Double number && (Double.isNaN(number) || Double.isInfinite(number))) {
      return number;
    }
    BigDecimal exact = toDecimal(value);
    BigDecimal rounded;
    if (digits >= exact.scale()) {
      rounded = exact;
    } else if (digits < -400) {
      rounded = BigDecimal.ZERO;
    } else {
      rounded = exact.setScale((int) digits, rounding);
    }
    return type.kind() == TypeKind.DECIMAL && rounding == RoundingMode.DOWN
        ? fit(rounded, type, RoundingMode.DOWN)
        : result(rounded, type);
  }

  /** A computed double in the form of the result type. */
  static Object fromDouble(double value, DataType type) {
    return type.kind().isFloat() ? fit(value, type) : result(toDecimal(value), type);
  }

  /**
   * Compares two numbers, decimals of any scales. Floats have one order, that of PostgreSQL: a NaN
   * is equal to itself and greater than all others, -0.0 is equal to 0.0.
   */
  static int compare(Object a, Object b) {
    if (a instanceof Long x && b instanceof Long y) {
      return Long.compare(x, y);
    }
    if (a instanceof Double || b instanceof Double) {
      return Double.compare(toDouble(a) + 0.0, toDouble(b) + 0.0);
    }
    return toDecimal(a).compareTo(toDecimal(b));
  }
}
