package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.table.Table;
import io.aragonite.rules.function.NestedDecoder;
import io.aragonite.rules.runtime.EngineProvider;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data of a table and what is known of its columns, as planning sees them: a table of Calcite's
 * catalog {@link org.apache.calcite.schema.Wrapper#unwrap unwraps} to it. Safe for several threads.
 *
 * <p>The types of {@link #data()} must be those that {@link
 * io.aragonite.rules.translate.TypeMapping} gives for the row type, or BINARY of a column that has
 * a {@link #decoder}.
 */
public interface TableData {
  /** The data as the engine scans it. */
  Table data();

  /** What is known of the data; cheap to call. */
  TableStatistics statistics();

  /**
   * Which values columns have together that joins are made by; may be slow the first time.
   *
   * @return null if that is not known
   */
  default @Nullable KeySketch keySketch(List<Integer> columns) {
    return null;
  }

  /** Some of its rows, to try predicates on; null if there are none. */
  default @Nullable RowSample sample() {
    return null;
  }

  /**
   * Hears what a plan is going to ask for, and may look for it meanwhile.
   *
   * @param columns whose statistics it wants
   * @param tried columns of predicates that it will try on the {@link #sample}
   */
  default void expect(Set<Integer> columns, Set<Integer> tried) {}

  /** Columns that have one value in each of the table's files; null if there are none. */
  default @Nullable Partitions partitions() {
    return null;
  }

  /**
   * The files that may have rows for which a condition over the columns is true, as far as that is
   * known before they are opened; null if all may.
   */
  default @Nullable BitSet matchingFiles(Expr condition) {
    return null;
  }

  /**
   * The same table with some of its files only.
   *
   * @param files by their numbers in {@link #partitions} or {@link #matchingFiles}
   */
  default TableData someFiles(BitSet files) {
    return this;
  }

  /** Which files of the table this is, where it is not all of them. */
  default @Nullable String part() {
    return null;
  }

  /**
   * Makes values of a column, lists for instance, of the bytes that the engine stores; null: it
   * stores values.
   */
  default @Nullable NestedDecoder decoder(int column) {
    return null;
  }

  /**
   * Which columns and rows of {@link #data()} the table has; null: all, in their places. All else
   * here is about the columns that are seen.
   */
  default @Nullable TableView view() {
    return null;
  }

  /** Where queries over this table run if the planner's context does not say otherwise. */
  EngineProvider engines();
}
