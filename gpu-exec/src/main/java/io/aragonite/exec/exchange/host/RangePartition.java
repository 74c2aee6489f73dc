package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.exchange.host.Arrival.ArrivingPiece;
import io.aragonite.exec.exchange.host.Blocks.SentPiece;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Partitions a device's rows by the ranges of {@link RangeSplitters}, piece by piece as they
 * arrive.
 */
final class RangePartition {
  private final ExecContext context;
  private final QueryMemory memory;
  private final RangeSplitters splits;
  private final KeyEncoder words;

  /** The bounds of ranges as words in the device's memory. */
  private final Buffer bounds;

  RangePartition(ExecContext context, RangeSplitters splits, KeyEncoder words) {
    this.context = context;
    this.memory = context.memory();
    this.splits = splits;
    this.words = words;
    this.bounds = bounds();
  }

  /** The share's pieces by range; where ranges begin is asked for when all are on their way. */
  List<SentPiece> of(Arrival arriving, Blocks blocks) {
    int ranges = splits.ranges();
    List<List<Buffer>> columns = new ArrayList<>();
    List<@Nullable Buffer> offsets = new ArrayList<>();
    for (ArrivingPiece piece : arriving.pieces()) {
      piece.arrive();
      boolean whole = ranges == 1 || piece.rows == 0;
      offsets.add(whole ? null : memory.allocate((4L << bits()) + 4));
      columns.add(whole ? piece.columns : partitioned(arriving.widths(), piece, offsets.getLast()));
    }
    List<SentPiece> sent = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      int rows = arriving.pieces().get(i).rows;
      int[] begins = new int[ranges + 1];
      Arrays.fill(begins, 1, ranges + 1, rows);
      Buffer some = offsets.get(i);
      if (some != null) {
        begins = HostColumns.ints(context, some, ranges + 1);
        memory.free(some);
      }
      sent.add(blocks.offer(columns.get(i), begins));
    }
    context.device().transfers().await(context);
    return sent;
  }

  /** Bits of a range's number. */
  private int bits() {
    return Integer.SIZE - Integer.numberOfLeadingZeros(splits.ranges() - 1);
  }

  private List<Buffer> partitioned(List<Integer> widths, ArrivingPiece piece, Buffer offsets) {
    int rows = piece.rows;
    Buffer keys = words.of(context, piece.columns.getFirst(), widths.getFirst(), rows);
    Buffer range = memory.allocate(4L * rows);
    context.sort().bound(context, bounds, splits.ranges() - 1, keys, rows, true, range);
    memory.free(keys);
    Buffer moved = memory.allocate(4L * rows);
    List<MovedColumn> columns = new ArrayList<>();
    for (int i = 0; i < widths.size(); i++) {
      int width = widths.get(i);
      Buffer out = memory.allocate((long) width * rows);
      columns.add(new MovedColumn(piece.columns.get(i), out, width));
    }
    PartitionFunction order = new PartitionFunction(false, 0, (1L << bits()) - 1);
    context
        .partition()
        .partitionRows(context, order, bits(), range, Integer.BYTES, rows, moved, columns, offsets);
    memory.free(range);
    memory.free(moved);
    piece.columns.forEach(memory::free);
    return columns.stream().map(MovedColumn::out).toList();
  }

  private Buffer bounds() {
    long[] keys = splits.bounds();
    Buffer bounds = memory.allocate(8L * keys.length);
    // By kernels: a copy of so few bytes would come behind the large ones that have begun.
    for (int i = 0; i < keys.length; i++) {
      context.scan().fill(context, bounds.slice(8L * i, 8), Long.BYTES, words.word(keys[i]), 1);
    }
    return bounds;
  }
}
