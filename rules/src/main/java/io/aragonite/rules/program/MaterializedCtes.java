package io.aragonite.rules.program;

import io.aragonite.rules.rel.CteTable;
import io.aragonite.rules.rel.LogicalMaterializedCte;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.core.TableModify;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.schema.TransientTable;

/**
 * Queries of WITH with functions that have another value in each call, such as {@code random()}:
 * the statement reads their rows through scans of {@link CteTable}s. What is read once becomes a
 * part of the statement; the rest is made before it, and each is planned on its own.
 */
public final class MaterializedCtes {
  /** By the tables, those first that others read; whether one is read more than once. */
  private final Map<CteTable, Boolean> again = new LinkedHashMap<>();

  private MaterializedCtes() {}

  /** How rows of WITH may be read. */
  public enum Reading {
    /** They are the same each time that they are made. */
    ANEW,
    /** They would be others each time, and depend on nothing around them. */
    MADE_ONCE,
    /** They would be others each time, and there is no one time to make them. */
    ONE_PLACE
  }

  /** How the rows of a query may be read. */
  public static Reading reading(RelNode rows) {
    Contents contents = new Contents();
    rows.accept(contents);
    if (!contents.varies) {
      return Reading.ANEW;
    }
    return contents.isIndependent(rows) ? Reading.MADE_ONCE : Reading.ONE_PLACE;
  }

  /** Whether rows depend on nothing around them. */
  static boolean isIndependent(RelNode rows) {
    Contents contents = new Contents();
    rows.accept(contents);
    return contents.isIndependent(rows);
  }

  /**
   * A statement and what it reads, planned.
   *
   * @param plan of a query without others
   */
  static RelNode plan(RelNode root, UnaryOperator<RelNode> plan) {
    MaterializedCtes ctes = new MaterializedCtes();
    ctes.find(root, false);
    if (ctes.again.isEmpty()) {
      return plan.apply(root);
    }
    if (root instanceof TableModify) {
      return root.copy(root.getTraitSet(), List.of(plan(root.getInput(0), plan)));
    }
    RelNode planned = plan.apply(ctes.inlined(root));
    for (CteTable table : List.copyOf(ctes.again.keySet()).reversed()) {
      if (ctes.isShared(table) && isRead(planned, table)) {
        RelNode rows = plan.apply(ctes.inlined(table.rows()));
        planned = LogicalMaterializedCte.create(rows, planned, table);
      }
    }
    return planned;
  }

  private boolean isShared(CteTable table) {
    return Objects.requireNonNull(again.get(table));
  }

  private static boolean isRead(RelNode rel, CteTable table) {
    return table.equals(CteTable.of(rel))
        || rel.getInputs().stream().anyMatch(input -> isRead(input, table));
  }

  /**
   * @param repeated whether what is around may be run several times
   */
  private void find(RelNode rel, boolean repeated) {
    CteTable table = CteTable.of(rel);
    if (table != null) {
      if (again.containsKey(table)) {
        again.put(table, true);
      } else {
        find(table.rows(), false);
        again.put(table, repeated || table.isRepeated());
      }
    }
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            find(subQuery.rel, true);
            return super.visitSubQuery(subQuery);
          }
        });
    for (int i = 0; i < rel.getInputs().size(); i++) {
      boolean step = rel instanceof Correlate || rel instanceof RepeatUnion;
      find(rel.getInput(i), repeated || step && i > 0);
    }
  }

  /** With what is read once in the place of its scan. */
  private RelNode inlined(RelNode rel) {
    return rel.accept(
        new RelHomogeneousShuttle() {
          @Override
          public RelNode visit(RelNode other) {
            CteTable table = CteTable.of(other);
            return table != null && !isShared(table) ? inlined(table.rows()) : super.visit(other);
          }
        });
  }

  /** What decides whether rows can be made apart. */
  private static final class Contents extends RelHomogeneousShuttle {
    private final Set<List<String>> working = new HashSet<>();
    private final Collection<List<String>> recursions = new HashSet<>();
    private boolean varies;

    private final RexShuttle expressions =
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            varies |= !call.getOperator().isDeterministic();
            return super.visitCall(call);
          }

          @Override
          public RexNode visitOver(RexOver over) {
            varies |= !over.getAggOperator().isDeterministic();
            return super.visitOver(over);
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            subQuery.rel.accept(Contents.this);
            return super.visitSubQuery(subQuery);
          }
        };

    boolean isIndependent(RelNode rows) {
      return recursions.containsAll(working) && RelOptUtil.getVariablesUsed(rows).isEmpty();
    }

    @Override
    public RelNode visit(RelNode other) {
      if (other instanceof TableScan scan && scan.getTable().unwrap(TransientTable.class) != null) {
        working.add(scan.getTable().getQualifiedName());
      }
      if (other instanceof RepeatUnion union && union.getTransientTable() != null) {
        recursions.add(union.getTransientTable().getQualifiedName());
      }
      if (other instanceof Aggregate aggregate) {
        varies |=
            aggregate.getAggCallList().stream()
                .anyMatch(call -> !call.getAggregation().isDeterministic());
      }
      other.accept(expressions);
      return super.visit(other);
    }
  }
}
