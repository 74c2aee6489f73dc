package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.exchange.host.MergeSplitter.Cut;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.HostRowUpload;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The join phase of {@link HostSortMergePlanner}: pieces of both sides, of which the next ones are
 * on their way to the device while one is joined and what came of the one before leaves
 * (Maltenberger 2024, section 3.3). A piece is joined by its words where they come in order, else
 * by a table.
 */
final class HostMergeJoin implements Source {
  /** Pieces under way while one is joined. */
  private static final int AHEAD = 2;

  /** Rows of both sides whose partners are among each other. */
  record MergePiece(List<SortedRun.RunSlice> build, List<SortedRun.RunSlice> probe) {}

  /** A piece on its way to a device with memory of its own. */
  private record PieceUpload(List<HostRowUpload> build, List<HostRowUpload> probe) {
    /** Frees those of its rows that nobody has taken. */
    void drop(QueryMemory memory) {
      build.forEach(rows -> rows.drop(memory));
      probe.forEach(rows -> rows.drop(memory));
    }
  }

  private enum Phase {
    PROBE,
    COMPLETE_BUILD
  }

  private final QueryResources resources;
  private final JoinSpec spec;
  private final HostTable buildTable;
  private final HostTable probeTable;
  private final boolean inOrder;
  private final boolean ordered;
  private final boolean shared;
  private final BuildSide side = new BuildSide();
  private final HashBuild hashBuild;
  private final HashProbe hashProbe;
  private final Deque<MergePiece> pieces;
  private final Deque<PieceUpload> coming = new ArrayDeque<>();
  private @Nullable MergePiece now;
  private @Nullable PieceUpload arriving;
  private Phase phase = Phase.PROBE;
  private @Nullable CompletionSource completion;
  private int morsels;

  /**
   * @param oneRun whether the build side's rows of a piece are in the order of their keys
   * @param ordered whether the order of its rows means something
   */
  HostMergeJoin(
      QueryResources resources,
      JoinSpec spec,
      KeyLayout layout,
      HostTable buildTable,
      HostTable probeTable,
      boolean oneRun,
      List<MergePiece> pieces,
      boolean ordered) {
    this.resources = resources;
    this.spec = spec;
    this.buildTable = buildTable;
    this.probeTable = probeTable;
    this.inOrder = oneRun && inOrder(layout);
    this.ordered = ordered;
    this.shared = resources.context().device().traits().hostMemory();
    JoinKeyEncoder.SideEncoders words =
        JoinKeyEncoder.SideEncoders.computed(resources.expressions(), spec, layout);
    this.hashBuild = new HashBuild(spec, words.build(), resources.expressions());
    this.hashProbe =
        new HashProbe(spec, side, layout, words.probe(), false, resources.expressions());
    this.pieces = new ArrayDeque<>(pieces);
    resources.closeLater(side);
  }

  /** Whether words have the order of their keys as unsigned integers. */
  private static boolean inOrder(KeyLayout layout) {
    List<KeyField> parts = layout.parts();
    return layout.exact() && parts.size() == 1 && parts.getFirst().bits() < Long.SIZE;
  }

  /**
   * The pieces of a cut: one, but for a key with many rows, each part of which on one side is
   * joined with each on the other.
   *
   * @param most rows of one side of such a key that are joined at once
   * @param morsel probe rows that a worker takes at most
   * @param drops whether rows of a piece may turn out to have no partner in it after all: by
   *     filters of a side, which run later, or a residual
   * @return null if a row's matches would have to be remembered from one part to the next
   */
  static @Nullable List<MergePiece> pieces(
      Cut cut,
      List<SortedRun> left,
      List<SortedRun> right,
      JoinSpec spec,
      long most,
      int morsel,
      boolean drops) {
    List<SortedRun> build = spec.buildLeft() ? left : right;
    List<SortedRun> probe = spec.buildLeft() ? right : left;
    long[] buildFrom = spec.buildLeft() ? cut.leftFrom() : cut.rightFrom();
    long[] buildTo = spec.buildLeft() ? cut.leftTo() : cut.rightTo();
    long[] probeFrom = spec.buildLeft() ? cut.rightFrom() : cut.leftFrom();
    long[] probeTo = spec.buildLeft() ? cut.rightTo() : cut.leftTo();
    boolean many = cut.leftRows() > most || cut.rightRows() > most;
    if (!cut.one() || !many) {
      return List.of(
          new MergePiece(
              whole(build, buildFrom, buildTo),
              morsel < Integer.MAX_VALUE
                  ? parts(probe, probeFrom, probeTo, morsel)
                  : whole(probe, probeFrom, probeTo)));
    }
    List<SortedRun.RunSlice> builds = parts(build, buildFrom, buildTo, most);
    List<SortedRun.RunSlice> probes = parts(probe, probeFrom, probeTo, most);
    if (builds.isEmpty() || probes.isEmpty()) {
      // No row has a partner.
      List<MergePiece> alone = new ArrayList<>();
      builds.forEach(part -> alone.add(new MergePiece(List.of(part), List.of())));
      probes.forEach(part -> alone.add(new MergePiece(List.of(), List.of(part))));
      return alone;
    }
    if (drops && spec.type() != JoinType.INNER) {
      return null;
    }
    // Each row has a partner in any part of the other side: one is enough to know it.
    List<MergePiece> pairs = new ArrayList<>();
    boolean chooses = spec.type().leftOnly();
    for (SortedRun.RunSlice some : chooses && spec.choosesProbe() ? builds.subList(0, 1) : builds) {
      for (SortedRun.RunSlice other :
          chooses && spec.choosesBuild() ? probes.subList(0, 1) : probes) {
        pairs.add(new MergePiece(List.of(some), List.of(other)));
      }
    }
    return pairs;
  }

  private static List<SortedRun.RunSlice> whole(List<SortedRun> runs, long[] from, long[] to) {
    List<SortedRun.RunSlice> slices = new ArrayList<>();
    for (int i = 0; i < from.length; i++) {
      if (from[i] < to[i]) {
        slices.add(runs.get(i).slice(from[i], to[i]));
      }
    }
    return slices;
  }

  private static List<SortedRun.RunSlice> parts(
      List<SortedRun> runs, long[] from, long[] to, long most) {
    List<SortedRun.RunSlice> parts = new ArrayList<>();
    for (int i = 0; i < from.length; i++) {
      parts.addAll(runs.get(i).parts(from[i], to[i], (int) Math.min(most, 1 << 30)));
    }
    return parts;
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public boolean ordered() {
    return ordered;
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public boolean expands() {
    return spec.emitsPairs();
  }

  @Override
  public int morsels() {
    return morsels;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    while (true) {
      if (now == null) {
        MergePiece next = pieces.pollFirst();
        if (next == null) {
          return false;
        }
        open(context, next);
      } else if (phase == Phase.PROBE && spec.flagsBuild()) {
        completeBuild();
      } else {
        closePiece();
      }
      if (now != null && morsels > 0) {
        return true;
      }
    }
  }

  private void open(ExecContext context, MergePiece next) {
    if (!shared) {
      PieceUpload known = coming.pollFirst();
      arriving = known == null ? begin(context, next) : known;
      ahead(context);
    }
    now = next;
    ColumnStore store = new ColumnStore(buildTable.shapes(), resources.memory());
    boolean done = false;
    try {
      BatchConsumer chain = buildTable.chain(context, batch -> store.append(context, batch));
      for (int i = 0; i < next.build.size(); i++) {
        rows(context, true, i, next.build.get(i), chain);
      }
      done = true;
    } finally {
      if (!done) {
        store.close();
      }
    }
    ColumnBatch rows = store.take();
    store.close();
    boolean merges = inOrder && rows.rows() > 0;
    hashBuild.build(context, rows, hashBuild.keys(context, rows), merges, true, side);
    side.setFlagsByWord(hashProbe.marksByWord() && !side.index().unique());
    phase = Phase.PROBE;
    morsels = next.probe.size();
  }

  /** Has the pieces after this one begin to come, as far as there is room. */
  private void ahead(ExecContext context) {
    int number = 0;
    for (MergePiece next : pieces) {
      if (number++ < coming.size()) {
        continue;
      }
      if (number > AHEAD) {
        return;
      }
      try {
        // Nobody waits for other queries' memory for what can come later.
        resources.spill().optionally(() -> coming.add(begin(context, next)));
      } catch (AragoniteException e) {
        if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
          throw e;
        }
        // They come when they are wanted then.
        return;
      }
    }
  }

  private PieceUpload begin(ExecContext context, MergePiece piece) {
    PieceUpload begun = new PieceUpload(new ArrayList<>(), new ArrayList<>());
    boolean done = false;
    try {
      for (SortedRun.RunSlice slice : piece.build) {
        begun.build.add(HostRowUpload.begin(context, buildTable.scanned(), slice.batches()));
      }
      for (SortedRun.RunSlice slice : piece.probe) {
        begun.probe.add(HostRowUpload.begin(context, probeTable.scanned(), slice.batches()));
      }
      done = true;
      return begun;
    } finally {
      if (!done) {
        begun.drop(context.memory());
      }
    }
  }

  /** Hands rows of a slice over, in batches of the device's size. */
  private void rows(
      ExecContext context,
      boolean ofBuild,
      int number,
      SortedRun.RunSlice slice,
      BatchConsumer consumer) {
    PieceUpload here = arriving;
    if (shared || here == null) {
      int skipped = slice.skipped();
      for (ColumnBatch chunk : slice.batches()) {
        batches(context, chunk, skipped, consumer);
        skipped = 0;
      }
      return;
    }
    HostRowUpload rows = (ofBuild ? here.build : here.probe).get(number);
    batches(context, rows.arrive(context), slice.skipped(), consumer);
    rows.free(context.memory());
  }

  private static void batches(
      ExecContext context, ColumnBatch rows, int skipped, BatchConsumer consumer) {
    int batchRows = Math.max(64, context.device().properties().batchRows() & -64);
    for (int from = 0; from < rows.rows() && !consumer.done(); from += batchRows) {
      context.checkCancelled();
      int count = Math.min(batchRows, rows.rows() - from);
      long mark = context.scratch().mark();
      ColumnBatch batch = Batches.slice(rows, from, count);
      consumer.accept(from == 0 && skipped > 0 ? without(context, batch, skipped) : batch);
      context.scratch().release(mark);
    }
  }

  /** Rows behind the first ones. */
  private static ColumnBatch without(ExecContext context, ColumnBatch batch, int skipped) {
    int count = batch.rows() - skipped;
    Buffer ids = context.scratch().allocate(4L * count);
    context.scan().iota(context, ids, skipped, count);
    return Batches.select(context, batch, ids, count);
  }

  private void completeBuild() {
    phase = Phase.COMPLETE_BUILD;
    CompletionSource source =
        new CompletionSource(
            spec,
            side,
            hashBuild.words(),
            resources.expressions(),
            resources.context().device().properties().morselRows());
    completion = source;
    morsels = source.morsels();
  }

  /** Rows of the piece that no worker has run, since nobody wanted more. */
  private void dropArriving() {
    PieceUpload rest = arriving;
    arriving = null;
    if (rest != null) {
      rest.drop(resources.memory());
    }
  }

  private void closePiece() {
    side.close();
    now = null;
    dropArriving();
    completion = null;
    morsels = 0;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    CompletionSource complete = completion;
    if (phase == Phase.COMPLETE_BUILD && complete != null) {
      complete.run(context, morsel, consumer);
      return;
    }
    MergePiece piece = now;
    if (piece == null) {
      throw new IllegalStateException("there is nothing to join");
    }
    ProbeWorker worker = hashProbe.newWorker(context, consumer);
    rows(context, false, morsel, piece.probe.get(morsel), probeTable.chain(context, worker));
  }

  @Override
  public void close() {
    side.close();
    dropArriving();
    coming.forEach(piece -> piece.drop(resources.memory()));
    coming.clear();
  }
}
