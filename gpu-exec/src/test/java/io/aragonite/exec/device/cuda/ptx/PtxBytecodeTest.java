package io.aragonite.exec.device.cuda.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.memory.Mem;
import java.lang.foreign.Arena;
import java.lang.reflect.Field;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;

/** What the translation makes of single forms, and what it refuses. */
class PtxBytecodeTest {
  private static final String KERNEL =
      """
      .version 7.8
      .target sm_80
      .address_size 64
      %s
      .visible .entry ara_rows(
      	.param .u64 a0,
      	.param .u64 a1
      )
      {
      	ld.param.u64 %%rd1, [a0];
      	ld.param.u64 %%rd2, [a1];
      	mov.u32 %%r1, %%ctaid.x;
      	mov.u32 %%r2, %%tid.x;
      	mad.lo.s32 %%r3, %%r1, 256, %%r2;
      	cvt.s64.s32 %%rd3, %%r3;
      	shl.b64 %%rd4, %%rd3, 3;
      	add.s64 %%rd5, %%rd1, %%rd4;
      	add.s64 %%rd6, %%rd4, %%rd2;
      	ld.global.nc.u64 %%rd7, [%%rd5];
      %s
      	st.global.u64 [%%rd6], %%rd8;
      	ret;
      }
      """;

  private static final int BLOCKS = 2;
  private static final int ROOM = BLOCKS * PtxKernel.THREADS;

  private static PtxBytecode translate(String tables, String body) {
    return PtxBytecode.translate(KERNEL.formatted(tables, body.stripTrailing()));
  }

  /** Runs code that makes %rd8 of %rd7 and of the row's number %r3. */
  private static void check(String tables, String body, LongBinaryOperator expected) {
    BytecodeProgram program = new BytecodeProgram(translate(tables, body));
    try (Arena arena = Arena.ofConfined()) {
      long in = arena.allocate(8L * ROOM, 8).address();
      long out = arena.allocate(8L * ROOM, 8).address();
      for (int row = 0; row < ROOM; row++) {
        Mem.putLong(in + 8L * row, row % 3 == 0 ? row : -0x123456789ABCL * row);
      }
      program.run(BLOCKS, PtxKernel.THREADS, new long[] {in, out});
      for (int row = 0; row < ROOM; row++) {
        assertEquals(
            expected.applyAsLong(Mem.getLong(in + 8L * row), row), Mem.getLong(out + 8L * row));
      }
    }
  }

  @Test
  void theKernelHasTheSameNumbers() throws ReflectiveOperationException {
    for (BytecodeOperation operation : BytecodeOperation.values()) {
      if (operation != BytecodeOperation.LABEL) {
        assertEquals(operation.ordinal(), shared("InterpretOperation", operation.name()));
      }
    }
    assertEquals(PtxBytecode.CONSTANT_A, shared("InterpretFlag", "CONSTANT_A"));
    assertEquals(PtxBytecode.CONSTANT_B, shared("InterpretFlag", "CONSTANT_B"));
    assertEquals(PtxBytecode.CONSTANT_C, shared("InterpretFlag", "CONSTANT_C"));
    assertEquals(PtxBytecode.INVERTED, shared("InterpretFlag", "INVERTED"));
    assertEquals(PtxBytecode.JUMPS, shared("InterpretFlag", "JUMPS"));
    assertEquals(PtxBytecode.NO_RESULT, shared("InterpretFlag", "NO_RESULT"));
    assertEquals(PtxKernel.THREADS, shared("InterpretPolicy", "BLOCK_ROWS"));
  }

  /** What the kernel's source shares with the host. */
  private static int shared(String type, String name) throws ReflectiveOperationException {
    Field field =
        Class.forName("io.aragonite.exec.device.cuda.CudaConstants$" + type).getDeclaredField(name);
    field.setAccessible(true);
    return field.getInt(null);
  }

  @Test
  void addressesAreOneInstruction() {
    PtxBytecode code = translate("", "\tadd.s64 %rd8, %rd7, 5;");
    // Two arguments, block, thread, row, two addresses, load, sum, store, two returns.
    assertEquals(12, code.instructions());
    check("", "\tadd.s64 %rd8, %rd7, 5;", (value, row) -> value + 5);
  }

  @Test
  void copiesShareASlot() {
    String swaps =
        """
        	mov.b64 %rd10, %rd7;
        	mov.b64 %rd11, 7;
        	mov.b32 %r5, 0;
        L1:
        	mov.b64 %rd12, %rd10;
        	mov.b64 %rd10, %rd11;
        	mov.b64 %rd11, %rd12;
        	add.s32 %r6, %r5, 1;
        	mov.b32 %r5, %r6;
        	setp.lt.s32 %p1, %r5, %r3;
        	@%p1 bra L1;
        	sub.s64 %rd8, %rd10, %rd11;
        """;
    check("", swaps, (value, row) -> (Math.max(1, row) % 2 == 1 ? 1 : -1) * (7 - value));
    // The counter's copy and the first of %rd7 need no instruction.
    assertEquals(19, translate("", swaps).instructions());
    // Of which the loop's five run eight times.
    assertEquals(19 + 7 * 5, translate("", swaps).steps());
  }

  @Test
  void aCopyOfWhatChangesIsMade() {
    String keeps =
        """
        	mov.b64 %rd9, %rd7;
        	add.s64 %rd7, %rd7, 1;
        	mul.lo.s64 %rd8, %rd9, %rd7;
        """;
    check("", keeps, (value, row) -> value * (value + 1));
  }

  @Test
  void comparisonsJump() {
    String body =
        """
        	mov.b64 %rd8, 1;
        	setp.gt.s64 %p1, %rd7, 100;
        	@!%p1 bra L1;
        	mov.b64 %rd8, 2;
        	setp.le.u64 %p2, %rd7, 200;
        	@%p2 bra L2;
        	mov.b64 %rd8, 3;
        	bra L2;
        L1:
        	setp.ne.b32 %p3, %r3, 5;
        	selp.b32 %r4, 0, 1, %p3;
        	setp.eq.b32 %p4, %r4, 0;
        	@%p4 bra L2;
        	mov.b64 %rd8, 4;
        L2:
        """;
    check(
        "",
        body,
        (value, row) -> {
          if (value > 100) {
            return value <= 200 ? 2 : 3;
          }
          return row == 5 ? 4 : 1;
        });
  }

  @Test
  void conditionsOfFloats() {
    String[] conditions = {"eq", "ne", "lt", "le", "gt", "ge"};
    double[] values = {Double.NaN, -1, 0.0, -0.0, 1, Double.POSITIVE_INFINITY};
    for (String name : conditions) {
      for (double right : values) {
        for (double left : values) {
          for (boolean unordered : new boolean[] {false, true}) {
            String op = "setp." + name + (unordered ? "u" : "") + ".f64";
            String body =
                "\t%s %%p1, 0d%016X, 0d%016X;\n\tselp.b64 %%rd8, 7, 9, %%p1;"
                    .formatted(
                        op, Double.doubleToRawLongBits(left), Double.doubleToRawLongBits(right));
            long wanted =
                PtxOperations.of(op)
                    .apply(Double.doubleToRawLongBits(left), Double.doubleToRawLongBits(right), 0);
            check("", body, (value, row) -> wanted == 1 ? 7 : 9);
          }
        }
      }
    }
  }

  @Test
  void tablesLieBehindTheCode() {
    check(
        ".global .align 8 .u16 t0[3] = {1, 65535, 7};\n"
            + ".global .align 8 .u64 t1[2] = {0x8000000000000000, 0x0000000000000005};",
        """
        	mov.u64 %rd9, t0;
        	ld.global.nc.s16 %r4, [%rd9];
        	add.s64 %rd10, %rd9, 2;
        	ld.global.nc.s16 %r5, [%rd10];
        	mov.u64 %rd11, t1;
        	ld.global.nc.u64 %rd12, [%rd11];
        	cvt.s64.s32 %rd13, %r5;
        	add.s64 %rd8, %rd12, %rd13;
        """,
        (value, row) -> Long.MIN_VALUE - 1);
  }

  @Test
  void halvesAndBytes() {
    check(
        "",
        """
        	mov.b64 {%r4, %r5}, %rd7;
        	prmt.b32 %r6, %r4, 0, 291;
        	prmt.b32 %r7, %r5, 0, 291;
        	mov.b64 %rd8, {%r7, %r6};
        """,
        (value, row) -> Long.reverseBytes(value));
  }

  @Test
  void whatIsUnknownIsNamed() {
    PtxUntranslatable e =
        assertThrows(PtxUntranslatable.class, () -> translate("", "\tsin.approx.f32 %f1, %f2;"));
    assertEquals("the instruction sin.approx.f32", e.what());
    assertTrue(PtxKernels.empty().bytecode().isEmpty());
  }

  @Test
  void moreValuesThanSlotsAreRefused() {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < PtxBytecode.MAX_SLOTS; i++) {
      body.append("\tadd.s64 %%rd%d, %%rd7, %d;\n".formatted(100 + i, i + 1));
    }
    body.append("\tmov.b64 %rd8, 0;\n");
    for (int i = 0; i < PtxBytecode.MAX_SLOTS; i++) {
      body.append("\txor.b64 %%rd8, %%rd8, %%rd%d;\n".formatted(100 + i));
    }
    PtxUntranslatable e =
        assertThrows(PtxUntranslatable.class, () -> translate("", body.toString()));
    assertEquals("more than 256 values at once", e.what());
  }
}
