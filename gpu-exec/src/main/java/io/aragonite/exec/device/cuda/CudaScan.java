package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.ScanPolicy;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import org.jspecify.annotations.Nullable;

/** Fill, iota, convert and exclusiveSum. */
final class CudaScan {
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int LINE = 16;

  /** Shared memory of a block beside that of its tile. */
  private static final int OTHER_SHARED = 1024;

  private CudaScan() {}

  static void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CudaStream stream = CudaStream.of(context);
    boolean aligned = (out.address() & LINE - 1) == 0;
    if (aligned) {
      long lines = ((long) count * width + LINE - 1) / LINE;
      stream.launch(
          stream.gpu().kernel(KernelFamily.FILL, "ara_fill"),
          stream.gridStride(lines, THREADS),
          THREADS,
          0,
          out,
          pattern(width, value),
          lines);
    } else {
      stream.launch(
          stream.gpu().kernel(KernelFamily.FILL, "ara_fill_unaligned"),
          stream.gridStride(count, THREADS),
          THREADS,
          0,
          out,
          value,
          width,
          count);
    }
  }

  /** The value's low bytes over and over. */
  static long pattern(int width, long value) {
    return switch (width) {
      case 1 -> (value & 0xFF) * 0x0101_0101_0101_0101L;
      case 2 -> (value & 0xFFFF) * 0x0001_0001_0001_0001L;
      case 4 -> (value & 0xFFFF_FFFFL) * 0x0000_0001_0000_0001L;
      case 8 -> value;
      default -> throw new IllegalArgumentException("a fill of " + width + " bytes");
    };
  }

  static void convert(ExecContext context, Buffer in, int from, int count, int to, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(KernelFamily.CONVERT, "ara_convert"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        in,
        from,
        count,
        to,
        out);
  }

  static void unpack(
      ExecContext context,
      Buffer words,
      int count,
      KeyField key,
      int shift,
      int width,
      Buffer out,
      @Nullable Buffer validity) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(KernelFamily.CONVERT, "ara_unpack"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        words,
        count,
        shift,
        (int) ((1L << key.bits()) - 1),
        key.zero(),
        width,
        out,
        validity == null ? Buffer.EMPTY : validity);
  }

  static void iota(ExecContext context, Buffer out, int start, int count) {
    CudaStream stream = CudaStream.of(context);
    boolean aligned = (out.address() & LINE - 1) == 0;
    long items = aligned ? ((long) count + 3) / 4 : count;
    stream.launch(
        stream.gpu().kernel(KernelFamily.FILL, aligned ? "ara_iota" : "ara_iota_unaligned"),
        stream.gridStride(items, THREADS),
        THREADS,
        0,
        out,
        start,
        (int) items);
  }

  static long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    if (count == 0) {
      stream.fill(out.address(), (byte) 0, Long.BYTES);
      return 0;
    }
    long mark = context.scratch().mark();
    int room = stream.gpu().maxSharedBytes() - OTHER_SHARED;
    boolean large = ScanPolicy.LARGE_TILE * ScanPolicy.ROW_BYTES <= room;
    int tile = large ? ScanPolicy.LARGE_TILE : ScanPolicy.TILE;
    CudaLookBack pass = CudaLookBack.of(context, count, tile);
    pass.launchShared(
        KernelFamily.SCAN,
        large ? "ara_exclusive_sum_large" : "ara_exclusive_sum",
        ScanPolicy.THREADS,
        tile * ScanPolicy.ROW_BYTES,
        in,
        count,
        out);
    context.scratch().release(mark);
    return pass.await();
  }
}
