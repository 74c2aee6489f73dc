package io.aragonite.exec.device.cuda.ptx;

/** What PTX's instructions on registers do. Floats are their bits. */
final class PtxOperations {
  private PtxOperations() {}

  /** An instruction of up to three operands. */
  interface Operation {
    long apply(long a, long b, long c);
  }

  private static double d(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static float f(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  private static long bits(double value) {
    return Double.doubleToRawLongBits(value);
  }

  private static long bits(float value) {
    return Float.floatToRawIntBits(value);
  }

  private static long flag(boolean value) {
    return value ? 1 : 0;
  }

  /** An amount beyond the width leaves nothing, or the sign. */
  private static long shift(String op, int width, long a, long amount) {
    long n = Math.min(amount & 0xFFFFFFFFL, width);
    boolean all = n == width;
    if (op.startsWith("shl")) {
      return all ? 0 : width == 32 ? (int) a << n : a << n;
    }
    if (op.contains(".s")) {
      long m = all ? width - 1 : n;
      return width == 32 ? (int) a >> m : a >> m;
    }
    return all ? 0 : width == 32 ? (int) a >>> n : a >>> n;
  }

  private static Operation compare(String op) {
    String[] parts = op.split("\\.");
    String condition = parts[1];
    String type = parts[2];
    if (type.startsWith("f")) {
      return (a, b, c) -> {
        double x = type.equals("f64") ? d(a) : f(a);
        double y = type.equals("f64") ? d(b) : f(b);
        boolean unordered = Double.isNaN(x) || Double.isNaN(y);
        if (condition.equals("nan")) {
          return flag(unordered);
        }
        if (unordered) {
          return flag(condition.length() == 3);
        }
        return flag(holds(condition.substring(0, 2), x < y ? -1 : x > y ? 1 : 0));
      };
    }
    boolean narrow = type.endsWith("32");
    boolean unsigned = type.startsWith("u");
    return (a, b, c) -> {
      long x = narrow ? (int) a : a;
      long y = narrow ? (int) b : b;
      return flag(holds(condition, unsigned ? Long.compareUnsigned(x, y) : Long.compare(x, y)));
    };
  }

  private static boolean holds(String condition, int sign) {
    return switch (condition) {
      case "eq" -> sign == 0;
      case "ne" -> sign != 0;
      case "lt" -> sign < 0;
      case "le" -> sign <= 0;
      case "gt" -> sign > 0;
      case "ge" -> sign >= 0;
      default -> throw new AssertionError("the condition " + condition);
    };
  }

  private static long permute(long a, long b, long selector) {
    long bytes = a & 0xFFFFFFFFL | b << 32;
    long result = 0;
    for (int i = 0; i < 4; i++) {
      long from = selector >> 4 * i & 7;
      result |= (bytes >>> 8 * from & 0xFF) << 8 * i;
    }
    return (int) result;
  }

  /** A poison where PTX leaves a result open. */
  private static final long OPEN = 0x0BAD_0BAD_0BAD_0BADL;

  private static long toLong(double value) {
    return Double.isNaN(value) ? OPEN : (long) value;
  }

  /** The meaning of an instruction. */
  static Operation of(String op) {
    if (op.startsWith("setp.")) {
      return compare(op);
    }
    if (op.startsWith("shl.") || op.startsWith("shr.")) {
      int width = op.endsWith("32") ? 32 : 64;
      return (a, b, c) -> shift(op, width, a, b);
    }
    if (op.startsWith("selp.")) {
      return (a, b, c) -> c != 0 ? a : b;
    }
    if (op.startsWith("cvt.")) {
      return conversion(op);
    }
    boolean floats = op.endsWith(".f64") || op.endsWith(".f32");
    return floats && !op.startsWith("mov.") ? onFloats(op) : onIntegers(op);
  }

  private static AssertionError unknown(String op) {
    return new AssertionError("the instruction " + op + " is not known");
  }

  /** Moves, arithmetic and logic of integers. */
  private static Operation onIntegers(String op) {
    return switch (op) {
      case "mov.b32", "mov.u32" -> (a, b, c) -> (int) a;
      case "mov.b64", "mov.u64", "mov.f64", "mov.f32" -> (a, b, c) -> a;
      case "add.s32" -> (a, b, c) -> (int) (a + b);
      case "sub.s32" -> (a, b, c) -> (int) (a - b);
      case "mul.lo.s32" -> (a, b, c) -> (int) (a * b);
      case "mad.lo.s32" -> (a, b, c) -> (int) (a * b + c);
      case "mul.hi.s32" -> (a, b, c) -> (long) (int) a * (int) b >> 32;
      case "add.s64" -> (a, b, c) -> a + b;
      case "sub.s64" -> (a, b, c) -> a - b;
      case "mul.lo.s64" -> (a, b, c) -> a * b;
      case "mul.hi.s64" -> (a, b, c) -> Math.multiplyHigh(a, b);
      case "mul.hi.u64" -> (a, b, c) -> Math.unsignedMultiplyHigh(a, b);
      case "div.s32" ->
          (a, b, c) ->
              (int) b == 0 || ((int) b == -1 && (int) a == Integer.MIN_VALUE)
                  ? OPEN
                  : (int) a / (int) b;
      case "div.u32" -> (a, b, c) -> (int) b == 0 ? OPEN : Integer.divideUnsigned((int) a, (int) b);
      case "div.s64" -> (a, b, c) -> b == 0 || (b == -1 && a == Long.MIN_VALUE) ? OPEN : a / b;
      case "div.u64" -> (a, b, c) -> b == 0 ? OPEN : Long.divideUnsigned(a, b);
      case "min.s32" -> (a, b, c) -> Math.min((int) a, (int) b);
      case "max.s32" -> (a, b, c) -> Math.max((int) a, (int) b);
      case "min.s64" -> (a, b, c) -> Math.min(a, b);
      case "max.s64" -> (a, b, c) -> Math.max(a, b);
      case "and.b32", "and.b64", "and.pred" -> (a, b, c) -> a & b;
      case "or.b32", "or.b64", "or.pred" -> (a, b, c) -> a | b;
      case "xor.b32", "xor.b64", "xor.pred" -> (a, b, c) -> a ^ b;
      case "not.pred" -> (a, b, c) -> a ^ 1;
      case "clz.b64" -> (a, b, c) -> Long.numberOfLeadingZeros(a);
      case "popc.b64" -> (a, b, c) -> Long.bitCount(a);
      case "brev.b64" -> (a, b, c) -> Long.reverse(a);
      case "prmt.b32" -> PtxOperations::permute;
      default -> throw unknown(op);
    };
  }

  /** Arithmetic of floats. */
  private static Operation onFloats(String op) {
    return switch (op) {
      case "add.rn.f64" -> (a, b, c) -> bits(d(a) + d(b));
      case "sub.rn.f64" -> (a, b, c) -> bits(d(a) - d(b));
      case "mul.rn.f64" -> (a, b, c) -> bits(d(a) * d(b));
      case "div.rn.f64" -> (a, b, c) -> bits(d(a) / d(b));
      case "add.rn.f32" -> (a, b, c) -> bits(f(a) + f(b));
      case "sub.rn.f32" -> (a, b, c) -> bits(f(a) - f(b));
      case "mul.rn.f32" -> (a, b, c) -> bits(f(a) * f(b));
      case "div.rn.f32" -> (a, b, c) -> bits(f(a) / f(b));
      case "neg.f64" -> (a, b, c) -> bits(-d(a));
      case "neg.f32" -> (a, b, c) -> bits(-f(a));
      case "abs.f64" -> (a, b, c) -> bits(Math.abs(d(a)));
      // The sign of a and the rest of b.
      case "copysign.f64" -> (a, b, c) -> bits(Math.copySign(d(b), d(a)));
      case "sqrt.rn.f64" -> (a, b, c) -> bits(Math.sqrt(d(a)));
      default -> throw unknown(op);
    };
  }

  /** Between types, and roundings of floats. */
  private static Operation conversion(String op) {
    return switch (op) {
      case "cvt.rmi.f64.f64" -> (a, b, c) -> bits(Math.floor(d(a)));
      case "cvt.rpi.f64.f64" -> (a, b, c) -> bits(Math.ceil(d(a)));
      case "cvt.s64.s32" -> (a, b, c) -> (int) a;
      case "cvt.u32.u64" -> (a, b, c) -> (int) a;
      case "cvt.u64.u32" -> (a, b, c) -> a & 0xFFFFFFFFL;
      case "cvt.rn.f64.s32" -> (a, b, c) -> bits((double) (int) a);
      case "cvt.rn.f64.s64" -> (a, b, c) -> bits((double) a);
      case "cvt.rn.f32.s32" -> (a, b, c) -> bits((float) (int) a);
      case "cvt.rn.f32.s64" -> (a, b, c) -> bits((float) a);
      case "cvt.f64.f32" -> (a, b, c) -> bits((double) f(a));
      case "cvt.rn.f32.f64" -> (a, b, c) -> bits((float) d(a));
      case "cvt.rzi.s64.f64" -> (a, b, c) -> toLong(d(a));
      case "cvt.rzi.s32.f64" -> (a, b, c) -> Double.isNaN(d(a)) ? OPEN : (int) d(a);
      case "cvt.rzi.s64.f32" -> (a, b, c) -> toLong(f(a));
      case "cvt.rzi.s32.f32" -> (a, b, c) -> Float.isNaN(f(a)) ? OPEN : (int) f(a);
      default -> throw unknown(op);
    };
  }
}
