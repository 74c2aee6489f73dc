package io.aragonite.rules.function;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What texts of generated code stand for, kept so that it is not made for each value again. When
 * there are many, all are dropped: a server lives longer than its statements.
 */
final class ParsedTexts<T> {
  static final int MOST_KEPT = 1000;

  private final Map<String, T> kept = new ConcurrentHashMap<>();
  private final Function<String, T> parser;

  /**
   * @param parser asks for no other text of this
   */
  ParsedTexts(Function<String, T> parser) {
    this.parser = parser;
  }

  T of(String text) {
    T known = kept.get(text);
    if (known != null) {
      return known;
    }
    if (kept.size() >= MOST_KEPT) {
      kept.clear();
    }
    return kept.computeIfAbsent(text, parser);
  }

  int size() {
    return kept.size();
  }
}
