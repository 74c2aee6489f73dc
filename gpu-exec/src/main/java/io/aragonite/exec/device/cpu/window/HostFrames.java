package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.codegen.BatchRow;
import io.aragonite.exec.codegen.ColumnWriter;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PolledRows;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A host aggregate over the frame of each row: as many rows as all frames have together, but that
 * equal frames behind each other are one.
 */
final class HostFrames {
  private final ExecContext context;
  private final SortedRows sorted;
  private final Frames frames;
  private final AggregateCall call;
  private final BatchRow reader;

  /** The values of the partition's positions from the first, read when a frame has them. */
  private @Nullable Object[][] values = new @Nullable Object[0][];

  private int first;
  private final MemoryReservation heap;

  HostFrames(ExecContext context, SortedRows sorted, Frames frames, AggregateCall call) {
    this.context = context;
    this.sorted = sorted;
    this.frames = frames;
    this.call = call;
    this.reader = new BatchRow(sorted.batch(), context.hostObjects());
    this.heap = new MemoryReservation(context.hostMemory());
  }

  Computed compute() {
    try (heap) {
      return computed();
    }
  }

  private Computed computed() {
    ColumnShape shape = ColumnShape.of(call.type()).withMayBeNull(true);
    ColumnWriter writer =
        new ColumnWriter(shape, sorted.count(), context.memory(), context.hostObjects());
    int[] pieces = new int[6];
    int[] before = new int[6];
    Object value = null;
    for (int partition = 0; partition < sorted.partitionCount(); partition++) {
      first = sorted.partitions().get(partition);
      int end = sorted.partitions().get(partition + 1L);
      heap.close(); // the rows of the partition before are garbage
      heap.add((long) Long.BYTES * (end - first));
      values = new @Nullable Object[end - first][];
      int countBefore = -1;
      for (int p = first; p < end; p++) {
        context.checkCancelled();
        int count = frames.pieces(p, pieces);
        if (count != countBefore || !Arrays.equals(pieces, 0, 2 * count, before, 0, 2 * count)) {
          PolledRows rows = rows(pieces.clone(), count);
          heap.useScratch(rows.size() * PolledRows.SCRATCH_BYTES);
          value = call.onHost(rows);
          System.arraycopy(pieces, 0, before, 0, pieces.length);
          countBefore = count;
        }
        writer.add(value);
      }
    }
    return new Computed(writer.finish(), null);
  }

  private PolledRows rows(int[] pieces, int count) {
    int rows = 0;
    for (int i = 0; i < count; i++) {
      rows += pieces[2 * i + 1] - pieces[2 * i];
    }
    return new PolledRows(context, rows, i -> row(position(pieces, i)));
  }

  private static int position(int[] pieces, int i) {
    int left = i;
    int piece = 0;
    while (left >= pieces[2 * piece + 1] - pieces[2 * piece]) {
      left -= pieces[2 * piece + 1] - pieces[2 * piece];
      piece++;
    }
    return pieces[2 * piece] + left;
  }

  private @Nullable Object[] row(int position) {
    @Nullable Object[] known = values[position - first];
    if (known == null) {
      reader.row = sorted.order().get(position);
      known = new @Nullable Object[call.args().size()];
      for (int i = 0; i < known.length; i++) {
        known[i] = reader.get(call.args().get(i));
      }
      heap.addRow(known);
      values[position - first] = known;
    }
    return known;
  }
}
