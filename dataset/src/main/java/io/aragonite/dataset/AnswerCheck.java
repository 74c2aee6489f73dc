package io.aragonite.dataset;

import io.aragonite.dataset.Answer.AnswerKind;
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
 * Compares a result with the expected one, over the same data:
 *
 * <ul>
 *   <li>integers, text and dates must be equal, text without the spaces at its end;
 *   <li>decimals must be equal; where one has fewer digits after the point than the other, within a
 *       unit of its last digit;
 *   <li>floating-point numbers, as averages and ratios are in some engines, must be within 1e-9,
 *       relatively, and within a unit of the last digit where the other is a decimal;
 *   <li>rows may come in any order that the query's ORDER BY allows, and no other, and where rows
 *       are equal at a LIMIT, either may be there.
 * </ul>
 */
public final class AnswerCheck {
  private final Answer expected;
  private final Answer actual;

  /**
   * For each expected row which of the groups it is in that are equal in what they are sorted on.
   */
  private final int[] groups;

  /** Expected rows that no found row has been matched with. */
  private final boolean[] open;

  private AnswerCheck(ExpectedAnswer expected, Answer actual) {
    this.expected = expected.answer();
    this.actual = actual;
    this.groups = groups(expected);
    this.open = new boolean[groups.length];
  }

  /**
   * Looks for the first difference.
   *
   * @return a sentence that names row, column, expected and found value; empty if all is right
   */
  public static Optional<String> compare(ExpectedAnswer expected, Answer actual) {
    int wanted = expected.answer().columns().size();
    if (wanted != actual.columns().size()) {
      return Optional.of("expected " + wanted + " columns, found " + actual.columns().size());
    }
    long rows = Math.min(expected.limit(), expected.answer().rows().size());
    if (rows != actual.rows().size()) {
      return Optional.of("expected " + rows + " rows, found " + actual.rows().size());
    }
    return Optional.ofNullable(new AnswerCheck(expected, actual).difference());
  }

  private static int[] groups(ExpectedAnswer expected) {
    List<List<@Nullable Object>> rows = expected.answer().rows();
    int[] groups = new int[rows.size()];
    for (int i = 1; i < groups.length; i++) {
      List<@Nullable Object> before = rows.get(i - 1);
      List<@Nullable Object> row = rows.get(i);
      boolean tied =
          expected.sortedOn().stream()
              .allMatch(column -> AnswerValues.same(before.get(column), row.get(column)));
      groups[i] = groups[i - 1] + (tied ? 0 : 1);
    }
    return groups;
  }

  /** The usual case, equal order, costs one pass. */
  private @Nullable String difference() {
    List<Integer> unmatched = new ArrayList<>();
    for (int i = 0; i < open.length; i++) {
      open[i] = i >= actual.rows().size() || differingColumn(row(i), actual.rows().get(i)) >= 0;
      if (open[i] && i < actual.rows().size()) {
        unmatched.add(i);
      }
    }
    Map<List<@Nullable Object>, Deque<Integer>> candidates = new HashMap<>();
    if (!unmatched.isEmpty()) {
      for (int i = 0; i < open.length; i++) {
        if (open[i]) {
          candidates.computeIfAbsent(exactPart(row(i)), key -> new ArrayDeque<>()).add(i);
        }
      }
    }
    String disorder = null;
    for (int i : unmatched) {
      List<@Nullable Object> found = actual.rows().get(i);
      int match = takeMatch(i, candidates.getOrDefault(exactPart(found), new ArrayDeque<>()));
      if (match < 0) {
        return describe(i);
      }
      if (groups[match] != groups[i] && disorder == null) {
        disorder = "row " + (i + 1) + " is out of order: " + found;
      }
    }
    return disorder;
  }

  private List<@Nullable Object> row(int i) {
    return expected.rows().get(i);
  }

  /** Takes the first expected row that is the same, of its place's group if there is one. */
  private int takeMatch(int found, Deque<Integer> candidates) {
    int other = -1;
    for (Iterator<Integer> i = candidates.iterator(); i.hasNext(); ) {
      int candidate = i.next();
      if (differingColumn(row(candidate), actual.rows().get(found)) < 0) {
        if (groups[candidate] == groups[found]) {
          i.remove();
          open[candidate] = false;
          return candidate;
        }
        other = other < 0 ? candidate : other;
      }
    }
    if (other >= 0) {
      candidates.remove(other);
      open[other] = false;
    }
    return other;
  }

  private String describe(int i) {
    List<@Nullable Object> found = actual.rows().get(i);
    int column = differingColumn(row(i), found);
    if (!open[i] || column < 0) {
      return "row " + (i + 1) + " is not expected: " + found;
    }
    return "row "
        + (i + 1)
        + ", column "
        + expected.columns().get(column).name()
        + ": expected "
        + show(row(i).get(column))
        + ", found "
        + show(found.get(column));
  }

  private static String show(@Nullable Object value) {
    return value == null ? "NULL" : Answer.format(value);
  }

  /** The values that must be equal. */
  private List<@Nullable Object> exactPart(List<@Nullable Object> row) {
    List<@Nullable Object> part = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      if (isExact(expected, i) && isExact(actual, i)) {
        part.add(row.get(i));
      }
    }
    return part;
  }

  private static boolean isExact(Answer answer, int column) {
    AnswerKind kind = answer.columns().get(column).kind();
    return kind != AnswerKind.DOUBLE && kind != AnswerKind.DECIMAL;
  }

  /** The first column in which two rows differ; -1 if none. */
  private static int differingColumn(List<@Nullable Object> wanted, List<@Nullable Object> found) {
    for (int i = 0; i < wanted.size(); i++) {
      if (!AnswerValues.same(wanted.get(i), found.get(i))) {
        return i;
      }
    }
    return -1;
  }
}
