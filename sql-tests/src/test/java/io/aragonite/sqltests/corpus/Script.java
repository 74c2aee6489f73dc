package io.aragonite.sqltests.corpus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A script of statements with what they must return. Statements are separated by empty lines; lines
 * that start with {@code #} are comments, but {@code #only ptx no-fallback} names the
 * configurations that run the script. The first line of a statement says what is expected:
 *
 * <pre>
 * duckdb [ordered]     the rows that DuckDB returns for the same text, or for the text after a
 *                      line {@code ----} where dialects differ
 * rows [ordered]       the rows after a line {@code ----}, cells separated by |
 * count 2              that many rows changed
 * error 201 [22012]    that error; texts after a line {@code ----} must be in its message
 * </pre>
 *
 * Then may follow {@code skip tiny-memory: reason}, {@code params 1 | 'a' | NULL}, and the SQL.
 *
 * @param name of the file
 * @param only the configurations that run it; all if empty
 */
record Script(String name, List<String> only, List<Statement> statements) {
  private static final String ONLY = "#only ";

  private static final Pattern HEAD =
      Pattern.compile("(duckdb|rows|count|error)(?: (\\d+))?(?: (ordered|[0-9A-Z]{5}))?");

  /** What a statement is checked against. */
  enum Expectation {
    DUCKDB,
    ROWS,
    COUNT,
    ERROR
  }

  /**
   * One statement.
   *
   * @param line where it starts in the file
   * @param ordered whether the order of rows counts
   * @param number the code of ERROR, the rows of COUNT
   * @param sqlState of ERROR, null if it is not to be checked
   * @param skips configurations that leave it out
   * @param parameters values for its markers, null for a plain statement
   * @param sql the text
   * @param after the lines after {@code ----}
   */
  record Statement(
      int line,
      Expectation expectation,
      boolean ordered,
      int number,
      @Nullable String sqlState,
      List<String> skips,
      @Nullable List<Cell> parameters,
      String sql,
      List<String> after) {
    private static final Pattern RELATIONS =
        Pattern.compile(
            "(?is)\\bjoin\\b|\\bselect\\b.*\\bselect\\b|\\bfrom\\b[^()]*,|\\bunnest\\b");

    /** Whether it has several relations, so that its plan may have a join. */
    boolean mayJoin() {
      return RELATIONS.matcher(sql).find();
    }
  }

  static Script read(Path file) throws IOException {
    List<Statement> statements = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    List<String> only = new ArrayList<>();
    List<String> all = Files.readAllLines(file);
    for (int i = 0; i <= all.size(); i++) {
      String line = i < all.size() ? all.get(i) : "";
      if (line.startsWith(ONLY)) {
        only.addAll(List.of(line.substring(ONLY.length()).split(" ", -1)));
      }
      if (line.startsWith("#")) {
        continue;
      }
      if (!line.isBlank()) {
        lines.add(line);
      } else if (!lines.isEmpty()) {
        statements.add(statement(file, lines, i - lines.size() + 1));
        lines.clear();
      }
    }
    return new Script(
        String.valueOf(file.getFileName()), List.copyOf(only), List.copyOf(statements));
  }

  boolean runsIn(Configuration configuration) {
    return only.isEmpty() || only.contains(configuration.name());
  }

  private static Statement statement(Path file, List<String> lines, int number) {
    Matcher head = HEAD.matcher(lines.get(0));
    if (!head.matches()) {
      throw new IllegalArgumentException(file + ":" + number + ": " + lines.get(0));
    }
    int i = 1;
    List<String> skips = new ArrayList<>();
    for (; lines.get(i).startsWith("skip "); i++) {
      skips.add(lines.get(i).substring(5, lines.get(i).indexOf(':')));
    }
    List<Cell> parameters = null;
    if (lines.get(i).startsWith("params ")) {
      parameters =
          CorpusRows.parse(List.of(lines.get(i).substring(7).replace(" | ", "|"))).rows().get(0);
      i++;
    }
    int bar = lines.indexOf("----");
    String sql = String.join("\n", lines.subList(i, bar < 0 ? lines.size() : bar));
    List<String> after = bar < 0 ? List.of() : List.copyOf(lines.subList(bar + 1, lines.size()));
    Expectation expectation =
        switch (head.group(1)) {
          case "duckdb" -> Expectation.DUCKDB;
          case "rows" -> Expectation.ROWS;
          case "count" -> Expectation.COUNT;
          default -> Expectation.ERROR;
        };
    String option = head.group(3);
    boolean ordered = "ordered".equals(option);
    return new Statement(
        number,
        expectation,
        ordered,
        head.group(2) == null ? 0 : Integer.parseInt(head.group(2)),
        ordered ? null : option,
        List.copyOf(skips),
        parameters,
        sql,
        after);
  }
}
