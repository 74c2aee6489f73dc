package io.aragonite.rules.translate;

import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.TableScan;
import org.jspecify.annotations.Nullable;

/** Names the tables of a tree, for messages. */
final class ForeignTables {
  private ForeignTables() {}

  static String of(RelNode rel) {
    Set<String> names = new TreeSet<>();
    new RelVisitor() {
      @Override
      public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
        if (node instanceof TableScan scan) {
          names.add(String.join(".", scan.getTable().getQualifiedName()));
        }
        super.visit(node, ordinal, parent);
      }
    }.go(rel);
    return names.isEmpty() ? rel.getRelTypeName() : String.join(", ", names);
  }
}
