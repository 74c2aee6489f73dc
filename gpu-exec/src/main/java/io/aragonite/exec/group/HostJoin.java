package io.aragonite.exec.group;

import io.aragonite.exec.collective.Member;
import io.aragonite.exec.collective.Member.Span;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.Stretch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.exchange.host.Arrival;
import io.aragonite.exec.exchange.host.ChunkMerge;
import io.aragonite.exec.exchange.host.HostColumn;
import io.aragonite.exec.exchange.host.HostMatches;
import io.aragonite.exec.exchange.host.HostMatches.Ranges;
import io.aragonite.exec.exchange.host.HostMatches.Whole;
import io.aragonite.exec.exchange.host.HostRows;
import io.aragonite.exec.exchange.host.HostSide;
import io.aragonite.exec.exchange.host.JoinPhase;
import io.aragonite.exec.exchange.host.JoinPhase.Found;
import io.aragonite.exec.exchange.host.JoinPhase.Room;
import io.aragonite.exec.exchange.host.KeyEncoder;
import io.aragonite.exec.exchange.host.LocalSort;
import io.aragonite.exec.exchange.host.LocalSort.Leaving;
import io.aragonite.exec.exchange.host.LocalSort.Sorted;
import io.aragonite.exec.exchange.host.MergePhase;
import io.aragonite.exec.exchange.host.MergeSplitter;
import io.aragonite.exec.exchange.host.MergeSplitter.Cut;
import io.aragonite.exec.exchange.host.RangeSplitters;
import io.aragonite.exec.exchange.host.SortPhase;
import io.aragonite.exec.exchange.host.SortPhase.Chunkset;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The heterogeneous sort-merge join of Maltenberger ("Efficiently Joining Large Relations on
 * Multi-GPU Systems with Modern Interconnects", 2024): sides of any size in host memory, any number
 * of devices, match ranges in host memory. Devices sort chunksets together, the CPU merges these
 * where there are several, cuts both sides, and devices join the pieces. Beyond the paper:
 *
 * <ul>
 *   <li>both sides are cut by one set of keys (see {@link RangeSplitters}), so that, if all devices
 *       together hold both, the sorted keys are joined where they are, and neither copied out to be
 *       copied in again nor merged;
 *   <li>payload of any fixed widths is sorted along;
 *   <li>any number of devices.
 * </ul>
 *
 * A side that is sorted already skips the sort. What it found lives until it is closed.
 */
public final class HostJoin implements AutoCloseable {
  /** Rows of both sides in a piece of the join phase. */
  private static final long PIECE_ROWS = 1 << 24;

  /** Pieces a device at least, so that its three streams have work. */
  private static final int PIECES = 3;

  /**
   * The last part of the left side leaves when the right side has arrived, where there are so many:
   * else nothing would cross the bus while the first part of the right side is sorted. (One device
   * has its bus busier by having both directions at work.)
   */
  private static final int HELD_OF = 4;

  /** Of what a device has free, in sixteenths, what the plan counts on. */
  private static final int ROOM = 13;

  /**
   * How it is done.
   *
   * @param roomBytes of each device's memory that may be used; 0: most of what is free
   * @param rightKeys whether the right side's keys are wanted in order as well
   * @param resident whether sides that fit the devices may be joined there without the join phase;
   *     false: never, for tests and comparisons
   * @param trace whether what each of a device's streams does is kept
   */
  public record Settings(long roomBytes, boolean rightKeys, boolean resident, boolean trace) {
    public Settings(long roomBytes, boolean rightKeys, boolean resident) {
      this(roomBytes, rightKeys, resident, false);
    }

    public static final Settings DEFAULT = new Settings(0, false, true);
  }

  private final DeviceTaskGroup together;
  private final Executor executor;
  private final HostSide left;
  private final HostSide right;
  private final Settings settings;
  private final int devices;
  private final KeyEncoder words;
  private final QueryMemory memory;
  private final Map<String, Double> phases = new LinkedHashMap<>();
  private List<Busy> busy = List.of();
  private long since = System.nanoTime();
  private @Nullable HostMatches matches;
  private String way = "";

  private HostJoin(
      DeviceTaskGroup together,
      Executor executor,
      HostSide left,
      HostSide right,
      Settings settings) {
    this.together = together;
    this.executor = executor;
    this.left = left;
    this.right = right;
    this.settings = settings;
    this.devices = together.devices().size();
    this.words = KeyEncoder.ofWidth(Math.max(left.key().width(), right.key().width()));
    this.memory = together.query(0).hostMemory();
  }

  /**
   * Joins.
   *
   * @param executor lends threads: one a device, and those of the merge
   * @throws AragoniteException MEMORY_EXCEEDED if host memory has no room for the sides in order
   *     and the ranges
   */
  public static HostJoin run(
      List<? extends Device> devices,
      Executor executor,
      QueryOptions options,
      HostSide left,
      HostSide right,
      Settings settings) {
    DeviceTaskGroup together = new DeviceTaskGroup(devices, executor, options);
    HostJoin join = new HostJoin(together, executor, left, right, settings);
    boolean done = false;
    try {
      join.run();
      done = true;
      return join;
    } finally {
      if (!done) {
        join.close();
      }
    }
  }

  public HostMatches matches() {
    HostMatches found = matches;
    if (found == null) {
      throw new IllegalStateException("the join has not run");
    }
    return found;
  }

  /** Milliseconds of each phase. */
  public Map<String, Double> phases() {
    return phases;
  }

  /** How it went, for people. */
  public String way() {
    return way;
  }

  /**
   * What a device did, in the sort phase if there was one.
   *
   * @param spans by the thread that drove it
   * @param toDeviceNanos in which it was copied to, by the device's clock
   * @param toHostNanos in which it was copied from
   * @param stretches what its streams did, if that is kept
   */
  public record Busy(
      List<Span> spans, long toDeviceNanos, long toHostNanos, List<Stretch> stretches) {}

  public List<Busy> busy() {
    return busy;
  }

  private void phase(String name) {
    long now = System.nanoTime();
    phases.merge(name, (now - since) / 1e6, Double::sum);
    since = now;
  }

  private long room() {
    if (settings.roomBytes > 0) {
      return settings.roomBytes;
    }
    return together.devices().stream()
        .mapToLong(d -> Math.max(0, d.memory().limit() - d.memory().used()) / 16 * ROOM)
        .min()
        .orElse(0);
  }

  private boolean fits(long room) {
    long most = SortPhase.share(Math.max(left.rows(), right.rows()), devices);
    return residentBytes() <= room && most <= SortPhase.MOST_ROWS;
  }

  /** What a device takes for its shares of both sides. */
  private double residentBytes() {
    long ours = SortPhase.share(left.rows(), devices);
    long theirs = SortPhase.share(right.rows(), devices);
    // The second side arrives while the first is sorted, whose words stay; shares are uneven.
    return 1.1 * Math.max(ours * SortPhase.bytes(left), theirs * SortPhase.bytes(right))
        + ours * (left.rowBytes() + 16.0)
        + theirs * (right.rowBytes() + 8.0);
  }

  private RangeSplitters splits() {
    return RangeSplitters.of(left, right, devices, Math.max(left.rows(), right.rows()));
  }

  private void run() {
    long room = room();
    boolean resident = settings.resident && !left.ready() && !right.ready() && fits(room);
    if (resident) {
      way = "joined where it was sorted";
      resident();
    } else {
      RangeSplitters splits = left.ready() && right.ready() ? RangeSplitters.one() : splits();
      phase("sample");
      streamed(splits, room);
    }
  }

  /** What a device has to say. */
  private record Done(List<Ranges> ranges, long pairs, Busy busy, List<long[]> starts) {}

  private void resident() {
    int each = RangeSplitters.parts(Math.max(left.rows(), right.rows()) / devices);
    HostRows ours = HostRows.of(memory, left, left.rows(), true);
    HostRows theirs = HostRows.of(memory, right, right.rows(), settings.rightKeys);
    Chunkset first = new Chunkset(left, 0, left.rows(), ours, 0);
    Chunkset second = new Chunkset(right, 0, right.rows(), theirs, 0);
    Room marks = new Room(memory, left.rows(), right.rows(), (long) devices * each);
    phase("host memory");
    // Rows are on their way while a sample of them is looked at.
    CompletableFuture<RangeSplitters> sampled =
        CompletableFuture.supplyAsync(this::splits, executor);
    try {
      resident(() -> of(sampled), each, first, second, marks);
    } finally {
      // It reads the caller's memory.
      sampled.handle((splits, error) -> true).join();
    }
  }

  private static RangeSplitters of(CompletableFuture<RangeSplitters> sampled) {
    try {
      return sampled.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * @param each parts of a device
   */
  private void resident(
      Supplier<RangeSplitters> sampled, int each, Chunkset first, Chunkset second, Room marks) {
    HostRows ours = first.out();
    HostRows theirs = second.out();
    List<Done> all =
        together.run((query, member) ->
            query.work(context -> {
              SortPhase.reserve(context, member, residentBytes());
              long start = begin(context);
              Arrival one = new Arrival(context, first, member, true);
              Arrival other = new Arrival(context, second, member, true);
              RangeSplitters splits = sampled.get();
              SortPhase sort = new SortPhase(context, member, splits, words);
              LocalSort local = new LocalSort(context, words);
              List<Sorted> parts = new ArrayList<>();
              List<Leaving> going = new ArrayList<>();
              List<Found> found = new ArrayList<>();
              JoinPhase join = new JoinPhase(context, marks);
              boolean holds = devices > 1 && each >= HELD_OF;
              long[] a =
                  sort.sort(
                      one,
                      part -> {
                        parts.add(part);
                        if (parts.size() < each || !holds) {
                          going.add(local.leave(part, ours));
                        }
                      });
              if (holds) {
                other.then(() -> going.add(local.leave(parts.getLast(), ours)));
              }
              long[] b =
                  sort.sort(
                      other,
                      part -> {
                        going.add(local.leave(part, theirs));
                        found.add(join.start(parts.get(found.size()), part));
                      });
              going.forEach(Leaving::await);
              found.forEach(Found::await);
              return done(member, context, start, join, List.of(a, b));
            }));
    phase("sort and join");
    RangeSplitters splits = sampled.get();
    long[] a = all.getFirst().starts.getFirst();
    long[] b = all.getFirst().starts.getLast();
    List<Whole> wholes = new ArrayList<>();
    for (int range = 0; range < splits.ranges(); range++) {
      if (splits.heavy()[range]) {
        whole(wholes, a[range], a[range + 1], b[range], b[range + 1]);
      }
    }
    long rightRows = b[splits.ranges()];
    HostColumn rightKey = theirs.wants(0) ? theirs.column(0, 0, rightRows) : null;
    finish(
        all, wholes, columns(ours, 0, a[splits.ranges()]), rightKey, columns(theirs, 1, rightRows));
  }

  private static void whole(List<Whole> wholes, long leftFrom, long leftTo, long from, long to) {
    if (leftFrom < leftTo && from < to) {
      wholes.add(new Whole(leftFrom, leftTo - leftFrom, from, to - from));
    }
  }

  private long begin(ExecContext context) {
    if (settings.trace) {
      context.copies().trace();
    }
    return System.nanoTime();
  }

  /** Of the device's thread, and of its copies by the device's clock. */
  private static Done done(
      Member member,
      ExecContext context,
      long start,
      @Nullable JoinPhase join,
      List<long[]> starts) {
    member.span("all", start);
    CopyQueue copies = context.copies();
    List<Stretch> stretches = copies.stretches();
    Busy busy = new Busy(member.spans(), copies.toDeviceNanos(), copies.toHostNanos(), stretches);
    return new Done(
        join == null ? List.of() : List.copyOf(join.ranges()),
        join == null ? 0 : join.pairs(),
        busy,
        starts);
  }

  private static List<HostColumn> columns(HostRows rows, int first, long count) {
    List<HostColumn> columns = new ArrayList<>();
    for (int i = first; i < rows.widths().size(); i++) {
      columns.add(rows.column(i, 0, count));
    }
    return columns;
  }

  private void finish(
      List<Done> all,
      List<Whole> wholes,
      List<HostColumn> leftColumns,
      @Nullable HostColumn rightKey,
      List<HostColumn> rightPayload) {
    if (busy.isEmpty()) {
      busy = all.stream().map(Done::busy).toList();
    }
    long pairs = 0;
    List<Ranges> ranges = new ArrayList<>();
    for (Done one : all) {
      ranges.addAll(one.ranges);
      pairs += one.pairs;
    }
    for (Whole key : wholes) {
      try {
        pairs = Math.addExact(pairs, Math.multiplyExact(key.leftRows(), key.rightRows()));
      } catch (ArithmeticException e) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE, "A join has more than 2^63 rows; join by more columns.", e);
      }
    }
    ranges.sort((a, b) -> Long.compare(a.leftFrom(), b.leftFrom()));
    matches = new HostMatches(leftColumns, rightKey, rightPayload, ranges, wholes, pairs);
  }

  private void streamed(RangeSplitters splits, long room) {
    List<Chunkset> chunksets = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    for (HostSide side : List.of(left, right)) {
      List<Chunkset> own =
          side.ready() ? List.of() : SortPhase.chunksets(side, room, devices, memory);
      chunksets.addAll(own);
      sizes.add(own.size());
    }
    phase("host memory");
    long[] rows = sort(splits, chunksets);
    phase("sort");
    MergePhase.Side ours = runs(left, chunksets.subList(0, sizes.getFirst()), rows, 0);
    MergePhase.Side theirs =
        runs(right, chunksets.subList(sizes.getFirst(), rows.length), rows, sizes.getFirst());
    phase("merge");
    long all = ours.rows() + theirs.rows();
    long bytes = Math.max(mergeBytes(left), mergeBytes(right));
    long most = Math.max(1, Math.min(PIECE_ROWS, room / (2 * bytes)));
    long piece = Math.min(most, Math.max(1, all / PIECES / devices));
    List<Whole> wholes = new ArrayList<>();
    List<Cut> cuts = new ArrayList<>();
    List<Cut> keys = new ArrayList<>();
    boolean leftAlone = ours.out() != null;
    boolean rightAlone = theirs.out() != null;
    for (Cut cut : MergeSplitter.of(ours.keys(), theirs.keys(), piece, leftAlone, rightAlone)) {
      if (cut.one()) {
        long leftFrom = MergePhase.sum(cut.leftFrom());
        long rightFrom = MergePhase.sum(cut.rightFrom());
        keys.add(cut);
        whole(wholes, leftFrom, leftFrom + cut.leftRows(), rightFrom, rightFrom + cut.rightRows());
      } else {
        cuts.add(cut);
      }
    }
    phase("cut");
    move(ours, keys.stream().map(Cut::leftFrom).toList(), keys.stream().map(Cut::leftTo).toList());
    move(
        theirs,
        keys.stream().map(Cut::rightFrom).toList(),
        keys.stream().map(Cut::rightTo).toList());
    Room marks = new Room(memory, ours.rows(), theirs.rows(), cuts.size());
    List<Done> done =
        together.run((query, member) ->
            query.work(context -> {
              long start = begin(context);
              JoinPhase join = new JoinPhase(context, marks);
              LocalSort sort = new LocalSort(context, words);
              int from = cuts.size() * member.index() / devices;
              int to = cuts.size() * (member.index() + 1) / devices;
              new MergePhase(context, sort, join, words, ours, theirs).run(cuts.subList(from, to));
              return done(member, context, start, join, List.of());
            }));
    boolean merged = leftAlone || rightAlone;
    phase(merged ? "merge and join" : "join");
    if (merged) {
      busy = done.stream().map(Done::busy).toList();
    }
    for (int i = 0; i < chunksets.size(); i++) {
      if (i < sizes.getFirst() ? leftAlone : rightAlone) {
        chunksets.get(i).out().free(memory);
      }
    }
    way =
        "%d and %d chunksets, %d pieces%s"
            .formatted(
                sizes.getFirst(),
                sizes.getLast(),
                cuts.size(),
                merged ? ", merged by the devices" : "");
    List<HostColumn> sorted = theirs.columns();
    finish(done, wholes, ours.columns(), sorted.getFirst(), sorted.subList(1, sorted.size()));
  }

  private int threads() {
    return together.devices().getFirst().host().properties().workers();
  }

  private void move(MergePhase.Side side, List<long[]> froms, List<long[]> tos) {
    MergePhase.move(side, froms, tos, executor, threads());
  }

  /** Bytes that merging pieces on a device takes for each row, those under way included. */
  private static long mergeBytes(HostSide side) {
    return SortPhase.bytes(side) + 6L * side.rowBytes() + 32;
  }

  /**
   * A side's sorted runs: its rows as they are, its chunksets, or, where devices work in the host's
   * memory, what the CPU makes of several.
   */
  private MergePhase.Side runs(HostSide side, List<Chunkset> chunksets, long[] rows, int first) {
    if (chunksets.isEmpty()) {
      List<HostColumn> columns = new ArrayList<>();
      columns.add(side.key());
      columns.addAll(side.payload());
      return new MergePhase.Side(List.of(columns), null);
    }
    long[] each = Arrays.copyOfRange(rows, first, first + chunksets.size());
    if (chunksets.size() == 1) {
      return new MergePhase.Side(List.of(columns(chunksets.getFirst().out(), 0, each[0])), null);
    }
    long all = Arrays.stream(each).sum();
    HostRows out = HostRows.of(memory, side, all, true);
    if (together.devices().getFirst().traits().hostMemory()) {
      List<HostRows> unmerged = chunksets.stream().map(Chunkset::out).toList();
      ChunkMerge.merge(unmerged, each, out, executor, threads(), () -> {});
      unmerged.forEach(run -> run.free(memory));
      return new MergePhase.Side(List.of(columns(out, 0, all)), null);
    }
    List<List<HostColumn>> runs = new ArrayList<>();
    for (int i = 0; i < each.length; i++) {
      runs.add(columns(chunksets.get(i).out(), 0, each[i]));
    }
    return new MergePhase.Side(runs, out);
  }

  /** Sorts chunksets, one after the other, with copies of three at a time. */
  private long[] sort(RangeSplitters splits, List<Chunkset> chunksets) {
    if (chunksets.isEmpty()) {
      return new long[0];
    }
    List<Done> all =
        together.run((query, member) ->
            query.work(context -> {
              long start = begin(context);
              SortPhase sort = new SortPhase(context, member, splits, words);
              List<long[]> starts = sort.all(chunksets);
              return done(member, context, start, null, starts);
            }));
    busy = all.stream().map(Done::busy).toList();
    return all.getFirst().starts.stream().mapToLong(s -> s[s.length - 1]).toArray();
  }

  @Override
  public void close() {
    together.close();
  }
}
