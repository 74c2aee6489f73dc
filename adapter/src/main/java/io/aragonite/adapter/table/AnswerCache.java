package io.aragonite.adapter.table;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers that do not change, by question: a planner asks the same dozens of times for one plan.
 * The ones not asked for longest are forgotten. Safe for several threads.
 */
final class AnswerCache<Q, A> {
  private static final int KEPT = 256;

  private final Map<Q, Optional<A>> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Q, Optional<A>> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * @param find what finds an answer, which may be null
   */
  @Nullable A get(Q question, Function<Q, @Nullable A> find) {
    synchronized (known) {
      Optional<A> answer = known.get(question);
      if (answer != null) {
        return answer.orElse(null);
      }
    }
    A found = find.apply(question); // two threads may both find it: it is the same
    synchronized (known) {
      known.put(question, Optional.ofNullable(found));
    }
    return found;
  }
}
