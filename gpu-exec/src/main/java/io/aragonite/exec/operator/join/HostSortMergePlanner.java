package io.aragonite.exec.operator.join;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumn;
import io.aragonite.exec.device.QueryScope;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.exchange.host.MergeSplitter;
import io.aragonite.exec.exchange.host.MergeSplitter.Cut;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.Scan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sort-merge join of tables in host memory, as queries run it (Maltenberger 2024): devices sort
 * chunksets of a table together, unless it is sorted, the CPU cuts both tables where keys begin,
 * and each device joins its share of the pieces with all their columns. Beyond the paper: sorted
 * chunksets are cut as they are, and not merged before, unless the order of the join is wanted;
 * filters and projections take place when rows have come to the device; every join type.
 *
 * <p>What it takes are tables behind filters and projections, joined by one column of integers (or
 * dates, decimals of up to 18 digits, codes of one dictionary).
 */
public final class HostSortMergePlanner {
  /** Rows of both sides in a piece: long against launches and waits. */
  private static final long PIECE_ROWS = 1 << 24;

  /** Pieces a device at least, so that copies have something to take place beside. */
  private static final int PIECES = 3;

  /** Rows of a piece at least; what has not even room for these joins otherwise. */
  private static final long LEAST_ROWS = 64;

  private HostSortMergePlanner() {}

  /**
   * A side as the plan has it.
   *
   * @param steps filters and projections, from the scan up
   * @param key which of the scan's columns the join's key is
   */
  record HostJoinInput(Scan scan, List<PhysicalPlan> steps, int key) {
    static @Nullable HostJoinInput of(PhysicalPlan plan, int column) {
      List<PhysicalPlan> steps = new ArrayList<>();
      PhysicalPlan at = plan;
      int key = column;
      while (true) {
        switch (at) {
          case Filter filter -> {
            steps.addFirst(filter);
            at = filter.input();
          }
          case Project project -> {
            if (!(project.expressions().get(key) instanceof Expr.InputRef ref)) {
              return null;
            }
            steps.addFirst(project);
            key = ref.index();
            at = project.input();
          }
          case Scan scan -> {
            return new HostJoinInput(scan, steps, key);
          }
          default -> {
            return null;
          }
        }
      }
    }
  }

  /**
   * What {@link #refusal(HostJoinCandidate)} asks of a join, which SQL's planner has in its own
   * terms.
   */
  public interface HostJoinCandidate {
    /** Whether it is NOT IN. */
    boolean nullAware();

    /** How many pairs of columns are equal; what follows is of the only one. */
    int keys();

    boolean nullSafe();

    DataType keyType(boolean left);

    /** Whether a side is a table, with filters and projections at most that keep the key. */
    boolean isTable(boolean left);
  }

  /** Why a join cannot be done this way, as far as a plan tells; null if it can. */
  public static @Nullable String refusal(HostJoinCandidate join) {
    if (join.nullAware()) {
      return "NOT IN looks at all rows of its right side at once";
    }
    if (join.keys() != 1) {
      return "it has %d keys, not one".formatted(join.keys());
    }
    if (join.nullSafe()) {
      return "nulls match nulls in it";
    }
    DataType left = join.keyType(true);
    DataType right = join.keyType(false);
    if (!isComparable(left) || !left.withNullable(true).equals(right.withNullable(true))) {
      return "its keys are of types %s and %s, not of one of integers".formatted(left, right);
    }
    for (boolean ofLeft : new boolean[] {true, false}) {
      if (!join.isTable(ofLeft)) {
        return "its %s side is no table with a filter or a projection at most"
            .formatted(ofLeft ? "left" : "right");
      }
    }
    return null;
  }

  /** As the other, of a join of a plan. */
  public static @Nullable String refusal(Join join) {
    return refusal(new PlannedJoin(join));
  }

  private record PlannedJoin(Join join) implements HostJoinCandidate {
    @Override
    public boolean nullAware() {
      return join.joinType() == JoinType.NULL_AWARE_ANTI;
    }

    @Override
    public int keys() {
      return join.keys().size();
    }

    @Override
    public boolean nullSafe() {
      return join.keys().getFirst().nullSafe();
    }

    private PhysicalPlan side(boolean left) {
      return left ? join.left() : join.right();
    }

    private int key(boolean left) {
      JoinKey key = join.keys().getFirst();
      return left ? key.left() : key.right();
    }

    @Override
    public DataType keyType(boolean left) {
      return side(left).types().get(key(left));
    }

    @Override
    public boolean isTable(boolean left) {
      HostJoinInput input = HostJoinInput.of(side(left), key(left));
      return input != null && !(input.scan.table() instanceof ShardedTable);
    }
  }

  /** Whether values of a type are integers of 4 or 8 bytes, or may be codes of them. */
  private static boolean isComparable(DataType type) {
    return switch (Storage.of(type)) {
      case INT, LONG -> true;
      case BYTES -> type.kind().isText();
      default -> false;
    };
  }

  /**
   * The pipeline of a join's output.
   *
   * @param node of the plan, for the metrics
   * @param join the same, with its parameters' values
   * @return null if it has to be done another way after all, which the metrics say
   */
  static @Nullable PipelineHead compile(PlanCompiler compiler, Join node, Join join) {
    String refused = refusal(join);
    if (refused != null) {
      return otherwise(compiler, node, refused);
    }
    Rank together = compiler.resources().rank();
    ExecContext context = compiler.resources().context();
    Rank rank = together == null ? Rank.alone(context.device()) : together;
    JoinKey key = join.keys().getFirst();
    HostJoinInput ofLeft = HostJoinInput.of(join.left(), key.left());
    HostJoinInput ofRight = HostJoinInput.of(join.right(), key.right());
    // All ranks must go the same way, and what a table says may change while they ask.
    boolean held =
        rank.meet(context, node, isHeld(ofLeft) && isHeld(ofRight), all -> all.getFirst());
    HostTable left = held ? HostTable.of(compiler, ofLeft) : null;
    HostTable right = left == null ? null : HostTable.of(compiler, ofRight);
    if (left == null || right == null) {
      return missing(compiler, node, rank);
    }
    JoinSpec spec = new JoinSpec(join, left.shapes(), right.shapes());
    refused = refusal(spec, left, right);
    Attempt attempt =
        refused != null
            ? new Attempt(null, refused)
            : attempt(compiler, node, spec, left, right, rank);
    if (attempt.head != null) {
      return attempt.head;
    }
    if (together != null && together.index() > 0) {
      // The first one has it all then: the tables are not spread.
      return PipelineHead.of(compiler.resources().scanOf(spec.output(), List.of(), false));
    }
    return otherwise(compiler, node, attempt.refused);
  }

  /** What came of a try: a pipeline, or why there is none. */
  private record Attempt(@Nullable PipelineHead head, @Nullable String refused) {}

  private static Attempt attempt(
      PlanCompiler compiler, Join node, JoinSpec spec, HostTable left, HostTable right, Rank rank) {
    long start = System.nanoTime();
    ExecContext context = compiler.resources().context();
    QueryScope scope = new QueryScope(context);
    PipelineHead head = null;
    String refused = "a piece of it has no room, or a key too many rows for one";
    try {
      head = new PiecePlanner(compiler, node, spec, left, right, rank).compile(start);
    } catch (HostTable.InsufficientMemoryException e) {
      refused = e.getMessage();
    }
    scope.end();
    if (head == null) {
      // The other way gets what was sorted in vain, when no rank reads it any more.
      rank.meet(context, node, true, all -> true);
      scope.close();
    }
    return new Attempt(head, refused);
  }

  private static boolean isHeld(@Nullable HostJoinInput side) {
    return side != null && side.scan.table().parts(side.scan.columns(), false) == null;
  }

  /**
   * @throws AragoniteException MEMORY_EXCEEDED if several devices run the query, which one of them
   *     does alone then
   */
  private static @Nullable PipelineHead missing(PlanCompiler compiler, Join node, Rank rank) {
    String refused = "host memory does not hold its tables";
    if (rank.devices().size() > 1) {
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "Several devices cannot join tables together that host memory does not hold; raise"
              + " memory= or name one device.");
    }
    return otherwise(compiler, node, refused);
  }

  private static @Nullable PipelineHead otherwise(
      PlanCompiler compiler, Join node, @Nullable String refused) {
    compiler.resources().metrics(node).addNote("not joined in host memory: " + refused);
    return null;
  }

  /** What only the tables' columns tell. */
  private static @Nullable String refusal(JoinSpec spec, HostTable left, HostTable right) {
    ColumnShape a = left.keyShape();
    ColumnShape b = right.keyShape();
    boolean codes = a.storage() == Storage.CODE || b.storage() == Storage.CODE;
    if (!SortedRun.comparable(a)
        || !SortedRun.comparable(b)
        || codes && !(a.storage() == b.storage() && sameDictionary(a, b))) {
      return "its keys are no integers, and no codes of one dictionary";
    }
    JoinType type = spec.type();
    boolean leftNulls = type.padsRight() || type == JoinType.ANTI;
    if (leftNulls && left.nullKeys() || type.padsLeft() && right.nullKeys()) {
      return "rows with null keys come out of it";
    }
    return left.sortable() && right.sortable()
        ? null
        : "a table that is not sorted has texts or values of 16 bytes";
  }

  @SuppressWarnings("ReferenceEquality") // a dictionary is its object
  private static boolean sameDictionary(ColumnShape a, ColumnShape b) {
    return a.dictionary() != null && a.dictionary() == b.dictionary();
  }

  /**
   * What the largest piece takes, over what there is for one; 0 where all rows are as long.
   *
   * @param most rows of a key that are joined at once
   */
  private static double over(
      List<Cut> cuts, List<SortedRun> left, List<SortedRun> right, long most, long room) {
    if (left.stream().noneMatch(SortedRun::texts) && right.stream().noneMatch(SortedRun::texts)) {
      return 0;
    }
    double largest = 0;
    for (Cut cut : cuts) {
      long rows = cut.leftRows() + cut.rightRows();
      double bytes =
          bytes(left, cut.leftFrom(), cut.leftTo()) + bytes(right, cut.rightFrom(), cut.rightTo());
      double part = cut.one() ? Math.min(1, 2.0 * most / rows) : 1;
      largest = Math.max(largest, part * JoinMemory.mergePiece(rows, bytes));
    }
    return largest / room;
  }

  private static long bytes(List<SortedRun> runs, long[] from, long[] to) {
    long bytes = 0;
    for (int i = 0; i < from.length; i++) {
      bytes += runs.get(i).bytes(from[i], to[i]);
    }
    return bytes;
  }

  /** One join's pieces, as they are cut by all ranks alike. */
  private static final class PiecePlanner {
    private final PlanCompiler compiler;
    private final Join node;
    private final JoinSpec spec;
    private final HostTable left;
    private final HostTable right;
    private final Rank rank;
    private final KeyLayout layout;

    /** Bytes of a device's memory that a piece and those beside it may take. */
    private final long room;

    /** Whether output in the order of the keys is wanted, and comes out so of sides in one run. */
    private final boolean wantsOrder;

    private List<SortedRun> leftRuns = List.of();
    private List<SortedRun> rightRuns = List.of();

    /** Rows of both sides in a piece. */
    private long pieceRows;

    PiecePlanner(
        PlanCompiler compiler,
        Join node,
        JoinSpec spec,
        HostTable left,
        HostTable right,
        Rank rank) {
      this.compiler = compiler;
      this.node = node;
      this.spec = spec;
      this.left = left;
      this.right = right;
      this.rank = rank;
      this.layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
      this.wantsOrder = EquiJoinFactory.inKeyOrder(spec, layout);
      // A device's order is its own: what the others have free must not cut pieces otherwise.
      this.room =
          rank.meet(
              compiler.resources().context(),
              node,
              compiler.resources().spill().room(),
              rooms -> rooms.stream().mapToLong(Long::longValue).min().orElse(0));
    }

    /** Null if a piece has no room, or a key has too many rows for one. */
    @Nullable PipelineHead compile(long start) {
      long rows = left.rows() + right.rows();
      double rowBytes = Math.max(left.rowBytes(), right.rowBytes());
      long fitting = (long) (room / JoinMemory.mergePiece(1, rowBytes));
      if (fitting < LEAST_ROWS) {
        return null;
      }
      long share = rows / PIECES / rank.devices().size();
      pieceRows = Math.max(1, Math.min(Math.min(PIECE_ROWS, fitting), share));
      boolean buildLeft = spec.buildLeft();
      leftRuns = left.runs(node, right, room, wantsOrder && !buildLeft, rank);
      rightRuns = right.runs(node, left, room, wantsOrder && buildLeft, rank);
      double sorting = (System.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
      List<Cut> cuts = cuts();
      List<HostMergeJoin.MergePiece> pieces = cuts == null ? null : pieces(cuts);
      if (cuts == null || pieces == null) {
        return null;
      }
      addFigures(cuts.size(), pieces.size(), sorting);
      List<SortedRun> probeRuns = buildLeft ? rightRuns : leftRuns;
      return PipelineHead.of(
          new HostMergeJoin(
              compiler.resources(),
              spec,
              layout,
              buildLeft ? left : right,
              buildLeft ? right : left,
              (buildLeft ? leftRuns : rightRuns).size() == 1,
              pieces,
              wantsOrder && probeRuns.size() == 1));
    }

    /** Where both sides are cut; null if what has long texts has no room however it is cut. */
    private @Nullable List<Cut> cuts() {
      JoinType type = spec.type();
      boolean leftAlone = type.padsRight() || type == JoinType.ANTI;
      List<HostColumn> leftKeys = leftRuns.stream().map(SortedRun::key).toList();
      List<HostColumn> rightKeys = rightRuns.stream().map(SortedRun::key).toList();
      while (true) {
        List<Cut> cuts =
            MergeSplitter.of(leftKeys, rightKeys, pieceRows, leftAlone, type.padsLeft());
        // Texts of some pieces may be much longer than they are on average.
        double over = over(cuts, leftRuns, rightRuns, pieceRows, room);
        if (over <= 1) {
          return cuts;
        }
        pieceRows = (long) (pieceRows / (1.2 * over));
        if (pieceRows < LEAST_ROWS) {
          return null;
        }
      }
    }

    /** This rank's pieces; null if a key has too many rows for one, which all ranks find. */
    private @Nullable List<HostMergeJoin.MergePiece> pieces(List<Cut> cuts) {
      int devices = rank.devices().size();
      int from = (int) ((long) cuts.size() * rank.index() / devices);
      int to = (int) ((long) cuts.size() * (rank.index() + 1) / devices);
      int morsel = compiler.resources().context().device().taskRows(Integer.MAX_VALUE);
      boolean drops = spec.plan().residual() != null || left.filters() || right.filters();
      List<HostMergeJoin.MergePiece> pieces = new ArrayList<>();
      for (int i = 0; i < cuts.size(); i++) {
        List<HostMergeJoin.MergePiece> some =
            HostMergeJoin.pieces(
                cuts.get(i),
                leftRuns,
                rightRuns,
                spec,
                Math.max(pieceRows, LEAST_ROWS),
                morsel,
                drops);
        if (some == null) {
          return null;
        }
        if (i >= from && i < to) {
          pieces.addAll(some);
        }
      }
      return pieces;
    }

    private void addFigures(int cuts, long pieces, double sortingMillis) {
      compiler.resources().metrics(node).figures.merge("pieces", pieces, Long::sum);
      compiler
          .resources()
          .metrics(node)
          .addFigure("sorted chunksets", left.sortedRuns() + right.sortedRuns());
      compiler
          .resources()
          .metrics(node)
          .addNote(
              String.format(
                  Locale.ROOT,
                  "in host memory: %s, %s, in %d pieces; before the first one %.1f ms",
                  side("left", left),
                  side("right", right),
                  cuts,
                  sortingMillis));
    }

    private static String side(String name, HostTable table) {
      return table.sortedRuns() == 0
          ? name + " side sorted"
          : "%s side in %d chunksets".formatted(name, table.sortedRuns());
    }
  }
}
