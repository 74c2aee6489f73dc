package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlExplainLevel;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mappings;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates without keys over the same rows, whose single rows are multiplied, become one: several
 * scalar subqueries read a table once (TPC-DS 9). Comes before columns are dropped, since inputs
 * are the same only until each has those alone that it needs.
 */
final class ScalarAggregates extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    if (!isProduct(other)) {
      return super.visit(other);
    }
    List<RelNode> factors = new ArrayList<>();
    addFactors(other, factors);
    RelNode merged = merged((Join) other, factors);
    return merged == null ? super.visit(other) : visitInputs(merged);
  }

  private RelNode visitInputs(RelNode rel) {
    return super.visit(rel);
  }

  private static boolean isProduct(RelNode rel) {
    return rel instanceof Join join
        && join.getCondition().isAlwaysTrue()
        && (join.getJoinType() == JoinRelType.INNER
            || join.getJoinType() == JoinRelType.LEFT && ScalarRow.of(join.getRight()) != null);
  }

  private static void addFactors(RelNode rel, List<RelNode> factors) {
    if (isProduct(rel)) {
      rel.getInputs().forEach(input -> addFactors(input, factors));
    } else {
      factors.add(rel);
    }
  }

  /** The product with fewer aggregates; null if none are over the same rows. */
  private static @Nullable RelNode merged(Join product, List<RelNode> factors) {
    Map<RelNode, Use> uses = new LinkedHashMap<>();
    Map<String, MergedAggregate> byRows = new HashMap<>();
    for (RelNode factor : factors) {
      ScalarRow scalar = ScalarRow.of(factor);
      if (scalar != null) {
        MergedAggregate aggregate =
            byRows.computeIfAbsent(
                RelOptUtil.toString(scalar.rows, SqlExplainLevel.DIGEST_ATTRIBUTES),
                rows -> new MergedAggregate(scalar.rows));
        aggregate.users++;
        uses.put(factor, new Use(scalar, aggregate));
      }
    }
    if (uses.values().stream().noneMatch(use -> use.aggregate.users > 1)) {
      return null;
    }
    uses.values().forEach(use -> use.aggregate.add(use.scalar));
    return rebuilt(product, factors, uses);
  }

  private static RelNode rebuilt(Join product, List<RelNode> factors, Map<RelNode, Use> uses) {
    RexBuilder builder = product.getCluster().getRexBuilder();
    Map<MergedAggregate, Integer> offsets = new HashMap<>();
    RelNode joined = null;
    List<RexNode> columns = new ArrayList<>();
    List<RelDataTypeField> fields = product.getRowType().getFieldList();
    for (RelNode factor : factors) {
      int width = joined == null ? 0 : joined.getRowType().getFieldCount();
      Use use = uses.get(factor);
      if (use == null || use.aggregate.users == 1) {
        joined = join(joined, factor);
        for (RelDataTypeField field : factor.getRowType().getFieldList()) {
          columns.add(builder.makeInputRef(field.getType(), width + field.getIndex()));
        }
        continue;
      }
      Integer offset = offsets.get(use.aggregate);
      if (offset == null) {
        offset = width;
        offsets.put(use.aggregate, width);
        joined = join(joined, use.aggregate.rel());
      }
      columns.addAll(use.aggregate.columns(use.scalar, offset));
    }
    for (int i = 0; i < columns.size(); i++) {
      columns.set(i, builder.ensureType(fields.get(i).getType(), columns.get(i), false));
    }
    // a RelBuilder would take casts that only add nulls away
    return LogicalProject.create(
        Objects.requireNonNull(joined),
        List.of(),
        columns,
        product.getRowType().getFieldNames(),
        Set.of());
  }

  private static RelNode join(@Nullable RelNode left, RelNode right) {
    return left == null
        ? right
        : LogicalJoin.create(
            left,
            right,
            List.of(),
            left.getCluster().getRexBuilder().makeLiteral(true),
            Set.of(),
            JoinRelType.INNER);
  }

  /** A factor, and what computes it with others. */
  private record Use(ScalarRow scalar, MergedAggregate aggregate) {}

  /**
   * Expressions over an aggregate without keys.
   *
   * @param results over the aggregate's calls
   * @param inputs what its calls refer to, over {@code rows}
   */
  private record ScalarRow(
      List<RexNode> results, Aggregate aggregate, List<RexNode> inputs, RelNode rows) {
    /** Null if a relation is none. */
    static @Nullable ScalarRow of(RelNode rel) {
      Project top = rel instanceof Project project ? project : null;
      if (!((top == null ? rel : top.getInput()) instanceof Aggregate aggregate)
          || aggregate.getGroupCount() > 0
          || aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
        return null;
      }
      Project below = aggregate.getInput() instanceof Project project ? project : null;
      RelNode rows = below == null ? aggregate.getInput() : below.getInput();
      List<RexNode> results = top == null ? references(aggregate) : top.getProjects();
      List<RexNode> inputs = below == null ? references(rows) : below.getProjects();
      boolean plain =
          results.stream().allMatch(ScalarRow::isPlain)
              && inputs.stream().allMatch(ScalarRow::isPlain)
              && MaterializedCtes.reading(rows) == MaterializedCtes.Reading.ANEW
              && RelOptUtil.getVariablesUsed(rel).isEmpty();
      return plain ? new ScalarRow(results, aggregate, inputs, rows) : null;
    }

    private static boolean isPlain(RexNode expression) {
      return RexUtil.isDeterministic(expression) && !RexOver.containsOver(expression);
    }

    private static List<RexNode> references(RelNode rel) {
      return rel.getRowType().getFieldList().stream()
          .map(field -> (RexNode) RexInputRef.of(field.getIndex(), rel.getRowType()))
          .toList();
    }
  }

  /** The calls of several aggregates over the same rows, each once. */
  private static final class MergedAggregate {
    private final RelNode rows;
    private final List<RexNode> inputs = new ArrayList<>();
    private final List<AggregateCall> calls = new ArrayList<>();
    private int users;

    MergedAggregate(RelNode rows) {
      this.rows = rows;
    }

    void add(ScalarRow scalar) {
      for (AggregateCall call : scalar.aggregate.getAggCallList()) {
        AggregateCall own = own(scalar, call);
        if (!calls.contains(own)) {
          calls.add(own);
        }
      }
    }

    /** The call over the inputs here, which become more by what it needs. */
    private AggregateCall own(ScalarRow scalar, AggregateCall call) {
      Map<Integer, Integer> places = new HashMap<>();
      List<Integer> needed = new ArrayList<>(call.getArgList());
      if (call.filterArg >= 0) {
        needed.add(call.filterArg);
      }
      call.collation.getFieldCollations().forEach(field -> needed.add(field.getFieldIndex()));
      if (call.distinctKeys != null) {
        call.distinctKeys.forEach(needed::add);
      }
      for (int column : needed) {
        RexNode input = scalar.inputs.get(column);
        if (!inputs.contains(input)) {
          inputs.add(input);
        }
        places.put(column, inputs.indexOf(input));
      }
      return call.transform(Mappings.target(places, scalar.inputs.size(), inputs.size()))
          .withName(null);
    }

    RelNode rel() {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < inputs.size(); i++) {
        names.add("$i" + i);
      }
      return LogicalAggregate.create(
          inputs.isEmpty() // where rows alone are counted; a node without columns is none
              ? rows
              : RelOptUtil.createProject(rows, inputs, names),
          List.of(),
          ImmutableBitSet.of(),
          null,
          calls);
    }

    /** The columns of a scalar over the merged aggregate, whose first column is at an offset. */
    List<RexNode> columns(ScalarRow scalar, int offset) {
      RexBuilder builder = rows.getCluster().getRexBuilder();
      List<AggregateCall> own =
          scalar.aggregate.getAggCallList().stream().map(call -> own(scalar, call)).toList();
      RexShuttle shift =
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef reference) {
              return builder.makeInputRef(
                  reference.getType(), offset + calls.indexOf(own.get(reference.getIndex())));
            }
          };
      return shift.visitList(scalar.results);
    }
  }
}
