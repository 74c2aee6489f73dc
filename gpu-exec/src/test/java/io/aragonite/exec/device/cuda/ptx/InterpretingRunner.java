package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs kernels on the host by interpreting their PTX, or what {@link PtxBytecode} makes of it. */
public final class InterpretingRunner implements PtxRunner {
  /**
   * A kernel that can run.
   *
   * @param blockRows rows of a block
   */
  private record Ready(RowProgram program, int blockRows) {}

  /** Blocks at a time of kernels that go through rows in steps. */
  private static final int RESIDENT = 2;

  private final Map<PtxKernel, Ready> programs = new ConcurrentHashMap<>();
  private final Function<PtxKernel, Ready> maker;

  /** Whether programs have shared memory. */
  private final boolean sharesMemory;

  /**
   * @param assembles whether kernels must also pass the assembler
   */
  public InterpretingRunner(boolean assembles) {
    this(
        true,
        kernel -> {
          if (assembles) {
            PtxAssembler.assemble(kernel.text());
          }
          int blockRows = PtxKernel.THREADS * kernel.rowsPerThread();
          return new Ready(new PtxProgram(kernel.text(), kernel.sharedBytes()), blockRows);
        });
  }

  private InterpretingRunner(boolean sharesMemory, Function<PtxKernel, Ready> maker) {
    this.sharesMemory = sharesMemory;
    this.maker = maker;
  }

  /** Runs what the GPU's interpreter would. */
  public static InterpretingRunner ofBytecode() {
    return new InterpretingRunner(
        false,
        kernel -> {
          PtxBytecode code = PtxBytecode.translate(kernel.texts().interpreted());
          return new Ready(new BytecodeProgram(code), PtxKernel.THREADS);
        });
  }

  /** Kernels that have run. */
  public Set<PtxKernel> kernels() {
    return Collections.unmodifiableSet(new HashSet<>(programs.keySet()));
  }

  @Override
  public boolean isReady(ExecContext context, PtxKernel kernel) {
    return sharesMemory || kernel.sharedBytes() == 0;
  }

  @Override
  public void run(ExecContext context, PtxKernel kernel, int rows, long[] args) {
    Ready ready = programs.computeIfAbsent(kernel, maker);
    int blocks =
        kernel.sharedBytes() > 0
            ? (int) kernel.blocks(rows, RESIDENT)
            : (rows + ready.blockRows - 1) / ready.blockRows;
    ready.program.run(blocks, PtxKernel.THREADS, args);
  }

  @Override
  public int positions(ExecContext context, Buffer bits, int rows, Buffer out) {
    int count = 0;
    for (int row = 0; row < rows; row++) {
      if (Mem.getBit(bits.address(), row)) {
        Mem.putInt(out.address() + 4L * count++, row);
      }
    }
    return count;
  }

  @Override
  public Column texts(
      ExecContext context,
      ColumnShape shape,
      int rows,
      Buffer addresses,
      Buffer lengths,
      @Nullable Buffer validity) {
    Buffer offsets = context.scratch().allocate(4L * rows + 4);
    int total = 0;
    for (int row = 0; row < rows; row++) {
      Mem.putInt(offsets.address() + 4L * row, total);
      total += Mem.getInt(lengths.address() + 4L * row);
    }
    Mem.putInt(offsets.address() + 4L * rows, total);
    Buffer bytes = context.scratch().allocate(total);
    for (int row = 0; row < rows; row++) {
      Mem.copy(
          Mem.getLong(addresses.address() + 8L * row),
          bytes.address() + Mem.getInt(offsets.address() + 4L * row),
          Mem.getInt(lengths.address() + 4L * row));
    }
    return new Column(shape, rows, bytes, offsets, validity, null);
  }
}
