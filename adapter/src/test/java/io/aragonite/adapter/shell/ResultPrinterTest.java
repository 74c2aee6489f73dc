package io.aragonite.adapter.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows in all formats: widths, nulls, wide characters, control characters, huge values. */
class ResultPrinterTest {
  private static final String ESCAPES = "a\u001b[31mred\u0007\u009b2J\rb\tc\nd\u202ee\u0000\ud800";

  /** Rows of values as JDBC has them. */
  private static final class FakeRows implements PrintedRows {
    private final List<PrintedColumn> columns = new ArrayList<>();
    private final Iterator<@Nullable Object[]> rows;
    private @Nullable Object[] row = {};

    FakeRows(String names, @Nullable Object[]... rows) {
      this.rows = Arrays.asList(rows).iterator();
      int column = 0;
      for (String name : names.isEmpty() ? new String[0] : names.split(",")) {
        boolean numeric = rows.length > 0 && rows[0][column] instanceof Number;
        columns.add(new PrintedColumn(name, numeric ? "INTEGER" : "VARCHAR", numeric));
        column++;
      }
    }

    @Override
    public List<PrintedColumn> columns() {
      return columns;
    }

    @Override
    public boolean next() {
      boolean more = rows.hasNext();
      row = more ? rows.next() : row;
      return more;
    }

    @Override
    public @Nullable String text(int column) {
      Object value = row[column];
      return value == null ? null : value.toString();
    }

    @Override
    public @Nullable Object value(int column) {
      return row[column];
    }
  }

  private static @Nullable Object[] row(@Nullable Object... values) {
    return values;
  }

  private static String print(ResultFormat format, int width, boolean terminal, PrintedRows rows)
      throws Exception {
    StringWriter out = new StringWriter();
    ResultPrinter.print(rows, new PrintStyle(format, width, false, terminal), out);
    return out.toString();
  }

  private static String print(ResultFormat format, PrintedRows rows) throws Exception {
    return print(format, 0, false, rows);
  }

  @Test
  void numbersStandAtTheRightAndNullIsNotTheText() throws Exception {
    assertEquals(
        """
         n   | name
        -----+----------
           1 | NULL
         200 | 'NULL'
           3 | ''NULL''
           4 | null
           5 |
        (5 rows)
        """,
        print(
            ResultFormat.TABLE,
            new FakeRows(
                "n,name",
                row(1, null),
                row(200, "NULL"),
                row(3, "'NULL'"),
                row(4, "null"),
                row(5, ""))));
  }

  @Test
  void typesStandUnderTheNames() throws Exception {
    StringWriter out = new StringWriter();
    ResultPrinter.print(
        new FakeRows("n,name", row(1, "x")),
        new PrintStyle(ResultFormat.TABLE, 0, true, false),
        out);
    assertEquals(
        " n       | name\n INTEGER | VARCHAR\n---------+---------\n       1 | x\n(1 row)\n",
        out.toString());
  }

  @Test
  void tablesKeepWithinTheTerminal() throws Exception {
    @Nullable Object[] wide = new Object[40];
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < wide.length; i++) {
      wide[i] = i % 3 == 0 ? (Object) (i * 1001) : "value " + "日本語🎉".repeat(i);
      names.append(i == 0 ? "" : ",").append("column").append(i);
    }
    for (int width : new int[] {1, 5, 10, 20, 37, 80, 81, 200, 400, 100_000}) {
      for (int columns : new int[] {1, 2, 3, 7, 40}) {
        String list = String.join(",", Arrays.copyOf(names.toString().split(","), columns));
        String text =
            print(
                ResultFormat.TABLE,
                width,
                true,
                new FakeRows(list, Arrays.copyOf(wide, columns), Arrays.copyOf(wide, columns)));
        List<String> lines = text.lines().toList();
        assertEquals(5, lines.size(), text);
        for (String line : lines.subList(0, 4)) {
          int length = new AttributedString(line).columnLength();
          assertTrue(
              length <= Math.max(width, "---+---".length()), width + ": " + length + "\n" + text);
        }
        if (width == 100_000) {
          assertFalse(text.contains("…") || text.contains("shown"), text);
        }
        if (width == 80 && columns == 40) {
          assertTrue(lines.get(4).matches("\\(2 rows, \\d+ of 40 columns shown\\)"), text);
        }
      }
    }
  }

  @Test
  void whatIsPipedIsWhole() throws Exception {
    String huge = "x".repeat(3_000_000);
    String text = print(ResultFormat.TABLE, new FakeRows("a,b", row(huge, 1)));
    assertTrue(text.contains(huge), "cut");
    String cut = print(ResultFormat.TABLE, 30, true, new FakeRows("a,b", row(huge, "end")));
    assertTrue(cut.contains("xxx… | end"), cut);
    assertTrue(cut.length() < 200, cut);
  }

  @Test
  void wideCharactersTakeTwoColumns() throws Exception {
    String text =
        print(
            ResultFormat.TABLE,
            new FakeRows("t,n", row("日本", 1), row("ab", 2), row("e\u0301", 3), row("🎉x", 4)));
    assertEquals(
        " t    | n\n------+---\n 日本 | 1\n ab   | 2\n e\u0301    | 3\n 🎉x  | 4\n(4 rows)\n", text);
    assertEquals(
        " t\n-----\n 日…\n(1 row)\n",
        print(ResultFormat.TABLE, 5, true, new FakeRows("t", row("日本語"))));
  }

  @ParameterizedTest
  @EnumSource
  void controlCharactersDoNotReachTheTerminal(ResultFormat format) throws Exception {
    String text = print(format, 200, true, new FakeRows("na\u001bme,b", row(ESCAPES, ESCAPES)));
    String without = text.replace("\r\n", "\n");
    for (int i = 0; i < without.length(); i++) {
      char c = without.charAt(i);
      boolean layout = c == '\n' || c == '\t';
      assertTrue(layout || !DisplayText.isControl(c), format + ": " + (int) c + " in " + text);
    }
    assertTrue(format == ResultFormat.JSON || text.contains("red"), text);
  }

  @Test
  void valuesForProgramsAreAsTheyAre() throws Exception {
    String value = "\u001b[1m|\t\"x\\\r\n";
    assertEquals(
        "a\r\n\"\u001b[1m|\t\"\"x\\\r\n\"\r\n\r\n\"\"\r\n",
        print(ResultFormat.CSV, new FakeRows("a", row(value), row((Object) null), row(""))));
    assertEquals(
        "a\n\u001b[1m|\\t\"x\\\\\\r\\n\n\\N\n\n",
        print(ResultFormat.TSV, new FakeRows("a", row(value), row((Object) null), row(""))));
    assertEquals(
        "| a | b |\n|---|---|\n| \\x1b[1m\\|\\t\"x\\\\<br> | NULL |\n",
        print(ResultFormat.MARKDOWN, new FakeRows("a,b", row(value, null))));
    assertEquals(
        "| a |\n|---|\n| \\\\x00&lt;br><br>&amp;lt; & |\n",
        print(ResultFormat.MARKDOWN, new FakeRows("a", row("\\x00<br>\n&lt; &"))));
    assertEquals(
        "a\r\n\"\\N\"\r\n\" b\"\r\n",
        print(ResultFormat.CSV, new FakeRows("a", row("\\N"), row(" b"))));
    assertEquals(
        "[\n{\"a\":\"\\u001b[1m|\\t\\\"x\\\\\\r\\n\",\"b\":null},\n"
            + "{\"a\":\"🎉\\ud800\",\"b\":1.50}\n]\n",
        print(
            ResultFormat.JSON,
            new FakeRows("a,b", row(value, null), row("🎉\ud800", new BigDecimal("1.50")))));
    assertEquals(
        "{\"a\":\"NaN\",\"b\":true}\n",
        print(ResultFormat.JSONLINES, new FakeRows("a,b", row(Double.NaN, true))));
    assertEquals(
        "  x\n\n", print(ResultFormat.PLAIN, new FakeRows("a", row("  x  "), row((Object) null))));
  }

  @Test
  void noRowsAndNoColumns() throws Exception {
    assertEquals(" a | b\n---+---\n(0 rows)\n", print(ResultFormat.TABLE, new FakeRows("a,b")));
    assertEquals("\n\n(2 rows)\n", print(ResultFormat.TABLE, new FakeRows("", row(), row())));
    assertEquals("[]\n", print(ResultFormat.JSON, new FakeRows("a,b")));
    assertEquals("", print(ResultFormat.JSONLINES, new FakeRows("a,b")));
    assertEquals("a,b\r\n", print(ResultFormat.CSV, new FakeRows("a,b")));
    assertEquals("| a | b |\n|---|---|\n", print(ResultFormat.MARKDOWN, new FakeRows("a,b")));
    assertEquals("(0 rows)\n", print(ResultFormat.VERTICAL, new FakeRows("a,b")));
    for (ResultFormat format : ResultFormat.values()) {
      print(format, 10, true, new FakeRows(""));
      print(format, 10, true, new FakeRows("", row()));
    }
  }

  @Test
  void columnsBecomeWiderForLaterRows() throws Exception {
    @Nullable Object[][] rows = new @Nullable Object[2500][];
    Arrays.setAll(rows, i -> row(i, i < 2400 ? "ab" : "a longer text"));
    List<String> lines =
        print(ResultFormat.TABLE, 80, true, new FakeRows("n,t", rows)).lines().toList();
    assertEquals("   7 | ab", lines.get(2 + 7));
    assertEquals(" 1399 | ab", lines.get(2 + 1399));
    assertEquals(" 2400 | a longer text", lines.get(2 + 2400));
    assertEquals("(2500 rows)", lines.getLast());
    lines = print(ResultFormat.TABLE, 14, true, new FakeRows("n,t", rows)).lines().toList();
    assertEquals(" 2400 | a lo…", lines.get(2 + 2400));
  }

  @Test
  void verticalHasALineForEachColumn() throws Exception {
    assertEquals(
        "-[ row 1 ]-\na   | 1\nbcd | x\\ny\n(1 row)\n",
        print(ResultFormat.VERTICAL, 10, true, new FakeRows("a,bcd", row(1, "x\ny"))));
  }
}
