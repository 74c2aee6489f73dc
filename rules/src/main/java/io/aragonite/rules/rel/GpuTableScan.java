package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.function.NestedDecoder;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.metadata.TableView;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.hint.RelHint;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/**
 * A scan of a {@link ShuffledTables}. It always has all columns, so that Calcite's own metadata
 * holds; which of them are read is settled when the plan is made.
 */
public final class GpuTableScan extends TableScan implements GpuRel {
  private final TableData data;

  private GpuTableScan(
      RelOptCluster cluster,
      RelTraitSet traits,
      List<RelHint> hints,
      RelOptTable table,
      TableData data) {
    super(cluster, traits, hints, table);
    this.data = data;
  }

  /** A scan of {@code table}, which must unwrap to a {@link ShuffledTables}. */
  public static GpuTableScan create(RelOptCluster cluster, RelOptTable table, List<RelHint> hints) {
    return new GpuTableScan(
        cluster,
        cluster.traitSetOf(GpuRel.CONVENTION),
        hints,
        table,
        table.unwrapOrThrow(TableData.class));
  }

  public TableData data() {
    return data;
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer).itemIf("part", data.part(), data.part() != null);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelNode withHints(List<RelHint> hintList) {
    return new GpuTableScan(getCluster(), getTraitSet(), hintList, table, data);
  }

  @Override
  public void register(RelOptPlanner planner) {
    GpuRel.CONVENTION.register(planner);
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return Math.max(1, data.statistics().rows());
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    // Reading is charged to whoever reads: a scan by itself hands out references to columns.
    return GpuCost.of(planner, OperatorCosts.profile(planner).startNanos());
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return implement(
        implementor, IntStream.range(0, getRowType().getFieldCount()).boxed().toList());
  }

  /** The plan that reads some columns only. */
  PhysicalPlan implement(GpuRelImplementor implementor, List<Integer> columns) {
    implementor.offerEngines(data.engines());
    List<DataType> types = TypeMapping.ofRow(getRowType());
    List<Integer> places = places(columns);
    List<DataType> stored = new ArrayList<>();
    List<Expr> values = new ArrayList<>();
    boolean decoded = false;
    for (int i = 0; i < columns.size(); i++) {
      int column = columns.get(i);
      NestedDecoder decoder = data.decoder(column);
      DataType type = types.get(column);
      DataType inTable = decoder == null ? type : data.data().columnTypes().get(places.get(i));
      Expr ref = Expr.ref(stored.size(), inTable);
      String name = "nested column " + getRowType().getFieldNames().get(column);
      stored.add(inTable);
      values.add(
          decoder == null
              ? ref
              : new Expr.HostFunctionCall(name, decoder, List.of(ref), true, type));
      decoded |= decoder != null;
    }
    PhysicalPlan rows = rows(places, stored);
    return decoded ? new PhysicalPlan.Project(rows, values) : rows;
  }

  /** Where columns are in the data. */
  private List<Integer> places(List<Integer> columns) {
    TableView view = data.view();
    return view == null ? columns : columns.stream().map(view.columns()::get).toList();
  }

  /** Stored columns of the rows that are seen. */
  private PhysicalPlan rows(List<Integer> places, List<DataType> types) {
    TableView view = data.view();
    Expr condition = view == null ? null : view.condition();
    if (view == null || condition == null) {
      return new PhysicalPlan.Scan(data.data(), places, types);
    }
    List<Integer> all = Stream.concat(view.read().stream(), places.stream()).distinct().toList();
    List<DataType> stored = new ArrayList<>();
    for (int place : all) {
      int wanted = places.indexOf(place);
      stored.add(wanted < 0 ? data.data().columnTypes().get(place) : types.get(wanted));
    }
    PhysicalPlan seen =
        new PhysicalPlan.Filter(new PhysicalPlan.Scan(data.data(), all, stored), condition);
    List<Expr> refs = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      refs.add(Expr.ref(all.indexOf(places.get(i)), types.get(i)));
    }
    return new PhysicalPlan.Project(seen, refs);
  }
}
