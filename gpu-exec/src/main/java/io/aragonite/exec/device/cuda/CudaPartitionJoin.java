package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.ColumnsPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PartitionJoinPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;

/** Joins partitions whose tables fit a block's shared memory; see agent/partition_join.cuh. */
final class CudaPartitionJoin {
  /** Of a partition's rows at most, those that leave room for some more than the average. */
  private static final double GOOD = 8.0 / 9;

  private static final KernelFamily FAMILY = KernelFamily.PARTITION_JOIN;

  private static final int COLUMNS = ColumnsPolicy.COLUMNS;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int WARPS = BlockPolicy.WARPS;
  private static final int PIECES_HEADER = PartitionJoinPolicy.PIECES_HEADER;

  private CudaPartitionJoin() {}

  private static int threads(int wordBytes) {
    return wordBytes == 4 ? PartitionJoinPolicy.NARROW_THREADS : PartitionJoinPolicy.WIDE_THREADS;
  }

  private static int chains(int wordBytes) {
    return wordBytes == 4 ? PartitionJoinPolicy.NARROW_CHAINS : PartitionJoinPolicy.WIDE_CHAINS;
  }

  private static int mostRows(int wordBytes) {
    return threads(wordBytes) * PartitionJoinPolicy.ITEMS;
  }

  /** Chains, then words and the row before each; narrow columns take turns there later. */
  private static int sharedBytes(int wordBytes) {
    return PartitionJoinPolicy.CHAIN_BYTES * chains(wordBytes)
        + (wordBytes + PartitionJoinPolicy.ROW_BYTES) * mostRows(wordBytes);
  }

  static int goodRows(int wordBytes) {
    return (int) (GOOD * mostRows(wordBytes));
  }

  /** See {@link io.aragonite.exec.device.HashOps#joinPartitions}. */
  static int join(
      ExecContext context,
      int parts,
      int wordBytes,
      PartitionedWords build,
      PartitionedWords probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      int most = mostRows(wordBytes);
      long more = probe.words().size() / wordBytes / most;
      Buffer pieces = pieces(stream, scratch, parts, most, more, probe);
      // A block a partition, and some for the further pieces of those with many probe rows.
      long blocks =
          parts + Math.min(more, stream.gpu().sms() * (long) PartitionJoinPolicy.WIDE_BLOCKS);
      Buffer status = scratch.allocate(16);
      int matches = 0;
      for (int from = 0; from == 0 || from < columns.size(); from += COLUMNS) {
        if (from > 0) {
          stream.fill(pieces.address() + 8, (byte) 0, 8);
        }
        stream.fill(status.address(), (byte) 0, 16);
        Object[] args = new Object[9 + 2 * COLUMNS];
        args[0] = parts;
        args[1] = pieces;
        args[2] = build.words();
        args[3] = build.starts();
        args[4] = probe.words();
        args[5] = probe.starts();
        args[6] = from == 0 ? outRows : Buffer.EMPTY;
        args[7] = status;
        setColumns(args, columns, from);
        stream.launch(
            stream.gpu().kernel(FAMILY, "ara_parts_join_" + wordBytes),
            blocks,
            threads(wordBytes),
            sharedBytes(wordBytes),
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

  /**
   * The list of pieces after each partition's first, of at most {@code most} probe rows.
   *
   * @param more pieces at most
   */
  private static Buffer pieces(
      CudaStream stream,
      QueryMemory.Arena scratch,
      int parts,
      int most,
      long more,
      PartitionedWords probe) {
    Buffer pieces = scratch.allocate(8 * (PIECES_HEADER + more));
    stream.fill(pieces.address(), (byte) 0, 8L * PIECES_HEADER);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_parts_pieces"),
        CudaWords.blocks(parts, WARPS),
        THREADS,
        0,
        probe.starts(),
        parts,
        most,
        pieces);
    return pieces;
  }

  /** The arguments for columns that one launch moves: widths, a byte each, sources, targets. */
  private static void setColumns(Object[] args, List<MovedColumn> columns, int from) {
    long widths = 0;
    for (int c = 0; c < COLUMNS; c++) {
      MovedColumn column = from + c < columns.size() ? columns.get(from + c) : null;
      widths |= column == null ? 0 : (long) column.width() << (8 * c);
      args[9 + c] = column == null ? Buffer.EMPTY : column.in();
      args[9 + COLUMNS + c] = column == null ? Buffer.EMPTY : column.out();
    }
    args[8] = widths;
  }
}
