package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.DeepStack;
import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Code for rows made ready to run: kernels for the indirections that batches turn out to have. */
final class RowRun {
  /** {@link #run}'s result when all rows were done. */
  static final int FINE = -1;

  private static final long NEW_TEXT_BYTES_A_ROW = 32;
  private static final int STATE_BYTES = 16;

  private record Ready(PtxKernel kernel, KernelConstants constants) {}

  private final PtxRunner runner;
  private final RowCode code;
  private final KernelMaker maker;

  private final ConcurrentHashMap<String, Ready> ready = new ConcurrentHashMap<>();

  RowRun(PtxRunner runner, RowCode code, KernelMaker maker) {
    this.runner = runner;
    this.code = code;
    this.maker = maker;
  }

  /** Makes the kernel for a batch's indirections, unless it is known. */
  @FunctionalInterface
  interface KernelMaker {
    /**
     * @param runner may have it of an earlier process
     * @throws PtxUntranslatable if there is none
     */
    PtxKernel make(RowCode code, RowCode.BoundRowCode bound, PtxRunner runner);
  }

  RowCode code() {
    return code;
  }

  private Ready ready(RowCode.BoundRowCode bound) {
    return ready.computeIfAbsent(
        bound.text(),
        text -> {
          Object made = DeepStack.call(code.isDeep(), () -> translate(bound));
          if (made instanceof PtxUntranslatable refused) {
            throw refused;
          }
          PtxKernel kernel = (PtxKernel) made;
          return new Ready(kernel, new KernelConstants(code, kernel));
        });
  }

  /** The kernel, or why there is none. */
  private Object translate(RowCode.BoundRowCode bound) {
    try {
      return maker.make(code, bound, runner);
    } catch (PtxUntranslatable e) {
      return e;
    }
  }

  /** The kernel for a batch's indirections. */
  PtxKernel kernel(ColumnBatch batch) {
    return ready(code.bind(batch)).kernel;
  }

  /** The address of each output, by its number: values or addresses of texts, and so on. */
  record Outputs(
      @Nullable Buffer bits,
      @Nullable Buffer sums,
      @Nullable SumTable table,
      @Nullable Buffer[] values,
      @Nullable Buffer[] validity,
      @Nullable Buffer[] lengths) {
    private static final @Nullable Buffer[] NONE = {};

    static Outputs bits(Buffer bits) {
      return new Outputs(bits, null, null, NONE, NONE, NONE);
    }

    static Outputs sums(Buffer sums) {
      return new Outputs(null, sums, null, NONE, NONE, NONE);
    }

    static Outputs table(SumTable table) {
      return new Outputs(null, null, table, NONE, NONE, NONE);
    }

    static Outputs columns(
        @Nullable Buffer[] values, @Nullable Buffer[] validity, @Nullable Buffer[] lengths) {
      return new Outputs(null, null, null, values, validity, lengths);
    }

    private long tableCounts() {
      return table == null ? 0 : table.counts().address();
    }

    private long tableSums(int number) {
      return table == null ? 0 : table.sums(number).address();
    }
  }

  /**
   * Runs the kernel over a batch of one row at least.
   *
   * @return the first row that failed or that only the host can do, or FINE
   */
  int run(ExecContext context, ColumnBatch batch, Outputs outputs) {
    RowCode.BoundRowCode bound = code.bind(batch);
    Ready made = ready(bound);
    List<KernelArgument> slots = made.kernel.slots();
    long[] args = new long[slots.size()];
    made.constants.fill(context, args);
    boolean makesTexts = made.kernel.usesHeap();
    boolean mayFail = made.kernel.mayFail();
    Buffer state = mayFail ? context.scratch().allocate(STATE_BYTES) : Buffer.EMPTY;
    long heapBytes = makesTexts ? 4096 + NEW_TEXT_BYTES_A_ROW * batch.rows() : 0;
    while (true) {
      long mark = context.scratch().mark();
      Buffer heap = makesTexts ? context.scratch().allocate(heapBytes) : Buffer.EMPTY;
      if (mayFail) {
        reset(context, state);
      }
      bind(slots, args, batch, bound, outputs, state, heap);
      runner.run(context, made.kernel, batch.rows(), args);
      if (!mayFail) {
        return FINE;
      }
      QueryMemory.Arena hostScratch = context.hostScratch();
      long hostMark = hostScratch.mark();
      long words = hostScratch.allocate(STATE_BYTES).address();
      context.device().transfers().toHost(context, state, words, STATE_BYTES);
      int failed = Mem.getInt(words);
      long wanted = Mem.getLong(words + 8);
      hostScratch.release(hostMark);
      if (wanted <= heapBytes) {
        return failed;
      }
      context.scratch().release(mark);
      heapBytes = wanted;
    }
  }

  /** No row has failed, no new text was made. */
  private static void reset(ExecContext context, Buffer state) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long words = scratch.allocate(STATE_BYTES).address();
    Mem.putLong(words, 0xFFFFFFFFL);
    Mem.putLong(words + 8, 0);
    context.device().transfers().toDevice(context, words, state, STATE_BYTES);
    scratch.release(mark);
  }

  private static long address(@Nullable Buffer buffer) {
    return buffer == null ? 0 : buffer.address();
  }

  private static void bind(
      List<KernelArgument> slots,
      long[] args,
      ColumnBatch batch,
      RowCode.BoundRowCode bound,
      Outputs outputs,
      Buffer state,
      Buffer heap) {
    for (int i = 0; i < args.length; i++) {
      KernelArgument slot = slots.get(i);
      int index = slot.index();
      args[i] =
          switch (slot.kind()) {
            case ROWS -> batch.rows();
            case STATUS -> state.address();
            case BITS -> address(outputs.bits);
            case SUMS -> address(outputs.sums);
            case TABLE_COUNTS -> outputs.tableCounts();
            case TABLE_SUMS -> outputs.tableSums(index);
            case HEAP -> state.address() + 8;
            case HEAP_BASE -> heap.address();
            case HEAP_SIZE -> heap.size();
            case VALUES -> bound.values()[index];
            case OFFSETS -> bound.offsets()[index];
            case VALIDITY -> bound.validity()[index];
            case IDS -> bound.ids()[index];
            case OUT_VALUES -> address(outputs.values[index]);
            case OUT_VALIDITY -> address(outputs.validity[index]);
            case OUT_LENGTHS -> address(outputs.lengths[index]);
            default -> args[i];
          };
    }
  }
}
