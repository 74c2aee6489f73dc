package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;

/**
 * How alike two texts are, by their characters, as DuckDB has it. Called by generated code; no
 * argument is null.
 */
@Strict
public final class TextDistances {
  /** {@code HAMMING(x, y)}: the places at which two texts of one length differ. */
  public static final SqlFunction HAMMING = create("HAMMING", ReturnTypes.BIGINT_NULLABLE);

  /**
   * {@code DAMERAU_LEVENSHTEIN(x, y)}: how many characters are to be put in, taken out, changed or
   * swapped with their neighbour to make one text of the other.
   */
  public static final SqlFunction DAMERAU_LEVENSHTEIN =
      create("DAMERAU_LEVENSHTEIN", ReturnTypes.BIGINT_NULLABLE);

  /** {@code JACCARD(x, y)}: the share of the characters of either text that both have. */
  public static final SqlFunction JACCARD = create("JACCARD", ReturnTypes.DOUBLE_NULLABLE);

  /** {@code JARO_SIMILARITY(x, y)}: 0 to 1. */
  public static final SqlFunction JARO = create("JARO_SIMILARITY", ReturnTypes.DOUBLE_NULLABLE);

  /** {@code JARO_WINKLER_SIMILARITY(x, y)}: 0 to 1, more where the first characters are equal. */
  public static final SqlFunction JARO_WINKLER =
      create("JARO_WINKLER_SIMILARITY", ReturnTypes.DOUBLE_NULLABLE);

  /** From which similarity on the first characters count, how many, and how much. */
  private static final double BOOST_FROM = 0.7;

  private static final int BOOSTING = 4;
  private static final double BOOST = 0.1;

  private TextDistances() {}

  private static SqlFunction create(String name, SqlReturnTypeInference type) {
    return SqlBasicFunction.create(
        name,
        type,
        OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
        SqlFunctionCategory.STRING);
  }

  public static long hamming(String a, String b) {
    int[] x = a.codePoints().toArray();
    int[] y = b.codePoints().toArray();
    if (x.length != y.length) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "HAMMING is of texts of one length, not of %d and %d characters."
              .formatted(x.length, y.length));
    }
    long differences = 0;
    for (int i = 0; i < x.length; i++) {
      differences += x[i] == y[i] ? 0 : 1;
    }
    return differences;
  }

  public static long damerauLevenshtein(String a, String b) {
    int[] x = a.codePoints().toArray();
    int[] y = b.codePoints().toArray();
    StopCheck stopCheck = StopCheck.current();
    stopCheck.make(4L * (x.length + 2) * (y.length + 2));
    int most = x.length + y.length;
    int[][] distances = new int[x.length + 2][y.length + 2];
    distances[0][0] = most;
    for (int i = 0; i <= x.length; i++) {
      distances[i + 1][0] = most;
      distances[i + 1][1] = i;
    }
    for (int j = 0; j <= y.length; j++) {
      distances[0][j + 1] = most;
      distances[1][j + 1] = j;
    }
    Map<Integer, Integer> rows = new HashMap<>(); // the last row that has a character
    for (int i = 1; i <= x.length; i++) {
      stopCheck.work(y.length);
      int column = 0; // the last column that has the row's character
      for (int j = 1; j <= y.length; j++) {
        int row = rows.getOrDefault(y[j - 1], 0);
        int before = column;
        boolean same = x[i - 1] == y[j - 1];
        if (same) {
          column = j;
        }
        int changed = distances[i][j] + (same ? 0 : 1);
        int shifted = Math.min(distances[i + 1][j], distances[i][j + 1]) + 1;
        int swapped = distances[row][before] + (i - row - 1) + 1 + (j - before - 1);
        distances[i + 1][j + 1] = Math.min(changed, Math.min(shifted, swapped));
      }
      rows.put(x[i - 1], i);
    }
    return distances[x.length + 1][y.length + 1];
  }

  public static double jaccard(String a, String b) {
    Set<Integer> x = characters(a);
    Set<Integer> y = characters(b);
    Set<Integer> all = new HashSet<>(x);
    all.addAll(y);
    x.retainAll(y);
    return (double) x.size() / all.size();
  }

  private static Set<Integer> characters(String text) {
    if (text.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, "JACCARD is of texts that are not empty.");
    }
    return new HashSet<>(text.codePoints().boxed().toList());
  }

  public static double jaro(String a, String b) {
    return jaro(a.codePoints().toArray(), b.codePoints().toArray());
  }

  private static double jaro(int[] x, int[] y) {
    int reach = Math.max(0, Math.max(x.length, y.length) / 2 - 1);
    boolean[] taken = new boolean[y.length];
    int[] matched = new int[Math.min(x.length, y.length)];
    int matches = 0;
    StopCheck stopCheck = StopCheck.current();
    for (int i = 0; i < x.length; i++) {
      stopCheck.work(2L * reach + 1);
      for (int j = Math.max(0, i - reach); j < Math.min(y.length, i + reach + 1); j++) {
        if (!taken[j] && x[i] == y[j]) {
          taken[j] = true;
          matched[matches++] = x[i];
          break;
        }
      }
    }
    if (matches == 0) {
      return 0;
    }
    int moved = 0;
    int at = 0;
    for (int j = 0; j < y.length; j++) {
      if (taken[j]) {
        moved += y[j] == matched[at++] ? 0 : 1;
      }
    }
    double share = matches;
    return (share / x.length + share / y.length + (share - moved / 2) / share) / 3;
  }

  public static double jaroWinkler(String a, String b) {
    int[] x = a.codePoints().toArray();
    int[] y = b.codePoints().toArray();
    double alike = jaro(x, y);
    int first = Arrays.mismatch(x, y);
    int common = Math.min(BOOSTING, first < 0 ? x.length : first);
    return alike > BOOST_FROM ? alike + common * BOOST * (1 - alike) : alike;
  }
}
