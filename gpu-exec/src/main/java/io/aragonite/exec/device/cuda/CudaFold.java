package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.FoldPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.FoldStates;
import io.aragonite.exec.device.cuda.CudaConstants.ValueKind;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * The functions of fold_functions.cuh, and which of a function's forms suits a batch: states in
 * registers, shared or global memory.
 */
enum CudaFold {
  COUNT("count", FoldStates.COUNT_LIMBS, FoldStates.COUNT_WORDS),
  SUM1("sum1", FoldStates.ONE_LIMBS, FoldStates.ONE_WORDS),
  SUM2("sum2", FoldStates.SUM2_LIMBS, FoldStates.SUM2_WORDS),
  SUM3("sum3", FoldStates.SUM3_LIMBS, FoldStates.SUM3_WORDS),
  SUM_DOUBLE("sumd", FoldStates.ONE_LIMBS, FoldStates.ONE_WORDS),
  MAX("max", FoldStates.ONE_LIMBS, FoldStates.ONE_WORDS),
  OR("or", FoldStates.ONE_LIMBS, FoldStates.ONE_WORDS),
  XOR("xor", FoldStates.ONE_LIMBS, FoldStates.ONE_WORDS);

  /** Takes the high half of sign-extended values; see {@link Batch#part}. */
  static final int HIGH = ValueKind.HIGH;

  /** Takes the low half of values whose high half is the group's in {@link Batch#guard}. */
  static final int LOW = ValueKind.LOW;

  private static final KernelFamily FAMILY = KernelFamily.FOLD;
  private static final int ITEMS = FoldPolicy.ITEMS;
  private static final int ALL_THREADS = FoldPolicy.ALL_THREADS;
  private static final int FEW_THREADS = FoldPolicy.FEW_THREADS;
  private static final int BLOCK_THREADS = FoldPolicy.BLOCK_THREADS;
  private static final int MANY_THREADS = FoldPolicy.MANY_THREADS;

  /** Shared memory for which many blocks fit an SM. */
  private static final int FEW_SHARED = 32 << 10;

  /** What a block may have on every GPU from compute capability 8.0 on. */
  private static final int BLOCK_SHARED = 96 << 10;

  private static final int SM_SHARED = 192 << 10;

  /** Below this many rows a block's own states cost more than they save. */
  private static final int BLOCK_ROWS = 1 << 20;

  private final String name;

  /** 64-bit limbs of a group's state, and of a thread's. */
  private final int limbs;

  /** 32-bit words of a group in a block's shared memory. */
  private final int sharedWords;

  CudaFold(String name, int limbs, int sharedWords) {
    this.name = name;
    this.limbs = limbs;
    this.sharedWords = sharedWords;
  }

  /**
   * What a kernel folds.
   *
   * @param part 0, HIGH or LOW
   * @param flip bits of values to turn over
   * @param guard high halves by group, for LOW; else EMPTY
   */
  record Batch(
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int part,
      long flip,
      Buffer guard) {

    Batch withPart(int newPart, Buffer newGuard) {
      return new Batch(values, groups, mask, count, newPart, flip, newGuard);
    }

    /** The kernels' parameters. */
    Object[] args() {
      RowIds rowIds = values == null ? null : values.rowIds();
      Buffer validity = values == null ? null : values.validity();
      return new Object[] {
        values == null ? Buffer.EMPTY : values.values(),
        (values == null ? 0 : kind(values.shape().storage())) | part,
        validity == null ? Buffer.EMPTY : validity,
        rowIds == null ? Buffer.EMPTY : rowIds.ids(),
        groups == null ? Buffer.EMPTY : groups,
        mask == null ? Buffer.EMPTY : mask,
        count,
        flip,
        guard
      };
    }
  }

  /**
   * The states of all groups, as fold_functions.cuh has them; EMPTY is what there is not.
   *
   * @param lo low limbs
   * @param hi limbs above
   * @param ext limbs above these
   * @param seen a byte a group
   */
  record State(Buffer lo, Buffer hi, Buffer ext, Buffer seen) {
    /** The kernels' parameters. */
    Object[] args() {
      return new Object[] {lo, hi, ext, seen};
    }
  }

  /** What kernels call the function. */
  String kernelName() {
    return name;
  }

  /** 64-bit limbs of a group's state. */
  int limbs() {
    return limbs;
  }

  /** What kernels call a storage. */
  static int kind(Storage storage) {
    return switch (storage) {
      case NONE, BYTES -> ValueKind.NOTHING;
      case BYTE, CODE8 -> ValueKind.I8;
      case SHORT, CODE16 -> ValueKind.I16;
      case INT, CODE -> ValueKind.I32;
      case LONG, HANDLE -> ValueKind.I64;
      case FLOAT -> ValueKind.F32;
      case DOUBLE -> ValueKind.F64;
      case LONG128 -> ValueKind.I128;
    };
  }

  /** Folds a batch of at least one row into the states of its groups. */
  void launch(ExecContext context, Batch batch, State state, int groupCount) {
    CudaStream stream = CudaStream.of(context);
    int sms = stream.gpu().sms();
    if (batch.groups() == null) {
      long tiles = CudaWords.blocks(batch.count(), ITEMS * ALL_THREADS);
      launch(stream, "all", Math.min(tiles, 8L * sms), ALL_THREADS, 0, batch, state);
      return;
    }
    long few = (long) Long.BYTES * limbs * FEW_THREADS * groupCount;
    if (groupCount <= FoldPolicy.FEW_GROUPS && few <= FEW_SHARED) {
      long tiles = CudaWords.blocks(batch.count(), ITEMS * FEW_THREADS);
      long blocks = Math.min(tiles, sms * Math.min(16, SM_SHARED / few));
      launch(stream, "few", blocks, FEW_THREADS, (int) few, batch, state, groupCount);
      return;
    }
    long shared = (4L * sharedWords + 1) * groupCount;
    if (shared <= BLOCK_SHARED && batch.count() >= BLOCK_ROWS) {
      // Each block's states must be worth writing.
      long worth = Math.max(1, batch.count() / (4L * groupCount));
      long blocks = Math.min(worth, sms * Math.min(4, SM_SHARED / shared));
      launch(stream, "block", blocks, BLOCK_THREADS, (int) shared, batch, state, groupCount);
      return;
    }
    long tiles = CudaWords.blocks(batch.count(), ITEMS * MANY_THREADS);
    launch(stream, "many", tiles, MANY_THREADS, 0, batch, state);
  }

  private void launch(
      CudaStream stream,
      String form,
      long blocks,
      int threads,
      int shared,
      Batch batch,
      State state,
      Object... more) {
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_fold_" + name + "_" + form),
        blocks,
        threads,
        shared,
        join(batch.args(), state.args(), more));
  }

  static Object[] join(Object[]... parts) {
    int length = 0;
    for (Object[] part : parts) {
      length += part.length;
    }
    Object[] all = new Object[length];
    int at = 0;
    for (Object[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }
}
