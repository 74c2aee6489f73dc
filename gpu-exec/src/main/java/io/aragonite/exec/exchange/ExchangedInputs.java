package io.aragonite.exec.exchange;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.exchange.ExchangeSide.IncomingRows;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of a join on a device of several, to which the rows of its keys come. Where they are
 * arranged they are looked at run by run, so that what has come is made a table of while others
 * travel; else when all are there.
 */
public final class ExchangedInputs {
  private final IncomingRows build;
  private final IncomingRows probe;
  private final @Nullable Consumer<ExecContext> free;
  private final @Nullable CoPartitionedInputs arranged;
  private boolean ended;

  /**
   * @param free frees what was sent when all devices have their rows; null: they have
   * @param arranged how both sides lie, if in the partitions of one order
   */
  ExchangedInputs(
      IncomingRows build,
      IncomingRows probe,
      @Nullable Consumer<ExecContext> free,
      @Nullable CoPartitionedInputs arranged) {
    this.build = build;
    this.probe = probe;
    this.free = free;
    this.arranged = arranged;
    this.ended = free == null;
  }

  /** How both sides lie, each in one batch of plain values; null: anyhow. */
  public @Nullable CoPartitionedInputs arranged() {
    return arranged;
  }

  public List<ColumnShape> buildShapes() {
    return build.side().shapes();
  }

  public List<ColumnShape> probeShapes() {
    return probe.side().shapes();
  }

  public long buildRows() {
    return build.count();
  }

  public long probeRows() {
    return probe.count();
  }

  /**
   * The build side's rows, where they are arranged; the caller's from now on. They are there behind
   * what {@link CoPartitionedInputs} says.
   */
  public ColumnBatch takeBuild() {
    return build.rows().getFirst();
  }

  /** The probe side's. */
  public ColumnBatch takeProbe() {
    return probe.rows().getFirst();
  }

  /** Waits until all devices have their rows, and frees what was sent. */
  public void end(ExecContext worker) {
    if (!ended) {
      ended = true;
      build.side().end(List.of(build, probe));
      if (free != null) {
        free.accept(worker);
      }
    }
  }

  private void arrive() {
    if (!ended) {
      build
          .side()
          .compiler()
          .resources()
          .work(
              build.side().node(),
              worker -> {
                build.order();
                probe.order();
                end(worker);
                return true;
              });
    }
  }

  /** The build side's rows. */
  public PipelineHead build() {
    arrive();
    return build.head();
  }

  /** The probe side's. */
  public PipelineHead probe() {
    arrive();
    return probe.head();
  }
}
