package io.aragonite.docs;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The tables of the reference are those of the code; {@link GeneratedTables} renews them. */
class ReferenceTest {
  @Test
  void theTablesAreThoseOfTheCode() throws IOException {
    GeneratedTables.check(Path.of("reference.md"), ReferenceTables.all());
  }

  @Test
  void theFunctionsAreThoseOfTheCode() throws IOException {
    GeneratedTables.check(Path.of("sql.md"), ReferenceTables.sql());
  }
}
