package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;

/**
 * The inner loops of accumulators: values without gaps are folded into the states of their groups.
 * {@code groups} is the address of 32-bit group numbers, or 0 if all rows belong to group 0.
 */
final class CpuFolds {
  /**
   * Up to this many groups, sums go to four copies of the states in turn, so that a row need not
   * wait for the store of the row before it, which is likely of the same group.
   */
  static final int FEW = 64;

  private static final int LANES = 4;

  private CpuFolds() {}

  /** Adds 1 to the 64-bit count of each row's group. */
  static void count(ExecContext context, long groups, int count, int groupCount, long state) {
    if (groups == 0) {
      Mem.putLong(state, Mem.getLong(state) + count);
      return;
    }
    if (groupCount > FEW) {
      for (int i = 0; i < count; i++) {
        long place = state + 8L * Mem.getInt(groups + 4L * i);
        Mem.putLong(place, Mem.getLong(place) + 1);
      }
      return;
    }
    long lane0 = lanes(context, groupCount);
    long lane1 = lane0 + 8L * groupCount;
    long lane2 = lane1 + 8L * groupCount;
    long lane3 = lane2 + 8L * groupCount;
    int i = 0;
    for (; i < count - 3; i += 4) {
      long place0 = lane0 + 8L * Mem.getInt(groups + 4L * i);
      long place1 = lane1 + 8L * Mem.getInt(groups + 4L * i + 4);
      long place2 = lane2 + 8L * Mem.getInt(groups + 4L * i + 8);
      long place3 = lane3 + 8L * Mem.getInt(groups + 4L * i + 12);
      Mem.putLong(place0, Mem.getLong(place0) + 1);
      Mem.putLong(place1, Mem.getLong(place1) + 1);
      Mem.putLong(place2, Mem.getLong(place2) + 1);
      Mem.putLong(place3, Mem.getLong(place3) + 1);
    }
    for (; i < count; i++) {
      long place = lane0 + 8L * Mem.getInt(groups + 4L * i);
      Mem.putLong(place, Mem.getLong(place) + 1);
    }
    for (int group = 0; group < groupCount; group++) {
      long place = state + 8L * group;
      Mem.putLong(place, Mem.getLong(place) + laneSum(lane0, groupCount, group));
    }
  }

  /** Zeroed 64-bit states, {@link #LANES} times {@code groupCount}. */
  private static long lanes(ExecContext context, int groupCount) {
    long lanes = context.scratch().allocate(8L * LANES * groupCount).address();
    Mem.fill(lanes, 8L * LANES * groupCount, (byte) 0);
    return lanes;
  }

  private static long laneSum(long lanes, int groupCount, int group) {
    long sum = 0;
    for (int lane = 0; lane < LANES; lane++) {
      sum += Mem.getLong(lanes + 8L * (lane * groupCount + group));
    }
    return sum;
  }

  /** An upper bound of the values' magnitude. */
  static long magnitude(long values, int count) {
    long bits = 0;
    long bits1 = 0;
    int n = 0;
    for (; n < count - 3; n += 4) {
      long value0 = Mem.getLong(values + 8L * n);
      long value1 = Mem.getLong(values + 8L * n + 8);
      long value2 = Mem.getLong(values + 8L * n + 16);
      long value3 = Mem.getLong(values + 8L * n + 24);
      bits |= (value0 ^ (value0 >> 63)) | (value1 ^ (value1 >> 63));
      bits1 |= (value2 ^ (value2 >> 63)) | (value3 ^ (value3 >> 63));
    }
    bits |= bits1;
    for (; n < count; n++) {
      long value = Mem.getLong(values + 8L * n);
      bits |= value ^ (value >> 63);
    }
    // -2^63 needs one more than its complement.
    return bits == Long.MAX_VALUE ? bits : bits + 1;
  }

  /** The same of a column's values, of which its shape may tell enough. */
  static long magnitude(ColumnShape shape, long longs, int count) {
    ValueRange range = shape.range();
    if (range != null && range.min() > Long.MIN_VALUE) {
      return Math.max(Math.abs(range.min()), Math.abs(range.max()));
    }
    return switch (shape.storage()) {
      case BYTE -> 1L << 7;
      case SHORT -> 1L << 15;
      case INT -> 1L << 31;
      default -> magnitude(longs, count);
    };
  }

  /**
   * Adds values to sums; the caller knows that neither the sums nor those of this batch alone leave
   * 64 bits.
   *
   * @param wide whether states have 128 bits
   */
  static void sum(
      ExecContext context,
      long values,
      long groups,
      int count,
      int groupCount,
      long state,
      boolean wide) {
    if (groups == 0) {
      addTo(state, 0, sumAll(values, count), wide);
    } else if (groupCount <= FEW) {
      sumFew(context, values, groups, count, groupCount, state, wide);
    } else if (wide) {
      for (int i = 0; i < count; i++) {
        long value = Mem.getLong(values + 8L * i);
        long place = state + 16L * Mem.getInt(groups + 4L * i);
        long low = Mem.getLong(place) + value;
        long carry = low + Long.MIN_VALUE < value + Long.MIN_VALUE ? 1 : 0;
        Mem.putLong(place, low);
        Mem.putLong(place + 8, Mem.getLong(place + 8) + (value >> 63) + carry);
      }
    } else {
      for (int i = 0; i < count; i++) {
        long place = state + 8L * Mem.getInt(groups + 4L * i);
        Mem.putLong(place, Mem.getLong(place) + Mem.getLong(values + 8L * i));
      }
    }
  }

  private static long sumAll(long values, int count) {
    // Four sums at once, or each addition waits for the one before.
    long sum0 = 0;
    long sum1 = 0;
    long sum2 = 0;
    long sum3 = 0;
    int i = 0;
    for (; i < count - 3; i += 4) {
      sum0 += Mem.getLong(values + 8L * i);
      sum1 += Mem.getLong(values + 8L * i + 8);
      sum2 += Mem.getLong(values + 8L * i + 16);
      sum3 += Mem.getLong(values + 8L * i + 24);
    }
    for (; i < count; i++) {
      sum0 += Mem.getLong(values + 8L * i);
    }
    return sum0 + sum1 + sum2 + sum3;
  }

  private static void sumFew(
      ExecContext context,
      long values,
      long groups,
      int count,
      int groupCount,
      long state,
      boolean wide) {
    long lane0 = lanes(context, groupCount);
    long lane1 = lane0 + 8L * groupCount;
    long lane2 = lane1 + 8L * groupCount;
    long lane3 = lane2 + 8L * groupCount;
    int i = 0;
    for (; i < count - 3; i += 4) {
      long place0 = lane0 + 8L * Mem.getInt(groups + 4L * i);
      long place1 = lane1 + 8L * Mem.getInt(groups + 4L * i + 4);
      long place2 = lane2 + 8L * Mem.getInt(groups + 4L * i + 8);
      long place3 = lane3 + 8L * Mem.getInt(groups + 4L * i + 12);
      Mem.putLong(place0, Mem.getLong(place0) + Mem.getLong(values + 8L * i));
      Mem.putLong(place1, Mem.getLong(place1) + Mem.getLong(values + 8L * i + 8));
      Mem.putLong(place2, Mem.getLong(place2) + Mem.getLong(values + 8L * i + 16));
      Mem.putLong(place3, Mem.getLong(place3) + Mem.getLong(values + 8L * i + 24));
    }
    for (; i < count; i++) {
      long place = lane0 + 8L * Mem.getInt(groups + 4L * i);
      Mem.putLong(place, Mem.getLong(place) + Mem.getLong(values + 8L * i));
    }
    for (int group = 0; group < groupCount; group++) {
      addTo(state, group, laneSum(lane0, groupCount, group), wide);
    }
  }

  private static void addTo(long state, int group, long value, boolean wide) {
    if (!wide) {
      Mem.putLong(state + 8L * group, Mem.getLong(state + 8L * group) + value);
      return;
    }
    long place = state + 16L * group;
    long low = Mem.getLong(place) + value;
    long carry = Long.compareUnsigned(low, value) < 0 ? 1 : 0;
    Mem.putLong(place, low);
    Mem.putLong(place + 8, Mem.getLong(place + 8) + (value >> 63) + carry);
  }

  /** Adds 128-bit values to 128-bit sums. */
  static void sumWide(long values, long groups, int count, long state) {
    for (int i = 0; i < count; i++) {
      long valueLow = Mem.getLong(values + 16L * i);
      long valueHigh = Mem.getLong(values + 16L * i + 8);
      long place = state + (groups == 0 ? 0 : 16L * Mem.getInt(groups + 4L * i));
      long low = Mem.getLong(place) + valueLow;
      long carry = Long.compareUnsigned(low, valueLow) < 0 ? 1 : 0;
      long before = Mem.getLong(place + 8);
      long high = before + valueHigh + carry;
      // Values of one sign whose sum has the other.
      if (((before ^ high) & (valueHigh ^ high)) < 0) {
        throw new AragoniteException(
            ErrorCode.NUMERIC_OVERFLOW,
            "SUM exceeds 128 bits; cast its argument to fewer digits or to DOUBLE.");
      }
      Mem.putLong(place, low);
      Mem.putLong(place + 8, high);
    }
  }

  /** Folds 64-bit values by a function that needs no more than 64 bits. */
  static void fold(AggregateFunction function, long values, long groups, int count, long state) {
    if (groups == 0) {
      Mem.putLong(state, foldAll(function, values, count, Mem.getLong(state)));
      return;
    }
    switch (function) {
      case MIN -> {
        for (int i = 0; i < count; i++) {
          long place = state + 8L * Mem.getInt(groups + 4L * i);
          Mem.putLong(place, Math.min(Mem.getLong(place), Mem.getLong(values + 8L * i)));
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          long place = state + 8L * Mem.getInt(groups + 4L * i);
          Mem.putLong(place, Math.max(Mem.getLong(place), Mem.getLong(values + 8L * i)));
        }
      }
      case ANY_VALUE, SINGLE_VALUE -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(state + 8L * Mem.getInt(groups + 4L * i), Mem.getLong(values + 8L * i));
        }
      }
      case BIT_AND -> {
        for (int i = 0; i < count; i++) {
          long place = state + 8L * Mem.getInt(groups + 4L * i);
          Mem.putLong(place, Mem.getLong(place) & Mem.getLong(values + 8L * i));
        }
      }
      case BIT_OR -> {
        for (int i = 0; i < count; i++) {
          long place = state + 8L * Mem.getInt(groups + 4L * i);
          Mem.putLong(place, Mem.getLong(place) | Mem.getLong(values + 8L * i));
        }
      }
      case BIT_XOR -> {
        for (int i = 0; i < count; i++) {
          long place = state + 8L * Mem.getInt(groups + 4L * i);
          Mem.putLong(place, Mem.getLong(place) ^ Mem.getLong(values + 8L * i));
        }
      }
      default -> throw new IllegalArgumentException(function.name());
    }
  }

  private static long foldAll(AggregateFunction function, long values, int count, long start) {
    long result = start;
    switch (function) {
      case MIN -> {
        for (int i = 0; i < count; i++) {
          result = Math.min(result, Mem.getLong(values + 8L * i));
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          result = Math.max(result, Mem.getLong(values + 8L * i));
        }
      }
      case ANY_VALUE, SINGLE_VALUE -> result = Mem.getLong(values);
      case BIT_AND -> {
        for (int i = 0; i < count; i++) {
          result &= Mem.getLong(values + 8L * i);
        }
      }
      case BIT_OR -> {
        for (int i = 0; i < count; i++) {
          result |= Mem.getLong(values + 8L * i);
        }
      }
      case BIT_XOR -> {
        for (int i = 0; i < count; i++) {
          result ^= Mem.getLong(values + 8L * i);
        }
      }
      default -> throw new IllegalArgumentException(function.name());
    }
    return result;
  }

  /** MIN, MAX and ANY_VALUE of 128-bit values. */
  static void foldWide(
      AggregateFunction function, long values, long groups, int count, long state) {
    for (int i = 0; i < count; i++) {
      long place = state + (groups == 0 ? 0 : 16L * Mem.getInt(groups + 4L * i));
      long low = Mem.getLong(values + 16L * i);
      long high = Mem.getLong(values + 16L * i + 8);
      long stateLow = Mem.getLong(place);
      long stateHigh = Mem.getLong(place + 8);
      int order =
          high != stateHigh ? Long.compare(high, stateHigh) : Long.compareUnsigned(low, stateLow);
      boolean take =
          switch (function) {
            case MIN -> order < 0;
            case MAX -> order > 0;
            default -> true;
          };
      if (take) {
        Mem.putLong(place, low);
        Mem.putLong(place + 8, high);
      }
    }
  }

  /** Sums of doubles. */
  static void sumDoubles(long values, long groups, int count, long state) {
    if (groups != 0) {
      for (int i = 0; i < count; i++) {
        long place = state + 8L * Mem.getInt(groups + 4L * i);
        Mem.putDouble(place, Mem.getDouble(place) + Mem.getDouble(values + 8L * i));
      }
      return;
    }
    // Four sums at once: an addition takes four cycles.
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    int i = 0;
    for (; i < count - 3; i += 4) {
      sum0 += Mem.getDouble(values + 8L * i);
      sum1 += Mem.getDouble(values + 8L * i + 8);
      sum2 += Mem.getDouble(values + 8L * i + 16);
      sum3 += Mem.getDouble(values + 8L * i + 24);
    }
    for (; i < count; i++) {
      sum0 += Mem.getDouble(values + 8L * i);
    }
    Mem.putDouble(state, Mem.getDouble(state) + ((sum0 + sum1) + (sum2 + sum3)));
  }

  /** Turns doubles into longs of the same order: -0.0 before 0.0, one NaN, the greatest. */
  static void ordered(long doubles, int count, long out) {
    for (int i = 0; i < count; i++) {
      long bits = Double.doubleToLongBits(Mem.getDouble(doubles + 8L * i));
      Mem.putLong(out + 8L * i, flip(bits));
    }
  }

  /** Its own inverse. */
  static long flip(long bits) {
    return bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }
}
