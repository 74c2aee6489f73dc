package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.cuda.ptx.Arithmetic.Condition;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Compare;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import io.aragonite.exec.vector.ColumnShape;
import java.lang.classfile.Opcode;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Kernels around code for a row. A thread takes a row; a warp's 32 rows are one word of a bitmap,
 * which its first thread writes. A row that fails, or that only the host can do, is recorded in the
 * status word (the smallest such row), and the host then does the batch, or raises the error.
 */
final class RowKernels {
  private static final int MAX_KERNELS = 2_000;
  private static final ConcurrentHashMap<String, PtxKernel> KERNELS = new ConcurrentHashMap<>();

  private RowKernels() {}

  /**
   * The kernel that writes the bits of a predicate.
   *
   * @param runner may have it of an earlier process
   */
  static PtxKernel predicate(RowCode code, RowCode.BoundRowCode bound, PtxRunner runner) {
    return cached("predicate", code, bound, List.of(), runner);
  }

  /**
   * The kernel that writes outputs.
   *
   * @param shapes of the outputs, in the order of the code
   * @param runner may have it of an earlier process
   */
  static PtxKernel projection(
      RowCode code, RowCode.BoundRowCode bound, List<ColumnShape> shapes, PtxRunner runner) {
    return cached("projection", code, bound, shapes, runner);
  }

  private static PtxKernel cached(
      String kind,
      RowCode code,
      RowCode.BoundRowCode bound,
      List<ColumnShape> shapes,
      PtxRunner runner) {
    StringBuilder key = new StringBuilder(kind).append(' ');
    for (int i = 0; i < code.constantObjects(); i++) {
      if (code.constantObject(i) instanceof Enum<?> constant) {
        key.append(i).append('=').append(constant.name()).append(' ');
      }
    }
    for (ColumnShape shape : shapes) {
      key.append(shape.mayBeNull() ? '?' : '.');
    }
    key.append(bound.text());
    if (KERNELS.size() >= MAX_KERNELS) {
      KERNELS.clear();
    }
    return KERNELS.computeIfAbsent(
        key.toString(),
        k -> {
          PtxKernel kept = runner.kept(k);
          return kept != null ? kept : write(k, code, bound, shapes);
        });
  }

  private static PtxKernel write(
      String key, RowCode code, RowCode.BoundRowCode bound, List<ColumnShape> shapes) {
    boolean predicate = code.outputs() == 0;
    PtxWriter out = new PtxWriter();
    RowTranslation unit =
        new RowTranslation(out, bound.classFile(), code::constantObject, "TRAP", "DONE");
    Type type = predicate ? Type.INT : Type.LONG;
    Reg rows = out.intSlot(new KernelArgument(KernelArgument.ArgumentKind.ROWS));
    Reg block = special(out, "%ctaid.x");
    Reg thread = special(out, "%tid.x");
    Reg row = out.register(Type.INT);
    out.line(
        "mad.lo.s32 "
            + row.name()
            + ", "
            + block.name()
            + ", "
            + PtxKernel.THREADS
            + ", "
            + thread.name());
    Reg result = out.register(type);
    out.move(result, predicate ? PtxValue.of(0) : PtxValue.of(0L));
    out.jumpIf(out.test("setp.ge.s32", row, rows), "DONE");
    out.move(result, unit.row(predicate ? "(" + ARGS + "I)I" : "(" + ARGS + "I)J", row));
    out.jump("DONE");
    if (unit.traps()) {
      out.label("TRAP");
      Reg status = out.slot(new KernelArgument(KernelArgument.ArgumentKind.STATUS));
      out.line("red.global.min.u32 [" + status.name() + "], " + row.name());
    }
    out.label("DONE");
    PtxValue lane = Arithmetic.binary(out, Opcode.IAND, thread, PtxValue.of(31));
    Pred first = out.test("setp.eq.s32", lane, PtxValue.of(0));
    PtxValue word = Arithmetic.binary(out, Opcode.ISHR, row, PtxValue.of(5));
    if (predicate) {
      Pred writes = and(out, first, out.test("setp.lt.s32", row, rows));
      ballot(
          out,
          result,
          writes,
          out.slot(new KernelArgument(KernelArgument.ArgumentKind.BITS)),
          word);
    } else {
      validity(out, code, shapes, result, first, word, rows);
    }
    out.line("ret");
    return new PtxKernel(key, out.module(), out.slots(), null);
  }

  private static final String ARGS = "Lio/aragonite/exec/codegen/KernelArgs;";

  private static Reg special(PtxWriter out, String name) {
    Reg result = out.register(Type.INT);
    out.line("mov.u32 " + result.name() + ", " + name);
    return result;
  }

  private static Pred and(PtxWriter out, Pred a, Pred b) {
    return (Pred) Arithmetic.binary(out, Opcode.IAND, a, b);
  }

  private static void validity(
      PtxWriter out,
      RowCode code,
      List<ColumnShape> shapes,
      Reg result,
      Pred first,
      PtxValue word,
      Reg rows) {
    // A bitmap has an even number of words, all of which are written.
    PtxValue even =
        Arithmetic.binary(
            out,
            Opcode.ISHL,
            Arithmetic.binary(
                out,
                Opcode.ISHR,
                Arithmetic.binary(out, Opcode.IADD, rows, PtxValue.of(63)),
                PtxValue.of(6)),
            PtxValue.of(1));
    Pred writes = null;
    for (int k = 0; k < code.outputs(); k++) {
      if (shapes.get(k).mayBeNull()) {
        if (writes == null) {
          writes = and(out, first, out.test("setp.lt.s32", word, even));
        }
        PtxValue bit = Arithmetic.binary(out, Opcode.LAND, result, PtxValue.of(1L << k));
        KernelArgument bitmap =
            new KernelArgument(KernelArgument.ArgumentKind.OUT_VALIDITY, code.place(k));
        ballot(out, bit, writes, out.slot(bitmap), word);
      }
    }
  }

  /** Collects whether a value is not zero in all of a warp's threads. */
  private static void ballot(
      PtxWriter out, PtxValue value, Pred writes, Reg bitmap, PtxValue word) {
    Compare notZero =
        new Compare(
            java.util.Objects.requireNonNull(value.type()),
            false,
            0,
            value,
            value.type() == Type.LONG ? PtxValue.of(0L) : PtxValue.of(0));
    Pred set = (Pred) Arithmetic.test(out, notZero, Condition.NE);
    Reg bits = out.register(Type.INT);
    out.line("vote.sync.ballot.b32 " + bits.name() + ", " + set.name() + ", 0xFFFFFFFF");
    PtxValue offset =
        Arithmetic.binary(
            out, Opcode.LSHL, Arithmetic.convert(out, Opcode.I2L, word), PtxValue.of(2));
    PtxValue address = Arithmetic.binary(out, Opcode.LADD, bitmap, offset);
    out.line(
        PtxWriter.guard(writes)
            + " st.global.u32 ["
            + out.number(address).name()
            + "], "
            + bits.name());
  }
}
