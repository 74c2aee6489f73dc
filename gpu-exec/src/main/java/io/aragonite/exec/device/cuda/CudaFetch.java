package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import jcuda.driver.JCudaDriver;

/** Copies from other GPUs by one kernel, which reads all links at once. */
final class CudaFetch {
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
   * Of a kernel that copies from other GPUs: 2 MB are on their way, where a link brings 0.4 MB in
   * the microsecond that it takes to answer. Others' kernels have the multiprocessors that it
   * leaves. The system property {@code aragonite.cuda.peerBlocks} is another number.
   */
  private static final int PEER_BLOCKS = Integer.getInteger("aragonite.cuda.peerBlocks", 64);

  /** Copies from one other GPU that the engine is slower with than a kernel. */
  private static final int MANY = 64;

  /** {@code engine} or {@code kernel} copies from other GPUs, whatever is copied. */
  private static final String PEERS = System.getProperty("aragonite.cuda.peers", "auto");

  private final CudaStream stream;

  /** Page-locked memory for lists of pieces that no kernel reads. */
  private final Deque<HostPointer> idle = new ArrayDeque<>();

  CudaFetch(CudaStream stream) {
    this.stream = stream;
  }

  /**
   * Whether copies from other GPUs are better made by a kernel: where they come from several, all
   * of whose links are read at the same time then, or where they are many.
   */
  static boolean takesPeers(CudaGpu gpu, List<PeerCopy> copies) {
    Set<CudaGpu> peers = new HashSet<>();
    copies.forEach(copy -> peers.add(((CudaDevice) copy.peer()).gpu()));
    boolean kernel =
        PEERS.equals("auto") ? peers.size() > 1 || copies.size() > MANY : PEERS.equals("kernel");
    return kernel && peers.stream().allMatch(peer -> peer.equals(gpu) || gpu.reads(peer));
  }

  /**
   * Has copies made behind what the stream was asked for.
   *
   * @return what is to be given to {@link #giveBack} when they have ended
   */
  List<HostPointer> startPeers(List<PeerCopy> copies) {
    Map<Device, Deque<PeerCopy>> waiting = new LinkedHashMap<>();
    long total = 0;
    for (PeerCopy copy : copies) {
      waiting.computeIfAbsent(copy.peer(), peer -> new ArrayDeque<>()).add(copy);
      total += copy.to().size();
    }
    long piece = Math.clamp(total / (16L * PEER_BLOCKS) / LINE * LINE, PIECE, 16 * PIECE);
    return started(pieces -> {
      // A piece of each in turn: blocks that run beside each other read all links.
      List<Deque<PeerCopy>> turns = new ArrayList<>(waiting.values());
      while (!turns.isEmpty()) {
        for (Deque<PeerCopy> turn : turns) {
          PeerCopy copy = turn.remove();
          long bytes = copy.to().size();
          long some = Math.min(piece, bytes);
          pieces.add(copy.from().address(), copy.to().address(), some);
          if (some < bytes) {
            turn.addFirst(
                new PeerCopy(
                    copy.peer(),
                    copy.from().slice(some, bytes - some),
                    copy.to().slice(some, bytes - some)));
          }
        }
        turns.removeIf(Deque::isEmpty);
      }
    });
  }

  /** Pieces that are put into lists, each of which is handed over when it is full. */
  private final class Pieces {
    private final List<HostPointer> lists = new ArrayList<>();
    private int count;

    void add(long from, long to, long bytes) {
      if (bytes == 0) {
        return;
      }
      if (count == 0) {
        lists.add(list());
      }
      long entry = lists.getLast().address() + (long) ENTRY_BYTES * count;
      Mem.putLong(entry, from);
      Mem.putLong(entry + 8, to);
      Mem.putLong(entry + 16, bytes);
      if (++count == MOST_PIECES) {
        end();
      }
    }

    void end() {
      if (count > 0) {
        CudaKernel kernel = stream.gpu().kernel("fetch", "ara_fetch");
        long list = lists.getLast().address();
        stream.launch(kernel, Math.min(PEER_BLOCKS, count), THREADS, 0, list, count);
        count = 0;
      }
    }
  }

  private List<HostPointer> started(Consumer<Pieces> adding) {
    Pieces pieces = new Pieces();
    boolean started = false;
    try {
      adding.accept(pieces);
      pieces.end();
      started = true;
      return pieces.lists;
    } finally {
      if (!started) {
        // A kernel may still read them: nobody's any more, until the stream's end is known.
        stream.sync();
        giveBack(pieces.lists);
      }
    }
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
