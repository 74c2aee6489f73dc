package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;

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
    long onHost = REPORT.onHost().values().stream().mapToLong(Long::longValue).sum();
    assertTrue(
        REPORT.onHost().keySet().stream().noneMatch(reason -> reason.startsWith("no code")),
        REPORT::toString);
    if (System.getProperty("aragonite.corpus", "").isEmpty()) {
      // as the corpus grows, so does what it has of texts that become times, of constants with
      // characters of two units, of lists, and of fields of structs; a sample may have more
      long most = REPORT.kernels() / (WHOLE ? 5 : 3);
      assertTrue(REPORT.kernels() > (WHOLE ? 950 : 300) && onHost < most, REPORT::toString);
    }
  }
}
