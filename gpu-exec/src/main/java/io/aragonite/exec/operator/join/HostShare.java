package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.StreamedScan;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.spill.PartitionedRun;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Threads of the host that partition rows of a table before the transfer, while the device
 * partitions others by streaming: what the host partitions crosses the bus once in place of three
 * times. The one who is free takes the next piece, so that each has as many as it is quick, and no
 * price decides. The host takes pieces from the table's end, the device from its beginning.
 */
public final class HostShare implements StreamedScan.Helper {
  private final ExecContext worker;
  private final PipelineHead head;
  private final StreamedScan scan;
  private final Partitioner partitioner;
  private final Partitioner.Words words;
  private final QuerySpill query;
  private final int count;
  private final List<Thread> threads = new ArrayList<>();

  private HostShare(
      ExecContext worker,
      PipelineHead head,
      StreamedScan scan,
      Partitioner partitioner,
      Partitioner.Words words,
      QuerySpill query,
      int count) {
    this.worker = worker;
    this.head = head;
    this.scan = scan;
    this.partitioner = partitioner;
    this.words = words;
    this.query = query;
    this.count = count;
  }

  /**
   * Has the host help with a pipeline that streams a table, as it is, to a partitioner.
   *
   * @param worker of the coordinating thread
   * @param words of the head's rows, by the host: equal to those of the device
   * @return to be closed with the query; null if there is nothing to help with, or nobody
   */
  public static @Nullable HostShare of(
      ExecContext worker,
      PipelineHead head,
      Partitioner partitioner,
      Partitioner.Words words,
      QuerySpill query) {
    int count = threads(worker.device());
    if (count == 0
        || !(head.bare() instanceof StreamedScan scan)
        || !partitioner.takesOnHost(scan.chunks())) {
      return null;
    }
    HostShare share = new HostShare(worker, head, scan, partitioner, words, query, count);
    scan.helpedBy(share);
    return share;
  }

  /**
   * The system property {@code aragonite.spill.hostThreads} is how many there are; without it none,
   * because 6 cores beside an H200 made a join hardly quicker than its copies alone, and 12 slower
   * (25.7 and 17.7 in place of 25.1 GB/s; docs/design/spill.md).
   */
  private static int threads(Device device) {
    return device.transfers().shared() ? 0 : Integer.getInteger("aragonite.spill.hostThreads", 0);
  }

  @Override
  public synchronized void begin() {
    for (int i = 0; i < count; i++) {
      threads.add(Thread.ofPlatform().daemon().name("aragonite-partition-" + i).start(this::work));
    }
  }

  private void work() {
    try (QueryMemory memory = worker.device().host().newQueryMemory(0);
        HostContext context = new HostContext(worker, memory)) {
      for (int piece = scan.claim(); piece >= 0; piece = scan.claim()) {
        long start = System.nanoTime();
        if (!partition(context, piece)) {
          // There is no room in the host's memory, or on disk: whoever has to have it says so.
          scan.returned(piece);
          return;
        }
        scan.helped(piece, System.nanoTime() - start);
      }
    } catch (Throwable e) {
      scan.failed(e);
    }
  }

  private boolean partition(ExecContext context, int piece) {
    List<PartitionedRun> lots = new ArrayList<>();
    List<Buffer> own = new ArrayList<>();
    boolean done = false;
    try {
      query.optionally(() -> {
        for (ColumnBatch rows : scan.piece(piece)) {
          lots.add(
              partitioner.lotOnHost(
                  context,
                  words,
                  rows,
                  bytes -> {
                    Buffer buffer = query.leavingTo().allocate(bytes);
                    own.add(buffer);
                    return buffer;
                  }));
        }
      });
      done = true;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED && e.code() != ErrorCode.DISK_FAILED) {
        throw e;
      }
      return false;
    } finally {
      if (!done) {
        own.forEach(query.hostMemory()::free);
      }
    }
    for (PartitionedRun lot : lots) {
      lot.share();
    }
    head.count(scan.piece(piece).stream().mapToLong(ColumnBatch::rows).sum());
    return true;
  }

  @Override
  public String note() {
    return "partitioned by " + count + " threads of the host";
  }

  @Override
  public void close() {
    List<Thread> open;
    synchronized (this) {
      open = List.copyOf(threads);
      threads.clear();
    }
    boolean interrupted = false;
    for (Thread thread : open) {
      while (true) {
        try {
          thread.join();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
