package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.InterpretPolicy;
import io.aragonite.exec.device.cuda.ptx.PtxBytecode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/** Runs kernels of expressions without machine code of their own, see agent/interpret.cuh. */
final class CudaInterpreter {
  private static final int WARP = 32;

  /** What a multiprocessor has of warps and blocks, of newer GPUs at least. */
  private static final int MAX_WARPS = 48;

  private static final int MAX_BLOCKS = 16;

  /** Shared memory that each block takes beside what it asks for. */
  private static final int RESERVED = 1024;

  private CudaInterpreter() {}

  /**
   * Runs code for each of {@code rows} rows.
   *
   * @param args the bits of the kernel's arguments
   */
  static void run(ExecContext context, PtxBytecode code, int rows, long[] args) {
    CudaStream stream = CudaStream.of(context);
    int threads = threads(code.slots(), stream.gpu().maxSharedBytes());
    long mark = context.scratch().mark();
    // The kernel reads one instruction ahead.
    int argumentsAt = (code.bytes() + PtxBytecode.INSTRUCTION_BYTES + 7) & -8;
    Buffer image = context.scratch().allocate(argumentsAt + 8L * args.length);
    upload(context, code, argumentsAt, args, image);
    stream.launch(
        stream.gpu().kernel(KernelFamily.INTERPRET, "ara_interpret"),
        (long) CudaLookBack.blocks(rows, InterpretPolicy.BLOCK_ROWS)
            * (InterpretPolicy.BLOCK_ROWS / threads),
        threads,
        threads * code.slots() * InterpretPolicy.SLOT_BYTES,
        image,
        image.address() + argumentsAt);
    context.scratch().release(mark);
  }

  private static void upload(
      ExecContext context, PtxBytecode code, int argumentsAt, long[] args, Buffer image) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long bytes = argumentsAt + 8L * args.length;
    long staged = scratch.allocate(bytes).address();
    code.write(staged);
    for (int i = 0; i < args.length; i++) {
      Mem.putLong(staged + argumentsAt + 8L * i, args[i]);
    }
    context.device().transfers().toDevice(context, staged, image, bytes);
    scratch.release(mark);
  }

  /**
   * Threads of a block, so that as many warps as can be have their slots in a multiprocessor's
   * shared memory: large blocks leave more of it unused.
   *
   * @param sharedBytes what a block can have
   */
  static int threads(int slots, int sharedBytes) {
    int best = 0;
    int bestWarps = 0;
    for (int threads = InterpretPolicy.THREADS; threads >= WARP; threads /= 2) {
      int block = threads * slots * InterpretPolicy.SLOT_BYTES;
      int blocks = Math.min(MAX_BLOCKS, (sharedBytes + RESERVED) / (block + RESERVED));
      int warps = Math.min(MAX_WARPS, blocks * threads / WARP);
      if (block <= sharedBytes && warps > bestWarps) {
        best = threads;
        bestWarps = warps;
      }
    }
    if (best == 0) {
      throw new IllegalArgumentException(slots + " slots are more than a block can have");
    }
    return best;
  }
}
