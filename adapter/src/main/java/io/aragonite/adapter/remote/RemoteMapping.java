package io.aragonite.adapter.remote;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.spill.file.ScratchFile;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A remote file's local copy: a sparse file in the folder of spill files, mapped, that is filled
 * block by block as bytes are required. Each request says which file it is of, so that the copy is
 * of one state of it. A server that does not send ranges sends the whole file at once.
 */
final class RemoteMapping extends FileMapping {
  private static final int BLOCK = 1 << 13;

  /** Blocks of a request. */
  private static final int MOST_BLOCKS = 1024;

  private static final long LOOK_MILLIS = 20;

  private final RemotePath path;
  private final RemoteAttributes attributes;
  private final ScratchFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes;
  private final BitSet present = new BitSet();

  /** By block. */
  private final Map<Integer, RangeFetch> running = new HashMap<>();

  private boolean closed;

  static RemoteMapping open(RemotePath path, SpillSpace space) throws IOException {
    RemoteAttributes attributes =
        (RemoteAttributes) Files.readAttributes(path, BasicFileAttributes.class);
    if (attributes.isDirectory()) {
      throw new IOException("it is a folder");
    }
    if (attributes.ranges()) {
      ScratchFile file = space.scratchFile();
      file.createSparse(attributes.length());
      return new RemoteMapping(path, attributes, file, false);
    }
    return new RemoteMapping(path, attributes, whole(path, attributes, space), true);
  }

  /** A copy of all of a file, for servers that send no ranges. */
  private static ScratchFile whole(RemotePath path, RemoteAttributes attributes, SpillSpace space) {
    Retries retries = new Retries();
    while (true) {
      ScratchFile file = space.scratchFile();
      file.createSparse(0);
      RangeFetch fetch = RangeFetch.ofAll(path, attributes, file);
      fetch.start(() -> {});
      try {
        await(fetch, List.of(fetch));
        return file;
      } catch (ExecutionException e) {
        file.close();
        if (e.getCause() instanceof AragoniteException known) {
          throw known;
        }
        try {
          retries.await(fetch.error(e.getCause()));
        } catch (IOException last) {
          throw RemoteErrors.of(path, last);
        }
      } catch (Throwable e) {
        fetch.join();
        file.close();
        throw e;
      }
    }
  }

  private RemoteMapping(
      RemotePath path, RemoteAttributes attributes, ScratchFile file, boolean complete)
      throws IOException {
    this.path = path;
    this.attributes = attributes;
    this.file = file;
    boolean done = false;
    try (FileChannel channel = FileChannel.open(file.path())) {
      bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      if (complete) {
        present.set(0, blocks(bytes.byteSize()));
      }
      done = true;
    } finally {
      if (!done) {
        arena.close();
        file.close();
      }
    }
  }

  private static int blocks(long size) {
    return Math.toIntExact((size + BLOCK - 1) / BLOCK);
  }

  @Override
  public MemorySegment bytes() {
    return bytes;
  }

  @Override
  public void require(List<ByteRange> ranges) {
    while (true) {
      Set<RangeFetch> wanted = new LinkedHashSet<>();
      List<RangeFetch> mine = begin(ranges, wanted);
      if (wanted.isEmpty()) {
        return;
      }
      for (RangeFetch fetch : wanted) {
        try {
          await(fetch, mine);
        } catch (ExecutionException e) {
          if (mine.contains(fetch)) {
            mine.forEach(RangeFetch::cancel);
            throw failure(fetch, e.getCause());
          }
          // Another query's, which may have ended for reasons of its own.
        }
      }
    }
  }

  @Override
  public void prefetch(List<ByteRange> ranges) {
    var _ = begin(ranges, new LinkedHashSet<>());
  }

  private AragoniteException failure(RangeFetch fetch, @Nullable Throwable cause) {
    return cause instanceof AragoniteException e ? e : RemoteErrors.of(path, fetch.error(cause));
  }

  /**
   * Starts to fetch what is neither there nor on its way.
   *
   * @param wanted gets all that is to be waited for
   * @return what was started here
   */
  private synchronized List<RangeFetch> begin(List<ByteRange> ranges, Set<RangeFetch> wanted) {
    if (closed) {
      throw new AragoniteException(ErrorCode.FILE_BROKEN, path + " was closed");
    }
    BitSet missing = new BitSet();
    for (ByteRange range : ranges) {
      long to = Math.min(range.to(), bytes.byteSize());
      if (range.from() >= 0 && range.from() < to) {
        missing.set((int) (range.from() / BLOCK), blocks(to));
      }
    }
    missing.andNot(present);
    List<RangeFetch> started = new ArrayList<>();
    for (int block = missing.nextSetBit(0); block >= 0; block = missing.nextSetBit(block)) {
      RangeFetch other = running.get(block);
      if (other != null) {
        wanted.add(other);
        block++;
        continue;
      }
      int end = block + 1;
      while (missing.get(end) && !running.containsKey(end) && end - block < MOST_BLOCKS) {
        end++;
      }
      started.add(start(block, end));
      block = end;
    }
    wanted.addAll(started);
    return started;
  }

  private RangeFetch start(int block, int end) {
    ByteRange range =
        new ByteRange((long) block * BLOCK, Math.min((long) end * BLOCK, bytes.byteSize()));
    RangeFetch fetch = RangeFetch.of(path, attributes, file, range);
    for (int i = block; i < end; i++) {
      running.put(i, fetch);
    }
    fetch.start(() -> ended(fetch, block, end));
    return fetch;
  }

  private synchronized void ended(RangeFetch fetch, int block, int end) {
    for (int i = block; i < end; i++) {
      running.remove(i);
    }
    if (fetch.complete()) {
      present.set(block, end);
    }
  }

  /** Waits for bytes; whatever ends the waiting query ends what it has started. */
  private static void await(RangeFetch fetch, List<RangeFetch> mine) throws ExecutionException {
    StopCheck stop = StopCheck.current();
    boolean done = false;
    try {
      while (!done) {
        try {
          fetch.done().get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
          done = true;
        } catch (TimeoutException e) {
          stop.check();
          fetch.interruptIfSilent();
        }
      }
    } catch (ExecutionException e) {
      done = true;
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AragoniteException(ErrorCode.CANCELLED, "Reading was interrupted.");
    } finally {
      if (!done) {
        mine.forEach(RangeFetch::cancel);
      }
    }
  }

  @Override
  public void close() {
    List<RangeFetch> last;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      last = running.values().stream().distinct().toList();
    }
    last.forEach(RangeFetch::cancel);
    for (RangeFetch fetch : last) {
      fetch.join();
    }
    arena.close();
    file.close();
  }
}
