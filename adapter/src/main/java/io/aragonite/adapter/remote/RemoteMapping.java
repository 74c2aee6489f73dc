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
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A remote file's local copy: a sparse file in the folder of spill files, mapped, that is filled
 * block by block as bytes are required. Each request says which file it is of, so that the copy is
 * of one state of it. A server that does not send ranges sends the whole file at once.
 */
final class RemoteMapping extends FileMapping {
  private static final long BLOCK = 1 << 13;

  private static final long MOST_REQUESTED = 1024 * BLOCK;

  /** Requests that are under way or wait at once, of those that read together. */
  private static final int MOST_FETCHES = 32;

  private static final long LOOK_MILLIS = 20;

  private final RemotePath path;
  private final RemoteAttributes attributes;
  private final ScratchFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes;
  private FetchedBytes present = new FetchedBytes();

  /** By their first bytes. */
  private final NavigableMap<Long, Run> running = new TreeMap<>();

  private boolean closed;

  /** Whether the file was sent whole, so that no part of it can be asked for. */
  private final boolean complete;

  /** Whole blocks that are being fetched. */
  private record Run(long from, long to, RangeFetch fetch) {}

  static RemoteMapping open(RemotePath path, SpillSpace space) throws IOException {
    RemoteAttributes attributes =
        (RemoteAttributes) Files.readAttributes(path, BasicFileAttributes.class);
    if (attributes.isDirectory()) {
      throw new IOException("it is a folder");
    }
    if (attributes.ranges()) {
      return new RemoteMapping(path, attributes, scratch(space, attributes.length()), false);
    }
    return new RemoteMapping(path, attributes, whole(path, attributes, space), true);
  }

  private static ScratchFile scratch(SpillSpace space, long length) {
    ScratchFile file = space.scratchFile();
    boolean done = false;
    try {
      file.createSparse(length);
      done = true;
      return file;
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  /** A copy of all of a file, for servers that send no ranges. */
  private static ScratchFile whole(RemotePath path, RemoteAttributes attributes, SpillSpace space) {
    Retries retries = new Retries();
    while (true) {
      ScratchFile file = scratch(space, 0);
      RangeFetch fetch = RangeFetch.ofAll(path, attributes, file);
      fetch.start(() -> {});
      boolean done = false;
      try {
        await(fetch, List.of(fetch));
        if (fetch.complete()) {
          done = true;
          return file;
        }
      } finally {
        if (!done) {
          fetch.join();
          file.close();
        }
      }
      Throwable error = fetch.done().exceptionNow();
      if (!(error instanceof IOException broken)) {
        throw failure(path, error);
      }
      try {
        retries.await(broken);
      } catch (IOException last) {
        throw RemoteErrors.of(path, last);
      }
    }
  }

  private RemoteMapping(
      RemotePath path, RemoteAttributes attributes, ScratchFile file, boolean complete)
      throws IOException {
    this.path = path;
    this.attributes = attributes;
    this.file = file;
    this.complete = complete;
    boolean done = false;
    try (FileChannel channel = FileChannel.open(file.path())) {
      bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      if (complete) {
        present.add(0, blockEnd(bytes.byteSize()));
      }
      done = true;
    } finally {
      if (!done) {
        arena.close();
        file.close();
      }
    }
  }

  private static long blockEnd(long position) {
    return (position + BLOCK - 1) / BLOCK * BLOCK;
  }

  @Override
  public MemorySegment bytes() {
    return bytes;
  }

  @Override
  public void require(List<ByteRange> ranges) {
    List<ByteRange> blocks = wholeBlocks(ranges);
    requireRoom(blocks);
    List<RangeFetch> mine = new ArrayList<>();
    while (true) {
      SequencedSet<RangeFetch> wanted = new LinkedHashSet<>();
      mine.addAll(begin(blocks, wanted, Integer.MAX_VALUE));
      if (wanted.isEmpty()) {
        return;
      }
      await(wanted.getFirst(), mine);
      // What another query has begun may have ended for reasons of its own, and is begun again.
      mine.removeIf(RangeFetch::complete);
      for (RangeFetch fetch : mine) {
        if (fetch.done().isCompletedExceptionally()) {
          mine.forEach(RangeFetch::cancel);
          throw failure(path, fetch.done().exceptionNow());
        }
      }
    }
  }

  /** Nothing is begun where enough is under way; whoever needs the bytes has them fetched. */
  @Override
  public void prefetch(List<ByteRange> ranges) {
    var _ = begin(wholeBlocks(ranges), new LinkedHashSet<>(), MOST_FETCHES);
  }

  @Override
  public synchronized long giveUp() {
    if (closed || complete || !running.isEmpty()) {
      return 0;
    }
    present = new FetchedBytes();
    return file.empty();
  }

  private static AragoniteException failure(RemotePath path, Throwable cause) {
    return cause instanceof AragoniteException e
        ? e
        : RemoteErrors.of(path, cause instanceof IOException e ? e : new IOException(cause));
  }

  /** The blocks that ranges are in, in order; those that touch are one range. */
  private List<ByteRange> wholeBlocks(List<ByteRange> ranges) {
    List<ByteRange> sorted =
        ranges.stream()
            .map(range -> new ByteRange(range.from(), Math.min(range.to(), bytes.byteSize())))
            .filter(range -> range.from() >= 0 && range.from() < range.to())
            .map(range -> new ByteRange(range.from() / BLOCK * BLOCK, blockEnd(range.to())))
            .sorted(Comparator.comparingLong(ByteRange::from))
            .toList();
    List<ByteRange> merged = new ArrayList<>();
    for (ByteRange range : sorted) {
      if (merged.isEmpty() || merged.getLast().to() < range.from()) {
        merged.add(range);
      } else {
        ByteRange last = merged.removeLast();
        merged.add(new ByteRange(last.from(), Math.max(last.to(), range.to())));
      }
    }
    return merged;
  }

  /** Much that the disk has no room for is not begun: a server may say any length. */
  private void requireRoom(List<ByteRange> blocks) {
    long missing = 0;
    synchronized (this) {
      for (ByteRange range : blocks) {
        missing += range.length() - present.count(range.from(), range.to());
      }
    }
    if (missing > MOST_FETCHES * MOST_REQUESTED) {
      file.requireRoom(missing);
    }
  }

  /**
   * Starts to fetch what is neither there nor on its way, as much as is to be under way at once.
   *
   * @param wanted gets what is to be waited for
   * @param most requests of all queries beyond which nothing is started
   * @return what was started here
   */
  private synchronized List<RangeFetch> begin(
      List<ByteRange> blocks, Set<RangeFetch> wanted, int most) {
    if (closed) {
      throw new AragoniteException(ErrorCode.FILE_BROKEN, path + " was closed");
    }
    List<RangeFetch> started = new ArrayList<>();
    for (ByteRange range : blocks) {
      long at = present.nextMissing(range.from());
      while (at < range.to() && wanted.size() < MOST_FETCHES) {
        Map.Entry<Long, Run> before = running.floorEntry(at);
        Run run = before == null || before.getValue().to <= at ? null : before.getValue();
        if (run == null) {
          if (running.size() >= most) {
            return started;
          }
          run = start(at, Math.min(range.to(), at + MOST_REQUESTED));
          started.add(run.fetch);
        }
        wanted.add(run.fetch);
        at = present.nextMissing(run.to);
      }
    }
    return started;
  }

  /** Starts to fetch bytes, up to the next that are there or on their way. */
  private Run start(long from, long most) {
    Long other = running.ceilingKey(from);
    long to = Math.min(most, present.nextRange(from));
    to = other == null ? to : Math.min(to, other);
    ByteRange range = new ByteRange(from, Math.min(to, bytes.byteSize()));
    Run run = new Run(from, to, RangeFetch.of(path, attributes, file, range));
    running.put(from, run);
    run.fetch.start(() -> ended(run));
    return run;
  }

  /** Blocks that came are there, however the others ended; what came of one block is lost. */
  private synchronized void ended(Run run) {
    running.remove(run.from);
    long reached = run.fetch.position();
    long to = run.fetch.complete() ? run.to : reached / BLOCK * BLOCK;
    present.add(run.from, to);
    file.release(Math.max(0, reached - to));
  }

  /**
   * Waits until a fetch has ended, in whatever way; what ends the waiting query ends what it has
   * started.
   */
  private static void await(RangeFetch fetch, List<RangeFetch> mine) {
    StopCheck stop = StopCheck.current();
    boolean done = false;
    try {
      while (!done) {
        try {
          var _ = fetch.done().get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
          done = true;
        } catch (TimeoutException e) {
          stop.check();
        }
      }
    } catch (ExecutionException e) {
      done = true;
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
      last = running.values().stream().map(Run::fetch).toList();
    }
    last.forEach(RangeFetch::cancel);
    for (RangeFetch fetch : last) {
      fetch.join();
    }
    try {
      arena.close();
    } finally {
      file.close();
    }
  }
}
