package io.aragonite.sqltests.logic;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A result as sqllogictest writes it: a value a line, sorted as the query says. */
record LogicAnswer(List<String> values) {
  private static final Pattern LEADING = Pattern.compile("-?\\d{1,18}");

  /**
   * Reads a result.
   *
   * @throws SQLException also if it has other columns than the script says
   */
  static LogicAnswer of(ResultSet result, LogicScript.Query query) throws SQLException {
    int columns = query.types().length();
    if (result.getMetaData().getColumnCount() != columns) {
      throw new SQLException(
          result.getMetaData().getColumnCount() + " columns, and not " + columns);
    }
    List<String[]> rows = new ArrayList<>();
    while (result.next()) {
      String[] row = new String[columns];
      for (int i = 0; i < columns; i++) {
        row[i] = text(result, i + 1, query.types().charAt(i));
      }
      rows.add(row);
    }
    if (query.sort().equals("rowsort")) {
      rows.sort(Arrays::compare);
    }
    List<String> values = new ArrayList<>();
    rows.forEach(row -> values.addAll(Arrays.asList(row)));
    if (query.sort().equals("valuesort")) {
      values.sort(null);
    }
    return new LogicAnswer(values);
  }

  private static String text(ResultSet result, int column, char type) throws SQLException {
    Object value = result.getObject(column);
    if (value == null) {
      return "NULL";
    }
    return switch (type) {
      case 'I' -> whole(value);
      case 'R' ->
          value instanceof Number number
              ? String.format(Locale.ROOT, "%.3f", number.doubleValue())
              : value.toString();
      default -> printable(value.toString());
    };
  }

  private static String whole(Object value) {
    return switch (value) {
      case Number number -> Long.toString(number.longValue());
      case Boolean truth -> truth ? "1" : "0";
      default -> {
        // As SQLite reads a text as a number.
        Matcher digits = LEADING.matcher(value.toString());
        yield digits.lookingAt() ? Long.toString(Long.parseLong(digits.group())) : "0";
      }
    };
  }

  private static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    text.chars().forEach(c -> printable.append(c < ' ' || c > '~' ? '@' : (char) c));
    return text.isEmpty() ? "(empty)" : printable.toString();
  }

  /** What differs from what a query is to give, or null. */
  @Nullable String difference(LogicScript.Query query) {
    if (values.size() != query.count()) {
      return "%d values, and not %d".formatted(values.size(), query.count());
    }
    if (query.values() != null) {
      return values.equals(query.values())
          ? null
          : "%s, and not %s".formatted(shown(values), shown(query.values()));
    }
    return hash().equals(query.hash()) ? null : "other values: " + shown(values);
  }

  private static String shown(List<String> values) {
    return values.size() <= 12 ? values.toString() : values.subList(0, 12) + "...";
  }

  private String hash() {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      for (String value : values) {
        digest.update((value + "\n").getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
