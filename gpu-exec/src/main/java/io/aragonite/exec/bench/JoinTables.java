package io.aragonite.exec.bench;

import java.util.List;

/**
 * R and S of a join from real tables: columns of values, the key first. Keys of R are unique, not
 * negative, and all rows of S have a partner.
 */
public record JoinTables(List<long[]> build, List<long[]> probe) {
  int buildRows() {
    return build.getFirst().length;
  }

  int probeRows() {
    return probe.getFirst().length;
  }
}
