package io.aragonite.bench.fuzz;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A row of a product of tables: what a condition is true for there the answer must have (pivoted query synthesis; Rigger and Su, OSDI
 * 2020).
 *
 * @param ids numbers of the tables' rows
 * @param values SQL of the row's values by columns, as the condition names them
 */
record FuzzPivot(List<String> ids, Map<String, String> values) {
  private static final Pattern COLUMN = Pattern.compile("\\bt[0-9]+\\.[a-z][0-9a-z]*\\b");

  /** A column, or a text, in which none is looked for. */
  private static final Pattern TEXT = Pattern.compile("'(?:[^']|'')*'|" + COLUMN.pattern());

  /** A condition with the row's values for its columns. */
  String of(String condition) {
    Matcher matcher = TEXT.matcher(condition);
    return matcher.replaceAll(found -> Matcher.quoteReplacement(values.getOrDefault(found.group(), found.group())));
  }
}
