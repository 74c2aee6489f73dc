package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import jcuda.driver.JCudaDriver;

/**
 * Many small copies from page-locked memory by one kernel: the copy engine takes some 7 us for each
 * beside its bytes (16.6 in place of 9.5 us for half a megabyte on an H200), and each is a call of
 * the driver. A GPU reads the host's memory as fast as its engine does when enough is asked for at
 * a time.
 */
final class CudaFetch {
  /**
   * The system property {@code aragonite.cuda.fetchBytes} is how large copies are on average at
   * most that a kernel makes; 0: none. What is larger the engine is as quick with.
   */
  private static final long MOST_BYTES = Long.getLong("aragonite.cuda.fetchBytes", 768L << 10);

  private static final int LEAST_COPIES = 8;

  /** Bytes of a piece, which is one block's work. */
  private static final long PIECE = 64 << 10;

  /** What the bus brings at once. */
  private static final long LINE = 128;

  private static final int ENTRY_BYTES = 24;

  /** Pieces of a launch at most. */
  private static final int MOST_PIECES = 8192;

  /** As in fetch.cu. */
  private static final int THREADS = 512;

  /**
   * 32 KB of each are on their way. 3, 6 and 16 blocks read 23, 33 and 41 GB/s on an H200; with 32
   * the GPU reads its commands, which are in the host's memory as well, behind so much else that a
   * kernel of the query begins a tenth of a millisecond late. The system property {@code
   * aragonite.cuda.fetchBlocks} is another number.
   */
  private static final int BLOCKS = Integer.getInteger("aragonite.cuda.fetchBlocks", 16);

  private final CudaStream stream;

  /** Page-locked memory for lists of pieces that no kernel reads. */
  private final Deque<HostPointer> idle = new ArrayDeque<>();

  CudaFetch(CudaStream stream) {
    this.stream = stream;
  }

  /** Whether copies of page-locked memory are better made like this. */
  static boolean takes(List<ColumnMemory.Copy> copies) {
    if (copies.size() < LEAST_COPIES) {
      return false;
    }
    long bytes = 0;
    for (ColumnMemory.Copy copy : copies) {
      bytes += copy.device().size();
    }
    return bytes / copies.size() <= MOST_BYTES;
  }

  /**
   * Has copies made behind what the stream was asked for.
   *
   * @return what is to be given to {@link #giveBack} when they have ended
   */
  List<HostPointer> start(List<ColumnMemory.Copy> copies) {
    List<HostPointer> lists = new ArrayList<>();
    boolean started = false;
    try {
      int count = 0;
      long total = 0;
      for (ColumnMemory.Copy copy : copies) {
        long bytes = copy.device().size();
        total += bytes;
        long step;
        for (long at = 0; at < bytes; at += step) {
          // All but the first begin on a line.
          step = Math.min(PIECE - (copy.host() + at & LINE - 1), bytes - at);
          if (count == 0) {
            lists.add(list());
          }
          long entry = lists.getLast().address() + (long) ENTRY_BYTES * count;
          Mem.putLong(entry, copy.host() + at);
          Mem.putLong(entry + 8, copy.device().address() + at);
          Mem.putLong(entry + 16, step);
          if (++count == MOST_PIECES) {
            launch(lists.getLast(), count);
            count = 0;
          }
        }
      }
      if (count > 0) {
        launch(lists.getLast(), count);
      }
      stream.addCopied(new DeviceUsage(0, total, 0, 0));
      started = true;
      return lists;
    } finally {
      if (!started) {
        // A kernel may still read them: nobody's any more, until the stream's end is known.
        stream.sync();
        giveBack(lists);
      }
    }
  }

  private void launch(HostPointer list, int count) {
    CudaKernel kernel = stream.gpu().kernel("fetch", "ara_fetch");
    stream.launch(kernel, Math.min(BLOCKS, count), THREADS, 0, list.address(), count);
  }

  private HostPointer list() {
    HostPointer known = idle.poll();
    if (known != null) {
      return known;
    }
    CudaGpu gpu = stream.gpu();
    gpu.makeCurrent();
    HostPointer memory = new HostPointer();
    gpu.check(
        JCudaDriver.cuMemHostAlloc(memory, (long) ENTRY_BYTES * MOST_PIECES, 0),
        "allocating pinned memory");
    return new HostPointer(memory.address());
  }

  void giveBack(List<HostPointer> lists) {
    idle.addAll(lists);
  }

  /** Frees the page-locked memory; nothing may be under way. */
  void close() {
    CudaGpu gpu = stream.gpu();
    while (!gpu.retired() && !idle.isEmpty()) {
      gpu.makeCurrent();
      gpu.check(JCudaDriver.cuMemFreeHost(idle.remove()), "freeing pinned memory");
    }
  }
}
