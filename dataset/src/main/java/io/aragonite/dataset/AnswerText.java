package io.aragonite.dataset;

import io.aragonite.dataset.Answer.AnswerColumn;
import io.aragonite.dataset.Answer.AnswerKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers as text: a line {@code name:KIND|…}, then a line for each row, values separated by {@code
 * |}. NULL is {@code \N}; backslash, bar and line ends in values are {@code \\}, {@code \p}, {@code
 * \n} and {@code \r}.
 */
final class AnswerText {
  private static final String NULL = "\\N";
  private static final Pattern BAR = Pattern.compile("|", Pattern.LITERAL);

  private AnswerText() {}

  static String write(Answer answer) {
    StringBuilder text = new StringBuilder();
    text.append(
        answer.columns().stream()
            .map(column -> column.name() + ":" + column.kind())
            .collect(Collectors.joining("|")));
    for (List<@Nullable Object> row : answer.rows()) {
      text.append('\n');
      String separator = "";
      for (Object value : row) {
        text.append(separator).append(value == null ? NULL : escape(Answer.format(value)));
        separator = "|";
      }
    }
    return text.append('\n').toString();
  }

  static Answer read(InputStream in) throws IOException {
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    String header = reader.readLine();
    if (header == null) {
      throw new IOException("answer without a header");
    }
    List<AnswerColumn> columns = new ArrayList<>();
    for (String column : BAR.split(header, -1)) {
      int colon = column.lastIndexOf(':');
      columns.add(
          new AnswerColumn(
              column.substring(0, colon), AnswerKind.valueOf(column.substring(colon + 1))));
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      rows.add(row(line, columns));
    }
    return new Answer(columns, rows);
  }

  private static List<@Nullable Object> row(String line, List<AnswerColumn> columns)
      throws IOException {
    String[] values = BAR.split(line, -1);
    if (values.length != columns.size()) {
      throw new IOException(
          "answer row with "
              + values.length
              + " instead of "
              + columns.size()
              + " values: "
              + line);
    }
    List<@Nullable Object> row = new ArrayList<>(values.length);
    for (int i = 0; i < values.length; i++) {
      row.add(
          values[i].equals(NULL) ? null : Answer.parse(unescape(values[i]), columns.get(i).kind()));
    }
    return Collections.unmodifiableList(row);
  }

  private static String escape(String value) {
    return value
        .replace("\\", "\\\\")
        .replace("|", "\\p")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }

  private static String unescape(String value) {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\') {
        c =
            switch (value.charAt(++i)) {
              case 'p' -> '|';
              case 'n' -> '\n';
              case 'r' -> '\r';
              default -> '\\';
            };
      }
      text.append(c);
    }
    return text.toString();
  }
}
