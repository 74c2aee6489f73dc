package io.aragonite.adapter.shell.terminal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.shell.ShellSettings;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sessions at a terminal that is a part of this process: keys are typed, the screen is read. */
@Timeout(120)
class InteractiveShellTest {
  private static final String CTRL_C = "\u0003";
  private static final String CTRL_D = "\u0004";
  private static final String UP = "\u0010"; // Ctrl-P: arrows depend on the keyboard's mode
  private static final long SECONDS = 15;

  /** A query that runs until it is cancelled. */
  private static final String ENDLESS =
      "select count(*) from lineitem a, lineitem b, lineitem c where a.l_comment < b.l_comment;";

  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private @TempDir Path folder;
  private LineDisciplineTerminal terminal;
  private FutureTask<Boolean> session;
  private InteractiveShell shell;
  private final ShellSettings settings = new ShellSettings();
  private int read;

  @BeforeEach
  void begin() throws Exception {
    terminal = new LineDisciplineTerminal("test", "xterm", screen, StandardCharsets.UTF_8);
    terminal.setSize(new Size(70, 24));
    settings.patience = Duration.ofHours(1);
    shell =
        new InteractiveShell(
            terminal, "jdbc:aragonite:tpch=0.01;threads=1", settings, folder.resolve("history"));
    Callable<Boolean> run = () -> shell.runSession(null);
    session = new FutureTask<>(run);
    Thread.ofPlatform().daemon().start(session);
    await("aragonite> ");
  }

  @AfterEach
  void end() throws Exception {
    if (!session.isDone()) {
      type(CTRL_C + CTRL_D);
      session.get(SECONDS, TimeUnit.SECONDS);
    }
    terminal.close();
  }

  private String text() {
    return screen
        .toString(StandardCharsets.UTF_8)
        .replaceAll("\u001b(\\[[?0-9;]*[a-zA-Z]|[=>])", "");
  }

  /** What has been printed since the last call, up to this text. */
  private String await(String wanted) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (true) {
      String text = text();
      int at = text.indexOf(wanted, read);
      if (at >= 0) {
        String found = text.substring(read, at + wanted.length());
        read = at + wanted.length();
        return found;
      }
      assertTrue(
          System.nanoTime() < end, () -> "no '" + wanted + "' in: " + text().substring(read));
      Thread.sleep(5);
    }
  }

  private void type(String keys) throws Exception {
    terminal.processInputBytes(keys.getBytes(StandardCharsets.UTF_8));
  }

  /** What a line prints. */
  private String run(String line) throws Exception {
    type(line + "\r");
    await("\n");
    return await("aragonite> ").replace("\r", "");
  }

  @Test
  void statementsErrorsAndTheEnd() throws Exception {
    String region = run("select * from region order by r_regionkey;");
    assertTrue(region.contains("           0 | AFRICA      | "), region);
    assertTrue(region.contains("…") && region.contains("(5 rows)"), region);
    region.lines().forEach(line -> assertTrue(line.length() <= 70, line));
    String wrong = run("select nosuch from region;");
    assertTrue(wrong.contains("AR-103") && wrong.contains("\n         ^\n"), wrong);
    type("select 1\r");
    await("...> ");
    type("as x, 'a;\r");
    await("...> ");
    String two = run("b' as y; select 2 as z;");
    assertTrue(two.contains(" | a;\\nb\n") && two.contains(" z\n"), two);
    assertTrue(run(".tabels").contains("did you mean .tables?"));
    assertTrue(run("!primarykeys region").contains(" r_reg"));
    assertTrue(run("help;").contains("!connect"));
    terminal.setSize(new Size(200, 24));
    assertFalse(run("select * from region;").contains("…"));
    type("exit;\r");
    assertTrue(session.get(SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void controlCClearsTheLineOrEndsTheQuery() throws Exception {
    type("select nosuch");
    await("select nosuch");
    type(CTRL_C);
    await("aragonite> ");
    assertTrue(run("select 1 as one;").contains("(1 row)"));
    terminal.setSize(new Size(200, 24));
    run("select 0 as zero;");
    settings.patience = Duration.ofMillis(100);
    type(ENDLESS + "\r");
    await("b.l_comment;");
    await("\n");
    await(" of 180,525 rows, ");
    type(CTRL_C);
    String cancelled = await("aragonite> ");
    assertTrue(cancelled.contains("AR-602") || cancelled.contains("cancelled"), cancelled);
    assertTrue(run("select 2 as two;").contains("(1 row)"));
    Path script = folder.resolve("long.sql");
    Files.writeString(script, ".continue on\n" + ENDLESS + "\nselect 3 as three;\n");
    type(".read " + script + "\r");
    await(" of 180,525 rows, ");
    type(CTRL_C);
    cancelled = await("aragonite> ");
    assertTrue(cancelled.contains("AR-602") && !cancelled.contains("three"), cancelled);
    assertTrue(run("select 4 as four;").contains("(1 row)"));
    type(CTRL_D);
    assertTrue(session.get(SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void linesAreKeptForLaterSessions() throws Exception {
    run("select 11 as eleven\r, 12 as twelve;");
    type("quit\r");
    session.get(SECONDS, TimeUnit.SECONDS);
    assertTrue(Files.readString(folder.resolve("history")).contains("eleven"));
    terminal.close();
    screen.reset();
    read = 0;
    begin();
    type(UP + UP);
    await("12 as twelve;");
    assertTrue(run("").contains(" eleven | twelve"));
  }

  /** The cursor is at the @; what is found is what the word there begins with. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "select o.o_orderk@|o.o_orderkey",
        "select l.l_shipi@|l.l_shipinstruct",
        "select x.o_orderk@ from orders x|x.o_orderkey",
        "select l.l_shipi@ from orders o join lineitem as l on true|l.l_shipinstruct",
        "select 1; select s.s_n@ from tpch.supplier s; select 2|s.s_name",
        "select n_reg@ from nation|n_regionkey",
        "select n_reg@|n_regionkey",
        "select * from regi@|region",
        "select * from orders, custo@|customer",
        "select * from orders where o_ord@|o_orderkey",
        "select * from tpch.regi@|tpch.region",
        "select tpch.region.r_comm@ from tpch.region|tpch.region.r_comment",
        "selec@|select",
        "SELEC@|SELECT",
        "select * from region whe@|where",
        "select string_a@|string_agg",
        "select SUBSTR@|SUBSTRING",
        ".sche@|.schema",
        "!sche@|!schema",
        ".schema suppl@|supplier",
        ".format jsonl@|jsonlines",
        ".timing o@|off",
        "select count(*) from 'FOLDER/fil@|'FOLDER/file one.csv'",
        "select c1@ from 'FOLDER/file one.csv'|c1_of_file",
        ".read FOLDER/scr@|script.sql",
      })
  void namesAreCompleted(String typed, String expected) throws Exception {
    Files.writeString(folder.resolve("file one.csv"), "c1_of_file,d\n1,2\n");
    Files.writeString(folder.resolve("script.sql"), "select 1;");
    String wanted = expected.replace("FOLDER", folder.toString());
    assertCompleted(typed.replace("FOLDER", folder.toString()), wanted);
  }

  private void assertCompleted(String line, String wanted) {
    int cursor = line.indexOf('@');
    LineReader reader = LineReaderBuilder.builder().terminal(terminal).build();
    ParsedLine parsed =
        new ShellLineParser().parse(line.replace("@", ""), cursor, Parser.ParseContext.COMPLETE);
    List<Candidate> candidates = new ArrayList<>();
    shell.completer().complete(reader, parsed, candidates);
    List<String> found =
        candidates.stream()
            .map(Candidate::value)
            .filter(value -> value.startsWith(parsed.word()))
            .toList();
    assertTrue(found.contains(wanted), () -> parsed.word() + ": " + found);
  }

  @Test
  void filesOfNamesInOtherCaseAreOthers() throws Exception {
    for (String name : List.of("one", "ONE")) {
      Path file = folder.resolve(name + ".csv");
      Files.writeString(file, "c_of_" + name + ",d\n1,2\n");
      assertCompleted("select c_of@ from '" + file + "'", "c_of_" + name);
    }
  }

  @Test
  void theTabKeyCompletes() throws Exception {
    assertTrue(run("select o.o_orderk\t from orders o limit 1;").contains(" o_orderkey\n"));
    assertTrue(run("selec\t n_nationk\t fro\t nati\t limit 1;").contains(" n_nationkey\n"));
    run("create table fresh_one as select 1 as fresh_column;");
    assertTrue(run("select * from fresh_o\t;").contains(" fresh_column"));
    assertTrue(run("select fresh_c\t from fresh_one;").contains(" fresh_column"));
  }
}
