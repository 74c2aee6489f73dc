package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Dictionary;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The values of an expression of one dictionary column, a code each. */
final class ValueTable {
  /** Bytes of all values, which stay on the heap while the dictionary does. */
  private static final long MAX_BYTES = 64 << 20;

  /** Values or, for text, codes in {@link #dictionary}; a last one for null. */
  final long[] longs;

  final double[] doubles;
  final boolean[] nulls;

  /** The place of null. */
  final int last;

  /** The distinct texts; null for numbers. */
  final @Nullable Dictionary dictionary;

  private ValueTable(
      long[] longs, double[] doubles, boolean[] nulls, @Nullable Dictionary dictionary) {
    this.longs = longs;
    this.doubles = doubles;
    this.nulls = nulls;
    this.last = nulls.length - 1;
    this.dictionary = dictionary;
  }

  /**
   * @throws AragoniteException if the expression fails for a value, or RESULT_TOO_LARGE if the
   *     values are better made row by row
   */
  static ValueTable of(Expr expr, Dictionary source, boolean binary) {
    @Nullable Object[] values = new @Nullable Object[source.size() + 1];
    boolean[] nulls = new boolean[values.length];
    StopCheck stopCheck = StopCheck.current();
    long bytes = 0;
    for (int i = 0; i < values.length; i++) {
      values[i] = RowInterpreter.evaluate(expr, TruthTable.row(source, i, binary), stopCheck);
      nulls[i] = values[i] == null;
      bytes += size(values[i]);
      if (bytes > MAX_BYTES) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE, "The values of a dictionary are too long for a table.");
      }
    }
    if (expr.type().kind().isFloat()) {
      double[] doubles = new double[values.length];
      for (int i = 0; i < values.length; i++) {
        Object value = values[i];
        doubles[i] = value == null ? 0 : KernelArgs.unboxDouble(value);
      }
      return new ValueTable(new long[0], doubles, nulls, null);
    }
    long[] longs = new long[values.length];
    if (!expr.type().kind().isVariable()) {
      for (int i = 0; i < values.length; i++) {
        Object value = values[i];
        longs[i] = value == null ? 0 : KernelArgs.unboxLong(value);
      }
      return new ValueTable(longs, new double[0], nulls, null);
    }
    byte[][] texts = new byte[values.length][];
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    boolean same = true;
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      if (value != null) {
        texts[i] =
            expr.type().kind() == TypeKind.BINARY
                ? (byte[]) value
                : ((String) value).getBytes(StandardCharsets.UTF_8);
        distinct.add(texts[i]);
      }
      same &= i == source.size() ? value == null : Arrays.equals(texts[i], source.bytes(i));
    }
    // A cast that changes nothing keeps the dictionary, and with it joins on codes.
    Dictionary dictionary = same ? source : new Dictionary(distinct.toArray(new byte[0][]));
    for (int i = 0; i < values.length; i++) {
      longs[i] = nulls[i] ? 0 : dictionary.find(texts[i]);
    }
    return new ValueTable(longs, new double[0], nulls, dictionary);
  }

  private static long size(@Nullable Object value) {
    return switch (value) {
      case String text -> text.length();
      case byte[] given -> given.length;
      case null, default -> 0;
    };
  }

  /** Whether a value that is not null gives null. */
  boolean makesNulls() {
    for (int i = 0; i < last; i++) {
      if (nulls[i]) {
        return true;
      }
    }
    return false;
  }
}
