package io.aragonite.tpch;

import io.aragonite.tpch.Answer.AnswerKind;
import io.aragonite.tpch.TpchQuery.ResultOrder;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares a result with the expected one. As both come from the same data, this is stricter than
 * the specification (clause 2.1.3.5), which allows 1 % for averages and ratios and 100 dollars for
 * sums:
 *
 * <ul>
 *   <li>integers, text and dates must be equal, text without the spaces at its end;
 *   <li>where a decimal is expected, a decimal must be numerically equal, and a floating-point
 *       number within 1e-9 of it, relatively;
 *   <li>where a floating-point number is expected (averages, ratios), within 1e-4, relatively;
 *   <li>rows may come in any order that the query's ORDER BY allows, and no other.
 * </ul>
 */
public final class AnswerCheck {
  private static final double EXACT_AS_DOUBLE = 1e-9;
  private static final double APPROXIMATE = 1e-4;

  private final Answer expected;
  private final Answer actual;

  private AnswerCheck(Answer expected, Answer actual) {
    this.expected = expected;
    this.actual = actual;
  }

  /**
   * Looks for the first difference.
   *
   * @param orderBy what the rows of {@code actual} must be sorted on
   * @return a sentence that names row, column, expected and found value; empty if all is right
   */
  public static Optional<String> compare(
      Answer expected, Answer actual, List<ResultOrder> orderBy) {
    AnswerCheck check = new AnswerCheck(expected, actual);
    return Optional.ofNullable(check.difference(orderBy));
  }

  private @Nullable String difference(List<ResultOrder> orderBy) {
    if (expected.columns().size() != actual.columns().size()) {
      return "expected " + expected.columns().size() + " columns, found " + actual.columns().size();
    }
    if (expected.rows().size() != actual.rows().size()) {
      return "expected " + expected.rows().size() + " rows, found " + actual.rows().size();
    }
    String content = differenceAsSets();
    return content != null ? content : Ordering.violation(actual, orderBy);
  }

  /** Compares without regard to order; the usual case, equal order, costs one pass. */
  private @Nullable String differenceAsSets() {
    List<List<@Nullable Object>> found = actual.rows();
    Map<List<@Nullable Object>, Deque<Integer>> unmatched = new HashMap<>();
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      if (differingColumn(expected.rows().get(i), found.get(i)) >= 0) {
        open.add(i);
        unmatched.computeIfAbsent(exactPart(found.get(i)), key -> new ArrayDeque<>()).add(i);
      }
    }
    for (int i : open) {
      List<@Nullable Object> row = expected.rows().get(i);
      Deque<Integer> candidates = unmatched.getOrDefault(exactPart(row), new ArrayDeque<>());
      if (!takeMatch(row, candidates)) {
        return describe(i, unmatched);
      }
    }
    return null;
  }

  private boolean takeMatch(List<@Nullable Object> row, Deque<Integer> candidates) {
    for (Iterator<Integer> i = candidates.iterator(); i.hasNext(); ) {
      if (differingColumn(row, actual.rows().get(i.next())) < 0) {
        i.remove();
        return true;
      }
    }
    return false;
  }

  private String describe(int row, Map<List<@Nullable Object>, Deque<Integer>> unmatched) {
    List<@Nullable Object> wanted = expected.rows().get(row);
    List<@Nullable Object> found = actual.rows().get(row);
    boolean foundIsSpare =
        unmatched.getOrDefault(exactPart(found), new ArrayDeque<>()).contains(row);
    int column = differingColumn(wanted, found);
    if (!foundIsSpare || column < 0) {
      return "row " + (row + 1) + " is missing: " + wanted;
    }
    return "row "
        + (row + 1)
        + ", column "
        + expected.columns().get(column).name()
        + ": expected "
        + show(wanted.get(column))
        + ", found "
        + show(found.get(column));
  }

  private static String show(@Nullable Object value) {
    return value == null ? "NULL" : Answer.format(value);
  }

  /** The values that must be equal, in a form with that notion of equality. */
  private List<@Nullable Object> exactPart(List<@Nullable Object> row) {
    List<@Nullable Object> part = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      if (expected.columns().get(i).kind() != AnswerKind.DOUBLE
          && actual.columns().get(i).kind() != AnswerKind.DOUBLE) {
        Object value = row.get(i);
        part.add(value instanceof BigDecimal number ? number.stripTrailingZeros() : value);
      }
    }
    return part;
  }

  /** The first column in which two rows differ; -1 if none. */
  private int differingColumn(List<@Nullable Object> wanted, List<@Nullable Object> found) {
    for (int i = 0; i < wanted.size(); i++) {
      if (!same(wanted.get(i), found.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean same(@Nullable Object wanted, @Nullable Object found) {
    if (wanted instanceof Number a && found instanceof Number b) {
      if (a instanceof BigDecimal x && b instanceof BigDecimal y) {
        return x.compareTo(y) == 0;
      }
      double tolerance = wanted instanceof Double ? APPROXIMATE : EXACT_AS_DOUBLE;
      double x = a.doubleValue();
      double y = b.doubleValue();
      return x == y
          || Math.abs(x - y) <= tolerance * Math.abs(x)
          || (Double.isNaN(x) && Double.isNaN(y));
    }
    return wanted == null ? found == null : wanted.equals(found);
  }
}
