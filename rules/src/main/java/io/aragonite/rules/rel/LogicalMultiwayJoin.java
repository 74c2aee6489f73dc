package io.aragonite.rules.rel;

import io.aragonite.rules.metadata.EquivalentRel;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.validate.SqlValidatorUtil;

/**
 * An inner join of several relations whose equalities close a cycle, as one node. Its inputs are
 * the relations, and behind them the same join made of joins of two, which yields all columns of
 * all relations.
 */
public class LogicalMultiwayJoin extends AbstractRelNode implements EquivalentRel {
  private final MultiwaySpec spec;
  private List<RelNode> nodes;

  /** In a convention. */
  LogicalMultiwayJoin(
      RelOptCluster cluster, RelTraitSet traits, List<RelNode> inputs, MultiwaySpec spec) {
    super(cluster, traits);
    this.nodes = List.copyOf(inputs);
    this.spec = spec;
  }

  /** The logical node. */
  public static LogicalMultiwayJoin create(List<RelNode> inputs, MultiwaySpec spec) {
    RelOptCluster cluster = inputs.get(0).getCluster();
    return new LogicalMultiwayJoin(cluster, cluster.traitSetOf(Convention.NONE), inputs, spec);
  }

  public MultiwaySpec spec() {
    return spec;
  }

  /** The node with some of its columns, in the order given. */
  public LogicalMultiwayJoin withColumns(List<Integer> columns) {
    return new LogicalMultiwayJoin(
        getCluster(),
        getTraitSet(),
        nodes,
        spec.withOutputs(columns.stream().map(spec.outputs()::get).toList()));
  }

  /** The relations. */
  List<RelNode> relations() {
    return nodes.subList(0, nodes.size() - 1);
  }

  /** The same join as joins of two relations. */
  RelNode otherwise() {
    return nodes.get(nodes.size() - 1);
  }

  @Override
  public RelNode equivalent() {
    return otherwise();
  }

  @Override
  public List<Integer> equivalentColumns() {
    return spec.outputs();
  }

  @Override
  public List<RelNode> getInputs() {
    return nodes;
  }

  @Override
  public void replaceInput(int ordinal, RelNode input) {
    List<RelNode> changed = new ArrayList<>(nodes);
    changed.set(ordinal, input);
    nodes = List.copyOf(changed);
    recomputeDigest();
  }

  @Override
  public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
    return new LogicalMultiwayJoin(getCluster(), traits, inputs, spec);
  }

  @Override
  protected RelDataType deriveRowType() {
    List<RelDataType> types = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (RelNode relation : relations()) {
      relation
          .getRowType()
          .getFieldList()
          .forEach(field -> {
            types.add(field.getType());
            names.add(field.getName());
          });
    }
    RelDataTypeFactory factory = getCluster().getTypeFactory();
    List<Integer> outputs = spec.outputs();
    return factory.createStructType(
        outputs.stream().map(types::get).toList(),
        SqlValidatorUtil.uniquify(
            outputs.stream().map(names::get).toList(),
            factory.getTypeSystem().isSchemaCaseSensitive()));
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    super.explainTerms(pw);
    for (int i = 0; i < nodes.size(); i++) {
      pw.input(i < nodes.size() - 1 ? "relation" + i : "otherwise", nodes.get(i));
    }
    return pw.item("keys", spec.keys())
        .item("variables", spec.variables())
        .itemIf("comparisons", spec.comparisons(), !spec.comparisons().isEmpty())
        .item("outputs", spec.outputs())
        .item("traversal", spec.traversal());
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return Math.max(1, spec.estimate().rows());
  }
}
