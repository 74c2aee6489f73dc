package io.aragonite.dataset;

import java.util.List;

/**
 * A reference from columns of one table to the key of another.
 *
 * @param columns the referring columns, in the order of {@code targetColumns}
 * @param target name of the table referred to
 * @param targetColumns a key of {@code target}
 */
public record DatasetForeignKey(List<String> columns, String target, List<String> targetColumns) {
  /** Copies the lists. */
  public DatasetForeignKey {
    columns = List.copyOf(columns);
    targetColumns = List.copyOf(targetColumns);
  }

  /**
   * The form in a file's metadata: {@code l_partkey,l_suppkey->partsupp(ps_partkey,ps_suppkey)}.
   */
  @Override
  public String toString() {
    return String.join(",", columns) + "->" + target + "(" + String.join(",", targetColumns) + ")";
  }

  /** Reads what {@link #toString} writes. */
  public static DatasetForeignKey parse(String text) {
    int arrow = text.indexOf("->");
    int open = text.indexOf('(', arrow);
    return new DatasetForeignKey(
        List.of(text.substring(0, arrow).split(",")),
        text.substring(arrow + 2, open),
        List.of(text.substring(open + 1, text.length() - 1).split(",")));
  }
}
