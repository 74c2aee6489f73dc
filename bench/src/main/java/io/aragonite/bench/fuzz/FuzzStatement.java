package io.aragonite.bench.fuzz;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A random statement and what its answer is compared with.
 *
 * @param check how it is checked
 * @param tree the statement; where a condition is taken apart: SELECT, items, FROM, WHERE, condition
 * @param variants of a statement that is run several times: it with other literals
 * @param pivot a row of its FROM; null where none is looked for
 */
record FuzzStatement(FuzzCheck check, SqlTree tree, List<SqlTree> variants, @Nullable FuzzPivot pivot) {
  /** How a statement is checked. */
  enum FuzzCheck {
    /** With DuckDB's answer. */
    PEER,
    /** With DuckDB's answers, prepared once and run with several values of its parameters. */
    PREPARED,
    /** With DuckDB's answers, again and again with other literals that columns are compared with: most run by a plan that they share. */
    LITERALS,
    /**
     * With itself: rows for which a condition is true, not true and unknown are together all rows (ternary logic partitioning; Rigger
     * and Su, OOPSLA 2020), and counting those for which it is true is the same in WHERE and in SELECT (NoREC; ESEC/FSE 2020).
     */
    PARTITION,
    /** With a row that must be in its answer. */
    PIVOT,
    /** Several statements, which change a table and ask, each with DuckDB's answer. */
    CHANGES;

    /** As it is written for a command. */
    String option() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int PARTITIONED_PERCENT = 5;
  private static final int PIVOTED_PERCENT = 5;
  private static final int PREPARED_PERCENT = 40;

  private static final int LOOKUP_PERCENT = 10;

  /** Of those others that are not prepared, and compare a column with a literal. */
  private static final int LITERALS_PERCENT = 20;

  /** Statements of more parameters than this are not prepared, and how many others each is run with. */
  private static final int MOST_PARAMETERS = 40;

  /** How many values each is run with: they share plans, which are the larger part of the work for a statement. */
  private static final int VALUES = 24;

  /** Each of them may need a plan. */
  private static final int TEXTS = 10;

  /** How many values, one after the other, have the same types, and so the same plan. */
  private static final int ALIKE = 12;

  private static final int RECURSIVE_PERCENT = 4;
  private static final int CHANGING_PERCENT = 4;

  /** Between two of several statements. */
  static final String NEXT = ";\n";

  /** A file that we write and both engines read. */
  static final String FILE = "'changed.parquet'";

  private static final int ITEMS = 1;
  private static final int FROM = 2;
  private static final int CONDITION = 4;

  /**
   * Makes one.
   *
   * @param equalJoins whether every join has an equality
   */
  static FuzzStatement make(Random random, List<FuzzTable> tables, boolean equalJoins) {
    FuzzQueries queries = new FuzzQueries(random, tables, equalJoins);
    int percent = random.nextInt(100);
    if (percent < PARTITIONED_PERCENT) {
      return new FuzzStatement(FuzzCheck.PARTITION, conditional(queries.partitioned()), List.of(), null);
    }
    if (percent < PARTITIONED_PERCENT + PIVOTED_PERCENT && !equalJoins && queries.hasRows()) {
      return queries.pivoted();
    }
    int before = PARTITIONED_PERCENT + PIVOTED_PERCENT;
    if (percent >= before && percent < before + LOOKUP_PERCENT) {
      SqlTree lookup = queries.lookup();
      return new FuzzStatement(FuzzCheck.LITERALS, lookup, variants(lookup, queries, true), null);
    }
    if (percent >= 100 - CHANGING_PERCENT && queries.hasChanges()) {
      return new FuzzStatement(FuzzCheck.CHANGES, queries.changes(), List.of(), null);
    }
    SqlTree tree = percent >= 100 - CHANGING_PERCENT - RECURSIVE_PERCENT ? queries.recursive() : queries.statement();
    int parameters = tree.literals().size();
    if (parameters == 0 || parameters > MOST_PARAMETERS) {
      return new FuzzStatement(FuzzCheck.PEER, tree, List.of(), null);
    }
    if (random.nextInt(100) < PREPARED_PERCENT) {
      return new FuzzStatement(FuzzCheck.PREPARED, tree, variants(tree, queries, false), null);
    }
    boolean compares = tree.literals().stream().anyMatch(literal -> literal.role() == SqlTree.Role.COMPARED);
    return compares && random.nextInt(100) < LITERALS_PERCENT
        ? new FuzzStatement(FuzzCheck.LITERALS, tree, variants(tree, queries, true), null)
        : new FuzzStatement(FuzzCheck.PEER, tree, List.of(), null);
  }

  /**
   * A statement, and it with other literals.
   *
   * @param comparedOnly whether those that columns are compared with change alone
   */
  private static List<SqlTree> variants(SqlTree tree, FuzzQueries queries, boolean comparedOnly) {
    List<SqlTree> variants = new ArrayList<>(List.of(tree));
    int count = comparedOnly ? TEXTS : VALUES;
    int alike = Math.min(ALIKE, count / 2);
    for (int i = 1; i < count; i++) {
      // One that stands in two places stays one: what is ordered by itself has ties of equal values only.
      Map<SqlTree, SqlTree> others = new IdentityHashMap<>();
      UnaryOperator<SqlTree> other = i % alike == 0 ? queries::another : queries::alike;
      variants.add(
          variants
              .get(i - 1)
              .withLiterals(
                  literal -> comparedOnly && literal.role() != SqlTree.Role.COMPARED ? literal : others.computeIfAbsent(literal, other)));
    }
    return List.copyOf(variants);
  }

  /** Items, FROM and a condition as one statement. */
  static SqlTree conditional(List<SqlTree> parts) {
    return SqlTree.fixed("select ", parts.get(0), parts.get(1), " where ", parts.get(2));
  }

  FuzzStatement with(SqlTree other) {
    return new FuzzStatement(check, other, List.of(other), pivot);
  }

  /** The same statement, beside DuckDB and not prepared. */
  FuzzStatement unprepared() {
    return new FuzzStatement(FuzzCheck.PEER, tree, List.of(), null);
  }

  String sql() {
    return tree.text();
  }

  /** What is run to see how it is done: where a plan is shared, statements before it that make that plan. */
  List<String> texts() {
    if (check != FuzzCheck.LITERALS) {
      return List.of(sql());
    }
    return variants.size() == 1 ? List.of(twin(0).text(), twin(1).text(), sql()) : variants.stream().map(SqlTree::text).toList();
  }

  /** The same statement with plain values beside columns. */
  private SqlTree twin(int number) {
    return tree.withLiterals(
        literal ->
            literal.role() == SqlTree.Role.COMPARED
                ? SqlTree.compared(
                    java.util.Objects.requireNonNull(literal.type()),
                    switch (literal.type()) {
                      case INTEGER -> String.valueOf(number + 1);
                      case VARCHAR -> number == 0 ? "'x'" : "'y'";
                      case DATE -> number == 0 ? "date '2020-01-01'" : "date '2020-02-02'";
                      default -> literal.text();
                    })
                : literal);
  }

  /** With parameters for its literals. */
  String prepared() {
    return tree
        .withLiterals(
            literal -> {
              FuzzType type = java.util.Objects.requireNonNull(literal.type());
              return literal.role() == SqlTree.Role.COUNT ? SqlTree.count("?") : SqlTree.literal(type, "cast(? as " + type.parameterType() + ")");
            })
        .text();
  }

  private String part(int place) {
    return tree.parts().get(place).toString();
  }

  /** The condition alone. */
  String condition() {
    return part(CONDITION);
  }

  /** Without the condition. */
  String whole() {
    return "select " + part(ITEMS) + part(FROM);
  }

  /** With the condition and what is to be said of it, as {@code is null}. */
  String where(String test) {
    return whole() + " where (" + part(CONDITION) + ") " + test;
  }

  /** All rows: those that the condition is true for, those that it is not true for, and the others. */
  String parts() {
    return where("is true") + " union all " + where("is false") + " union all " + where("is null");
  }

  /** Some of the rows that the condition is true for. */
  String some(int rows, int behind) {
    return where("is true") + " limit " + rows + " offset " + behind;
  }

  String countWhere() {
    return "select count(*)" + part(FROM) + " where " + part(CONDITION);
  }

  String sumOfCases() {
    return "select sum(case when " + part(CONDITION) + " then 1 else 0 end)" + part(FROM);
  }
}
