package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableRules.KeyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/** The keys and the defaults of a table of the connection's own, for who describes it. */
final class DescribedTable {
  private final TableRules rules;

  private DescribedTable(TableRules rules) {
    this.rules = rules;
  }

  /**
   * @param name of the table, as it is written
   * @param plan of a query of all of its columns
   */
  static DescribedTable of(String name, @Nullable PreparedPlan plan) {
    List<CatalogTable> found = new ArrayList<>();
    String end = name.replace("\"", "").toLowerCase(Locale.ROOT);
    RelVisitor tables =
        new RelVisitor() {
          @Override
          public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
            RelOptTable table = node instanceof TableScan scan ? scan.getTable() : null;
            CatalogTable own = table == null ? null : table.unwrap(CatalogTable.class);
            if (own != null && table != null && isNamed(end, table)) {
              found.add(own);
            }
            super.visit(node, ordinal, parent);
          }
        };
    if (plan != null) {
      tables.go(plan.root().rel);
    }
    return new DescribedTable(found.size() == 1 ? found.getFirst().rules() : TableRules.NONE);
  }

  private static boolean isNamed(String end, RelOptTable table) {
    String last = Util.last(table.getQualifiedName()).toLowerCase(Locale.ROOT);
    return end.equals(last) || end.endsWith("." + last);
  }

  /** Whether a column is in the primary key. */
  boolean isPrimary(int column) {
    KeyRule key = rules.primaryKey();
    return key != null && key.columns().contains(column);
  }

  /** PRI for a column of the primary key, UNI for one of another; null for none. */
  @Nullable String key(int column) {
    if (isPrimary(column)) {
      return "PRI";
    }
    return rules.keys().stream().anyMatch(key -> key.columns().contains(column)) ? "UNI" : null;
  }

  /** A column's default, an expression in SQL; null if it has none. */
  @Nullable String defaultOf(int column) {
    return rules.defaultOf(column);
  }
}
