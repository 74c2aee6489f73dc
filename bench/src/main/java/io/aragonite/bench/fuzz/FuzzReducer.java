package io.aragonite.bench.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing statement and its tables smaller, as long as it still fails (delta debugging: Zeller and Hildebrandt, TSE 2002). */
final class FuzzReducer {
  private final long end;

  /**
   * @param seconds after which what has been reached will do
   */
  FuzzReducer(long seconds) {
    end = System.nanoTime() + seconds * 1_000_000_000L;
  }

  private boolean inTime() {
    return System.nanoTime() < end;
  }

  /** A smaller statement that fails. */
  SqlTree statement(SqlTree failing, Predicate<SqlTree> fails) {
    SqlTree least = failing;
    for (boolean reduced = true; reduced && inTime(); ) {
      reduced = false;
      for (SqlTree candidate : least.smaller()) {
        if (inTime() && fails.test(candidate)) {
          least = candidate;
          reduced = true;
          break;
        }
      }
    }
    return least;
  }

  /** The tables with fewer rows, with which a statement still fails. */
  List<FuzzTable> tables(List<FuzzTable> failing, Predicate<List<FuzzTable>> fails) {
    List<FuzzTable> least = new ArrayList<>(failing);
    for (int t = 0; t < least.size(); t++) {
      for (int step = least.get(t).rows().size(); step > 0 && inTime(); step /= 2) {
        for (int from = 0; from < least.get(t).rows().size() && inTime(); ) {
          List<List<String>> rows = new ArrayList<>(least.get(t).rows());
          rows.subList(from, Math.min(rows.size(), from + step)).clear();
          List<FuzzTable> candidate = new ArrayList<>(least);
          candidate.set(t, least.get(t).withRows(rows));
          if (fails.test(candidate)) {
            least = candidate;
          } else {
            from += step;
          }
        }
      }
    }
    return least;
  }
}
