package io.aragonite.rules.program;

import com.google.common.collect.ImmutableList;
import io.aragonite.exec.expr.Expr;
import io.aragonite.rules.metadata.Partitions;
import io.aragonite.rules.metadata.SampledPredicates;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.rel.GpuTableScan;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.prepare.RelOptTableImpl;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.schema.Table;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Leaves files out of scans in which no row fulfils the filter above the scan, as far as the values
 * tell that a whole file has (folders {@code key=value}), or that the table knows of a file. The
 * filter stays.
 */
final class PartitionPruning extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode rel) {
    if (!(rel instanceof Filter filter) || !(filter.getInput() instanceof GpuTableScan scan)) {
      return super.visit(rel);
    }
    Partitions partitions = scan.data().partitions();
    BitSet kept = partitions == null ? matching(filter, scan.data()) : kept(filter, partitions);
    if (kept == null) {
      return rel;
    }
    TableData some = scan.data().someFiles(kept);
    RelOptTable whole = scan.getTable();
    RelOptTable table =
        RelOptTableImpl.create(
            whole.getRelOptSchema(),
            whole.getRowType(),
            (Table) some,
            ImmutableList.copyOf(whole.getQualifiedName()));
    RelNode pruned = GpuTableScan.create(scan.getCluster(), table, scan.getHints());
    return filter.copy(filter.getTraitSet(), List.of(pruned));
  }

  /** The files that may have a row by what the table knows of each; null: all. */
  private static @Nullable BitSet matching(Filter filter, TableData table) {
    RexBuilder builder = filter.getCluster().getRexBuilder();
    BitSet kept = null;
    for (RexNode condition : RelOptUtil.conjunctions(filter.getCondition())) {
      Expr translated =
          RexUtil.isDeterministic(condition)
              ? SampledPredicates.translated(builder, condition)
              : null;
      BitSet some = translated == null ? null : table.matchingFiles(translated);
      if (some != null && kept != null) {
        kept.and(some);
      } else if (some != null) {
        kept = some;
      }
    }
    return kept;
  }

  /** The files that may have a row; null if all may. */
  private static @Nullable BitSet kept(Filter filter, Partitions partitions) {
    RexBuilder builder = filter.getCluster().getRexBuilder();
    ImmutableBitSet columns =
        ImmutableBitSet.range(partitions.first(), filter.getRowType().getFieldCount());
    List<RexNode> conditions = new ArrayList<>();
    for (RexNode condition : RelOptUtil.conjunctions(filter.getCondition())) {
      ImmutableBitSet used = RelOptUtil.InputFinder.bits(condition);
      if (!used.isEmpty() && columns.contains(used) && RexUtil.isDeterministic(condition)) {
        conditions.add(RexUtil.expandSearch(builder, null, condition));
      }
    }
    if (conditions.isEmpty()) {
      return null;
    }
    RexNode condition = RexUtil.composeConjunction(builder, conditions);
    RexSimplify simplify =
        new RexSimplify(builder, RelOptPredicateList.EMPTY, new ConstantExecutor());
    BitSet kept = new BitSet();
    Map<List<String>, Boolean> known = new HashMap<>();
    for (int i = 0; i < partitions.files(); i++) {
      List<@Nullable Object> values = partitions.values().get(i);
      List<String> key = values.stream().map(PartitionPruning::text).toList();
      boolean possible =
          known.computeIfAbsent(
              key,
              file -> {
                RexNode of = condition.accept(new Values(builder, partitions.first(), values));
                RexNode simple = simplify.simplifyUnknownAsFalse(of);
                return !simple.isAlwaysFalse() && !RexUtil.isNullLiteral(simple, true);
              });
      kept.set(i, possible);
    }
    return kept.cardinality() == partitions.files() ? null : kept;
  }

  private static String text(@Nullable Object value) {
    return value instanceof byte[] bytes
        ? "'" + new String(bytes, StandardCharsets.UTF_8)
        : String.valueOf(value);
  }

  /** Puts a file's values in the place of its columns. */
  private static final class Values extends RexShuttle {
    private final RexBuilder builder;
    private final int first;
    private final List<@Nullable Object> values;

    Values(RexBuilder builder, int first, List<@Nullable Object> values) {
      this.builder = builder;
      this.first = first;
      this.values = values;
    }

    @Override
    public RexNode visitInputRef(RexInputRef ref) {
      Object value = values.get(ref.getIndex() - first);
      RelDataType type = ref.getType();
      if (value == null) {
        return builder.makeNullLiteral(type);
      }
      if (value instanceof byte[] bytes) {
        return text(new String(bytes, StandardCharsets.UTF_8));
      }
      Object literal = value instanceof LocalDate date ? new DateString(date.toString()) : value;
      return builder.makeLiteral(literal, type, false, false);
    }

    /** Texts are compared where they are of one type. */
    @Override
    public RexNode visitLiteral(RexLiteral literal) {
      boolean text = SqlTypeName.CHAR_TYPES.contains(literal.getType().getSqlTypeName());
      String value = text ? literal.getValueAs(String.class) : null;
      return value == null ? literal : text(value);
    }

    private RexNode text(String value) {
      RelDataType type = builder.getTypeFactory().createSqlType(SqlTypeName.VARCHAR);
      return builder.makeLiteral(value, type, false, false);
    }
  }
}
