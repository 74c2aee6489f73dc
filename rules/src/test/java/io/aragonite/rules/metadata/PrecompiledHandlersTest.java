package io.aragonite.rules.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.junit.jupiter.api.Test;

/** A class that is missing costs each process the time to compile it, and nothing else shows. */
class PrecompiledHandlersTest {
  @Test
  void theBuildHasCompiledAll() {
    List<Class<? extends MetadataHandler<?>>> types = PrecompiledHandlers.types();
    assertTrue(types.size() > 20, types::toString);
    types.forEach(PrecompiledHandlersTest::assertPrecompiled);
  }

  private static <H extends MetadataHandler<?>> void assertPrecompiled(Class<H> type) {
    H handler = PrecompiledHandlers.INSTANCE.handler(type);
    assertEquals(PrecompiledHandlers.className(type), handler.getClass().getName());
    assertSame(handler, PrecompiledHandlers.INSTANCE.handler(type));
  }
}
