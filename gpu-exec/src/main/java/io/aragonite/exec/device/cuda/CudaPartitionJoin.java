package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.Primitives.Partitions;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;

/** Joins partitions whose tables fit a block's shared memory; see partjoin.cu. */
final class CudaPartitionJoin {
  /** Rows of a build partition that leave room for some more than the average. */
  static final int GOOD_ROWS = 4096;

  private static final String FILE = "partjoin";

  /** As in partjoin.cu. */
  private static final int JOIN_THREADS = 512;

  private static final int ROWS = 9 * JOIN_THREADS;
  private static final int CHAINS = 8192;
  private static final int COLUMNS = 8;
  private static final int THREADS = 256;

  private CudaPartitionJoin() {}

  /** See {@link Primitives#joinPartitions}. */
  static int join(
      ExecContext context,
      int parts,
      int wordBytes,
      Partitions build,
      Partitions probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer pieces = scratch.allocate(4L * parts);
      stream.launch(
          stream.gpu().kernel(FILE, "ara_parts_pieces"),
          CudaWords.blocks(parts, THREADS),
          THREADS,
          0,
          probe.starts(),
          parts,
          pieces);
      Buffer sums = scratch.allocate(8L * (parts + 1));
      int blocks = (int) CudaScan.exclusiveSum(context, pieces, parts, sums);
      if (blocks == 0) {
        return 0;
      }
      Buffer partOf = scratch.allocate(4L * blocks);
      Buffer pieceOf = scratch.allocate(4L * blocks);
      CudaSearch.expand(context, sums, parts, 0, blocks, partOf, pieceOf);
      Buffer status = scratch.allocate(16);
      int matches = 0;
      for (int from = 0; from == 0 || from < columns.size(); from += COLUMNS) {
        stream.fill(status.address(), (byte) 0, 16);
        Object[] args = new Object[9 + 2 * COLUMNS];
        args[0] = partOf;
        args[1] = pieceOf;
        args[2] = build.words();
        args[3] = build.starts();
        args[4] = probe.words();
        args[5] = probe.starts();
        args[6] = from == 0 ? outRows : Buffer.EMPTY;
        args[7] = status;
        long widths = 0;
        for (int c = 0; c < COLUMNS; c++) {
          MovedColumn column = from + c < columns.size() ? columns.get(from + c) : null;
          widths |= column == null ? 0 : (long) column.width() << (8 * c);
          args[9 + c] = column == null ? Buffer.EMPTY : column.in();
          args[9 + COLUMNS + c] = column == null ? Buffer.EMPTY : column.out();
        }
        args[8] = widths;
        stream.launch(
            stream.gpu().kernel(FILE, "ara_parts_join_" + wordBytes),
            blocks,
            JOIN_THREADS,
            4 * CHAINS + (wordBytes + 2) * ROWS,
            args);
        if (from == 0) {
          long[] result = CudaWords.read(stream, status, 2);
          if (result[1] != 0) {
            return -1;
          }
          matches = (int) result[0];
        }
      }
      return matches;
    } finally {
      scratch.release(mark);
    }
  }
}
