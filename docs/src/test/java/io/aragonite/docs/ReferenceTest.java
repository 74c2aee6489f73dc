package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The tables of the reference are those of the code. To write them anew: {@code mvn -o -q -Dfast
 * -pl docs -am test -Dtest=ReferenceTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Daragonite.docs.write=true}.
 */
class ReferenceTest {
  private static final Path PAGE = Path.of("reference.md");

  @Test
  void theTablesAreThoseOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    String fresh = page;
    for (Map.Entry<String, String> table : ReferenceTables.all().entrySet()) {
      String begin = "<!-- generated: " + table.getKey() + " -->\n";
      int from = fresh.indexOf(begin);
      int to = fresh.indexOf("<!-- end -->", from);
      assertTrue(from >= 0 && to > from, "docs/reference.md has no place for " + begin);
      fresh = fresh.substring(0, from) + begin + table.getValue() + fresh.substring(to);
    }
    if (Boolean.getBoolean("aragonite.docs.write")) {
      Files.writeString(PAGE, fresh);
    } else {
      assertEquals(fresh, page, "docs/reference.md is stale; ReferenceTest says how to renew it");
    }
  }
}
