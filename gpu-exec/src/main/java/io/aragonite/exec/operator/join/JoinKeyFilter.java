package io.aragonite.exec.operator.join;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.exchange.ExchangeFactory;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.operator.KeyFilterOperator;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.DynamicFilter;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a join's build side as a filter of rows on their way to its probe side. It is made
 * when these rows' pipeline is compiled, since their shapes say how keys become words. Where the
 * rows would be sent to another device behind it, it is made of the keys of all devices, each of
 * which has all of them for a moment.
 */
public final class JoinKeyFilter implements DynamicFilter {
  private static final long MOST_ROWS = 1 << 30;

  /** Build rows up to which their range is looked for where no filter is made. */
  private static final long RANGE_ROWS = 1 << 16;

  /** The same where one is made: so many keys seldom leave a block out. */
  private static final long MOST_RANGED = 1 << 20;

  /** Whose rows the keys are, or which join's build side has them. */
  private final PhysicalPlan node;

  /** The keys among the columns of these rows. */
  private final List<Integer> keyColumns;

  /** Whether nulls match each other in one of the keys. */
  private final boolean nullSafe;

  private final FilterPlace place;
  private final BuildKeys keys;
  private final Form form;

  /** Rows that are expected to be filtered. */
  private final double filteredRows;

  /** What of them is expected to pass. */
  private final double kept;

  private JoinKeyFilter(
      PhysicalPlan node,
      List<Integer> keyColumns,
      boolean nullSafe,
      FilterPlace place,
      BuildKeys keys,
      Form form,
      double filteredRows,
      double kept) {
    this.node = node;
    this.keyColumns = keyColumns;
    this.nullSafe = nullSafe;
    this.place = place;
    this.keys = keys;
    this.form = form;
    this.filteredRows = filteredRows;
    this.kept = kept;
  }

  /** What is made of the keys. */
  private enum Form {
    /** A filter of whole keys. */
    KEYS,
    /** What costs little: a filter of one column of them, or which blocks of a table are read. */
    PART
  }

  /** Makes words of all rows of a build side. */
  interface WordMaker {
    Buffer of(ExecContext context, CompiledProjection projection);
  }

  /**
   * The rows of a build side.
   *
   * @param words in memory of the query
   */
  public record BuildKeys(List<ColumnShape> shapes, long rows, WordMaker words) {
    /** Rows without indirection. */
    public static BuildKeys of(List<ColumnShape> shapes, ColumnBatch rows) {
      return new BuildKeys(
          shapes,
          rows.rows(),
          (context, projection) -> Batches.evaluate(context, projection, rows));
    }

    static BuildKeys of(JoinRows rows) {
      return new BuildKeys(
          rows.shapes(),
          rows.rows(),
          (context, projection) -> {
            Buffer words = context.memory().allocate(8L * rows.rows());
            long[] next = {0};
            rows.read(
                context,
                (worker, batch) -> {
                  Buffer some = projection.evaluate(worker, batch).column(0).values();
                  long bytes = 8L * batch.rows();
                  worker
                      .device()
                      .transfers()
                      .copy(worker, some, words.slice(next[0], bytes), bytes);
                  next[0] += bytes;
                });
            return words;
          });
    }
  }

  /**
   * Leaves a filter with the compiler if it is worth it, and if there is room for the words.
   *
   * @param node the join as it stands in the plan
   * @param join the same with what is known now
   * @param keys the rows of the build side, here
   */
  public static void leave(PlanCompiler compiler, Join node, Join join, BuildKeys keys) {
    FilterPlace place;
    if (together(compiler, node)) {
      place = decided(compiler, node, keys.rows(), compiler.resources().spill().room());
    } else {
      place = FilterPlace.of(join, keys.rows(), compiler.resources().context().device().profile());
      place = fits(keys.rows(), compiler.resources().spill().room()) ? place : null;
    }
    Form form = place == null ? Form.PART : Form.KEYS;
    JoinEstimate expected = join.expected();
    double filteredRows = expected == null ? 0 : expected.probeRows();
    if (place == null && keys.rows() > 0 && compiler.resources().rank() == null) {
      boolean few = join.keys().size() == 1 && keys.rows() <= RANGE_ROWS;
      boolean worth = few || KeyColumnFilter.isWorth(compiler, keys.rows(), filteredRows);
      place = worth ? FilterPlace.ofScan(join) : null;
    }
    if (place != null) {
      List<Integer> columns = new ArrayList<>();
      for (JoinKey key : join.keys()) {
        columns.add(join.buildLeft() ? key.left() : key.right());
      }
      boolean nullSafe = node.keys().stream().anyMatch(JoinKey::nullSafe);
      double kept =
          form == Form.KEYS && expected != null ? FilterPlace.kept(expected, keys.rows()) : 1;
      add(
          compiler,
          new JoinKeyFilter(node, columns, nullSafe, place, keys, form, filteredRows, kept));
    }
  }

  /** Leaves a filter with the compiler; of what UNION ALL puts together one for each input. */
  static void add(PlanCompiler compiler, JoinKeyFilter filter) {
    boolean alone = compiler.resources().rank() == null;
    for (FilterPlace each : alone ? filter.place.branches() : List.of(filter.place)) {
      compiler.filter(
          each.node(),
          new JoinKeyFilter(
              filter.node,
              filter.keyColumns,
              filter.nullSafe,
              each,
              filter.keys,
              filter.form,
              filter.filteredRows,
              filter.kept));
    }
  }

  /**
   * The keys of a relation as a filter of another one's rows.
   *
   * @param node the relation
   * @param keyColumns its columns that must be equal to columns of the other one
   * @param place the other one and its columns
   * @param rows of the relation, which stay there until the query ends
   * @param filteredRows rows that are expected of the other one
   * @param kept the share of them that is expected to pass
   */
  static JoinKeyFilter ofRelation(
      PhysicalPlan node,
      List<Integer> keyColumns,
      FilterPlace place,
      ColumnBatch rows,
      double filteredRows,
      double kept) {
    BuildKeys keys = BuildKeys.of(rows.shapes(), rows);
    return new JoinKeyFilter(node, keyColumns, false, place, keys, Form.KEYS, filteredRows, kept);
  }

  /** Has no device leave a filter that needs this one's keys. */
  static void refuse(PlanCompiler compiler, Join node) {
    if (together(compiler, node)) {
      decided(compiler, node, 0, -1);
    }
  }

  private static boolean together(PlanCompiler compiler, Join node) {
    Rank rank = compiler.resources().rank();
    return rank != null && rank.devices().size() > 1 && FilterPlace.sends(node);
  }

  private static boolean fits(long rows, long room) {
    return 4 * (Long.BYTES + FilterPlace.MOST_BYTES) * rows <= room && rows <= MOST_ROWS;
  }

  /** What a device has: rows of the build side, and room. */
  private record Vote(long rows, long room) {}

  private static @Nullable FilterPlace decided(
      PlanCompiler compiler, Join node, long rows, long room) {
    MachineProfile profile = compiler.resources().context().device().profile();
    Optional<FilterPlace> place =
        rank(compiler)
            .meet(
                compiler.resources().context(),
                node,
                new Vote(rows, room),
                votes -> {
                  long all = votes.stream().mapToLong(Vote::rows).sum();
                  long least = votes.stream().mapToLong(Vote::room).min().orElse(0);
                  double each = (double) all / votes.size();
                  return fits(all, least)
                      ? Optional.ofNullable(FilterPlace.of(node, each, profile))
                      : Optional.empty();
                });
    return place.orElse(null);
  }

  private static Rank rank(PlanCompiler compiler) {
    return Objects.requireNonNull(compiler.resources().rank());
  }

  /** The shapes of a join's keys on a device: of the build side, and of the rows to be filtered. */
  private record Shapes(List<ColumnShape> build, List<ColumnShape> probe) {
    Optional<KeyLayout> layout() {
      return Optional.of(KeyLayouts.choose(build, probe));
    }

    /** One that is right on all devices; none where keys are not integers. */
    static Optional<KeyLayout> unified(List<Shapes> all) {
      List<ColumnShape> build = widest(all.stream().map(Shapes::build).toList());
      List<ColumnShape> probe = widest(all.stream().map(Shapes::probe).toList());
      boolean integers =
          Stream.concat(build.stream(), probe.stream()).allMatch(s -> s.storage().isInteger());
      return integers ? new Shapes(build, probe).layout() : Optional.empty();
    }

    private static List<ColumnShape> widest(List<List<ColumnShape>> all) {
      List<ColumnShape> unified = new ArrayList<>();
      for (int i = 0; i < all.getFirst().size(); i++) {
        int key = i;
        List<ColumnShape> some = all.stream().map(shapes -> shapes.get(key)).toList();
        unified.add(UnionAll.unify(some, some.getFirst().type()));
      }
      return unified;
    }
  }

  @Override
  public double expectedShare() {
    return kept;
  }

  @Override
  public PipelineHead behind(PlanCompiler compiler, PipelineHead unfiltered) {
    boolean ofAll = place.exchanges() > 0;
    boolean several = keyColumns.size() > 1;
    boolean column =
        !ofAll
            && (several || form == Form.PART)
            && KeyColumnFilter.isWorth(compiler, keys.rows(), filteredRows);
    PipelineHead head =
        column
            ? new KeyColumnFilter(
                    compiler, node, keys, keyColumns, place.columns(), nullSafe, filteredRows)
                .behind(unfiltered)
            : unfiltered;
    return form == Form.PART && several ? head : wholeKeys(compiler, head, ofAll);
  }

  private PipelineHead wholeKeys(PlanCompiler compiler, PipelineHead head, boolean ofAll) {
    Shapes shapes =
        new Shapes(
            keyColumns.stream().map(keys.shapes()::get).toList(),
            place.columns().stream().map(head.shapes()::get).toList());
    KeyLayout layout =
        (ofAll
                ? rank(compiler).meet(compiler.resources().context(), node, shapes, Shapes::unified)
                : shapes.layout())
            .orElse(null);
    if (layout == null) {
      return head;
    }
    ScanSource ranged = ofAll ? null : rangedScan(head, layout);
    if (form == Form.PART) {
      if (ranged != null && keys.rows() <= RANGE_ROWS) {
        leaveOut(compiler, ranged, layout);
      }
      return head;
    }
    CompiledProjection buildWords = projection(compiler, keys.shapes(), keyColumns, layout);
    KeyFilter filter =
        ofAll ? filterOfAll(compiler, buildWords) : filter(compiler, buildWords, ranged, layout);
    count(compiler, node, filter);
    return filtered(compiler, head, place.columns(), layout, nullSafe, filter);
  }

  /**
   * Rows behind a filter.
   *
   * @param columns the keys among theirs
   * @param nullSafe whether a null may have a partner
   */
  static PipelineHead filtered(
      PlanCompiler compiler,
      PipelineHead head,
      List<Integer> columns,
      KeyLayout layout,
      boolean nullSafe,
      KeyFilter filter) {
    KeyFilterOperator.KeyTest test =
        new KeyFilterOperator.KeyTest(
            projection(compiler, head.shapes(), columns, layout),
            KeyFilterOperator.plainKeys(head.shapes(), columns, layout, nullSafe),
            filter);
    return head.feed() instanceof PipelineHead.Chain(var rows, KeyFilterOperator before)
        ? head.before(new PipelineHead.LastOperator(rows, before, any -> {}), head.shapes())
            .then(before.and(test))
        : head.then(new KeyFilterOperator(test, head.shapes()));
  }

  /** Adds a filter's memory to the figures of the node that has made it. */
  static void count(PlanCompiler compiler, PhysicalPlan node, KeyFilter filter) {
    compiler.resources().metrics(node).addStateBytes(filter.bytes());
    compiler
        .resources()
        .metrics(node)
        .addFigure(filter.exact() ? "exact filter bytes" : "Bloom filter bytes", filter.bytes());
  }

  private void leaveOut(PlanCompiler compiler, ScanSource ranged, KeyLayout layout) {
    CompiledProjection words = projection(compiler, keys.shapes(), keyColumns, layout);
    compiler
        .resources()
        .work(
            node,
            context -> {
              Buffer made = keys.words().of(context, words);
              keepRange(context, ranged, layout, made);
              context.memory().free(made);
              return ranged;
            });
  }

  /** The table's rows that are filtered, if it may know what blocks of their key have. */
  private @Nullable ScanSource rangedScan(PipelineHead head, KeyLayout layout) {
    boolean integer =
        layout.exact()
            && keys.rows() <= MOST_RANGED
            && place.columns().size() == 1
            && !nullSafe
            && head.shapes().get(place.columns().getFirst()).storage().isInteger();
    return integer && head.selected() instanceof ScanSource scan && scan.hasBlockRanges()
        ? scan
        : null;
  }

  /**
   * Leaves blocks of a table out that have none of the keys.
   *
   * @param words of the build side, in host memory, since the table's rows are
   */
  private void keepRange(ExecContext context, ScanSource scan, KeyLayout layout, Buffer words) {
    KeyLayout.KeyField field = layout.parts().getFirst();
    long zero = field.zero();
    long least = Long.MAX_VALUE;
    long greatest = Long.MIN_VALUE;
    long[] values = new long[scan.takesValues(keys.rows()) ? (int) keys.rows() : 0];
    int count = 0;
    for (int i = 0; i < keys.rows(); i++) {
      if (i % RANGE_ROWS == 0) {
        context.checkCancelled();
      }
      long word = Mem.getLong(words.address() + 8L * i);
      if (word != 0 || !field.mayBeNull()) {
        least = Math.min(least, zero + word);
        greatest = Math.max(greatest, zero + word);
        if (values.length > 0) {
          values[count++] = zero + word;
        }
      }
    }
    int column = place.columns().getFirst();
    if (count > 0) {
      Arrays.sort(values, 0, count);
      scan.keepValues(column, Arrays.copyOf(values, count));
    } else if (least <= greatest) {
      scan.keepRange(column, least, greatest);
    }
  }

  private KeyFilter filter(
      PlanCompiler compiler,
      CompiledProjection projection,
      @Nullable ScanSource ranged,
      KeyLayout layout) {
    return compiler
        .resources()
        .work(
            node,
            context -> {
              Buffer words = keys.words().of(context, projection);
              if (ranged != null) {
                keepRange(context, ranged, layout, words);
              }
              return made(compiler, context, words, (int) keys.rows());
            });
  }

  private KeyFilter filterOfAll(PlanCompiler compiler, CompiledProjection projection) {
    Buffer own = compiler.resources().work(node, context -> keys.words().of(context, projection));
    ColumnBatch all = ExchangeFactory.everywhere(compiler, node, own, (int) keys.rows());
    return compiler
        .resources()
        .work(node, context -> made(compiler, context, all.column(0).values(), all.rows()));
  }

  private KeyFilter made(PlanCompiler compiler, ExecContext context, Buffer words, int count) {
    KeyFilter made =
        context
            .hash()
            .buildFilter(context, words, count, tested(compiler, filteredRows), context.memory());
    context.memory().free(words);
    return compiler.resources().closeLater(made);
  }

  /**
   * How many tested words a filter is told of: it may take two bytes for each, and no more than an
   * eighth of the room.
   */
  static double tested(PlanCompiler compiler, double rows) {
    return Math.min(rows, compiler.resources().spill().room() / 16.0);
  }

  static CompiledProjection projection(
      PlanCompiler compiler, List<ColumnShape> shapes, List<Integer> columns, KeyLayout layout) {
    List<Expr> keys = new ArrayList<>();
    for (int column : columns) {
      keys.add(Expr.ref(column, shapes.get(column).type()));
    }
    return compiler
        .resources()
        .expressions()
        .projection(List.of(new Expr.KeyWord(keys, layout)), shapes);
  }
}
