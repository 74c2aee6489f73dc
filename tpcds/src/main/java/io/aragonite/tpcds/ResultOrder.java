package io.aragonite.tpcds;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the ORDER BY at the end of a statement says about its result. */
final class ResultOrder {
  private static final Pattern ITEM =
      Pattern.compile(
          "(?:\\w+\\.)?(\\w+)(?:\\s+(?:asc|desc))?(?:\\s+nulls\\s+(?:first|last))?",
          Pattern.CASE_INSENSITIVE);

  private ResultOrder() {}

  /**
   * The columns of the result that its rows are sorted on, from 0. What is no column of the result,
   * or could be several, ends them: rows that are equal in those before may come in any order then.
   *
   * @param labels names of the result's columns, in lower case
   */
  static List<Integer> columns(String sql, List<String> labels) {
    List<Integer> columns = new ArrayList<>();
    for (String text : items(sql)) {
      Matcher item = ITEM.matcher(text.strip());
      if (!item.matches()) {
        break;
      }
      String name = item.group(1).toLowerCase(Locale.ROOT);
      boolean position = name.chars().allMatch(Character::isDigit);
      int column = position ? Integer.parseInt(name) - 1 : labels.indexOf(name);
      if (column < 0 || (!position && labels.lastIndexOf(name) != column)) {
        break;
      }
      columns.add(column);
    }
    return columns;
  }

  /** The parts of the last ORDER BY outside of parentheses. */
  private static List<String> items(String sql) {
    String text = sql.toLowerCase(Locale.ROOT).replaceAll("order\\s+by", "order by");
    List<String> items = new ArrayList<>();
    int depth = 0;
    int start = -1;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\'') {
        i = text.indexOf('\'', i + 1);
      } else if (c == '(') {
        depth++;
      } else if (c == ')') {
        depth--;
      } else if (depth == 0 && text.startsWith("order by", i)) {
        items.clear();
        start = i + "order by".length();
      } else if (depth == 0 && c == ',' && start >= 0) {
        items.add(text.substring(start, i));
        start = i + 1;
      }
    }
    if (start >= 0) {
      items.add(text.substring(start));
    }
    return items;
  }
}
