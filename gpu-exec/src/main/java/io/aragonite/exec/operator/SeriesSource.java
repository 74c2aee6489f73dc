package io.aragonite.exec.operator;

import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** The INT32 numbers from 0 on, in their order, which the device makes batch by batch. */
public final class SeriesSource implements Source {
  private static final ColumnShape NUMBER = ColumnShape.of(DataType.INT32);

  private final int rows;
  private final int batchRows;
  private int morselRows;

  /**
   * @param rows how many numbers
   * @param properties of the device
   * @param workers who share them
   */
  public SeriesSource(int rows, DeviceProperties properties, int workers) {
    this.rows = rows;
    this.batchRows = properties.batchRows();
    long share = rows / (4L * workers) / batchRows * batchRows;
    morselRows = (int) Math.clamp(share, batchRows, Math.max(batchRows, properties.morselRows()));
  }

  @Override
  public List<ColumnShape> shapes() {
    return List.of(NUMBER);
  }

  @Override
  public boolean cutFine() {
    morselRows = batchRows;
    return true;
  }

  @Override
  public int morsels() {
    return Math.ceilDiv(rows, morselRows);
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    long first = (long) morsel * morselRows;
    long end = Math.min(rows, first + morselRows);
    for (long from = first; from < end && !consumer.done(); from += batchRows) {
      context.checkCancelled();
      context.scratch().reset();
      int count = (int) Math.min(batchRows, end - from);
      Buffer numbers = context.scratch().allocate(count * (long) Integer.BYTES);
      context.scan().iota(context, numbers, (int) from, count);
      Column column = new Column(NUMBER, count, numbers, Buffer.EMPTY, null, null);
      consumer.accept(new ColumnBatch(List.of(column), count));
    }
  }
}
