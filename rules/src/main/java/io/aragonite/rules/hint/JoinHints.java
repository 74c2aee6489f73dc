package io.aragonite.rules.hint;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.hint.HintPredicates;
import org.apache.calcite.rel.hint.HintStrategy;
import org.apache.calcite.rel.hint.HintStrategyTable;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlHint;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Litmus;
import org.checkerframework.checker.nullness.qual.NonNull;
import org.jspecify.annotations.Nullable;

/**
 * Join algorithms that a statement asks for: {@code SELECT /*+ PHJ(orders, lineitem) *}{@code /}
 * makes the join that brings these two tables together a partitioned hash join; NPHJ, PHJ_UM, SMJ,
 * SMJ_UM and HSMJ are the other names. One table stands for the joins that have it alone on a side,
 * none for all joins on equal keys. A hint speaks of the whole statement, wherever it stands, since
 * joins change their places while a statement is planned.
 *
 * <p>It is part of the planner's context; who prepares a statement {@link #read reads} them and has
 * {@link io.aragonite.rules.rel.JoinHintCheck} look at the finished plan.
 */
public final class JoinHints {
  /**
   * One hint.
   *
   * @param names as written
   * @param tables for each name the tables that it stands for, in small letters
   */
  public record Hint(JoinAlgorithm algorithm, List<String> names, List<Set<String>> tables) {
    /** As written. */
    public String text() {
      String list = names.isEmpty() ? "" : "(" + String.join(", ", names) + ")";
      return algorithm.shortName() + list;
    }

    /** Whether it speaks of a join of these tables. */
    public boolean names(Join join) {
      return names(JoinHints.tables(join.getLeft()), JoinHints.tables(join.getRight()));
    }

    private boolean names(Set<String> left, Set<String> right) {
      return switch (tables.size()) {
        case 0 -> true;
        case 1 -> left.equals(tables.getFirst()) || right.equals(tables.getFirst());
        default -> anyIn(left) && anyIn(right);
      };
    }

    private boolean anyIn(Set<String> side) {
      return tables.stream().anyMatch(side::containsAll);
    }
  }

  private final List<Hint> hints = new ArrayList<>();

  /** The hints of a planner's statement; null if it has no place for them. */
  public static @Nullable JoinHints of(RelOptPlanner planner) {
    Context context = planner.getContext();
    return context == null ? null : context.unwrap(JoinHints.class);
  }

  /**
   * The hints as Calcite must know them, which attaches them to no node.
   *
   * @param mark a hint of our own that joins carry
   */
  public static HintStrategyTable strategies(String mark) {
    HintStrategyTable.Builder builder =
        HintStrategyTable.builder().hintStrategy(mark, HintPredicates.JOIN);
    for (String name : JoinAlgorithm.names()) {
      builder.hintStrategy(name, HintStrategy.builder((hint, rel) -> false).build());
    }
    // Names that are not known have been refused, those of other tools' table hints are theirs.
    return builder.errorHandler(Litmus.IGNORE).build();
  }

  /**
   * Takes the hints of a statement.
   *
   * @throws AragoniteException INVALID_STATEMENT for a hint or a table that there is not
   */
  public void read(SqlNode statement) {
    hints.clear();
    List<SqlHint> found = new ArrayList<>();
    Map<String, Set<String>> named = new HashMap<>();
    statement.accept(new Finder(found, named));
    for (SqlHint hint : found) {
      List<Set<String>> tables = new ArrayList<>();
      for (String name : hint.getOptionList()) {
        Set<String> meant = named.get(name.toLowerCase(Locale.ROOT));
        if (meant == null) {
          throw new AragoniteException(
              ErrorCode.INVALID_STATEMENT,
              "The hint %s names %s, which is no table or alias of the statement; there are %s."
                  .formatted(
                      hint.getName(), name, String.join(", ", new TreeSet<>(named.keySet()))));
        }
        tables.add(meant);
      }
      hints.add(new Hint(algorithm(hint.getName()), hint.getOptionList(), tables));
    }
  }

  private static JoinAlgorithm algorithm(String name) {
    try {
      JoinAlgorithm algorithm = JoinAlgorithm.named(name);
      if (algorithm != null) {
        return algorithm;
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    throw new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "There is no hint %s; %s name join algorithms."
            .formatted(name, String.join(", ", JoinAlgorithm.names())));
  }

  /** The algorithm that a hint names for a join; null if none does. The first hint counts. */
  public @Nullable JoinAlgorithm algorithm(Join join) {
    if (hints.isEmpty()) {
      return null;
    }
    Set<String> left = tables(join.getLeft());
    Set<String> right = tables(join.getRight());
    for (Hint hint : hints) {
      if (hint.names(left, right)) {
        return hint.algorithm();
      }
    }
    return null;
  }

  /** The hints of the statement. */
  public List<Hint> hints() {
    return Collections.unmodifiableList(hints);
  }

  /** Names of the tables below, in small letters. */
  public static Set<String> tables(RelNode rel) {
    Set<String> tables = new HashSet<>();
    collectTables(rel, tables);
    return tables;
  }

  private static void collectTables(RelNode rel, Set<String> tables) {
    RelNode node = rel instanceof RelSubset subset ? subset.getBestOrOriginal() : rel;
    if (node instanceof TableScan scan) {
      tables.add(last(scan.getTable().getQualifiedName()));
    }
    node.getInputs().forEach(input -> collectTables(input, tables));
  }

  private static String last(List<String> names) {
    return names.getLast().toLowerCase(Locale.ROOT);
  }

  /**
   * Finds the hints of SELECTs, and what names in FROM stand for. Each part of a statement is
   * visited once, however deep it is nested.
   */
  private static final class Finder extends SqlBasicVisitor<@Nullable Void> {
    private final List<SqlHint> hints;
    private final Map<String, Set<String>> named;

    /** Tables that were met within what is being visited and is to have a name. */
    private Set<String> met = new HashSet<>();

    Finder(List<SqlHint> hints, Map<String, Set<String>> named) {
      this.hints = hints;
      this.named = named;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the FROM itself, which has been visited
    public @Nullable Void visit(@NonNull SqlCall call) {
      StopCheck.current().check();
      if (call.getKind() == SqlKind.WITH_ITEM) {
        // Its tables are met where its name is used.
        name(call.operand(0), tables(() -> call.operand(2).accept(this)));
        return null;
      }
      if (!(call instanceof SqlSelect select)) {
        return super.visit(call);
      }
      if (select.hasHints()) {
        Objects.requireNonNull(select.getHints()).forEach(hint -> hints.add((SqlHint) hint));
      }
      SqlNode from = select.getFrom();
      if (from != null) {
        from(from);
      }
      for (SqlNode operand : select.getOperandList()) {
        if (operand != null && operand != from) {
          operand.accept(this);
        }
      }
      return null;
    }

    private void from(SqlNode node) {
      switch (node.getKind()) {
        case IDENTIFIER -> {
          String name = last(((SqlIdentifier) node).names);
          met.addAll(named.computeIfAbsent(name, key -> new HashSet<>(Set.of(key))));
        }
        case JOIN -> {
          SqlJoin join = (SqlJoin) node;
          from(join.getLeft());
          from(join.getRight());
          if (join.getCondition() != null) {
            join.getCondition().accept(this);
          }
        }
        case AS -> {
          SqlCall as = (SqlCall) node;
          Set<String> tables = tables(() -> from(as.operand(0)));
          name(as.operand(1), tables);
          met.addAll(tables);
        }
        case TABLE_REF -> from(((SqlCall) node).operand(0));
        default -> node.accept(this); // a subquery without a name, or rows that are no table
      }
    }

    private Set<String> tables(Runnable visit) {
      Set<String> around = met;
      met = new HashSet<>();
      visit.run();
      Set<String> tables = met;
      met = around;
      return tables;
    }

    private void name(SqlNode name, Set<String> tables) {
      named.put(last(((SqlIdentifier) name).names), tables);
    }
  }
}
