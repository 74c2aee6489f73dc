package io.aragonite.adapter.table;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers that do not change, by question: a planner asks the same dozens of times for one plan.
 * That there is none is not kept, since more is known of a table later. The ones not asked for
 * longest are forgotten. Safe for several threads.
 */
final class AnswerCache<Q, A> {
  private static final int KEPT = 256;

  private final Map<Q, A> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Q, A> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * @param find what finds an answer, which may be null
   */
  @Nullable A get(Q question, Function<Q, @Nullable A> find) {
    synchronized (known) {
      A answer = known.get(question);
      if (answer != null) {
        return answer;
      }
    }
    A found = find.apply(question); // two threads may both find it: it is the same
    if (found != null) {
      synchronized (known) {
        known.put(question, found);
      }
    }
    return found;
  }
}
