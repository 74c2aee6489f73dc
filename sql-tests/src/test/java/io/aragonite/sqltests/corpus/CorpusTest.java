package io.aragonite.sqltests.corpus;

/** The corpus in all configurations but that of {@link PtxCorpusTest}. */
final class CorpusTest extends Corpus {
  @Override
  boolean runsIn(Configuration configuration) {
    return !configuration.name().equals(PtxCorpusTest.CONFIGURATION);
  }
}
