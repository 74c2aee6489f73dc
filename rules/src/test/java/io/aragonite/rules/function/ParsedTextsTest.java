package io.aragonite.rules.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Texts are parsed once, and not all are kept. */
class ParsedTextsTest {
  @Test
  void oneIsParsedOnce() {
    AtomicInteger parsed = new AtomicInteger();
    ParsedTexts<Integer> texts =
        new ParsedTexts<>(text -> parsed.incrementAndGet() * 1000 + Integer.parseInt(text));
    assertEquals(1007, texts.of("7"));
    assertEquals(1007, texts.of("7"));
    assertEquals(2008, texts.of("8"));
    assertEquals(2, parsed.get());
  }

  @Test
  void manyAreNotKept() {
    ParsedTexts<Integer> texts = new ParsedTexts<>(Integer::valueOf);
    for (int i = 0; i < 3 * ParsedTexts.MOST_KEPT; i++) {
      assertEquals(i, texts.of(Integer.toString(i)));
      assertTrue(texts.size() <= ParsedTexts.MOST_KEPT);
    }
    assertEquals(0, texts.of("0"));
  }
}
