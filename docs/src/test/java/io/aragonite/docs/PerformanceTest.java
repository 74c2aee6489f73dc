package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.cli.Main;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

/**
 * The tables of the page about performance are those of bench/results ({@link GeneratedTables}
 * renews them), and each file says where its figures come from.
 */
class PerformanceTest {
  private static final Path PAGE = Path.of("performance.md");
  private static final Path INDEX = PerformanceTables.FOLDER.resolve("README.md");

  @Test
  void theTablesAreThoseOfTheResults() throws IOException {
    Map<String, Results> results = PerformanceTables.results();
    Map<String, String> tables = new LinkedHashMap<>();
    for (String name : GeneratedTables.names(PAGE)) {
      List<Results> files = new ArrayList<>();
      for (String file : name.split(Pattern.quote(" + "))) {
        Results found = results.get(file);
        if (found == null) {
          throw new AssertionError("no bench/results/" + file + ".csv");
        }
        files.add(found);
      }
      tables.put(name, PerformanceTables.table(files));
    }
    assertTrue(tables.size() > 5, tables.keySet().toString());
    GeneratedTables.check(PAGE, tables);
  }

  @Test
  void theIndexHasAllResults() throws IOException {
    assertEquals(List.of("index"), GeneratedTables.names(INDEX));
    GeneratedTables.check(INDEX, Map.of("index", PerformanceTables.index()));
  }

  @Test
  void resultsSayWhereTheyComeFrom() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Results file : PerformanceTables.results().values()) {
      for (String key : List.of("what", "machine", "date", "command")) {
        if (file.fact(key).isEmpty()) {
          wrong.add(file.name() + ": no line \"# " + key + ": \"");
        }
      }
      LocalDate.parse(file.fact("date"));
      if (file.columns().stream().anyMatch(column -> file.heading(column).isEmpty())
          || !file.columns().containsAll(file.shown())) {
        wrong.add(file.name() + ": a column without heading, or none of the file");
      }
      if (file.rows().stream().anyMatch(row -> row.size() != file.columns().size())) {
        wrong.add(file.name() + ": a row has not as many cells as there are columns");
      }
      if (file.facts().keySet().stream().anyMatch(key -> unknown(file, key))) {
        wrong.add(file.name() + ": unknown keys in " + file.facts().keySet());
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static boolean unknown(Results file, String key) {
    return !List.of("what", "machine", "date", "command", "note", "page", "rows").contains(key)
        && !(key.startsWith("column ") && file.columns().contains(key.substring(7)));
  }

  @Test
  void commandsAreUnderstood() throws IOException {
    List<String> wrong = new ArrayList<>();
    int seen = 0;
    for (Results file : PerformanceTables.results().values()) {
      for (String command : file.all("command")) {
        if (command.startsWith("./aragonite ")) {
          seen++;
          try {
            Main.commandLine().parseArgs(PagesTest.words(command.substring(12)));
          } catch (ParameterException e) {
            wrong.add(file.name() + ": " + command + ": " + e.getMessage());
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(seen > 10, "only " + seen + " commands found");
  }
}
