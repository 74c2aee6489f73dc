package io.aragonite.exec.codegen;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.EvalException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprText;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.HostObjects;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What generated code works on: addresses, constants, and the registers through which methods
 * return a second value. One an evaluation, so that compiled objects serve several threads.
 */
@SuppressWarnings("NullAway.Init")
final class KernelArgs {
  /** Units of work of a call of the interpreter or a host function over short values. */
  static final long CALL = 100;

  /** Bytes of a text from which on reading it counts as work. */
  private static final int LONG_TEXT = 1 << 14;

  /** Of each input column that code reads. */
  long[] values;

  long[] offsets;
  long[] validity;

  /** Of each indirection. */
  long[] ids;

  int rows;

  /** Where a predicate writes row numbers. */
  long selection;

  /** Of each output. */
  long[] outValues;

  long[] outValidity;

  /** Lengths of texts, 32-bit; only in code for single rows. */
  long[] outLengths;

  /** Where a lane's sums begin in shared memory; only in code for single rows. */
  int sums;

  @Nullable TextWriter[] writers;

  long[] longs;
  double[] doubles;
  Object[] objects;

  /** Registers for a method's further results. */
  boolean isNull;

  long high;
  int length;

  TextHeap heap;
  StopCheck stopCheck;
  HostObjects hostObjects;
  BatchRow row;

  AragoniteException error(Object expr, ErrorCode code, String detail) {
    return Interpreter.error((Expr) expr, new EvalException(code, detail));
  }

  AragoniteException overflow(Object expr) {
    return error(
        expr,
        ErrorCode.NUMERIC_OVERFLOW,
        "the result does not fit " + ((Expr) expr).type().withNullable(true));
  }

  AragoniteException divisionByZero(Object expr) {
    return error(expr, ErrorCode.DIVISION_BY_ZERO, "division by zero");
  }

  AragoniteException unexpectedNull(Object expr) {
    return new AragoniteException(
        ErrorCode.INTERNAL,
        "A null came out of " + ExprText.of((Expr) expr) + ", which was planned as NOT NULL.");
  }

  @Nullable Object call(Object expr, @Nullable Object[] args) {
    stopCheck.work(CALL);
    long held = stopCheck.held();
    try {
      return expr instanceof Expr.Call call
          ? Interpreter.apply(call, args)
          : Interpreter.apply((Expr.HostFunctionCall) expr, args);
    } finally {
      stopCheck.release(held);
    }
  }

  @Nullable Object interpret(Object expr, int at) {
    row.row = at;
    return RowInterpreter.evaluate((Expr) expr, row, stopCheck);
  }

  /** Counts the work of an operation that reads a text. */
  void read(int textLength) {
    if (textLength >= LONG_TEXT) {
      stopCheck.work(textLength);
    }
  }

  /** Counts the work of a method with many operations. */
  void many(int operations) {
    stopCheck.work(operations);
  }

  /** A cast of a text to an integer, date or decimal of 64 bits by the interpreter. */
  long castFromText(Object expr, long address, int textLength) {
    return unboxLong(requireNonNull(call(expr, new Object[] {boxText(address, textLength)})));
  }

  double castToDouble(Object expr, long address, int textLength) {
    return unboxDouble(requireNonNull(call(expr, new Object[] {boxText(address, textLength)})));
  }

  long castToText(Object expr, Object value) {
    return unboxText(requireNonNull(call(expr, new Object[] {value})));
  }

  static Object box(boolean value) {
    return value;
  }

  static Object box(long value) {
    return value;
  }

  static Object box(double value) {
    return value;
  }

  static Object boxDecimal(long value, int scale) {
    return BigDecimal.valueOf(value, scale);
  }

  static Object boxDecimal(long high, long low, int scale) {
    return BatchRow.decimal(high, low, scale);
  }

  static byte[] boxBytes(long address, int length) {
    if (length >= LONG_TEXT) {
      StopCheck.current().work(2L * length);
    }
    byte[] bytes = new byte[length];
    Mem.copy(address, bytes, 0, length);
    return bytes;
  }

  static String boxText(long address, int length) {
    return new String(boxBytes(address, length), StandardCharsets.UTF_8);
  }

  static boolean unboxBoolean(Object value) {
    return (Boolean) value;
  }

  static double unboxDouble(Object value) {
    return (Double) value;
  }

  /** An integer, or the unscaled value of a decimal. */
  static long unboxLong(Object value) {
    return value instanceof Long number
        ? number
        : ((BigDecimal) value).unscaledValue().longValueExact();
  }

  long unboxWide(Object value, int scale) {
    BigInteger unscaled = ((BigDecimal) value).setScale(scale).unscaledValue();
    high = unscaled.shiftRight(64).longValue();
    return unscaled.longValue();
  }

  long unboxText(Object value) {
    byte[] bytes =
        value instanceof byte[] given ? given : ((String) value).getBytes(StandardCharsets.UTF_8);
    length = bytes.length;
    return heap.add(bytes);
  }

  long handle(Object value) {
    return hostObjects.add(value);
  }

  Object object(long handle) {
    return hostObjects.get(handle);
  }

  /** Whether a type's boxed form is bytes rather than a String. */
  static boolean isBinary(DataType type) {
    return type.kind() == TypeKind.BINARY;
  }
}
