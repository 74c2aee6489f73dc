package io.aragonite.bench.fuzz;

import java.util.List;
import java.util.Random;

/**
 * A random statement and what its answer is compared with.
 *
 * @param check how it is checked
 * @param tree the statement; where a condition is taken apart: SELECT, items, FROM, WHERE, condition
 */
record FuzzStatement(FuzzCheck check, SqlTree tree) {
  /** How a statement is checked. */
  enum FuzzCheck {
    /** With DuckDB's answer. */
    PEER,
    /**
     * With itself: rows for which a condition is true, not true and unknown are together all rows (ternary logic partitioning; Rigger
     * and Su, OOPSLA 2020), and counting those for which it is true is the same in WHERE and in SELECT (NoREC; ESEC/FSE 2020).
     */
    PARTITION
  }

  private static final int PARTITIONED_PERCENT = 20;
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
    if (random.nextInt(100) >= PARTITIONED_PERCENT) {
      return new FuzzStatement(FuzzCheck.PEER, queries.statement());
    }
    List<SqlTree> parts = queries.partitioned();
    return new FuzzStatement(
        FuzzCheck.PARTITION, SqlTree.fixed("select ", parts.get(0), parts.get(1), " where ", parts.get(2)));
  }

  FuzzStatement with(SqlTree other) {
    return new FuzzStatement(check, other);
  }

  String sql() {
    return tree.text();
  }

  private String part(int place) {
    return tree.parts().get(place).toString();
  }

  /** Without the condition. */
  String whole() {
    return "select " + part(ITEMS) + part(FROM);
  }

  /** With the condition and what is to be said of it, as {@code is null}. */
  String where(String test) {
    return whole() + " where (" + part(CONDITION) + ") " + test;
  }

  String countWhere() {
    return "select count(*)" + part(FROM) + " where " + part(CONDITION);
  }

  String sumOfCases() {
    return "select sum(case when " + part(CONDITION) + " then 1 else 0 end)" + part(FROM);
  }
}
