package io.aragonite.adapter.statement;

import io.aragonite.adapter.sql.LiteralMarkers.Marked;
import io.aragonite.adapter.sql.StatementShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shapes of a connection's queries, and which of their literals may be parameters; of many the
 * ones that were asked for last. Safe for several threads.
 */
final class QueryShapes {
  private static final int CAPACITY = 100;

  /** What nobody has tried yet: all literals may be parameters. */
  static final KnownShape UNTRIED = new KnownShape(new Marked(StatementShape.ALL, 0), List.of());

  /** What is planned as it is written. */
  static final KnownShape UNSHARED = new KnownShape(Marked.NONE, List.of());

  /**
   * What is known of a shape.
   *
   * @param marked its literals that may be parameters
   * @param ranges of the values that these may have, as far as is known: an empty list says nothing
   */
  record KnownShape(Marked marked, List<ParameterRange> ranges) {}

  private final Map<String, KnownShape> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, KnownShape> eldest) {
          return size() > CAPACITY;
        }
      };

  /**
   * What is known of a shape, which is known from now on.
   *
   * @return null for one that is new
   */
  synchronized @Nullable KnownShape meet(String shape) {
    return known.putIfAbsent(shape, UNTRIED);
  }

  synchronized void put(String text, KnownShape shape) {
    known.put(text, shape);
  }

  synchronized void clear() {
    known.clear();
  }
}
