package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;

/**
 * The corpus with expressions as kernels of a GPU, which an interpreter runs, and how many of them
 * became kernels.
 */
final class PtxCorpusTest extends Corpus {
  static final String CONFIGURATION = "ptx";

  private static final PtxReport REPORT = new PtxReport();

  @Override
  boolean runsIn(Configuration configuration) {
    return configuration.name().equals(CONFIGURATION);
  }

  @AfterAll
  static void enoughExpressionsAreKernels() {
    if (REPORT.compiled() == 0) {
      return;
    }
    System.out.println("The corpus as PTX: " + REPORT);
    // lists and structs are the host's
    long onHost =
        REPORT.onHost().entrySet().stream()
            .filter(reason -> !reason.getKey().equals("values that are objects"))
            .mapToLong(Map.Entry::getValue)
            .sum();
    assertTrue(
        REPORT.onHost().keySet().stream().noneMatch(reason -> reason.startsWith("no code")),
        REPORT::toString);
    if (System.getProperty("aragonite.corpus", "").isEmpty()) {
      // as the corpus grows, so does what it has of texts that become times, of constants with
      // characters of two units, and of fields of structs; a sample may have much more
      int least = WHOLE ? 950 : 100;
      long most = WHOLE ? REPORT.kernels() / 4 : 2 * REPORT.kernels();
      assertTrue(REPORT.kernels() > least && onHost < most, REPORT::toString);
    }
  }
}
