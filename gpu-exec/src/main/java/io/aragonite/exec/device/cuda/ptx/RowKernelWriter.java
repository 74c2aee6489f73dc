package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.cuda.ptx.Arithmetic.Condition;
import io.aragonite.exec.device.cuda.ptx.KernelArgument.ArgumentKind;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Compare;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import io.aragonite.exec.device.cuda.ptx.PtxWriter.RowText;
import io.aragonite.exec.vector.ColumnShape;
import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Writes one kernel around code for a row. A warp takes neighbouring rows, 32 for each row of a
 * thread. Each 32 are one word of a bitmap, which its first thread writes.
 *
 * <p>A thread of several rows first does the leading part of each row's code, so that its loads are
 * under way together: with one row of narrow columns a thread, a multiprocessor has too few bytes
 * on their way to use memory's bandwidth.
 */
final class RowKernelWriter {
  private static final String ARGS = "Lio/aragonite/exec/codegen/KernelArgs;";
  private static final String TRAP = "TRAP";
  private static final String DONE = "DONE";
  private static final int WARP_BITS = 5;

  /** What becomes of rows. */
  enum RowResult {
    /** A bit that says whether a predicate holds. */
    BIT,
    /** Values of outputs. */
    COLUMNS,
    /** They are added to a table's counts and sums. */
    TABLE_SUMS
  }

  private final RowCode code;
  private final RowCode.BoundRowCode bound;

  private final RowResult result;

  /** Of the outputs. */
  private final List<ColumnShape> shapes;

  private final int rowsPerThread;
  private final PtxWriter out = new PtxWriter();
  private final Reg rows;
  private final Reg thread;

  /** The rows of a thread, some of which may lie behind the last one. */
  private final List<Reg> row = new ArrayList<>();

  /** What their code returns; 0 for rows that are not done. */
  private final List<Reg> results = new ArrayList<>();

  /** The smallest number of loads in the leading part of a row's code. */
  private int leadingLoads;

  RowKernelWriter(
      RowCode code,
      RowCode.BoundRowCode bound,
      RowResult result,
      List<ColumnShape> shapes,
      int rowsPerThread) {
    this.code = code;
    this.bound = bound;
    this.shapes = shapes;
    this.rowsPerThread = rowsPerThread;
    this.result = result;
    this.rows = out.intSlot(new KernelArgument(ArgumentKind.ROWS));
    Reg block = out.special("%ctaid.x");
    this.thread = out.special("%tid.x");
    place(block);
    computeRows();
    for (int k = 0; k < rowsPerThread; k++) {
      writeBits(k);
    }
    out.line("ret");
  }

  /** Its arguments. */
  List<KernelArgument> slots() {
    return out.slots();
  }

  String module() {
    return out.module();
  }

  /** Instructions, about. */
  int lines() {
    return out.lines();
  }

  /** Loads that each row does whatever its values are, before it does anything else. */
  int leadingLoads() {
    return leadingLoads;
  }

  /** Sets {@link #row} and {@link #results}. */
  private void place(Reg block) {
    PtxValue inBlock = thread;
    if (rowsPerThread > 1) {
      PtxValue lane = Arithmetic.binary(out, Opcode.IAND, thread, PtxValue.of(31));
      PtxValue warp = Arithmetic.binary(out, Opcode.ISUB, thread, lane);
      PtxValue start = Arithmetic.binary(out, Opcode.IMUL, warp, PtxValue.of(rowsPerThread));
      inBlock = Arithmetic.binary(out, Opcode.IADD, start, lane);
    }
    Reg first = out.register(Type.INT);
    int blockRows = PtxKernel.THREADS * rowsPerThread;
    out.line(
        "mad.lo.s32 "
            + String.join(
                ", ",
                first.name(),
                block.name(),
                Integer.toString(blockRows),
                out.operand(inBlock)));
    for (int k = 0; k < rowsPerThread; k++) {
      PtxValue behind = PtxValue.of(k << WARP_BITS);
      row.add(k == 0 ? first : out.emit(Type.INT, "add.s32", first, behind));
      Reg returned = out.register(result == RowResult.COLUMNS ? Type.LONG : Type.INT);
      out.move(returned, result == RowResult.COLUMNS ? PtxValue.of(0L) : PtxValue.of(0));
      results.add(returned);
    }
  }

  /** The rows that are computed: where rows end within a thread's, it does the last one again. */
  private List<Reg> rowsToDo() {
    if (rowsPerThread == 1) {
      return row;
    }
    PtxValue last = Arithmetic.binary(out, Opcode.ISUB, rows, PtxValue.of(1));
    return row.stream().map(at -> out.emit(Type.INT, "min.s32", at, last)).toList();
  }

  private void computeRows() {
    out.jumpIf(out.test("setp.ge.s32", row.getFirst(), rows), DONE);
    List<Reg> done = rowsToDo();
    List<RowText> texts = new ArrayList<>();
    List<Integer> trapping = new ArrayList<>();
    int mark = out.mark();
    for (int k = 0; k < rowsPerThread; k++) {
      RowTranslation unit =
          new RowTranslation(out, bound.classFile(), code::constantObject, TRAP + k, DONE);
      String descriptor = "(" + ARGS + "I)" + (result == RowResult.COLUMNS ? "J" : "I");
      out.move(results.get(k), unit.row(descriptor, done.get(k)));
      texts.add(out.cut(mark));
      if (unit.traps()) {
        trapping.add(k);
      }
    }
    leadingLoads = texts.stream().mapToInt(RowText::loads).min().orElse(0);
    texts.forEach(text -> out.append(text.leading()));
    for (int k = 0; k < rowsPerThread; k++) {
      if (k > 0 && result == RowResult.TABLE_SUMS) {
        // The last row is added once.
        out.jumpIf(out.test("setp.ge.s32", row.get(k), rows), DONE);
      }
      out.append(texts.get(k).rest());
    }
    for (int k : trapping) {
      out.jump(DONE);
      out.label(TRAP + k);
      Reg status = out.slot(new KernelArgument(ArgumentKind.STATUS));
      out.line("red.global.min.u32 [" + status.name() + "], " + done.get(k).name());
    }
    out.jump(DONE);
    out.label(DONE);
  }

  /** The words of bitmaps that the {@code k}-th rows of a warp's threads make. */
  private void writeBits(int k) {
    boolean validity = shapes.stream().anyMatch(ColumnShape::mayBeNull);
    if (result == RowResult.TABLE_SUMS || result == RowResult.COLUMNS && !validity) {
      return;
    }
    PtxValue lane = Arithmetic.binary(out, Opcode.IAND, thread, PtxValue.of(31));
    Pred first = out.test("setp.eq.s32", lane, PtxValue.of(0));
    PtxValue word = Arithmetic.binary(out, Opcode.ISHR, row.get(k), PtxValue.of(WARP_BITS));
    Pred isRow = out.test("setp.lt.s32", row.get(k), rows);
    if (result == RowResult.BIT) {
      Reg bits = out.slot(new KernelArgument(ArgumentKind.BITS));
      ballot(isSet(results.get(k), isRow), and(first, isRow), bits, word);
      return;
    }
    Pred writes = and(first, out.test("setp.lt.s32", word, words()));
    for (int i = 0; i < code.outputs(); i++) {
      if (shapes.get(i).mayBeNull()) {
        PtxValue bit = Arithmetic.binary(out, Opcode.LAND, results.get(k), PtxValue.of(1L << i));
        KernelArgument bitmap = new KernelArgument(ArgumentKind.OUT_VALIDITY, code.place(i));
        ballot(isSet(bit, isRow), writes, out.slot(bitmap), word);
      }
    }
  }

  /** A bitmap has an even number of words, all of which are written. */
  private PtxValue words() {
    PtxValue rounded = Arithmetic.binary(out, Opcode.IADD, rows, PtxValue.of(63));
    PtxValue pairs = Arithmetic.binary(out, Opcode.ISHR, rounded, PtxValue.of(WARP_BITS + 1));
    return Arithmetic.binary(out, Opcode.ISHL, pairs, PtxValue.of(1));
  }

  private Pred and(Pred a, Pred b) {
    return (Pred) Arithmetic.binary(out, Opcode.IAND, a, b);
  }

  /** Whether a value is not 0, and that of a row; the only row of a thread has 0 if it is none. */
  private Pred isSet(PtxValue value, Pred isRow) {
    PtxValue zero = value.type() == Type.LONG ? PtxValue.of(0L) : PtxValue.of(0);
    Compare notZero = new Compare(Objects.requireNonNull(value.type()), false, 0, value, zero);
    Pred set = (Pred) Arithmetic.test(out, notZero, Condition.NE);
    return rowsPerThread == 1 ? set : and(set, isRow);
  }

  /** Collects a bit of all of a warp's threads. */
  private void ballot(Pred set, Pred writes, Reg bitmap, PtxValue word) {
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
