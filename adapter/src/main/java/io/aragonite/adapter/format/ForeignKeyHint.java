package io.aragonite.adapter.format;

import java.util.List;

/**
 * A declared reference.
 *
 * @param columns columns of this table
 * @param table the table referred to
 * @param references its columns, in the order of {@code columns}
 */
public record ForeignKeyHint(List<String> columns, String table, List<String> references) {
  public ForeignKeyHint {
    columns = List.copyOf(columns);
    references = List.copyOf(references);
  }
}
