package io.aragonite.rules.rel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptSchema;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.prepare.RelOptTableImpl;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.TranslatableTable;
import org.apache.calcite.schema.impl.AbstractTable;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query of WITH that has functions with another value in each call: all who name the
 * query read the same rows. It is no table that Calcite's code can scan.
 */
public final class CteTable extends AbstractTable implements TranslatableTable {
  private final String name;
  private final RelNode rows;
  private final boolean repeated;

  private CteTable(String name, RelNode rows, boolean repeated) {
    this.name = name;
    this.rows = rows;
    this.repeated = repeated;
  }

  /**
   * A scan of the rows of a query.
   *
   * @param name of the query, for people
   */
  public static RelNode scan(@Nullable RelOptSchema schema, String name, RelNode rows) {
    return scan(schema, name, rows, false);
  }

  /**
   * A scan of rows that will be scanned again, although nothing else does yet.
   *
   * @param name for people
   */
  public static RelNode repeated(String name, RelNode rows) {
    return scan(null, name, rows, true);
  }

  private static RelNode scan(
      @Nullable RelOptSchema schema, String name, RelNode rows, boolean repeated) {
    RelOptCluster cluster = rows.getCluster();
    // two queries of one name are two
    CteTable table = new CteTable(name + "#" + cluster.createCorrel().getId(), rows, repeated);
    RelOptTableImpl known =
        RelOptTableImpl.create(schema, rows.getRowType(), table, ImmutableList.of(table.name));
    return LogicalTableScan.create(cluster, known, List.of());
  }

  /** The table that a node scans; null if it scans another one, or none. */
  public static @Nullable CteTable of(RelNode rel) {
    return rel instanceof TableScan scan ? scan.getTable().unwrap(CteTable.class) : null;
  }

  /**
   * Whether a tree reads rows of such a query and does not make them itself: it is a part of a
   * statement then, and cannot run apart.
   */
  static boolean isReadUnmade(RelNode rel) {
    return !unmade(rel, new HashMap<>()).isEmpty();
  }

  private static Set<CteTable> unmade(RelNode rel, Map<RelNode, Set<CteTable>> known) {
    RelNode node = rel instanceof RelSubset subset ? subset.getOriginal() : rel;
    if (node == null) {
      return Set.of();
    }
    Set<CteTable> before = known.putIfAbsent(node, Set.of()); // what contains itself ends here
    if (before != null) {
      return before;
    }
    CteTable scanned = of(node);
    Set<CteTable> tables = scanned == null ? Set.of() : Set.of(scanned);
    List<RelNode> inputs = node.getInputs();
    for (int i = inputs.size() - 1; i >= 0; i--) {
      if (i == 0 && node instanceof MaterializedCteRel cte) {
        tables = Sets.difference(tables, Set.of(cte.table)).immutableCopy();
      }
      Set<CteTable> more = unmade(inputs.get(i), known);
      tables = more.isEmpty() ? tables : Sets.union(tables, more).immutableCopy();
    }
    known.put(node, tables);
    return tables;
  }

  /** Whether more scans of the rows will come. */
  public boolean isRepeated() {
    return repeated;
  }

  /** The query. */
  public RelNode rows() {
    return rows;
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory typeFactory) {
    return rows.getRowType();
  }

  @Override
  public RelNode toRel(RelOptTable.ToRelContext context, RelOptTable table) {
    return LogicalTableScan.create(context.getCluster(), table, context.getTableHints());
  }

  @Override
  public String toString() {
    return name;
  }
}
