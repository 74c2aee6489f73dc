package io.aragonite.rules.metadata;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a table's files before they are read: columns that have one value in a file.
 *
 * @param first the first of these columns; all behind it are as well
 * @param values of each file: a Long, a LocalDate, the UTF-8 bytes of a text, null
 */
public record Partitions(int first, List<List<@Nullable Object>> values) {
  public int files() {
    return values.size();
  }
}
