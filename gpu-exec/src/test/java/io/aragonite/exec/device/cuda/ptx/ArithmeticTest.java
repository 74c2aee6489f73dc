package io.aragonite.exec.device.cuda.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.testing.TestSeed;
import java.lang.classfile.Opcode;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Operators as PTX, which is interpreted, against the JVM's. */
class ArithmeticTest {
  private static final long[] LONGS = {
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    10,
    -10,
    100,
    1000,
    1L << 31,
    1L << 32,
    -(1L << 32),
    0xFFFFFFFFL,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE - 1,
    Long.MIN_VALUE + 1,
    1_000_000_007L
  };

  private static final double[] DOUBLES = {
    0.0,
    -0.0,
    1.5,
    -1.5,
    1e18,
    -1e18,
    1e19,
    -1e19,
    2147483648.5,
    1e300,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    0.1,
    1e-320
  };

  /** Runs an operator once over each pair of longs; the right one is a constant if so wished. */
  private interface Writer {
    PtxValue write(PtxWriter out, PtxValue a, PtxValue b);
  }

  private static long run(Writer writer, long a, long b, boolean constant) {
    PtxWriter out = new PtxWriter();
    PtxValue left = out.slot(new KernelArgument(KernelArgument.ArgumentKind.LONG, 0));
    PtxValue right =
        constant
            ? PtxValue.of(b)
            : out.slot(new KernelArgument(KernelArgument.ArgumentKind.LONG, 1));
    PtxValue result = writer.write(out, left, right);
    Reg target = out.slot(new KernelArgument(KernelArgument.ArgumentKind.BITS));
    String type = result.type() == Type.LONG || result.type() == Type.DOUBLE ? "u64" : "u32";
    out.line("st.global." + type + " [" + target.name() + "], " + out.number(result).name());
    out.line("ret");
    try (Arena arena = Arena.ofConfined()) {
      long address = arena.allocate(64, 64).address();
      long[] args = new long[out.slots().size()];
      for (int i = 0; i < args.length; i++) {
        KernelArgument slot = out.slots().get(i);
        args[i] =
            slot.kind() == KernelArgument.ArgumentKind.BITS ? address : slot.index() == 0 ? a : b;
      }
      new PtxProgram(out.module()).run(1, PtxKernel.THREADS, args);
      long answer = type.equals("u64") ? Mem.getLong(address) : Mem.getInt(address);
      // What it becomes for the GPU's interpreter does the same.
      Mem.putLong(address, ~answer);
      new BytecodeProgram(PtxBytecode.translate(out.module())).run(1, PtxKernel.THREADS, args);
      assertEquals(answer, type.equals("u64") ? Mem.getLong(address) : Mem.getInt(address));
      return answer;
    }
  }

  private static PtxValue toInt(PtxWriter out, PtxValue value) {
    return Arithmetic.convert(out, Opcode.L2I, value);
  }

  private static void check(long a, long b) {
    for (boolean constant : new boolean[] {false, true}) {
      if (b != 0) {
        String what = a + " by " + b + (constant ? ", a constant" : "");
        assertEquals(
            a / b, run((o, x, y) -> Arithmetic.binary(o, Opcode.LDIV, x, y), a, b, constant), what);
        assertEquals(
            a % b, run((o, x, y) -> Arithmetic.binary(o, Opcode.LREM, x, y), a, b, constant), what);
      }
      if ((int) b != 0) {
        int i = (int) a;
        int j = (int) b;
        String what = i + " by " + j + (constant ? ", a constant" : "");
        Writer divide = (o, x, y) -> Arithmetic.binary(o, Opcode.IDIV, toInt(o, x), toInt(o, y));
        Writer remainder = (o, x, y) -> Arithmetic.binary(o, Opcode.IREM, toInt(o, x), toInt(o, y));
        assertEquals(i / j, (int) run(divide, a, b, constant), what);
        assertEquals(i % j, (int) run(remainder, a, b, constant), what);
      }
      String what = a + " shifted by " + b;
      int amount = (int) b;
      assertEquals(a << amount, run(shift(Opcode.LSHL), a, b, constant), what);
      assertEquals(a >> amount, run(shift(Opcode.LSHR), a, b, constant), what);
      assertEquals(a >>> amount, run(shift(Opcode.LUSHR), a, b, constant), what);
    }
    if (b != 0) {
      Writer unsigned = Arithmetic.Division::unsigned;
      assertEquals(Long.divideUnsigned(a, b), run(unsigned, a, b, false));
    }
    assertEquals(Math.abs(a), run((o, x, y) -> Arithmetic.abs(o, Type.LONG, x), a, b, false));
  }

  private static Writer shift(Opcode opcode) {
    return (out, x, y) -> Arithmetic.binary(out, opcode, x, toInt(out, y));
  }

  @Test
  void integersAreThoseOfJava() {
    Random random = TestSeed.random(getClass());
    for (long a : LONGS) {
      for (long b : LONGS) {
        check(a, b);
      }
    }
    for (int i = 0; i < 500; i++) {
      check(random.nextLong() >> random.nextInt(64), random.nextLong() >> random.nextInt(64));
    }
  }

  @Test
  void doublesBecomeIntegersAsInJava() {
    for (double x : DOUBLES) {
      long bits = Double.doubleToRawLongBits(x);
      Writer toLong =
          (o, a, b) -> Arithmetic.convert(o, Opcode.D2L, o.emit(Type.DOUBLE, "mov.b64", a));
      Writer toInt =
          (o, a, b) -> Arithmetic.convert(o, Opcode.D2I, o.emit(Type.DOUBLE, "mov.b64", a));
      assertEquals((long) x, run(toLong, bits, 0, false), x + " to long");
      assertEquals((int) x, (int) run(toInt, bits, 0, false), x + " to int");
      Intrinsics.Access access = Intrinsics.Access.COLUMN;
      for (String name : new String[] {"signum", "floor", "ceil", "sqrt", "abs"}) {
        Writer call =
            (o, a, b) ->
                (PtxValue)
                    java.util.Objects.requireNonNull(
                        new Intrinsics(o)
                            .call(
                                "Math." + name + "(D)D",
                                java.util.List.of(o.emit(Type.DOUBLE, "mov.b64", a)),
                                access));
        double expected =
            switch (name) {
              case "signum" -> Math.signum(x);
              case "floor" -> Math.floor(x);
              case "ceil" -> Math.ceil(x);
              case "sqrt" -> Math.sqrt(x);
              default -> Math.abs(x);
            };
        assertEquals(
            expected, Double.longBitsToDouble(run(call, bits, 0, false)), name + " of " + x);
      }
    }
  }
}
