package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.LaneSums;
import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.cuda.ptx.KernelArgument.ArgumentKind;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import io.aragonite.exec.device.cuda.ptx.PtxWriter.RowText;
import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes one kernel around code that adds a row to sums. Threads go through the rows in steps of
 * the whole grid, several rows a step, whose loads are under way together. Each lane has sums of
 * its own in shared memory. In the end a warp adds those of its lanes up, and then to the sums of
 * all, of 128 bits.
 */
final class AggregationKernelWriter {
  private static final String ARGS = "Lio/aragonite/exec/codegen/KernelArgs;";
  private static final int LANES = LaneSums.LANES;
  private static final int WARP_BITS = 5;

  private final RowCode code;
  private final RowCode.BoundRowCode bound;
  private final int sums;
  private final int rowsPerStep;
  private final PtxWriter out = new PtxWriter();
  private final Reg rows;
  private final Reg lane;

  /** Where the sums of a warp's first lane begin. */
  private final Reg warpSums;

  private int leadingLoads;

  /**
   * @param sums of all groups together
   */
  AggregationKernelWriter(RowCode code, RowCode.BoundRowCode bound, int sums, int rowsPerStep) {
    this.code = code;
    this.bound = bound;
    this.sums = sums;
    this.rowsPerStep = rowsPerStep;
    this.rows = out.intSlot(new KernelArgument(ArgumentKind.ROWS));
    Reg thread = out.special("%tid.x");
    this.lane = out.emit(Type.INT, "and.b32", thread, PtxValue.of(LANES - 1));
    Reg warp = out.emit(Type.INT, "shr.u32", thread, PtxValue.of(WARP_BITS));
    Reg before = out.emit(Type.INT, "mul.lo.s32", warp, PtxValue.of(sums * LaneSums.STRIDE));
    this.warpSums = out.emit(Type.INT, "add.s32", out.sharedMemory(), before);
    Reg own = place(warpSums, lane);
    clear(own);
    addRows(own, thread);
    addUp();
    out.line("ret");
  }

  /** Its arguments. */
  List<KernelArgument> slots() {
    return out.slots();
  }

  String module() {
    return out.module();
  }

  int lines() {
    return out.lines();
  }

  /** Loads that each row does whatever its values are, before it does anything else. */
  int leadingLoads() {
    return leadingLoads;
  }

  /** The address of a lane's word in a row of words. */
  private Reg place(Reg start, Reg number) {
    Reg offset = out.emit(Type.INT, "shl.b32", number, PtxValue.of(3));
    return out.emit(Type.INT, "add.s32", start, offset);
  }

  private void clear(Reg own) {
    Reg at = out.copy(own);
    Reg end = out.emit(Type.INT, "add.s32", own, PtxValue.of(sums * LaneSums.STRIDE));
    Reg zero = out.number(PtxValue.of(0L));
    out.label("CLEAR");
    out.line("st.shared.u64 [" + at.name() + "], " + zero.name());
    out.move(at, out.emit(Type.INT, "add.s32", at, PtxValue.of(LaneSums.STRIDE)));
    out.jumpIf(out.test("setp.lt.s32", at, end), "CLEAR");
  }

  private void addRows(Reg own, Reg thread) {
    Reg threads =
        out.emit(Type.INT, "mul.lo.s32", out.special("%nctaid.x"), out.special("%ntid.x"));
    Reg first = out.register(Type.INT);
    out.line(
        "mad.lo.s32 "
            + String.join(
                ", ",
                first.name(),
                out.special("%ctaid.x").name(),
                out.special("%ntid.x").name(),
                thread.name()));
    PtxValue last = Arithmetic.binary(out, Opcode.ISUB, rows, PtxValue.of(1));
    out.label("STEP");
    out.jumpIf(out.test("setp.ge.s32", first, rows), "DONE");
    List<Reg> row = new ArrayList<>();
    for (int k = 0; k < rowsPerStep; k++) {
      row.add(k == 0 ? first : out.emit(Type.INT, "add.s32", row.get(k - 1), threads));
    }
    addStep(own, row, last);
    out.label("NEXT");
    out.move(first, out.emit(Type.INT, "add.s32", row.getLast(), threads));
    out.jump("STEP");
  }

  /** The rows of a step; of those behind the last one, the last one is read, and is not added. */
  private void addStep(Reg own, List<Reg> row, PtxValue last) {
    List<RowText> texts = new ArrayList<>();
    List<Reg> read = new ArrayList<>();
    List<Integer> trapping = new ArrayList<>();
    for (int k = 0; k < rowsPerStep; k++) {
      read.add(k == 0 ? row.get(k) : out.emit(Type.INT, "min.s32", row.get(k), last));
    }
    int mark = out.mark();
    for (int k = 0; k < rowsPerStep; k++) {
      RowTranslation unit =
          new RowTranslation(out, bound.classFile(), code::constantObject, "TRAP" + k, "DONE");
      unit.memory().setSums(own);
      unit.row("(" + ARGS + "I)I", read.get(k));
      texts.add(out.cut(mark));
      if (unit.traps()) {
        trapping.add(k);
      }
    }
    leadingLoads = texts.stream().mapToInt(RowText::loads).min().orElse(0);
    texts.forEach(text -> out.append(text.leading()));
    for (int k = 0; k < rowsPerStep; k++) {
      if (k > 0) {
        out.jumpIf(out.test("setp.ge.s32", row.get(k), rows), "NEXT");
      }
      out.append(texts.get(k).rest());
    }
    for (int k : trapping) {
      out.jump("NEXT");
      out.label("TRAP" + k);
      Reg status = out.slot(new KernelArgument(ArgumentKind.STATUS));
      out.line("red.global.min.u32 [" + status.name() + "], " + read.get(k).name());
      out.jump("DONE");
    }
  }

  /** Each lane adds up some sums of all lanes, which begin with different ones of them. */
  private void addUp() {
    out.label("DONE");
    out.line("bar.warp.sync 0xFFFFFFFF");
    Reg sum = out.copy(lane);
    out.label("SUM");
    out.jumpIf(out.test("setp.ge.s32", sum, PtxValue.of(sums)), "END");
    Reg start = out.register(Type.INT);
    out.line(
        "mad.lo.s32 "
            + String.join(
                ", ",
                start.name(),
                sum.name(),
                Integer.toString(LaneSums.STRIDE),
                warpSums.name()));
    Reg total = out.register(Type.LONG);
    out.move(total, PtxValue.of(0L));
    Reg turn = out.copy(lane);
    Reg end = out.emit(Type.INT, "add.s32", lane, PtxValue.of(LANES));
    out.label("LANE");
    Reg value = out.register(Type.LONG);
    Reg other = out.emit(Type.INT, "and.b32", turn, PtxValue.of(LANES - 1));
    out.line("ld.shared.u64 " + value.name() + ", [" + place(start, other).name() + "]");
    out.move(total, out.emit(Type.LONG, "add.s64", total, value));
    out.move(turn, out.emit(Type.INT, "add.s32", turn, PtxValue.of(1)));
    out.jumpIf(out.test("setp.lt.s32", turn, end), "LANE");
    addToAll(sum, total);
    out.move(sum, out.emit(Type.INT, "add.s32", sum, PtxValue.of(LANES)));
    out.jump("SUM");
    out.label("END");
  }

  private void addToAll(Reg sum, Reg total) {
    Reg all = out.slot(new KernelArgument(ArgumentKind.SUMS));
    PtxValue offset =
        Arithmetic.binary(
            out, Opcode.LSHL, Arithmetic.convert(out, Opcode.I2L, sum), PtxValue.of(4));
    Reg place = out.number(Arithmetic.binary(out, Opcode.LADD, all, offset));
    Reg low = atomicAdd(place, 0, total);
    Pred carries = out.test("setp.lt.u64", out.emit(Type.LONG, "add.s64", low, total), low);
    PtxValue carry = Arithmetic.select(out, carries, PtxValue.of(1L), PtxValue.of(0L));
    Reg sign = out.emit(Type.LONG, "shr.s64", total, PtxValue.of(63));
    Reg high = out.emit(Type.LONG, "add.s64", sign, carry);
    out.jumpIf(out.test("setp.eq.s64", high, PtxValue.of(0L)), "ADDED");
    atomicAdd(place, Long.BYTES, high);
    out.label("ADDED");
  }

  /** What was there before. */
  private Reg atomicAdd(Reg place, int offset, Reg value) {
    Reg before = out.register(Type.LONG);
    PtxValue at = Arithmetic.binary(out, Opcode.LADD, place, PtxValue.of((long) offset));
    out.line(
        "atom.global.add.u64 "
            + before.name()
            + ", ["
            + out.number(at).name()
            + "], "
            + value.name());
    return before;
  }
}
