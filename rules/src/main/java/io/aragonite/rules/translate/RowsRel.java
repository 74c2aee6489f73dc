package io.aragonite.rules.translate;

import java.util.List;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.adapter.enumerable.JavaRowFormat;
import org.apache.calcite.adapter.enumerable.PhysTypeImpl;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.linq4j.tree.Blocks;
import org.apache.calcite.linq4j.tree.Expressions;
import org.apache.calcite.linq4j.tree.Types;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.Nullable;

/** Rows that are given at run time, as input of Calcite's Enumerable operators. */
public final class RowsRel extends AbstractRelNode implements EnumerableRel {
  RowsRel(RelOptCluster cluster, RelDataType rowType) {
    super(cluster, cluster.traitSetOf(EnumerableConvention.INSTANCE));
    this.rowType = rowType;
  }

  @Override
  public Result implement(EnumerableRelImplementor implementor, Prefer pref) {
    return implementor.result(
        PhysTypeImpl.of(implementor.getTypeFactory(), getRowType(), JavaRowFormat.ARRAY, false),
        Blocks.toBlock(
            Expressions.call(
                Types.lookupMethod(RowsRel.class, "rows", DataContext.class), DataContext.ROOT)));
  }

  /** Called by generated code. */
  public static Enumerable<@Nullable Object[]> rows(DataContext context) {
    return Linq4j.asEnumerable(((EvaluationContext) context).rows);
  }

  /** The rows of one evaluation, and what the generated code has stashed. */
  record EvaluationContext(Map<String, Object> stashed, List<@Nullable Object[]> rows)
      implements DataContext {
    @Override
    public @Nullable SchemaPlus getRootSchema() {
      return null;
    }

    @Override
    public JavaTypeFactory getTypeFactory() {
      throw new UnsupportedOperationException();
    }

    @Override
    public QueryProvider getQueryProvider() {
      throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Object get(String name) {
      return stashed.get(name);
    }
  }
}
