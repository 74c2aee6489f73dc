package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinArgs;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinBound;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinCursor;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinLevel;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinOutput;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinPolicy;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leapfrog triejoin on a GPU, depth first: agent/trie_join.cuh says how warps go. Rows come out in
 * two walks, one that counts those of each unit of candidates, and one that writes them where they
 * belong.
 */
final class CudaTrieWalk {
  private static final KernelFamily FAMILY = KernelFamily.TRIE_JOIN;

  private static final int SLOTS = TrieJoinPolicy.SLOTS;
  private static final int NOWHERE = TrieJoinPolicy.NOWHERE;
  private static final int WALK_BYTES = TrieJoinArgs.SIZEOF;

  /** Shared memory of a block that every GPU has, and of a multiprocessor, about. */
  private static final int BLOCK_SHARED = 96 << 10;

  private static final int SM_SHARED = 220 << 10;
  private static final int MOST_WARPS = 8;

  /** Candidates of a unit: few, so that those of a hub are shared. */
  private static final int UNIT = 64;

  private static final int MOST_COUNTED_UNITS = 1 << 26;
  private static final int MOST_UNITS = 1 << 20;

  /** A launch that takes longer is followed by a smaller one, a shorter one by a larger one. */
  private static final long SHORT_NANOS = 200_000_000;

  private final ExecContext context;
  private final CudaStream stream;
  private final TrieWalk walk;
  private final TrieWalk.Start start;
  private final TrieWalk.@Nullable WalkOutput output;
  private final Layout layout;
  private final long from;
  private final long to;
  private final int warps;
  private final long blocks;
  private final int unit;
  private final int units;

  /** Where things are in a warp's state, in words, and the cursors' numbers on the device. */
  private static final class Layout {
    /** Cursors in the order of the device: those of each level beside each other. */
    final List<Integer> order = new ArrayList<>();

    final int[] numbers;
    final int[] firstCursors;
    final int[] positions;
    final int[] ranges;
    final int[] states;
    final int[] values;
    final int found;
    final int words;

    Layout(TrieWalk walk, int start, List<Integer> outputs) {
      int count = walk.cursors().size();
      int levels = walk.levels().size();
      numbers = new int[count];
      positions = new int[count];
      ranges = new int[count];
      firstCursors = new int[levels];
      states = new int[levels];
      values = new int[levels];
      boolean[] wanted = new boolean[count];
      outputs.forEach(cursor -> wanted[cursor] = true);
      for (TrieWalk.TrieCursor cursor : walk.cursors()) {
        if (cursor.parent() >= 0) {
          wanted[cursor.parent()] = true;
        }
      }
      boolean[] compared = new boolean[levels];
      walk.levels().forEach(level -> level.bounds().forEach(b -> compared[b.level()] = true));
      int at = 0;
      int most = 0;
      for (int l = start; l < levels; l++) {
        states[l] = at;
        at += TrieJoinPolicy.LEVEL_WORDS;
        values[l] = compared[l] ? at : NOWHERE;
        at += compared[l] ? SLOTS : 0;
        firstCursors[l] = order.size();
        for (int c : walk.levels().get(l).cursors()) {
          order.add(c);
          ranges[c] = at;
          at += 2 * SLOTS;
          positions[c] = wanted[c] ? at : NOWHERE;
          at += wanted[c] ? SLOTS : 0;
        }
        most = Math.max(most, walk.levels().get(l).cursors().size());
      }
      for (int c = 0; c < count; c++) {
        if (walk.cursors().get(c).boundAt() < start) {
          order.add(c);
        }
      }
      for (int i = 0; i < order.size(); i++) {
        numbers[order.get(i)] = i;
      }
      found = at;
      words = at + most * SLOTS;
    }
  }

  private CudaTrieWalk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output) {
    this.context = context;
    this.stream = CudaStream.of(context);
    this.walk = walk;
    this.start = start;
    this.output = output;
    this.from = from;
    this.to = to;
    layout = new Layout(walk, start.level(), output == null ? List.of() : output.cursors());
    warps = warps(layout);
    int resident = Math.clamp(SM_SHARED / sharedBytes(), 1, 64 / warps);
    long most = (long) stream.gpu().sms() * resident * warps;
    long mostUnits = output == null ? MOST_COUNTED_UNITS : MOST_UNITS;
    unit = (int) Math.max(UNIT, (to - from) / mostUnits + 1);
    units = (int) ((to - from + unit - 1) / unit);
    blocks = Math.min((units + warps - 1L) / warps, most / warps);
  }

  /** Warps of a block, 0 if the state of one has no room. */
  private static int warps(Layout layout) {
    return Math.clamp((BLOCK_SHARED - WALK_BYTES) / (4L * layout.words), 0, MOST_WARPS);
  }

  private int sharedBytes() {
    return WALK_BYTES + warps * 4 * layout.words;
  }

  /** Whether blocks have room for what a walk needs. */
  static boolean fits(TrieWalk walk) {
    int bounds = walk.levels().stream().mapToInt(level -> level.bounds().size()).sum();
    List<Integer> all = new ArrayList<>();
    for (int c = 0; c < walk.cursors().size(); c++) {
      all.add(c);
    }
    return walk.cursors().size() <= TrieJoinPolicy.CURSORS
        && walk.levels().size() <= TrieJoinPolicy.LEVELS
        && walk.levels().stream().allMatch(level -> level.cursors().size() <= TrieJoinPolicy.PLACES)
        && bounds <= TrieJoinPolicy.BOUNDS
        && warps(new Layout(walk, 0, all)) > 0;
  }

  /** As {@link io.aragonite.exec.device.TrieOps#walk} says. */
  static long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output) {
    if (from >= to) {
      return 0;
    }
    long mark = context.scratch().mark();
    long hostMark = context.hostScratch().mark();
    long rows = new CudaTrieWalk(context, walk, start, from, to, output).run();
    context.hostScratch().release(hostMark);
    context.scratch().release(mark);
    return rows;
  }

  private long run() {
    Buffer onDevice = upload();
    Buffer flags = context.scratch().allocate(16);
    stream.fill(flags.address(), (byte) 0, 16);
    if (output == null) {
      Buffer count = context.scratch().allocate(8);
      stream.fill(count.address(), (byte) 0, 8);
      launches("ara_walk_count", onDevice, 0, units, flags, count);
      long rows = stream.readLong(count.address());
      check(flags);
      return rows;
    }
    Buffer counts = context.scratch().allocate(8L * units);
    launches("ara_walk_units", onDevice, 0, units, flags, counts);
    long at = context.hostScratch().allocate(8L * units + 8).address();
    stream.read(counts.address(), at, 8L * units);
    long rows = 0;
    for (int i = 0; i < units; i++) {
      long own = Mem.getLong(at + 8L * i);
      Mem.putLong(at + 8L * i, rows);
      rows += own;
    }
    Mem.putLong(at + 8L * units, rows);
    stream.write(at, counts.address(), 8L * units);
    int first = 0;
    for (long window = 0; window < rows; window += output.capacity()) {
      long end = Math.min(rows, window + output.capacity());
      while (Mem.getLong(at + 8L * first + 8) <= window) {
        first++;
      }
      int last = first;
      while (last < units && Mem.getLong(at + 8L * last) < end) {
        last++;
      }
      launches("ara_walk_emit", onDevice, first, last, flags, counts, window, end);
      check(flags);
      if (!output.full().take((int) (end - window))) {
        break;
      }
    }
    return rows;
  }

  private void check(Buffer flags) {
    if (stream.readInt(flags.address() + 4) != 0) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "A join has more than 2^63 - 1 rows, which COUNT(*) cannot tell; restrict it.");
    }
  }

  /**
   * Walks units, some at a time: a kernel that runs cannot be cancelled. Nothing is known of what
   * units cost before some have been walked, so that the first launch has one for each warp.
   */
  private void launches(
      String kernel,
      Buffer onDevice,
      int first,
      int last,
      Buffer flags,
      Buffer counts,
      Object... window) {
    List<Object> arguments = new ArrayList<>();
    int least = Math.toIntExact(blocks * warps);
    int some = least;
    for (int at = first; at < last; ) {
      context.checkCancelled();
      int end = (int) Math.min(last, (long) at + some);
      stream.fill(flags.address(), (byte) 0, 4);
      arguments.clear();
      arguments.addAll(List.of(onDevice, from, to, unit, at, end, flags, counts));
      arguments.addAll(List.of(window));
      arguments.add(flags.slice(4, 4));
      long begin = System.nanoTime();
      stream.launch(
          stream.gpu().kernel(FAMILY, kernel),
          Math.min(blocks, (end - at + warps - 1) / warps),
          32 * warps,
          sharedBytes(),
          arguments.toArray());
      if (end < last) {
        stream.sync();
        boolean took = System.nanoTime() - begin > SHORT_NANOS;
        some = took ? Math.max(least, some / 4) : (int) Math.min(4L * some, MOST_COUNTED_UNITS);
      }
      at = end;
    }
  }

  private Buffer upload() {
    long at = context.hostScratch().allocate(WALK_BYTES).address();
    Mem.fill(at, WALK_BYTES, (byte) 0);
    int levels = walk.levels().size() - start.level();
    Mem.putLong(at + TrieJoinArgs.SIDES, start.sides().address());
    Mem.putLong(at + TrieJoinArgs.FIRSTS, start.firsts().address());
    Mem.putLong(at + TrieJoinArgs.SUMS, start.sums().address());
    Mem.putInt(at + TrieJoinArgs.BINDINGS, start.bindings());
    Mem.putInt(at + TrieJoinArgs.LEVELS, levels);
    Mem.putInt(at + TrieJoinArgs.CURSORS, walk.cursors().size());
    Mem.putInt(at + TrieJoinArgs.OUTPUTS, output == null ? 0 : output.cursors().size());
    Mem.putInt(at + TrieJoinArgs.WORDS, layout.words);
    Mem.putInt(at + TrieJoinArgs.FOUND, layout.found);
    for (int side = 0; side < start.places().size(); side++) {
      Mem.putInt(at + TrieJoinArgs.PLACES + 4L * side, start.places().get(side));
    }
    for (int i = 0; i < layout.order.size(); i++) {
      cursor(at + TrieJoinArgs.CURSOR + (long) i * TrieJoinCursor.SIZEOF, layout.order.get(i));
    }
    int bounds = 0;
    for (int l = 0; l < levels; l++) {
      int level = start.level() + l;
      List<TrieWalk.LevelBound> own = walk.levels().get(level).bounds();
      boolean different = own.stream().anyMatch(b -> b.kind() == TrieBound.BoundKind.DIFFERENT);
      long place = at + TrieJoinArgs.LEVEL + (long) l * TrieJoinLevel.SIZEOF;
      Mem.putInt(place + TrieJoinLevel.FIRST_CURSOR, layout.firstCursors[level]);
      Mem.putInt(place + TrieJoinLevel.CURSORS, walk.levels().get(level).cursors().size());
      Mem.putInt(place + TrieJoinLevel.FIRST_BOUND, bounds);
      Mem.putInt(place + TrieJoinLevel.BOUNDS, own.size());
      Mem.putInt(place + TrieJoinLevel.DIFFERENT, different ? 1 : 0);
      Mem.putInt(place + TrieJoinLevel.STATE, layout.states[level]);
      Mem.putInt(place + TrieJoinLevel.VALUES, layout.values[level]);
      for (TrieWalk.LevelBound bound : own) {
        bound(at + TrieJoinArgs.BOUND + (long) bounds++ * TrieJoinBound.SIZEOF, bound);
      }
    }
    for (int i = 0; output != null && i < output.cursors().size(); i++) {
      long place = at + TrieJoinArgs.OUTPUT + (long) i * TrieJoinOutput.SIZEOF;
      Mem.putLong(place + TrieJoinOutput.ROWS, output.rows().get(i).address());
      Mem.putLong(place + TrieJoinOutput.OUT, output.out().get(i).address());
      Mem.putLong(place + TrieJoinOutput.CURSOR, layout.numbers[output.cursors().get(i)]);
    }
    Buffer onDevice = context.scratch().allocate(WALK_BYTES);
    context.device().transfers().toDevice(context, at, onDevice, WALK_BYTES);
    return onDevice;
  }

  private void cursor(long to, int number) {
    TrieWalk.TrieCursor cursor = walk.cursors().get(number);
    Buffer nodes = start.positions().get(number);
    boolean walked = cursor.boundAt() >= start.level();
    Mem.putLong(to + TrieJoinCursor.VALUES, address(cursor.values()));
    Mem.putLong(to + TrieJoinCursor.PARENTS, address(cursor.parents()));
    Mem.putLong(to + TrieJoinCursor.STARTS, address(cursor.starts()));
    Mem.putLong(to + TrieJoinCursor.NODES, address(nodes));
    Mem.putInt(to + TrieJoinCursor.MIN, cursor.min());
    Mem.putInt(to + TrieJoinCursor.SIZE, cursor.size());
    Mem.putInt(
        to + TrieJoinCursor.PARENT, cursor.parent() < 0 ? -1 : layout.numbers[cursor.parent()]);
    // Of those that were bound before, the last one of a relation counts, whose positions are here.
    Mem.putInt(to + TrieJoinCursor.WEIGHT, walked || nodes != null ? cursor.weight() : 0);
    Mem.putInt(to + TrieJoinCursor.BATCH, walked ? cursor.boundAt() - start.level() + 1 : 0);
    Mem.putInt(to + TrieJoinCursor.POSITIONS, walked ? layout.positions[number] : NOWHERE);
    Mem.putInt(to + TrieJoinCursor.RANGES, walked ? layout.ranges[number] : NOWHERE);
  }

  private void bound(long to, TrieWalk.LevelBound bound) {
    boolean walked = bound.level() >= start.level();
    Mem.putLong(to + TrieJoinBound.VALUES, walked ? 0 : address(start.values().get(bound.level())));
    Mem.putInt(to + TrieJoinBound.KIND, bound.kind().ordinal());
    Mem.putInt(to + TrieJoinBound.BATCH, walked ? bound.level() - start.level() + 1 : 0);
    Mem.putInt(to + TrieJoinBound.AT, layout.values[bound.level()]);
  }

  private static long address(@Nullable Buffer buffer) {
    return buffer == null ? 0 : buffer.address();
  }
}
