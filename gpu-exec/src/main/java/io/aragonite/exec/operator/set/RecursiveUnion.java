package io.aragonite.exec.operator.set;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.operator.OrderedCollector;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.MaterializedCte;
import io.aragonite.exec.plan.PhysicalPlan.Recursion;
import io.aragonite.exec.plan.PhysicalPlan.WorkingRows;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * WITH RECURSIVE, semi-naive: a step runs over the rows that the one before has made. It is the
 * plan of the step, compiled anew each time, so that all of it runs where queries run. Of a UNION
 * that is not ALL an anti-join takes the rows away that have come before.
 *
 * <p>All rows are made before the first comes out, and stay in memory until the query ends. Steps
 * end with the query's cancellation, its time and its memory.
 */
public final class RecursiveUnion {
  /** So many pieces of rows are put together to one. */
  private static final int PIECES = 64;

  private final PlanCompiler compiler;
  private final Recursion node;
  private final List<ColumnShape> shapes;
  private final WorkingTable before = new WorkingTable("rows before");
  private List<ColumnBatch> rows = new ArrayList<>();

  private RecursiveUnion(PlanCompiler compiler, Recursion node) {
    this.compiler = compiler;
    this.node = node;
    this.shapes = node.types().stream().map(RecursiveUnion::shape).toList();
  }

  /** The pipeline that yields the rows of all steps. */
  public static PipelineHead compile(PlanCompiler compiler, Recursion node) {
    return new RecursiveUnion(compiler, node).run();
  }

  /**
   * The same for the rows of all steps, whatever bounds and dictionaries these have: so the code of
   * a step's expressions is made once.
   */
  private static ColumnShape shape(DataType type) {
    Storage storage = type.kind() == TypeKind.DECIMAL ? Storage.LONG128 : Storage.of(type);
    return new ColumnShape(type.withNullable(true), storage, true, null, null);
  }

  /** The pipeline of a query, once the rows are made that it reads by a working table. */
  public static PipelineHead materialize(PlanCompiler compiler, MaterializedCte node) {
    List<ColumnShape> shapes = node.rows().types().stream().map(RecursiveUnion::shape).toList();
    PipelineHead head = UnionAll.conform(compiler.compile(node.rows()), shapes);
    QueryResources resources = compiler.resources();
    OrderedCollector collector =
        new OrderedCollector(shapes, Long.MAX_VALUE, resources.spill(), resources.metrics(node));
    compiler.run(head, collector, node);
    ColumnBatch rows = resources.work(node, collector.collection()::gather);
    resources.closeLater(() -> Batches.free(resources.memory(), rows));
    compiler.working(node.table(), shapes, List.of(rows));
    return compiler.compile(node.query());
  }

  private PipelineHead run() {
    compiler
        .resources()
        .closeLater(
            () -> rows.forEach(batch -> Batches.free(compiler.resources().memory(), batch)));
    PhysicalPlan seed = node.all() ? node.seed() : distinct(node.seed());
    PhysicalPlan step = node.all() ? node.step() : unseen(distinct(node.step()));
    ColumnBatch last = take(compiler, seed);
    long steps = 0;
    while (last.rows() > 0) {
      rows.add(last);
      steps++;
      PlanCompiler next = compiler.again();
      next.working(node.table(), shapes, List.of(last));
      if (!node.all()) {
        next.working(before, shapes, List.copyOf(rows));
      }
      ColumnBatch made = take(next, step);
      // The rows of the last step have been read, so that pieces may be moved now.
      if (rows.size() >= PIECES) {
        rows = new ArrayList<>(List.of(together()));
      }
      last = made;
    }
    Batches.free(compiler.resources().memory(), last);
    compiler.resources().metrics(node).addFigure("steps", steps);
    return PipelineHead.of(compiler.resources().scanOf(shapes, rows, false));
  }

  private ColumnBatch take(PlanCompiler with, PhysicalPlan plan) {
    PipelineHead head = UnionAll.conform(with.compile(plan), shapes);
    return with.resources().work(node, with.collect(head, node)::gather);
  }

  private ColumnBatch together() {
    List<ColumnBatch> pieces = rows;
    PlanCompiler with = compiler.again();
    with.working(before, shapes, pieces);
    ColumnBatch whole = take(with, new WorkingRows(before, node.types()));
    pieces.forEach(batch -> Batches.free(compiler.resources().memory(), batch));
    return whole;
  }

  private PhysicalPlan distinct(PhysicalPlan plan) {
    List<Integer> keys = columns();
    return new Aggregate(plan, keys, List.of(keys), List.of(), false, plan.types());
  }

  private PhysicalPlan unseen(PhysicalPlan plan) {
    List<JoinKey> keys = columns().stream().map(i -> new JoinKey(i, i, true)).toList();
    return new Join(
        plan,
        new WorkingRows(before, node.types()),
        JoinType.ANTI,
        keys,
        null,
        JoinAlgorithm.NON_PARTITIONED_HASH,
        true,
        plan.types(),
        null,
        List.of());
  }

  private List<Integer> columns() {
    return IntStream.range(0, node.types().size()).boxed().toList();
  }
}
