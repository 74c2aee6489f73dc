package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leapfrog triejoin on a GPU, depth first: trie_join.cu says how warps go. Rows come out in two
 * walks, one that counts those of each unit of candidates, and one that writes them where they
 * belong.
 */
final class CudaTrieWalk {
  private static final KernelFamily FAMILY = KernelFamily.TRIE_JOIN;

  // As in trie_join.cu.
  private static final int SLOTS = 32;
  private static final int LEVEL_WORDS = 68 + 5 * SLOTS;
  private static final int NOWHERE = -1;
  private static final int MAX_PLACES = 16;
  private static final int MAX_CURSORS = 64;
  private static final int MAX_BOUNDS = 64;
  private static final int MAX_OUTPUTS = 16;
  private static final int CURSORS = 24 + 6 * 4 + 4 * MAX_PLACES;
  private static final int CURSOR_BYTES = 64;
  private static final int LEVELS = CURSORS + MAX_CURSORS * CURSOR_BYTES;
  private static final int LEVEL_BYTES = 32;
  private static final int BOUNDS = LEVELS + TrieWalk.MAX_LEVELS * LEVEL_BYTES;
  private static final int BOUND_BYTES = 24;
  private static final int OUTPUTS = BOUNDS + MAX_BOUNDS * BOUND_BYTES;
  private static final int OUTPUT_BYTES = 24;
  private static final int WALK_BYTES = OUTPUTS + MAX_OUTPUTS * OUTPUT_BYTES;

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
  private final TrieWalk.@Nullable Output output;
  private final Layout layout;
  private final long from;
  private final long to;
  private final int warps;
  private final long blocks;
  private final int unit;
  private final int units;

  /** Where things are in a warp's state, in words, and the cursors' numbers in trie_join.cu. */
  private static final class Layout {
    /** Cursors in the order of trie_join.cu: those of each level beside each other. */
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
      for (TrieWalk.Cursor cursor : walk.cursors()) {
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
        at += LEVEL_WORDS;
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
      TrieWalk.@Nullable Output output) {
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
    return walk.cursors().size() <= MAX_CURSORS
        && walk.levels().size() <= TrieWalk.MAX_LEVELS
        && walk.levels().stream().allMatch(level -> level.cursors().size() <= MAX_PLACES)
        && bounds <= MAX_BOUNDS
        && warps(new Layout(walk, 0, all)) > 0;
  }

  /** As {@link io.aragonite.exec.device.TrieOps#walk} says. */
  static long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable Output output) {
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
    Mem.putLong(at, start.sides().address());
    Mem.putLong(at + 8, start.firsts().address());
    Mem.putLong(at + 16, start.sums().address());
    Mem.putInt(at + 24, start.bindings());
    Mem.putInt(at + 28, levels);
    Mem.putInt(at + 32, walk.cursors().size());
    Mem.putInt(at + 36, output == null ? 0 : output.cursors().size());
    Mem.putInt(at + 40, layout.words);
    Mem.putInt(at + 44, layout.found);
    for (int side = 0; side < start.places().size(); side++) {
      Mem.putInt(at + 48 + 4L * side, start.places().get(side));
    }
    for (int i = 0; i < layout.order.size(); i++) {
      cursor(at + CURSORS + (long) i * CURSOR_BYTES, layout.order.get(i));
    }
    int bounds = 0;
    for (int l = 0; l < levels; l++) {
      int level = start.level() + l;
      List<TrieWalk.Bound> own = walk.levels().get(level).bounds();
      boolean different = own.stream().anyMatch(b -> b.kind() == TrieBound.Kind.DIFFERENT);
      long place = at + LEVELS + (long) l * LEVEL_BYTES;
      Mem.putInt(place, layout.firstCursors[level]);
      Mem.putInt(place + 4, walk.levels().get(level).cursors().size());
      Mem.putInt(place + 8, bounds);
      Mem.putInt(place + 12, own.size());
      Mem.putInt(place + 16, different ? 1 : 0);
      Mem.putInt(place + 20, layout.states[level]);
      Mem.putInt(place + 24, layout.values[level]);
      for (TrieWalk.Bound bound : own) {
        bound(at + BOUNDS + (long) bounds++ * BOUND_BYTES, bound);
      }
    }
    for (int i = 0; output != null && i < output.cursors().size(); i++) {
      long place = at + OUTPUTS + (long) i * OUTPUT_BYTES;
      Mem.putLong(place, output.rows().get(i).address());
      Mem.putLong(place + 8, output.out().get(i).address());
      Mem.putLong(place + 16, layout.numbers[output.cursors().get(i)]);
    }
    Buffer onDevice = context.scratch().allocate(WALK_BYTES);
    context.device().transfers().toDevice(context, at, onDevice, WALK_BYTES);
    return onDevice;
  }

  private void cursor(long to, int number) {
    TrieWalk.Cursor cursor = walk.cursors().get(number);
    Buffer nodes = start.positions().get(number);
    boolean walked = cursor.boundAt() >= start.level();
    Mem.putLong(to, address(cursor.values()));
    Mem.putLong(to + 8, address(cursor.parents()));
    Mem.putLong(to + 16, address(cursor.starts()));
    Mem.putLong(to + 24, address(nodes));
    Mem.putInt(to + 32, cursor.min());
    Mem.putInt(to + 36, cursor.size());
    Mem.putInt(to + 40, cursor.parent() < 0 ? -1 : layout.numbers[cursor.parent()]);
    // Of those that were bound before, the last one of a relation counts, whose positions are here.
    Mem.putInt(to + 44, walked || nodes != null ? cursor.weight() : 0);
    Mem.putInt(to + 48, walked ? cursor.boundAt() - start.level() + 1 : 0);
    Mem.putInt(to + 52, walked ? layout.positions[number] : NOWHERE);
    Mem.putInt(to + 56, walked ? layout.ranges[number] : NOWHERE);
  }

  private void bound(long to, TrieWalk.Bound bound) {
    boolean walked = bound.level() >= start.level();
    Mem.putLong(to, walked ? 0 : address(start.values().get(bound.level())));
    Mem.putInt(to + 8, bound.kind().ordinal());
    Mem.putInt(to + 12, walked ? bound.level() - start.level() + 1 : 0);
    Mem.putInt(to + 16, layout.values[bound.level()]);
  }

  private static long address(@Nullable Buffer buffer) {
    return buffer == null ? 0 : buffer.address();
  }
}
