package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.PtxValue.Compare;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Const;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import java.lang.classfile.Opcode;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's arithmetic in PTX, to the bit: wrap-around, masked shifts, IEEE without contraction.
 */
final class Arithmetic {
  private Arithmetic() {}

  /** How a number stands to 0, or one to another. */
  enum Condition {
    EQ,
    NE,
    LT,
    GE,
    GT,
    LE;

    /** Whether it holds for the sign of a comparison. */
    boolean holds(int sign) {
      return switch (this) {
        case EQ -> sign == 0;
        case NE -> sign != 0;
        case LT -> sign < 0;
        case GE -> sign >= 0;
        case GT -> sign > 0;
        case LE -> sign <= 0;
      };
    }

    private String ptx() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  // Conditions

  /** Whether the int that a comparison gives has a sign: an int of 0 or 1. */
  static PtxValue test(PtxWriter out, Compare compare, Condition condition) {
    PtxValue a = compare.left();
    PtxValue b = compare.right();
    if (compare.of() == Type.DOUBLE || compare.of() == Type.FLOAT) {
      boolean ifNan = condition.holds(compare.nan());
      String type = compare.of() == Type.DOUBLE ? "f64" : "f32";
      return out.test("setp." + condition.ptx() + (ifNan ? "u." : ".") + type, a, b);
    }
    if (a instanceof Const x && b instanceof Const y) {
      long left = x.value().longValue();
      long right = y.value().longValue();
      int sign = compare.unsigned() ? Long.compareUnsigned(left, right) : Long.compare(left, right);
      return PtxValue.of(condition.holds(sign) ? 1 : 0);
    }
    String sign = condition == Condition.EQ || condition == Condition.NE ? "b" : "s";
    String width = compare.of() == Type.LONG ? "64" : "32";
    String type = (sign.equals("s") && compare.unsigned() ? "u" : sign) + width;
    return out.test("setp." + condition.ptx() + "." + type, a, b);
  }

  /** Whether an int stands so to 0: an int of 0 or 1. */
  static PtxValue test(PtxWriter out, PtxValue value, Condition condition) {
    return switch (value) {
      case Const constant ->
          PtxValue.of(condition.holds(Integer.signum(constant.value().intValue())) ? 1 : 0);
      case Compare compare -> test(out, compare, condition);
      case Pred pred ->
          switch (condition) {
            case NE, GT -> pred;
            case EQ, LE -> new Pred(pred.name(), !pred.inverted());
            case GE -> PtxValue.of(1);
            case LT -> PtxValue.of(0);
          };
      default -> test(out, new Compare(Type.INT, false, 0, value, PtxValue.of(0)), condition);
    };
  }

  /** One of two values. */
  static PtxValue select(PtxWriter out, Pred condition, PtxValue yes, PtxValue no) {
    Type type = java.util.Objects.requireNonNull(yes.type());
    Integer one = PtxValue.constantInt(yes);
    Integer other = PtxValue.constantInt(no);
    if (one != null && other != null && one + other == 1 && one * other == 0) {
      return one == 1 ? condition : new Pred(condition.name(), !condition.inverted());
    }
    String a = out.operand(condition.inverted() ? no : yes);
    String b = out.operand(condition.inverted() ? yes : no);
    Reg result = out.register(type);
    out.line(
        "selp." + type.ptx + " " + result.name() + ", " + a + ", " + b + ", " + condition.name());
    return result;
  }

  // Operators

  static PtxValue binary(PtxWriter out, Opcode opcode, PtxValue a, PtxValue b) {
    PtxValue folded = fold(opcode, a, b);
    if (folded != null) {
      return folded;
    }
    return switch (opcode) {
      case IADD -> out.emit(Type.INT, "add.s32", a, b);
      case LADD -> out.emit(Type.LONG, "add.s64", a, b);
      case FADD -> out.emit(Type.FLOAT, "add.rn.f32", a, b);
      case DADD -> out.emit(Type.DOUBLE, "add.rn.f64", a, b);
      case ISUB -> out.emit(Type.INT, "sub.s32", a, b);
      case LSUB -> out.emit(Type.LONG, "sub.s64", a, b);
      case FSUB -> out.emit(Type.FLOAT, "sub.rn.f32", a, b);
      case DSUB -> out.emit(Type.DOUBLE, "sub.rn.f64", a, b);
      case IMUL -> out.emit(Type.INT, "mul.lo.s32", a, b);
      case LMUL -> out.emit(Type.LONG, "mul.lo.s64", a, b);
      case FMUL -> out.emit(Type.FLOAT, "mul.rn.f32", a, b);
      case DMUL -> out.emit(Type.DOUBLE, "mul.rn.f64", a, b);
      case FDIV -> out.emit(Type.FLOAT, "div.rn.f32", a, b);
      case DDIV -> out.emit(Type.DOUBLE, "div.rn.f64", a, b);
      case IDIV -> Division.divide(out, Type.INT, a, b);
      case LDIV -> Division.divide(out, Type.LONG, a, b);
      case IREM -> Division.remainder(out, Type.INT, a, b);
      case LREM -> Division.remainder(out, Type.LONG, a, b);
      case ISHL -> out.emit(Type.INT, "shl.b32", a, amount(out, b, 31));
      case LSHL -> out.emit(Type.LONG, "shl.b64", a, amount(out, b, 63));
      case ISHR -> out.emit(Type.INT, "shr.s32", a, amount(out, b, 31));
      case LSHR -> out.emit(Type.LONG, "shr.s64", a, amount(out, b, 63));
      case IUSHR -> out.emit(Type.INT, "shr.u32", a, amount(out, b, 31));
      case LUSHR -> out.emit(Type.LONG, "shr.u64", a, amount(out, b, 63));
      case IAND -> logic(out, "and", a, b);
      case IOR -> logic(out, "or", a, b);
      case IXOR -> logic(out, "xor", a, b);
      case LAND -> out.emit(Type.LONG, "and.b64", a, b);
      case LOR -> out.emit(Type.LONG, "or.b64", a, b);
      case LXOR -> out.emit(Type.LONG, "xor.b64", a, b);
      default -> throw new PtxUntranslatable("the instruction " + opcode);
    };
  }

  private static PtxValue amount(PtxWriter out, PtxValue amount, int mask) {
    return amount instanceof Const constant
        ? PtxValue.of(constant.value().intValue() & mask)
        : out.emit(Type.INT, "and.b32", amount, PtxValue.of(mask));
  }

  /** AND, OR and XOR of ints, which are done on predicates where both are. */
  private static PtxValue logic(PtxWriter out, String name, PtxValue a, PtxValue b) {
    if (a instanceof Pred x && b instanceof Pred y) {
      Pred result = out.predicate();
      out.line(name + ".pred " + result.name() + ", " + plain(out, x) + ", " + plain(out, y));
      return result;
    }
    Pred pred = a instanceof Pred x ? x : b instanceof Pred y ? y : null;
    Integer other = PtxValue.constantInt(a instanceof Pred ? b : a);
    if (pred != null && other != null && (other == 0 || other == 1)) {
      // Folding has taken care of x & 0 and the like only for constants on both sides.
      return switch (name) {
        case "and" -> other == 0 ? PtxValue.of(0) : pred;
        case "or" -> other == 1 ? PtxValue.of(1) : pred;
        default -> other == 0 ? pred : new Pred(pred.name(), !pred.inverted());
      };
    }
    return out.emit(Type.INT, name + ".b32", a, b);
  }

  private static String plain(PtxWriter out, Pred pred) {
    if (!pred.inverted()) {
      return pred.name();
    }
    Pred result = out.predicate();
    out.line("not.pred " + result.name() + ", " + pred.name());
    return result.name();
  }

  private static @Nullable PtxValue fold(Opcode opcode, PtxValue a, PtxValue b) {
    if (!(a instanceof Const x) || !(b instanceof Const y)) {
      return null;
    }
    int i = x.value().intValue();
    int j = y.value().intValue();
    long l = x.value().longValue();
    long m = y.value().longValue();
    return switch (opcode) {
      case IADD -> PtxValue.of(i + j);
      case ISUB -> PtxValue.of(i - j);
      case IMUL -> PtxValue.of(i * j);
      case ISHL -> PtxValue.of(i << j);
      case ISHR -> PtxValue.of(i >> j);
      case IUSHR -> PtxValue.of(i >>> j);
      case IAND -> PtxValue.of(i & j);
      case IOR -> PtxValue.of(i | j);
      case IXOR -> PtxValue.of(i ^ j);
      case LADD -> PtxValue.of(l + m);
      case LSUB -> PtxValue.of(l - m);
      case LMUL -> PtxValue.of(l * m);
      case LSHL -> PtxValue.of(l << j);
      case LSHR -> PtxValue.of(l >> j);
      case LUSHR -> PtxValue.of(l >>> j);
      case LAND -> PtxValue.of(l & m);
      case LOR -> PtxValue.of(l | m);
      case LXOR -> PtxValue.of(l ^ m);
      default -> null;
    };
  }

  static PtxValue unary(PtxWriter out, Opcode opcode, PtxValue a) {
    return switch (opcode) {
      case INEG -> binary(out, Opcode.ISUB, PtxValue.of(0), a);
      case LNEG -> binary(out, Opcode.LSUB, PtxValue.of(0L), a);
      case FNEG -> out.emit(Type.FLOAT, "neg.f32", a);
      case DNEG -> out.emit(Type.DOUBLE, "neg.f64", a);
      default -> throw new PtxUntranslatable("the instruction " + opcode);
    };
  }

  static PtxValue convert(PtxWriter out, Opcode opcode, PtxValue a) {
    if (a instanceof Const constant) {
      Number value = constant.value();
      switch (opcode) {
        case I2L -> {
          return PtxValue.of(value.longValue());
        }
        case L2I -> {
          return PtxValue.of(value.intValue());
        }
        case I2D, L2D -> {
          return new Const(Type.DOUBLE, value.doubleValue());
        }
        default -> {}
      }
    }
    return switch (opcode) {
      case I2L -> out.emit(Type.LONG, "cvt.s64.s32", a);
      case L2I -> out.emit(Type.INT, "cvt.u32.u64", out.number(a));
      case I2D -> out.emit(Type.DOUBLE, "cvt.rn.f64.s32", out.number(a));
      case L2D -> out.emit(Type.DOUBLE, "cvt.rn.f64.s64", out.number(a));
      case I2F -> out.emit(Type.FLOAT, "cvt.rn.f32.s32", out.number(a));
      case L2F -> out.emit(Type.FLOAT, "cvt.rn.f32.s64", out.number(a));
      case F2D -> out.emit(Type.DOUBLE, "cvt.f64.f32", out.number(a));
      case D2F -> out.emit(Type.FLOAT, "cvt.rn.f32.f64", out.number(a));
      case D2I -> toInteger(out, Type.INT, "cvt.rzi.s32.f64", Type.DOUBLE, a);
      case D2L -> toInteger(out, Type.LONG, "cvt.rzi.s64.f64", Type.DOUBLE, a);
      case F2I -> toInteger(out, Type.INT, "cvt.rzi.s32.f32", Type.FLOAT, a);
      case F2L -> toInteger(out, Type.LONG, "cvt.rzi.s64.f32", Type.FLOAT, a);
      case I2B -> narrow(out, "shr.s32", 24, a);
      case I2S -> narrow(out, "shr.s32", 16, a);
      case I2C -> binary(out, Opcode.IAND, a, PtxValue.of(0xFFFF));
      default -> throw new PtxUntranslatable("the instruction " + opcode);
    };
  }

  private static PtxValue narrow(PtxWriter out, String shift, int bits, PtxValue a) {
    return out.emit(
        Type.INT, shift, out.emit(Type.INT, "shl.b32", a, PtxValue.of(bits)), PtxValue.of(bits));
  }

  /** PTX clamps as Java does, but does not say what it makes of a NaN; Java makes it 0. */
  private static PtxValue toInteger(
      PtxWriter out, Type type, String instruction, Type from, PtxValue a) {
    Reg value = out.number(a);
    Reg converted = out.emit(type, instruction, value);
    Pred isNan = out.test("setp.nan." + from.ptx, value, value);
    PtxValue zero = type == Type.LONG ? PtxValue.of(0L) : PtxValue.of(0);
    return select(out, isNan, zero, converted);
  }

  /** |x|, wrapping at the smallest value. */
  static PtxValue abs(PtxWriter out, Type type, PtxValue a) {
    Opcode shift = type == Type.LONG ? Opcode.LSHR : Opcode.ISHR;
    Opcode xor = type == Type.LONG ? Opcode.LXOR : Opcode.IXOR;
    Opcode minus = type == Type.LONG ? Opcode.LSUB : Opcode.ISUB;
    PtxValue sign = binary(out, shift, a, PtxValue.of(type == Type.LONG ? 63 : 31));
    return binary(out, minus, binary(out, xor, a, sign), sign);
  }

  /** Division of integers. */
  static final class Division {
    private Division() {}

    static PtxValue divide(PtxWriter out, Type type, PtxValue a, PtxValue b) {
      if (b instanceof Const constant && constant.value().longValue() != 0) {
        return byConstant(out, type, a, constant.value().longValue());
      }
      // x / -1 is -x, which wraps; PTX leaves it open.
      Pred minusOne = out.test("setp.eq.s" + bits(type), b, constant(type, -1));
      PtxValue divisor = select(out, minusOne, constant(type, 1), b);
      PtxValue quotient = plain(out, type, a, divisor);
      PtxValue negated = binary(out, minus(type), constant(type, 0), a);
      return select(out, minusOne, negated, quotient);
    }

    static PtxValue remainder(PtxWriter out, Type type, PtxValue a, PtxValue b) {
      Opcode times = type == Type.LONG ? Opcode.LMUL : Opcode.IMUL;
      return binary(out, minus(type), a, binary(out, times, divide(out, type, a, b), b));
    }

    private static int bits(Type type) {
      return type == Type.LONG ? 64 : 32;
    }

    private static Opcode minus(Type type) {
      return type == Type.LONG ? Opcode.LSUB : Opcode.ISUB;
    }

    private static PtxValue constant(Type type, long value) {
      return type == Type.LONG ? PtxValue.of(value) : PtxValue.of((int) value);
    }

    /** A 64-bit division takes long; most operands have 32 bits. */
    private static PtxValue plain(PtxWriter out, Type type, PtxValue a, PtxValue b) {
      if (type == Type.INT) {
        return out.emit(Type.INT, "div.s32", a, b);
      }
      return shortcut(out, "div.s64", a, b);
    }

    static PtxValue unsigned(PtxWriter out, PtxValue a, PtxValue b) {
      return shortcut(out, "div.u64", a, b);
    }

    private static PtxValue shortcut(PtxWriter out, String division, PtxValue a, PtxValue b) {
      Reg x = out.number(a);
      Reg y = out.number(b);
      Reg result = out.register(Type.LONG);
      String small = out.freshLabel();
      String done = out.freshLabel();
      PtxValue high = binary(out, Opcode.LUSHR, binary(out, Opcode.LOR, x, y), PtxValue.of(32));
      out.jumpIf(out.test("setp.eq.s64", high, PtxValue.of(0L)), small);
      out.line(division + " " + result.name() + ", " + x.name() + ", " + y.name());
      out.jump(done);
      out.label(small);
      Reg low = out.emit(Type.INT, "cvt.u32.u64", x);
      Reg divisor = out.emit(Type.INT, "cvt.u32.u64", y);
      Reg quotient = out.emit(Type.INT, "div.u32", low, divisor);
      out.line("cvt.u64.u32 " + result.name() + ", " + quotient.name());
      out.label(done);
      return result;
    }

    /** By a multiplication (Granlund and Montgomery, as in Warren, Hacker's Delight, 10-1). */
    private static PtxValue byConstant(PtxWriter out, Type type, PtxValue a, long divisor) {
      if (divisor == 1) {
        return a;
      }
      if (divisor == Long.MIN_VALUE || (type == Type.INT && divisor == Integer.MIN_VALUE)) {
        Pred same = out.test("setp.eq.s" + bits(type), a, constant(type, divisor));
        return select(out, same, constant(type, 1), constant(type, 0));
      }
      PtxValue positive = divisor == -1 ? a : byPositive(out, type, a, Math.abs(divisor));
      return divisor < 0 ? binary(out, minus(type), constant(type, 0), positive) : positive;
    }

    private static PtxValue byPositive(PtxWriter out, Type type, PtxValue a, long divisor) {
      int bits = bits(type);
      BigInteger d = BigInteger.valueOf(divisor);
      BigInteger half = BigInteger.ONE.shiftLeft(bits - 1);
      BigInteger limit = half.subtract(BigInteger.ONE).subtract(half.mod(d));
      int power = bits - 1;
      BigInteger rest;
      do {
        power++;
        BigInteger whole = BigInteger.ONE.shiftLeft(power);
        rest = d.subtract(whole.mod(d));
      } while (BigInteger.ONE.shiftLeft(power).compareTo(limit.multiply(rest)) <= 0);
      BigInteger magic = BigInteger.ONE.shiftLeft(power).add(rest).divide(d);
      PtxValue factor =
          type == Type.LONG ? PtxValue.of(magic.longValue()) : PtxValue.of(magic.intValue());
      PtxValue high = out.emit(type, "mul.hi.s" + bits, a, factor);
      if (magic.bitLength() == bits) {
        // The factor's top bit made it negative: add what that took away.
        high = binary(out, type == Type.LONG ? Opcode.LADD : Opcode.IADD, high, a);
      }
      Opcode shift = type == Type.LONG ? Opcode.LSHR : Opcode.ISHR;
      Opcode unsignedShift = type == Type.LONG ? Opcode.LUSHR : Opcode.IUSHR;
      if (power > bits) {
        high = binary(out, shift, high, PtxValue.of(power - bits));
      }
      // One more for negative dividends.
      PtxValue sign = binary(out, unsignedShift, a, PtxValue.of(bits - 1));
      return binary(out, type == Type.LONG ? Opcode.LADD : Opcode.IADD, high, sign);
    }
  }
}
