package io.aragonite.sqltests.corpus;

import java.util.List;

/**
 * The corpus in all configurations but that of {@link PtxCorpusTest} and one whose equal hashes are
 * those of "no-fallback" too.
 */
final class CorpusTest extends Corpus {
  @Override
  boolean runsIn(Configuration configuration) {
    return !List.of(PtxCorpusTest.CONFIGURATION, "hash-zero").contains(configuration.name());
  }
}
