package io.aragonite.adapter.statement;

import io.aragonite.adapter.sql.LiteralMarkers.Marked;
import io.aragonite.adapter.sql.StatementShape;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shapes of a connection's queries, and which of their literals may be parameters; of many the
 * ones that were asked for last. Safe for several threads.
 */
final class QueryShapes {
  private static final int CAPACITY = 100;

  /** What nobody has tried yet: all literals may be parameters. */
  static final Marked UNTRIED = new Marked(StatementShape.ALL, 0);

  private final Map<String, Marked> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Marked> eldest) {
          return size() > CAPACITY;
        }
      };

  /**
   * What is known of a shape, which is known from now on.
   *
   * @return null for one that is new
   */
  synchronized @Nullable Marked meet(String shape) {
    return known.putIfAbsent(shape, UNTRIED);
  }

  synchronized void put(String shape, Marked marked) {
    known.put(shape, marked);
  }

  synchronized void clear() {
    known.clear();
  }
}
