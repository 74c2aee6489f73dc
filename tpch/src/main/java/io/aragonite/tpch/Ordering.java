package io.aragonite.tpch;

import io.aragonite.tpch.TpchQuery.ResultOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of a result's rows. */
final class Ordering {
  private Ordering() {}

  /**
   * Looks for rows out of order. Text sorts by code points; NULL, of which the standard leaves the
   * place to the engine, ends the comparison of its two rows.
   *
   * @return a sentence about the first pair out of order, null if there is none
   */
  static @Nullable String violation(Answer answer, List<ResultOrder> keys) {
    for (int i = 1; i < answer.rows().size(); i++) {
      for (ResultOrder key : keys) {
        Object before = answer.rows().get(i - 1).get(key.column());
        Object after = answer.rows().get(i).get(key.column());
        if (before == null || after == null) {
          break;
        }
        int order = compare(before, after);
        if (key.descending() ? order < 0 : order > 0) {
          return "rows "
              + i
              + " and "
              + (i + 1)
              + " are out of order in column "
              + answer.columns().get(key.column()).name()
              + ": "
              + Answer.format(before)
              + (key.descending() ? " before greater " : " before less ")
              + Answer.format(after);
        }
        if (order != 0) {
          break;
        }
      }
    }
    return null;
  }

  @SuppressWarnings("unchecked") // values of one column are of one class
  private static int compare(Object a, Object b) {
    return ((Comparable<Object>) a).compareTo(b);
  }
}
