package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tables that pages have between two markers: {@code <!-- generated: NAME -->} and {@code <!-- end
 * -->}, each on a line of its own. To write the tables of all pages anew: {@code mvn -o -q -Dfast
 * -pl docs -am test -Dtest=ReferenceTest,PerformanceTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Daragonite.docs.write=true}.
 */
final class GeneratedTables {
  private static final Pattern MARKER =
      Pattern.compile("^<!-- generated: (.*) -->$", Pattern.MULTILINE);
  private static final String END = "<!-- end -->";

  private GeneratedTables() {}

  /** The names of the tables that the page has a place for, in its order. */
  static List<String> names(Path page) throws IOException {
    List<String> names = new ArrayList<>();
    Matcher marker = MARKER.matcher(Files.readString(page));
    while (marker.find()) {
      names.add(marker.group(1));
    }
    return names;
  }

  /**
   * Fails if the page lacks a place for one of the tables, or has another text there. With {@code
   * -Daragonite.docs.write=true} the tables are written instead.
   */
  static void check(Path page, Map<String, String> tables) throws IOException {
    String text = Files.readString(page);
    String fresh = text;
    for (Map.Entry<String, String> table : tables.entrySet()) {
      String begin = "<!-- generated: " + table.getKey() + " -->\n";
      int from = fresh.indexOf(begin);
      int to = fresh.indexOf(END, from);
      assertTrue(from >= 0 && to > from, page + " has no place for " + begin);
      fresh = fresh.substring(0, from) + begin + table.getValue() + fresh.substring(to);
    }
    if (Boolean.getBoolean("aragonite.docs.write")) {
      Files.writeString(page, fresh);
    } else {
      assertEquals(fresh, text, page + " is stale; GeneratedTables says how to renew it");
    }
  }
}
