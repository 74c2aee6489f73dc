package io.aragonite.adapter.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.UserFile;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import picocli.CommandLine;

class CommandsTest {
  /** What a command printed, and its exit status. */
  private record Ran(int status, String out, String err) {}

  private static Ran run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    int status = command.execute(arguments);
    return new Ran(status, out.toString(), err.toString());
  }

  @Test
  void aHashIsThatOfThePassword() throws Exception {
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream("pa ss wörd\nmore\n".getBytes(UTF_8)));
      Ran ran = run("hash-password");
      assertEquals(0, ran.status, ran.err);
      Path users = Files.createTempFile("users", "");
      try {
        Files.writeString(users, "ann: " + ran.out);
        UserFile file = new UserFile(users);
        assertTrue(ran.out.startsWith("$2") && !ran.out.contains("pa ss"), ran.out);
        assertTrue(file.knows("ann", "pa ss wörd"));
        assertFalse(file.knows("ann", "pa ss word"));
      } finally {
        Files.delete(users);
      }
      System.setIn(new ByteArrayInputStream(new byte[0]));
      assertCoded(run("hash-password"), 1, "AR-407", "no password");
      System.setIn(new ByteArrayInputStream("x".repeat(73).getBytes(UTF_8)));
      assertCoded(run("hash-password"), 1, "AR-407", "72");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void tableOfRows() {
    Ran ran = run("sql", "select r_regionkey, r_name from region where r_regionkey < 2 order by 1");
    assertEquals(0, ran.status, ran.err);
    assertEquals(
        """
         r_regionkey | r_name
        -------------+---------
                   0 | AFRICA
                   1 | AMERICA
        (2 rows)
        """,
        ran.out.lines().map(String::stripTrailing).reduce("", (a, b) -> a + b + "\n"));
  }

  @Test
  void csvAndJson() {
    String sql =
        "select * from (values (1, 'a,\"b'), (2, cast(null as varchar(3)))) as t(x, y) order by x";
    assertEquals("x,y\r\n1,\"a,\"\"b\"\r\n2,\r\n", run("sql", "--format", "csv", sql).out);
    String first = "{\"x\":1,\"y\":\"a,\\\"b\"}";
    String second = "{\"x\":2,\"y\":null}";
    assertEquals(first + "\n" + second + "\n", run("sql", "--format", "jsonlines", sql).out);
    assertEquals("[\n" + first + ",\n" + second + "\n]\n", run("sql", "--format", "json", sql).out);
  }

  @Test
  void severalStatementsFromAFile(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("some.sql");
    Files.writeString(file, "select 1 as \"a;b\"; -- done;\n select ';' as c;");
    Ran ran = run("sql", "--file", file.toString(), "--format=csv");
    assertEquals("a;b\r\n1\r\nc\r\n;\r\n", ran.out, ran.err);
  }

  @Test
  void statementsThatWriteSayHowManyRows(@TempDir Path folder) {
    String sql =
        """
        create table t (i int);
        insert into t select r_regionkey from region;
        copy t to '%s/t.csv';
        select sum(i) as total from t
        """
            .formatted(folder);
    Ran ran = run("sql", sql);
    assertEquals(0, ran.status, ran.err);
    assertTrue(ran.out.startsWith("5 rows written\n5 rows written\n"), ran.out);
    assertTrue(ran.out.contains("10"), ran.out);
    assertCoded(run("sql", sql.replace("t.csv", "t.xml")), 1, "AR-205", "t.xml", "format");
  }

  @Test
  void aScriptOnStandardInput() {
    InputStream before = System.in;
    String script = "select 1 as x;\nselect nosuch;\nselect 2 as x;";
    try {
      System.setIn(new ByteArrayInputStream(script.getBytes(StandardCharsets.UTF_8)));
      Ran ran = run("sql", "--format=csv");
      assertEquals(1, ran.status);
      assertEquals("x\r\n1\r\n", ran.out, ran.err);
      assertTrue(ran.err.contains("stdin:2 | select nosuch"), ran.err);
      System.setIn(new ByteArrayInputStream(script.getBytes(StandardCharsets.UTF_8)));
      ran = run("shell", "-c", "--outputformat=csv", "-");
      assertEquals(1, ran.status);
      assertEquals("x\r\n1\r\nx\r\n2\r\n", ran.out, ran.err);
      System.setIn(new ByteArrayInputStream(script.getBytes(StandardCharsets.UTF_8)));
      ran = run("sql", "--format=csv", "-e", "select nosuch", "-");
      assertEquals("", ran.out, ran.err);
      System.setIn(new ByteArrayInputStream(new byte[0]));
      assertEquals(0, run("sql").status);
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void severalExecutesAndAFileOfResults(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("r.jsonl");
    Ran ran = run("shell", "-o", file.toString(), "-e", "select 1 as x", "-e", "select 2 as x");
    assertEquals(0, ran.status, ran.err);
    assertEquals("{\"x\":1}\n{\"x\":2}\n", Files.readString(file));
    assertEquals(1, run("sql", "-o", file.toString(), "select 3 as x; select nosuch").status);
    assertEquals("{\"x\":1}\n{\"x\":2}\n", Files.readString(file));
    Path parquet = folder.resolve("r.parquet");
    assertEquals(0, run("sql", "-o", parquet.toString(), "select * from region").status);
    assertEquals(
        "n\r\n5\r\n",
        run("sql", "--format=csv", "select count(*) as n from '" + parquet + "'").out);
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(2, files.count());
    }
  }

  @Test
  void analyzeShowsThePlan() {
    Ran ran = run("sql", "--analyze", "select count(*) from nation");
    assertEquals(0, ran.status, ran.err);
    assertTrue(ran.out.contains("UngroupedAggregate [cpu]"), ran.out);
    assertTrue(ran.out.contains("actual: 1 rows"), ran.out);
  }

  /** A box for each node of the plan, with its time and its rows; the picture is well-formed. */
  @Test
  void analyzeDrawsThePlan(@TempDir Path folder) throws Exception {
    Path picture = folder.resolve("plan.svg");
    String sql =
        "select n_name, count(*) from nation join region on n_regionkey = r_regionkey"
            + " where r_name <> '<&>' group by n_name";
    Ran ran = run("sql", "--analyze", "--svg=" + picture, sql);
    assertEquals(0, ran.status, ran.err);
    Document svg =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(picture.toFile());
    NodeList boxes = svg.getElementsByTagName("g");
    Ran text = run("sql", "--analyze", sql);
    long nodes = text.out.lines().filter(line -> line.matches(" *\\w+ \\[cpu\\].*")).count();
    assertEquals(nodes, boxes.getLength(), text.out);
    for (int i = 0; i < boxes.getLength(); i++) {
      String box = boxes.item(i).getTextContent();
      assertTrue(box.contains("of the time") || box.contains("not timed by itself"), box);
      assertTrue(box.matches("(?s).*rows: .*estimated.*"), box);
    }
    assertTrue(svg.getDocumentElement().getTextContent().contains("25 rows in "), ran.out);
  }

  @Test
  void connectionOptions() {
    assertEquals(0, run("sql", "--threads=1", "-Plex=MYSQL", "select 1 as `x`").status);
    assertEquals(
        0, run("sql", "--url", "jdbc:aragonite:tpch=0.01", "select count(*) from region").status);
    Ran wrong = run("sql", "-Ptreads=1", "select 1 + 1");
    assertEquals(1, wrong.status);
    assertTrue(wrong.err.contains("AR-401") && wrong.err.contains("'threads'"), wrong.err);
  }

  @Test
  void tablesThatAreNamedTakeTheDefaultsPlace(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("pets.csv"), "id\n1\n");
    for (String option : List.of("-Pdirectory=" + folder, "-PDirectory=" + folder)) {
      Ran ran = run("sql", "--format=csv", option, "select count(*) from pets");
      assertEquals(0, ran.status, ran.err);
      ran = run("sql", option, "select count(*) from lineitem");
      assertTrue(ran.err.contains("AR-102"), ran.err);
    }
    Ran scale = run("sql", "--format=csv", "-Ptpch=0.02", "select count(*) from supplier");
    assertEquals("count(*)\r\n200\r\n", scale.out, scale.err);
    Ran stronger = run("sql", "--format=csv", "-Ptpch=9", "--tpch=0.02", "select 1 as x");
    assertEquals("x\r\n1\r\n", stronger.out, stronger.err);
  }

  @Test
  void aUrlMeansWhatItSays() {
    for (String url : List.of("jdbc:aragonite:", "jdbc:aragonite:threads=1")) {
      Ran ran = run("sql", "--format=csv", "--url", url, "select 1 as x");
      assertEquals("x\r\n1\r\n", ran.out, ran.err);
      ran = run("sql", "--url", url, "select count(*) from lineitem");
      assertTrue(ran.err.contains("AR-102"), ran.err);
    }
    Ran other = run("sql", "--url", "jdbc:other:x", "select 1");
    assertTrue(other.err.contains("AR-402") && other.err.contains("jdbc:other:x"), other.err);
  }

  @Test
  void theScaleToCheckAgainstIsTheConnections() {
    Ran ran = run("tpch", "--tpch=0.01", "--check", "--queries=6");
    assertTrue(ran.out.contains("1 of 1 right"), ran.out + ran.err);
    Ran two = run("tpch", "--tpch=0.01", "--scale=0.1", "--queries=6");
    assertEquals(2, two.status);
    assertTrue(two.err.contains("--scale is 0.1"), two.err);
  }

  @Test
  void queryStreams() {
    Ran ran = run("tpch", "--check", "--queries=6,14", "--streams=3");
    assertEquals(0, ran.status, ran.out + ran.err);
    assertTrue(ran.out.contains("3 streams, 18 queries run, 18 right"), ran.out);
    assertCoded(run("tpch", "--streams=41"), 2, "AR-407", "--streams", "41", "1 to 40");
    assertCoded(run("tpch", "--streams=0"), 2, "AR-407", "--streams");
  }

  @Test
  void errorsOfCommandsHaveCodes(@TempDir Path folder) throws Exception {
    String missing = folder.resolve("none.sql").toString();
    assertCoded(run("sql", "--file", missing), 1, "AR-311", missing, "there is no such file");
    assertCoded(run("shell", "--file", missing), 1, "AR-311", missing, "there is no such file");
    Path latin = folder.resolve("latin.sql");
    Files.write(latin, new byte[] {'s', (byte) 0xE9});
    assertCoded(run("sql", "--file", latin.toString()), 1, "AR-311", "latin.sql", "UTF-8");
    assertCoded(run("calibrate", "--memory=lots"), 2, "AR-407", "--memory", "lots", "8GB");
    assertCoded(run("serve", "--max-query-time=soon"), 2, "AR-407", "soon", "5min");
    assertCoded(run("serve", "--users", missing), 1, "AR-404", missing);
    assertCoded(run("sql", "--fromat=csv", "select 1"), 2, "AR-407", "--fromat");
    assertCoded(run("sql", "--memory=lots", "select 1"), 1, "AR-402", "memory=lots");
    assertCoded(run("sql", ""), 2, "AR-407", "aragonite sql --help");
    assertCoded(run("sqll"), 2, "AR-407", "sqll");
    Ran tpch = run("tpch", "--queries=1", "--timeout=1ms");
    assertTrue(tpch.out.contains("AR-603"), tpch.out + tpch.err);
  }

  private static void assertCoded(Ran ran, int status, String code, String... parts) {
    assertEquals(status, ran.status, ran.err);
    assertTrue(ran.err.startsWith("aragonite: " + code + " ("), ran.err);
    assertFalse(ran.err.contains("Exception"), ran.err);
    for (String part : parts) {
      assertTrue(ran.err.contains(part), ran.err + " lacks " + part);
    }
  }

  @Test
  void errorsAreOneLineAndThePlace() {
    Ran ran = run("sql", "select *\n from lineitm");
    assertEquals(1, ran.status);
    List<String> lines = ran.err.lines().toList();
    assertEquals(3, lines.size(), ran.err);
    assertTrue(lines.getFirst().startsWith("aragonite: AR-102 (USER): "), ran.err);
    assertEquals(List.of("   from lineitm", "        ^"), lines.subList(1, 3));
    assertFalse(ran.err.contains("Exception"), ran.err);
  }

  @Test
  void usageErrors() {
    assertEquals(2, run("sql", "-- nothing").status);
    assertEquals(2, run("sql", "--format=xml", "select 1").status);
    assertEquals(2, run("nosuch").status);
    assertEquals(2, run("serve", "--max-query-time=soon").status);
    assertEquals(2, run("tpch", "--queries=23").status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql", "shell", "serve", "tpch", "doctor", "calibrate"})
  void everyCommandHasHelp(String name) {
    Ran ran = run(name, "--help");
    assertEquals(0, ran.status);
    assertTrue(ran.out.startsWith("Usage: aragonite " + name), ran.out);
  }

  @Test
  void tpchChecks() {
    Ran ran = run("tpch", "--scale=0.01", "--check", "--fallback=off", "--device=cpu");
    assertEquals(0, ran.status, ran.out + ran.err);
    assertTrue(ran.out.contains("22 of 22 right"), ran.out);
  }

  @Test
  void doctorFindsNothingWrong() {
    Ran ran = run("doctor");
    assertEquals(0, ran.status, ran.out + ran.err);
    assertTrue(ran.out.contains("a query ran"), ran.out);
  }

  @Test
  void serveRefusesOtherAddresses() {
    Ran ran = run("serve", "--host=0.0.0.0", "--port=0");
    assertEquals(1, ran.status);
    assertTrue(ran.err.contains("AR-404"), ran.err);
  }
}
