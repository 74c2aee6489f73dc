package io.aragonite.adapter.shell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.QueryProgress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scripts and commands, without a terminal. */
class ShellSessionTest {
  private static Connection connection;
  private @TempDir Path folder;
  private final ShellSettings settings = new ShellSettings();

  @BeforeAll
  static void open() throws Exception {
    connection = DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=1");
  }

  @AfterAll
  static void close() throws Exception {
    connection.close();
  }

  /** What a script printed. */
  private record Ran(boolean good, String out, String err) {}

  private Ran run(String script) throws Exception {
    return run(script, "test.sql");
  }

  private Ran run(String script, String name) throws Exception {
    return run(script, name, new StringWriter(), ShellScreen.NONE);
  }

  private Ran run(String script, String name, Writer out, ShellScreen screen) throws Exception {
    StringWriter err = new StringWriter();
    boolean good;
    try (ShellSession session =
        new ShellSession(
            () -> connection, settings, screen, new PrintWriter(out), new PrintWriter(err))) {
      good = session.script(new StringReader(script), name);
      if (good || settings.goOn) {
        session.output(null);
      }
    }
    return new Ran(good, out.toString(), err.toString());
  }

  @Test
  void scriptsEndAtTheirFirstErrorUnlessToldToGoOn() throws Exception {
    String script = "select 1 as a;\nselect\n nosuch from region;\nselect 2 as b;";
    Ran ran = run(script);
    assertFalse(ran.good);
    assertTrue(ran.out.contains(" a\n") && !ran.out.contains(" b\n"), ran.out);
    List<String> lines = ran.err.lines().toList();
    assertTrue(lines.get(0).startsWith("aragonite: AR-103 (USER): "), ran.err);
    assertEquals("  test.sql:3 |  nosuch from region", lines.get(1));
    assertEquals("                ^", lines.get(2));
    settings.goOn = true;
    ran = run(script);
    assertFalse(ran.good);
    assertTrue(ran.out.contains(" a\n") && ran.out.contains(" b\n"), ran.out);
    settings.goOn = false;
    assertTrue(run(".continue on\n" + script).out.contains(" b\n"));
  }

  @Test
  void wordsAndCommandsEndAScript() throws Exception {
    for (String end : List.of("exit;", "quit;", "QUIT", ".exit", "!quit", ".q")) {
      Ran ran = run("select 1 as a;\n" + end + "\nselect 2 as b;");
      assertTrue(ran.good && !ran.out.contains(" b\n"), ran.out + ran.err);
    }
    for (String help : List.of("help;", ".help", "!help", "help")) {
      assertTrue(run(help).out.contains(".tables"), help);
    }
    assertTrue(run(".help read").out.startsWith(".read FILE"));
  }

  @ParameterizedTest
  @CsvSource({
    ".tabels, .tables",
    "!scheme, .schema",
    ".outptu x, .output",
    ".form csv, .format",
    ".xyzxyz, .help",
    ".help tabels, .tables",
    ".format jsn, json",
    ".timing maybe, on or off",
    ".width wide, auto",
    ".read, wants the name",
    ".schema regoin, region",
    ".read /nowhere/x.sql, /nowhere/x.sql",
    ".output /nowhere/x.csv, /nowhere"
  })
  void wrongCommandsNameTheWayOut(String command, String part) throws Exception {
    Ran ran = run(command);
    assertFalse(ran.good);
    assertTrue(ran.err.matches("aragonite: AR-\\d+ \\(USER\\): .*\n"), ran.err);
    assertTrue(ran.err.contains(part), ran.err);
  }

  @Test
  void tablesAndTheirColumns() throws Exception {
    Ran ran = run(".tables part");
    assertEquals(
        " schema | name     | type\n--------+----------+-------\n tpch   | part     | TABLE\n"
            + " tpch   | partsupp | TABLE\n(2 rows)\n",
        ran.out);
    assertTrue(run("!tables r*").out.contains("(1 row)"));
    assertEquals(
        "CREATE TABLE tpch.partsupp (\n  ps_partkey BIGINT NOT NULL,\n"
            + "  ps_suppkey BIGINT NOT NULL,\n  ps_availqty INTEGER NOT NULL,\n"
            + "  ps_supplycost DECIMAL(15, 2) NOT NULL,\n  ps_comment VARCHAR NOT NULL\n);\n",
        run(".schema tpch.PARTSUPP").out);
    assertEquals(8, run(".schema").out.split("CREATE TABLE").length - 1);
  }

  @Test
  void formatsTypesAndTimes() throws Exception {
    String query = "select r_regionkey as k from region where r_regionkey < 1;\n";
    assertEquals("k\r\n0\r\n", run(".format csv\n" + query).out);
    assertEquals("[\n{\"k\":0}\n]\n", run(".mode json\n" + query).out);
    assertEquals("csv\n", run(".format CSV\n.format").out);
    settings.format = null;
    assertEquals(" k\n BIGINT\n--------\n      0\n(1 row)\n", run(".types on\n" + query).out);
    Ran timed = run(".timing\n" + query + "!timing off\n" + query);
    assertEquals(1, timed.out.lines().filter(line -> line.startsWith("Time: ")).count());
    Ran csv = run(".format csv\n.timing on\n" + query);
    assertEquals("k\r\n0\r\n", csv.out);
    assertTrue(csv.err.startsWith("Time: "), csv.err);
    settings.format = null;
    Path file = folder.resolve("timed.txt");
    Ran filed = run(".output " + file + "\n.timing on\n" + query);
    assertTrue(filed.err.startsWith("Time: "), filed.err);
    assertTrue(Files.readString(file).endsWith("(1 row)\n"));
  }

  @Test
  void widthIsTheUsers() throws Exception {
    Ran ran = run(".width 20\nselect r_comment from region limit 1;\n");
    assertEquals(20, ran.out.lines().findFirst().orElse("").length() + 20 - " r_comment".length());
    ran.out.lines().forEach(line -> assertTrue(line.length() <= 20, line));
    assertTrue(ran.out.contains("…"), ran.out);
    assertFalse(run(".width 0\nselect r_comment from region limit 1;\n").out.contains("…"));
  }

  @Test
  void resultsGoToFilesThatAreThereWhenTheyAreComplete() throws Exception {
    Path csv = folder.resolve("r.csv");
    Path parquet = folder.resolve("r.parquet");
    Ran ran =
        run(
            """
            .output %s
            select 1 as a;
            select 2 as b;
            .output '%s'
            select r_regionkey from region; -- all
            .output
            select count(*) as n from '%s';
            """
                .formatted(csv, parquet, parquet));
    assertTrue(ran.good, ran.err);
    assertEquals("a\r\n1\r\nb\r\n2\r\n", Files.readString(csv));
    assertTrue(ran.out.contains("5"), ran.out);
    assertEquals(List.of("r.csv", "r.parquet"), names());
    Ran failed = run(".output " + csv + "\nselect 7;\nselect nosuch;\n");
    assertFalse(failed.good);
    assertEquals("a\r\n1\r\nb\r\n2\r\n", Files.readString(csv));
    assertEquals(List.of("r.csv", "r.parquet"), names());
  }

  @Test
  void whatAFileHasNoRoomForIsRefused() throws Exception {
    settings.goOn = true;
    Path text = folder.resolve("f.txt");
    Ran ran =
        run(
            ".output %s\nselect 1 as a;\n.format parquet\nselect 2 as b;\n.format table\nselect 3 as c;"
                .formatted(text));
    assertTrue(ran.err.contains("AR-407") && ran.err.lines().count() == 1, ran.err);
    String tables = Files.readString(text);
    assertTrue(tables.contains(" a\n") && tables.contains(" c\n"), tables);
    Path parquet = folder.resolve("x.parquet");
    settings.format = null;
    ran =
        run(
            """
            .output %s
            select nosuch;
            select 1 as a;
            .format csv
            select 2 as b;
            .output
            select * from '%s';
            """
                .formatted(parquet, parquet));
    assertEquals("a\r\n1\r\n", ran.out, ran.err);
    assertTrue(ran.err.contains("AR-103") && ran.err.contains("one result already"), ran.err);
    Path json = folder.resolve("two.json");
    settings.format = null;
    ran = run(".output " + json + "\nselect 1 as a;\nselect 2 as b;");
    assertTrue(ran.err.contains("one result already"), ran.err);
    assertEquals("[\n{\"a\":1}\n]\n", Files.readString(json));
    assertEquals(List.of("f.txt", "two.json", "x.parquet"), names());
  }

  @Test
  void aCopyIsThereWhenTheScriptIs() throws Exception {
    Path parquet = folder.resolve("x.parquet");
    assertTrue(run(".output " + parquet + "\nselect 1 as a;").good);
    byte[] before = Files.readAllBytes(parquet);
    assertFalse(run(".output " + parquet + "\nselect 2 as b;\nselect nosuch;").good);
    assertArrayEquals(before, Files.readAllBytes(parquet));
    Path longest = folder.resolve("x".repeat(240) + ".parquet");
    Ran named = run(".output " + longest + "\nselect 1 as a;");
    assertTrue(named.good, named.err);
    Files.delete(longest);
    Ran none = run(".output " + parquet);
    assertTrue(none.good && none.err.contains("is not written"), none.err);
    assertArrayEquals(before, Files.readAllBytes(parquet));
    assertEquals(List.of("x.parquet"), names());
    settings.format = ResultFormat.PARQUET;
    Ran device = run(".output /dev/null\nselect 1 as a;");
    assertTrue(device.err.contains("AR-407") && device.err.contains("/dev/null"), device.err);
    assertFalse(Files.isRegularFile(Path.of("/dev/null")));
  }

  /** What takes a few characters and no more. */
  private static final class FullWriter extends Writer {
    private int room = 100_000;

    @Override
    public void write(char[] text, int from, int length) throws IOException {
      room -= length;
      if (room < 0) {
        throw new IOException("full");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void resultsThatCannotBeWrittenEndTheSession() throws Exception {
    settings.goOn = true;
    settings.format = ResultFormat.CSV;
    String script = "select l_comment from lineitem;\nselect nosuch;";
    Ran full = run(script, "", new FullWriter(), ShellScreen.NONE);
    assertFalse(full.good);
    assertTrue(full.err.startsWith("aragonite: AR-311 (USER): "), full.err);
    assertEquals(1, full.err.lines().count(), full.err);
    Ran left = run(script, "", new FullWriter(), new ShellScreen(false, false, () -> 0, true));
    assertFalse(left.good);
    assertEquals("", left.err);
    settings.goOn = false;
    if (Files.exists(Path.of("/dev/full"))) {
      Ran device = run(".output /dev/full\nselect 1 as a;");
      assertTrue(device.err.contains("AR-311") && device.err.contains("/dev/full"), device.err);
    }
  }

  @Test
  void lineEndsWithinQuotesAreKept() throws Exception {
    settings.format = ResultFormat.CSV;
    Ran ran = run("select length('a\r\nb') as n, -- two\r\n length('c\rd') as m;\r\n.format\r\n");
    assertEquals("n,m\r\n4,3\r\ncsv\n", ran.out, ran.err);
  }

  @Test
  void aTextThatStandsForNullIsReadBack() throws Exception {
    Path csv = folder.resolve("t.csv");
    Ran ran =
        run(
            """
            .output %s
            select '\\N' as a, ' b ' as b, x'00ff' as c;
            .output
            .format csv
            select a, length(b) as b, c from '%s';
            """
                .formatted(csv, csv));
    assertEquals("a,b,c\r\n\"\\N\",3,00ff\r\n", ran.out, ran.err);
    run("copy (select x'00ff' as c) to '" + folder.resolve("c.csv") + "';");
    assertEquals("c\n00ff\n", Files.readString(folder.resolve("c.csv")));
  }

  @Test
  void arraysMapsAndRowsAreNestedInJson() throws Exception {
    settings.format = ResultFormat.JSONLINES;
    Ran ran =
        run(
            "select array[1, 2] as x, map['k', array['v']] as y, row(1, 'b') as x,"
                + " array[date '2020-01-02', null] as x_2, cast(null as int array) as n;");
    assertEquals(
        "{\"x\":[1,2],\"y\":{\"k\":[\"v\"]},\"x_3\":[1,\"b\"],\"x_2\":[\"2020-01-02\",null],\"n\":null}\n",
        ran.out,
        ran.err);
  }

  private List<String> names() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void parquetIsForQueriesAndFiles() throws Exception {
    settings.format = ResultFormat.PARQUET;
    Ran nowhere = run("select 1 as a");
    assertTrue(nowhere.err.contains("AR-407") && nowhere.err.contains("-o FILE"), nowhere.err);
    String output = ".output " + folder.resolve("x") + "\n";
    Ran second = run(output + "select 1 as a; select 2 as a;");
    assertTrue(second.err.contains("one result already"), second.err);
    Ran plan = run(".output " + folder.resolve("y") + "\nexplain select 1 as a;");
    assertTrue(plan.err.contains("AR-407") && plan.err.contains("parquet"), plan.err);
    Ran wrong = run(".output " + folder.resolve("z") + "\n  select\n nosuch from region;");
    assertTrue(wrong.err.contains("(line 2, column 2)"), wrong.err);
    assertTrue(wrong.err.contains("test.sql:3 |  nosuch"), wrong.err);
    String blanks = " ".repeat(50_000) + "/* */(";
    Ran deep = run(".output " + folder.resolve("x") + "\n" + blanks + "select 1 as a);");
    assertTrue(deep.good, deep.err);
    Ran unwrapped =
        run(".output " + folder.resolve("z") + "\nexplain\n select nosuch from region;");
    assertTrue(unwrapped.err.contains("test.sql:3 |  select nosuch"), unwrapped.err);
    assertEquals(List.of("x"), names());
  }

  @Test
  void scriptsReadScripts() throws Exception {
    Path inner = folder.resolve("inner.sql");
    Files.writeString(inner, "select 'inner' as which;\nselect nosuch;\n");
    Ran ran = run(".read " + inner + "\nselect 'outer' as which;");
    assertFalse(ran.good);
    assertTrue(ran.out.contains("inner") && !ran.out.contains("outer"), ran.out);
    assertTrue(ran.err.contains("inner.sql:2 | select nosuch"), ran.err);
    Files.writeString(inner, ".read " + inner + "\n");
    Ran endless = run(".read " + inner);
    assertTrue(endless.err.contains("AR-407") && endless.err.contains("read itself"), endless.err);
  }

  @Test
  void theCaretStandsUnderThePlace() throws Exception {
    String many = "1, ".repeat(100);
    Ran ran = run("select " + many + "nosuch, " + many + "1 from region", "");
    List<String> lines = ran.err.lines().toList();
    assertTrue(lines.get(1).length() <= 100, lines.get(1));
    assertEquals(lines.get(1).indexOf("nosuch"), lines.get(2).indexOf('^'), ran.err);
    Ran wide = run("select '日本語🎉\t', nosuch from region", "");
    lines = wide.err.lines().toList();
    String before = lines.get(1).substring(0, lines.get(1).indexOf("nosuch"));
    assertEquals(DisplayText.width(before), lines.get(2).indexOf('^'), wide.err);
    Ran control = run("select '\u001b[2J' || nosuch from region", "");
    assertFalse(control.err.contains("\u001b"), control.err);
    assertTrue(control.err.contains("\\x1b[2J"), control.err);
  }

  @Test
  void analyzedStatementsKeepTheirPlaces() throws Exception {
    settings.analyze = true;
    assertTrue(run("select count(*) from nation").out.contains("actual: 1 rows"));
    Ran ran = run("select nosuch from nation");
    assertTrue(ran.err.contains("(line 1, column 8)"), ran.err);
  }

  @Test
  void whatIsReadIsCounted() throws Exception {
    Path file = folder.resolve("l.parquet");
    try (Connection own = DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2");
        Statement statement = own.createStatement()) {
      statement.execute("copy lineitem to '" + file + "'");
      try (ResultSet rows =
          statement.executeQuery("select sum(l_quantity), max(l_comment) from '" + file + "'")) {
        rows.next();
        QueryProgress progress = statement.unwrap(QueryProgress.class);
        assertTrue(progress.parts() > 0 && progress.bytes() > 100_000, progress::toString);
        assertEquals(progress.expectedParts(), progress.parts());
        assertEquals(progress.expectedBytes(), progress.bytes());
        assertEquals(60175, progress.rows());
        assertEquals(60175, progress.expectedRows());
        assertEquals(1, progress.share());
      }
    }
    assertEquals(
        "[############............]  50 %, 1.0 KB of 2.0 KB read, 1 of 9 rows, 1.5 s",
        text(new QueryProgress(1, 2, 1024, 2048, 1, 9), 1_500_000_000));
    assertEquals(
        "[########................]  33 %, 1 of 3 parts read, 2.0 s",
        text(new QueryProgress(1, 3, 0, 0, 0, 0), 2_000_000_000));
    assertEquals("0.1 s", ProgressDisplay.text(null, -1, 100_000_000));
  }

  private static String text(QueryProgress progress, long nanos) {
    return ProgressDisplay.text(progress, progress.share(), nanos);
  }

  @Test
  void whatIsNotReadAgainIsNotWaitedFor() throws Exception {
    StringBuilder query =
        new StringBuilder("with t0 as (select l_linenumber as k, 1 as q from lineitem group by 1)");
    for (int i = 1; i <= 4; i++) {
      query.append(
          ", t%d as (select a.k, sum(a.q + b.q) as q from t%d a join t%d b on a.k = b.k group by 1)"
              .formatted(i, i - 1, i - 1));
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query + " select count(*) from t4")) {
      rows.next();
      QueryProgress progress = statement.unwrap(QueryProgress.class);
      assertEquals(60175, progress.rows());
      assertEquals(60175, progress.expectedRows());
    }
  }
}
