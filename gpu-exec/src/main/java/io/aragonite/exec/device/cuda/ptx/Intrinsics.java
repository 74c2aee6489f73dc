package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.PtxValue.Compare;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Const;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import java.lang.classfile.Opcode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Methods that are instructions: of Math and Long, and loads and stores by address. */
final class Intrinsics {
  /** How a caller's loads may be done. */
  enum Access {
    /** Columns: aligned, and not written by the kernel. */
    COLUMN,
    /** Aligned. */
    ALIGNED,
    /** Texts: at any address. */
    ANY
  }

  private final PtxWriter out;

  Intrinsics(PtxWriter out) {
    this.out = out;
  }

  /**
   * Writes a call.
   *
   * @param name class without its package, name and descriptor
   * @return false if the method is none of these
   */
  boolean isKnown(String name) {
    return name.startsWith("Mem.get") && !name.startsWith("Mem.getBit")
        || name.startsWith("Mem.put")
        || switch (name) {
          case "Math.multiplyHigh(JJ)J",
              "Math.unsignedMultiplyHigh(JJ)J",
              "Math.abs(J)J",
              "Math.abs(I)I",
              "Math.abs(D)D",
              "Math.min(II)I",
              "Math.max(II)I",
              "Math.min(JJ)J",
              "Math.max(JJ)J",
              "Math.sqrt(D)D",
              "Math.floor(D)D",
              "Math.ceil(D)D",
              "Math.signum(D)D",
              "Long.compareUnsigned(JJ)I",
              "Long.divideUnsigned(JJ)J",
              "Long.numberOfLeadingZeros(J)I",
              "Long.numberOfTrailingZeros(J)I",
              "Long.bitCount(J)I",
              "Long.reverseBytes(J)J",
              "Double.doubleToLongBits(D)J",
              "Double.doubleToRawLongBits(D)J",
              "Double.longBitsToDouble(J)D",
              "LaneSums.add(IJ)V",
              "TableSums.count(I)V",
              "TableSums.add(IIJ)V" ->
              true;
          default -> false;
        };
  }

  /** Writes a call of a method that {@link #isKnown}; null if it gives nothing. */
  @Nullable PtxValue call(String name, List<PtxValue> args, Access access) {
    PtxValue a = args.getFirst();
    return switch (name) {
      case "Math.multiplyHigh(JJ)J" -> out.emit(Type.LONG, "mul.hi.s64", a, args.get(1));
      case "Math.unsignedMultiplyHigh(JJ)J" -> out.emit(Type.LONG, "mul.hi.u64", a, args.get(1));
      case "Math.abs(J)J" -> Arithmetic.abs(out, Type.LONG, a);
      case "Math.abs(I)I" -> Arithmetic.abs(out, Type.INT, a);
      case "Math.abs(D)D" -> out.emit(Type.DOUBLE, "abs.f64", a);
      case "Math.min(II)I" -> extreme(Type.INT, true, a, args.get(1));
      case "Math.max(II)I" -> extreme(Type.INT, false, a, args.get(1));
      case "Math.min(JJ)J" -> extreme(Type.LONG, true, a, args.get(1));
      case "Math.max(JJ)J" -> extreme(Type.LONG, false, a, args.get(1));
      case "Math.sqrt(D)D" -> out.emit(Type.DOUBLE, "sqrt.rn.f64", a);
      case "Math.floor(D)D" -> out.emit(Type.DOUBLE, "cvt.rmi.f64.f64", out.number(a));
      case "Math.ceil(D)D" -> out.emit(Type.DOUBLE, "cvt.rpi.f64.f64", out.number(a));
      case "Math.signum(D)D" -> signum(a);
      case "Long.compareUnsigned(JJ)I" -> new Compare(Type.LONG, true, 0, a, args.get(1));
      case "Long.divideUnsigned(JJ)J" -> Arithmetic.Division.unsigned(out, a, args.get(1));
      case "Long.numberOfLeadingZeros(J)I" -> out.emit(Type.INT, "clz.b64", a);
      case "Long.numberOfTrailingZeros(J)I" ->
          out.emit(Type.INT, "clz.b64", out.emit(Type.LONG, "brev.b64", a));
      case "Long.bitCount(J)I" -> out.emit(Type.INT, "popc.b64", a);
      case "Long.reverseBytes(J)J" -> reverseBytes(a);
      case "Double.doubleToRawLongBits(D)J" -> out.emit(Type.LONG, "mov.b64", out.number(a));
      case "Double.longBitsToDouble(J)D" -> out.emit(Type.DOUBLE, "mov.b64", out.number(a));
      case "LaneSums.add(IJ)V" -> {
        addToShared(a, args.get(1));
        yield null;
      }
      case "TableSums.count(I)V" -> {
        Reg counts = out.slot(new KernelArgument(KernelArgument.ArgumentKind.TABLE_COUNTS));
        addToTable("u32", counts, 2, a, out.number(PtxValue.of(1)));
        yield null;
      }
      case "TableSums.add(IIJ)V" -> {
        int sum = ((Const) args.get(1)).value().intValue();
        Reg sums = out.slot(new KernelArgument(KernelArgument.ArgumentKind.TABLE_SUMS, sum));
        addToTable("u64", sums, 3, a, out.number(args.get(2)));
        yield null;
      }
      case "Double.doubleToLongBits(D)J" -> {
        Reg value = out.number(a);
        Reg bits = out.emit(Type.LONG, "mov.b64", value);
        Pred isNan = out.test("setp.nan.f64", value, value);
        yield Arithmetic.select(out, isNan, PtxValue.of(0x7FF8000000000000L), bits);
      }
      default -> memory(name, args, access);
    };
  }

  private void addToShared(PtxValue address, PtxValue value) {
    String place = "[" + out.number(address).name() + "]";
    Reg before = out.register(Type.LONG);
    out.line("ld.shared.u64 " + before.name() + ", " + place);
    Reg sum = out.emit(Type.LONG, "add.s64", before, value);
    out.line("st.shared.u64 " + place + ", " + sum.name());
  }

  private void addToTable(String type, Reg table, int shift, PtxValue group, Reg value) {
    PtxValue offset =
        Arithmetic.binary(
            out, Opcode.LSHL, Arithmetic.convert(out, Opcode.I2L, group), PtxValue.of(shift));
    Reg place = out.number(Arithmetic.binary(out, Opcode.LADD, table, offset));
    out.line("red.global.add." + type + " [" + place.name() + "], " + value.name());
  }

  private PtxValue extreme(Type type, boolean min, PtxValue a, PtxValue b) {
    if (a instanceof Const x && b instanceof Const y) {
      return x.value().longValue() <= y.value().longValue() == min ? a : b;
    }
    return out.emit(type, (min ? "min" : "max") + (type == Type.LONG ? ".s64" : ".s32"), a, b);
  }

  private PtxValue signum(PtxValue a) {
    Reg value = out.number(a);
    PtxValue one = new Const(Type.DOUBLE, 1.0);
    // 0, -0 and what is no number are their own signs.
    Reg magnitude = out.emit(Type.DOUBLE, "abs.f64", value);
    Pred positive = out.test("setp.gt.f64", magnitude, new Const(Type.DOUBLE, 0.0));
    Reg sign = out.emit(Type.DOUBLE, "copysign.f64", value, one);
    return Arithmetic.select(out, positive, sign, value);
  }

  private PtxValue reverseBytes(PtxValue a) {
    Reg low = out.register(Type.INT);
    Reg high = out.register(Type.INT);
    out.line("mov.b64 {" + low.name() + ", " + high.name() + "}, " + out.number(a).name());
    PtxValue zero = PtxValue.of(0);
    PtxValue order = PtxValue.of(0x0123);
    Reg newHigh = out.emit(Type.INT, "prmt.b32", low, zero, order);
    Reg newLow = out.emit(Type.INT, "prmt.b32", high, zero, order);
    Reg result = out.register(Type.LONG);
    out.line("mov.b64 " + result.name() + ", {" + newLow.name() + ", " + newHigh.name() + "}");
    return result;
  }

  // Memory

  private @Nullable PtxValue memory(String name, List<PtxValue> args, Access access) {
    String cached = access == Access.COLUMN ? "ld.global.nc." : "ld.global.";
    PtxValue address = args.getFirst();
    switch (name) {
      case "Mem.getByte(J)B" -> {
        return load(Type.INT, cached + "s8", address);
      }
      case "Mem.getShort(J)S" -> {
        return load(Type.INT, cached + "s16", address);
      }
      case "Mem.getInt(J)I" -> {
        return access == Access.ANY
            ? Arithmetic.convert(out, Opcode.L2I, unaligned(address))
            : load(Type.INT, cached + "u32", address);
      }
      case "Mem.getLong(J)J" -> {
        return access == Access.ANY ? unaligned(address) : load(Type.LONG, cached + "u64", address);
      }
      case "Mem.getFloat(J)F" -> {
        return load(Type.FLOAT, cached + "f32", address);
      }
      case "Mem.getDouble(J)D" -> {
        return load(Type.DOUBLE, cached + "f64", address);
      }
      default -> {}
    }
    String store =
        switch (name) {
          case "Mem.putByte(JB)V" -> "st.global.u8";
          case "Mem.putShort(JS)V" -> "st.global.u16";
          case "Mem.putInt(JI)V" -> "st.global.u32";
          case "Mem.putLong(JJ)V" -> "st.global.u64";
          case "Mem.putFloat(JF)V" -> "st.global.f32";
          case "Mem.putDouble(JD)V" -> "st.global.f64";
          default -> throw new PtxUntranslatable("a call of " + name);
        };
    if (access == Access.ANY && !name.startsWith("Mem.putByte")) {
      throw new PtxUntranslatable("a store at any address");
    }
    Reg value = out.number(args.get(1));
    out.line(store + " [" + out.number(address).name() + "], " + value.name());
    return null;
  }

  Reg load(Type type, String instruction, PtxValue address) {
    Reg result = out.register(type);
    out.line(instruction + " " + result.name() + ", [" + out.number(address).name() + "]");
    return result;
  }

  /**
   * Eight bytes at any address, out of two aligned words; what lies before a buffer is not touched,
   * and at most 15 bytes behind the address are.
   */
  private PtxValue unaligned(PtxValue address) {
    Reg at = out.number(address);
    PtxValue base = Arithmetic.binary(out, Opcode.LAND, at, PtxValue.of(-8L));
    Reg low = load(Type.LONG, "ld.global.u64", base);
    Reg high =
        load(
            Type.LONG, "ld.global.u64", Arithmetic.binary(out, Opcode.LADD, base, PtxValue.of(8L)));
    Reg word = out.emit(Type.INT, "cvt.u32.u64", at);
    PtxValue shift =
        Arithmetic.binary(
            out,
            Opcode.ISHL,
            Arithmetic.binary(out, Opcode.IAND, word, PtxValue.of(7)),
            PtxValue.of(3));
    Reg right = out.emit(Type.LONG, "shr.u64", low, shift);
    // A shift by 64 leaves nothing, unlike in Java.
    PtxValue rest = Arithmetic.binary(out, Opcode.ISUB, PtxValue.of(64), shift);
    Reg left = out.emit(Type.LONG, "shl.b64", high, rest);
    return Arithmetic.binary(out, Opcode.LOR, right, left);
  }
}
