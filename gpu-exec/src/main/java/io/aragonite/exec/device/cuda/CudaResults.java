package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.FoldFindings;
import io.aragonite.exec.device.cuda.CudaConstants.FoldFlag;
import io.aragonite.exec.device.cuda.CudaFold.State;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Columns made of accumulated states. */
final class CudaResults {
  private static final KernelFamily FAMILY = KernelFamily.FOLD_RESULT;
  private static final int THREADS = BlockPolicy.THREADS;

  /** What is found of an accumulator's groups: 64-bit words. */
  private static final long FOUND_BYTES = FoldFindings.SIZEOF;

  private static final int FOUND_WORDS = FoldFindings.SIZEOF / Long.BYTES;
  private static final int LEAST = FoldFindings.LEAST / Long.BYTES;
  private static final int GREATEST = FoldFindings.GREATEST / Long.BYTES;
  private static final int FLAGS = FoldFindings.FLAGS / Long.BYTES;

  private CudaResults() {}

  /**
   * States and how they are to be read.
   *
   * @param flip bits that are turned over in all limbs
   * @param biased whether the low of two limbs has its top bit turned over as well
   */
  record Groups(State state, int count, long flip, boolean biased) {
    private Object[] args() {
      return CudaFold.join(state.args(), new Object[] {count, flip, biased ? 1 : 0});
    }
  }

  /**
   * What a look at all groups has told.
   *
   * @param missing whether a group has no value
   * @param fitsLong whether all values fit 64 bits
   * @param range bounds of the low limbs of groups with a value; null if there is none
   */
  record Findings(boolean missing, boolean fitsLong, @Nullable ValueRange range) {}

  static void launch(CudaStream stream, String name, int count, Object... args) {
    stream.launch(
        stream.gpu().kernel(FAMILY, name), CudaWords.blocks(count, THREADS), THREADS, 0, args);
  }

  /**
   * Groups that are looked at before a column is made of them.
   *
   * @param sums the type that values must fit; null: they fit
   */
  record Pending(Groups groups, @Nullable DataType sums, Making making) {}

  /** Makes the column of groups of which the findings are known. */
  interface Making {
    Column column(Findings findings, Allocator allocator);
  }

  /**
   * The columns of groups, all of which are looked at with one wait.
   *
   * @throws AragoniteException NUMERIC_OVERFLOW if a value does not fit its type
   */
  static List<Column> finish(ExecContext context, List<Pending> all, Allocator allocator) {
    List<Findings> findings = inspect(context, all);
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      columns.add(all.get(i).making.column(findings.get(i), allocator));
    }
    return columns;
  }

  /** As the other one, of one alone. */
  static Column finish(ExecContext context, Pending one, Allocator allocator) {
    return finish(context, List.of(one), allocator).getFirst();
  }

  private static List<Findings> inspect(ExecContext context, List<Pending> all) {
    if (all.isEmpty()) {
      return List.of();
    }
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer out = scratch.allocate(FOUND_BYTES * all.size());
      stream.fill(out.address(), (byte) -1, FOUND_BYTES * all.size());
      for (int i = 0; i < all.size(); i++) {
        inspect(stream, all.get(i), out.slice(FOUND_BYTES * i, FOUND_BYTES));
      }
      long[] found = CudaWords.read(stream, out, FOUND_WORDS * all.size());
      List<Findings> findings = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        findings.add(findings(found, FOUND_WORDS * i, all.get(i).sums));
      }
      return findings;
    } finally {
      scratch.release(mark);
    }
  }

  private static void inspect(CudaStream stream, Pending one, Buffer out) {
    DataType sums = one.sums;
    BigInteger max = sums == null ? BigInteger.ZERO : largest(sums);
    BigInteger min =
        sums == null || sums.kind() == TypeKind.DECIMAL
            ? max.negate()
            : max.negate().subtract(BigInteger.ONE);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_result_inspect"),
        stream.gridStride(one.groups.count(), THREADS),
        THREADS,
        0,
        CudaFold.join(
            one.groups.args(),
            new Object[] {
              sums == null ? 0 : 1,
              min.longValue(),
              min.shiftRight(64).longValue(),
              max.longValue(),
              max.shiftRight(64).longValue(),
              out
            }));
  }

  private static Findings findings(long[] found, int at, @Nullable DataType sums) {
    if ((found[at + FLAGS] & FoldFlag.OUT_OF_BOUNDS) == 0) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "SUM does not fit its type " + type(sums) + "; cast its argument to a wider type.");
    }
    long least = found[at + LEAST] ^ Long.MIN_VALUE;
    long greatest = ~found[at + GREATEST] ^ Long.MIN_VALUE;
    return new Findings(
        (found[at + FLAGS] & FoldFlag.WITHOUT_VALUE) == 0,
        (found[at + FLAGS] & FoldFlag.NOT_64_BITS) != 0,
        least > greatest ? null : new ValueRange(least, greatest));
  }

  private static String type(@Nullable DataType sums) {
    return sums == null ? "" : sums.withNullable(true).toString();
  }

  /** The largest value that a type holds; its smallest is the negative, or that less one. */
  private static BigInteger largest(DataType type) {
    return switch (type.kind()) {
      case BOOLEAN -> BigInteger.ONE;
      case INT8 -> BigInteger.valueOf(Byte.MAX_VALUE);
      case INT16 -> BigInteger.valueOf(Short.MAX_VALUE);
      case INT32, DATE, INTERVAL_MONTH -> BigInteger.valueOf(Integer.MAX_VALUE);
      case DECIMAL -> BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
      default -> BigInteger.valueOf(Long.MAX_VALUE);
    };
  }

  /** The validity of the groups, null if all of them have a value. */
  static @Nullable Buffer validity(
      ExecContext context, Groups groups, Findings findings, Allocator allocator) {
    return findings.missing()
        ? validity(context, groups.state().seen(), groups.count(), allocator)
        : null;
  }

  static Buffer validity(ExecContext context, Buffer seen, int count, Allocator allocator) {
    CudaStream stream = CudaStream.of(context);
    Buffer bits = allocator.allocate((count + 63L) / 64 * 8);
    int words = (int) (bits.size() / 4);
    launch(stream, "ara_result_validity", words * 32, seen, count, words, bits);
    return bits;
  }

  /**
   * A column of the groups' values in a shape's storage, with bounds where it has them.
   *
   * @param validity null if there are no nulls
   */
  static Column integers(
      ExecContext context,
      Groups groups,
      ColumnShape shape,
      @Nullable Buffer validity,
      Findings findings,
      Allocator allocator) {
    Storage storage = shape.storage();
    int count = groups.count();
    Buffer out = allocator.allocate((long) count * storage.width());
    launch(
        CudaStream.of(context),
        "ara_result_write",
        count,
        CudaFold.join(groups.args(), new Object[] {storage.width(), out}));
    boolean bounded =
        !storage.isCode()
            && storage != Storage.HANDLE
            && storage != Storage.LONG128
            && shape.type().kind() != TypeKind.BOOLEAN;
    ColumnShape newShape =
        new ColumnShape(
            shape.type(),
            storage,
            shape.mayBeNull() || validity != null,
            shape.dictionary(),
            bounded ? findings.range() : shape.range());
    return new Column(newShape, count, out, Buffer.EMPTY, validity, null);
  }

  /**
   * A column of floats.
   *
   * @param image whether states are integers of the floats' order, with {@code flip}
   */
  static Column floats(
      ExecContext context,
      Groups groups,
      ColumnShape shape,
      @Nullable Buffer validity,
      boolean image,
      Allocator allocator) {
    int width = shape.storage().width();
    Buffer out = allocator.allocate((long) groups.count() * width);
    launch(
        CudaStream.of(context),
        "ara_result_floats",
        groups.count(),
        groups.state().lo(),
        groups.count(),
        groups.flip(),
        image ? 1 : 0,
        width,
        out);
    return new Column(shape, groups.count(), out, Buffer.EMPTY, validity, null);
  }

  /** A column in which every row is null. */
  static Column nulls(ExecContext context, ColumnShape declared, int count, Allocator allocator) {
    CudaStream stream = CudaStream.of(context);
    Buffer validity = zeros(stream, (count + 63L) / 64 * 8, allocator);
    Buffer values = Buffer.EMPTY;
    Buffer offsets = Buffer.EMPTY;
    if (declared.storage() == Storage.BYTES) {
      values = allocator.allocate(0);
      offsets = zeros(stream, 4L * (count + 1L), allocator);
    } else if (declared.storage() != Storage.NONE) {
      values = zeros(stream, (long) count * declared.storage().width(), allocator);
    }
    return new Column(declared.withMayBeNull(true), count, values, offsets, validity, null);
  }

  private static Buffer zeros(CudaStream stream, long bytes, Allocator allocator) {
    Buffer buffer = allocator.allocate(bytes);
    stream.fill(buffer.address(), (byte) 0, bytes);
    return buffer;
  }
}
