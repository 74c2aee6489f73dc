package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bounds of exact values: what proves that arithmetic needs neither checks nor 128 bits. */
final class Bounds {
  static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
  static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  /** The smallest value of 128 bits. */
  static final BigInteger WIDE_MIN = BigInteger.ONE.shiftLeft(127).negate();

  static final BigInteger WIDE_MAX = WIDE_MIN.not();

  private Bounds() {}

  /** Whether a node's value is an exact number (or date) with bounds. */
  static boolean exact(ExprNode node) {
    return (node.rep == Rep.LONG || node.rep == Rep.WIDE) && node.min != null;
  }

  static BigInteger powerOfTen(int exponent) {
    return BigInteger.TEN.pow(exponent);
  }

  /** The smallest value of a type. */
  static BigInteger min(DataType type) {
    return switch (type.kind()) {
      case INT8 -> BigInteger.valueOf(Byte.MIN_VALUE);
      case INT16 -> BigInteger.valueOf(Short.MIN_VALUE);
      case INT32, DATE, INTERVAL_MONTH -> BigInteger.valueOf(Integer.MIN_VALUE);
      case DECIMAL -> BigInteger.ONE.subtract(powerOfTen(type.precision()));
      default -> LONG_MIN;
    };
  }

  static BigInteger max(DataType type) {
    return type.kind() == TypeKind.DECIMAL
        ? min(type).negate()
        : min(type).negate().subtract(BigInteger.ONE);
  }

  /** Gives a node the bounds that its type alone promises. */
  static ExprNode ofType(ExprNode node) {
    if (node.rep == Rep.LONG || node.rep == Rep.WIDE) {
      BigInteger min = min(node.type);
      BigInteger max = max(node.type);
      if (node.rep == Rep.LONG) {
        min = min.max(LONG_MIN);
        max = max.min(LONG_MAX);
      }
      node.bounds(min, max);
    }
    return node;
  }

  static ExprNode union(ExprNode node, List<ExprNode> values) {
    BigInteger min = null;
    BigInteger max = null;
    for (ExprNode value : values) {
      if (value.isConstantNull()) {
        continue;
      }
      if (value.min == null || value.max == null) {
        return ofType(node);
      }
      min = min == null ? value.min : min.min(value.min);
      max = max == null ? value.max : max.max(value.max);
    }
    return min == null ? ofType(node) : node.bounds(min, max);
  }

  static boolean fitsLong(BigInteger min, BigInteger max) {
    return min.bitLength() <= 63 && max.bitLength() <= 63;
  }

  static boolean fitsWide(BigInteger min, BigInteger max) {
    return min.bitLength() <= 127 && max.bitLength() <= 127;
  }

  /** Whether all values are values of the type. */
  static boolean fits(BigInteger min, BigInteger max, DataType type) {
    return min.compareTo(min(type)) >= 0 && max.compareTo(max(type)) <= 0;
  }

  /** The bounds as a column's range, where they say more than the type. */
  static @Nullable ValueRange range(ExprNode node) {
    BigInteger min = node.min;
    BigInteger max = node.max;
    if (node.rep != Rep.LONG || min == null || max == null || !fitsLong(min, max)) {
      return null;
    }
    BigInteger typeMin = min(node.type);
    BigInteger typeMax = max(node.type);
    boolean tighter = min.compareTo(typeMin) > 0 || max.compareTo(typeMax) < 0;
    return tighter ? new ValueRange(min.longValue(), max.longValue()) : null;
  }
}
