package io.aragonite.bench.plan;

import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.JoinedRelations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Rows of relations that were counted, in place of estimates: what the planner would do if it knew.
 * A relation is known by what it is made of, not by how: its tables, and the conditions that its
 * rows satisfy, in any order; equalities that join its tables go without saying, since a query has
 * the same ones between the same tables.
 */
final class KnownRows implements CardinalityProvider {
  private final Map<String, Double> rows;

  /**
   * @param rows by the names of relations
   */
  KnownRows(Map<String, Double> rows) {
    this.rows = Map.copyOf(rows);
  }

  @Override
  public @Nullable Double rows(RelNode relation) {
    return rows.get(joined(parts(relation)));
  }

  @Override
  public @Nullable Double rows(JoinedRelations relations) {
    return rows.get(joined(parts(relations)));
  }

  @Override
  public String name(RelNode relation) {
    return joined(parts(relation));
  }

  private static List<String> parts(JoinedRelations relations) {
    List<String> columns = new ArrayList<>();
    relations.all().forEach(leaf -> columns.addAll(names(leaf)));
    List<String> parts = new ArrayList<>();
    for (JoinedRelations.JoinedRelation one : relations.joined()) {
      List<String> own = parts(one.relation());
      if (one.type() == JoinRelType.INNER) {
        parts.addAll(own);
      } else {
        List<String> conditions = new ArrayList<>();
        one.conditions().forEach(c -> conditions.addAll(conditions(c, columns)));
        parts.add(filter(one.type().lowerName, own, conditions));
      }
    }
    relations.conditions().forEach(c -> parts.addAll(conditions(c, columns)));
    return parts;
  }

  private static String joined(Collection<String> parts) {
    return parts.stream().sorted().collect(Collectors.joining(" & "));
  }

  /** The parts of a relation: tables, conditions, and what else makes rows. */
  private static List<String> parts(RelNode relation) {
    RelNode rel = relation.stripped();
    List<String> parts = new ArrayList<>();
    switch (rel) {
      case TableScan scan -> parts.add(String.join(".", scan.getTable().getQualifiedName()));
      case Filter filter -> {
        parts.addAll(parts(filter.getInput()));
        parts.addAll(conditions(filter.getCondition(), names(filter.getInput())));
      }
      case Project project -> parts.addAll(parts(project.getInput()));
      case Join join -> {
        boolean both = join.getJoinType().projectsRight();
        List<String> right = parts(join.getRight());
        List<String> columns = new ArrayList<>(names(join.getLeft()));
        columns.addAll(names(join.getRight()));
        JoinInfo info = JoinInfo.of(join.getLeft(), join.getRight(), join.getCondition());
        parts.addAll(parts(join.getLeft()));
        boolean inner = both && !join.getJoinType().isOuterJoin();
        List<String> more = new ArrayList<>(inner ? right : List.of());
        info.nonEquiConditions.forEach(c -> more.addAll(conditions(c, columns)));
        if (inner) {
          parts.addAll(more);
        } else {
          parts.add(filter(join.getJoinType().lowerName, right, more));
        }
      }
      case Aggregate aggregate -> {
        List<String> columns = names(aggregate.getInput());
        List<String> keys = new ArrayList<>();
        for (ImmutableBitSet set : aggregate.getGroupSets()) {
          set.forEach(key -> keys.add(columns.get(key)));
        }
        parts.add("groups of " + keys + " in (" + joined(parts(aggregate.getInput())) + ")");
      }
      default ->
          parts.add(
              rel.getRelTypeName().replaceFirst("^(Logical|Gpu|Enumerable)", "")
                  + rel.getInputs().stream().map(input -> joined(parts(input))).toList());
    }
    return parts;
  }

  /** The part that a join is which only filters rows, or keeps those without a partner. */
  private static String filter(String type, List<String> right, List<String> conditions) {
    return type + "(" + joined(right) + ")" + conditions.stream().sorted().toList();
  }

  /** The conjuncts of a condition, by the names of columns. */
  private static List<String> conditions(RexNode condition, List<String> columns) {
    return RelOptUtil.conjunctions(condition).stream().map(c -> text(c, columns)).toList();
  }

  private static String text(RexNode node, List<String> columns) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            text.append(ref.getIndex() < columns.size() ? columns.get(ref.getIndex()) : "?");
            text.append(' ');
            return ref;
          }
        });
    // Places differ from plan to plan, and names do not.
    return node.toString().replaceAll("\\$\\d+", "\\$") + " of " + text.toString().strip();
  }

  /** What columns are, wherever they stand: those of tables by their names. */
  private static List<String> names(RelNode relation) {
    RelNode rel = relation.stripped();
    return switch (rel) {
      case TableScan scan -> scan.getRowType().getFieldNames();
      case Filter filter -> names(filter.getInput());
      case Project project -> {
        List<String> below = names(project.getInput());
        yield project.getProjects().stream()
            .map(p -> p instanceof RexInputRef ref ? below.get(ref.getIndex()) : text(p, below))
            .toList();
      }
      case Join join -> {
        List<String> columns = new ArrayList<>(names(join.getLeft()));
        if (join.getJoinType().projectsRight()) {
          columns.addAll(names(join.getRight()));
        }
        yield columns;
      }
      case Aggregate aggregate -> {
        List<String> below = names(aggregate.getInput());
        List<String> columns = new ArrayList<>();
        aggregate.getGroupSet().forEach(key -> columns.add(below.get(key)));
        aggregate
            .getAggCallList()
            .forEach(call ->
                columns.add(
                    call.getAggregation()
                        + call.getArgList().stream().map(below::get).toList().toString()));
        yield columns;
      }
      default -> rel.getRowType().getFieldNames();
    };
  }
}
