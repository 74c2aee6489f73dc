package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.cuda.CudaConstants.HostCopy;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * How the host gets the small results of a stream's kernels, under the stream's lock.
 *
 * <p>The driver is not asked for them: a kernel writes them to pinned memory, at which the host
 * looks until they are there. With a copy, a wait of the driver and two events for the time between
 * them it took twice as long (13 us on an H200). Where it takes long the driver waits after all,
 * since it knows of errors.
 */
final class CudaReadback {
  /** Results of up to this many bytes go through the stream's own pinned memory. */
  static final int SMALL = 64 << 10;

  /** Results of kernels that may be waited for at a time, a power of two. */
  private static final int RESULTS = 64;

  /** What a word for a result has before; kernels write numbers of rows and bytes. */
  private static final long NOTHING = -1;

  /** How long the host looks for a result before the driver waits. */
  private static final long LOOKING_NANOS = 200_000;

  /** Pieces that a kernel brings to the host at a time, and bytes that say where one is. */
  private static final int PIECES = 256;

  private static final int PIECE_BYTES = HostCopy.SIZEOF;

  /** Threads for a piece. */
  private static final int BRINGING_THREADS = 512;

  /** Memory that it needs, pinned and on the device. */
  static final int PINNED_BYTES = SMALL + Long.BYTES * RESULTS + PIECES * PIECE_BYTES + Long.BYTES;

  static final int DEVICE_BYTES = Long.BYTES;

  private final CudaStream stream;

  /** Room for a small result. */
  private final long room;

  private final long results;
  private int nextResult;
  private final long pieces;

  /** The word to which a kernel that has brought bytes writes its number. */
  private final long brought;

  /** The number of the last one. */
  private long bringings;

  /** A word on the device in which its blocks count how many have ended. */
  private final long ended;

  /**
   * @param pinned {@link #PINNED_BYTES} at one address for host and device
   * @param onDevice {@link #DEVICE_BYTES} that are 0
   */
  CudaReadback(CudaStream stream, long pinned, long onDevice) {
    this.stream = stream;
    room = pinned;
    results = room + SMALL;
    pieces = results + Long.BYTES * RESULTS;
    brought = pieces + PIECES * PIECE_BYTES;
    ended = onDevice;
    Mem.putLong(brought, 0);
  }

  /** See {@link CudaStream#takeResult}. */
  long takeResult() {
    long word = results + 8L * (nextResult++ & RESULTS - 1);
    Mem.putLong(word, NOTHING);
    return word;
  }

  /** See {@link CudaStream#awaitResult}. */
  long awaitResult(long address) {
    return await(address, found -> found != NOTHING);
  }

  /**
   * Brings some bytes, at most {@link #SMALL}, when all before is done.
   *
   * @return where the host has them until it reads others
   */
  long read(long address, int bytes) {
    long number = ++bringings;
    stream.launch(
        stream.gpu().kernel(KernelFamily.FILL, "ara_bring"),
        1,
        BRINGING_THREADS,
        0,
        address,
        room,
        (long) bytes,
        ended,
        brought,
        number);
    await(brought, found -> found == number);
    return room;
  }

  /** Bytes of pinned memory that a piece of {@link #readAll} takes. */
  static long padded(long bytes) {
    return (bytes + 15) & -16;
  }

  /** See {@link CudaStream#readAll}. */
  void readAll(List<Buffer> from, List<Buffer> to) {
    for (int done = 0; done < to.size(); done += PIECES) {
      int end = Math.min(done + PIECES, to.size());
      readPieces(from.subList(done, end), to.subList(done, end));
    }
  }

  private void readPieces(List<Buffer> from, List<Buffer> to) {
    int count = to.size();
    long number = ++bringings;
    long at = room;
    for (int i = 0; i < count; i++) {
      long piece = pieces + (long) PIECE_BYTES * i;
      Mem.putLong(piece + HostCopy.FROM, from.get(i).address());
      Mem.putLong(piece + HostCopy.TO, at);
      Mem.putLong(piece + HostCopy.BYTES, to.get(i).size());
      at += padded(to.get(i).size());
    }
    stream.launch(
        stream.gpu().kernel(KernelFamily.FILL, "ara_bring_all"),
        count,
        BRINGING_THREADS,
        0,
        pieces,
        ended,
        brought,
        number);
    await(brought, found -> found == number);
    at = room;
    for (Buffer piece : to) {
      Mem.copy(at, piece.address(), piece.size());
      at += padded(piece.size());
    }
  }

  /**
   * Waits until a kernel has written to a word of pinned memory.
   *
   * @param written tells what it writes from what the word has before
   * @return what it has written
   * @throws AragoniteException DEVICE_FAILED if a kernel failed, which retires the GPU
   */
  private long await(long word, LongPredicate written) {
    stream.beginStep();
    long found = look(word, written);
    if (!written.test(found)) {
      stream.awaitAll("waiting for kernels");
      found = Mem.getLongVolatile(word);
      if (!written.test(found)) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "All kernels of %s have ended, and one has left no result.".formatted(stream.gpu()));
      }
    }
    stream.endStep("wait");
    stream.end();
    return found;
  }

  private static long look(long word, LongPredicate written) {
    long found = Mem.getLongVolatile(word);
    long from = System.nanoTime();
    while (!written.test(found) && System.nanoTime() - from < LOOKING_NANOS) {
      Thread.onSpinWait();
      found = Mem.getLongVolatile(word);
    }
    return found;
  }
}
