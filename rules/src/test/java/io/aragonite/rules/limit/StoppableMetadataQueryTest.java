package io.aragonite.rules.limit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.metadata.PrecompiledHandlers;
import java.util.List;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.metadata.JaninoRelMetadataProvider;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQueryBase;
import org.junit.jupiter.api.Test;

/** Who answers what planners ask. */
class StoppableMetadataQueryTest {
  /** A class that is missing costs each process the time to compile it, and nothing else shows. */
  @Test
  void nothingIsCompiledForOurHandlers() {
    List<Class<? extends MetadataHandler<?>>> types = PrecompiledHandlers.types();
    assertTrue(types.size() > 20, types::toString);
    types.forEach(StoppableMetadataQueryTest::assertPrecompiled);
  }

  private static <H extends MetadataHandler<?>> void assertPrecompiled(Class<H> type) {
    H handler = query(GpuMetadata.PROVIDER).revise(type);
    assertTrue(
        handler.getClass().getName().equals(PrecompiledHandlers.className(type)),
        () -> type + ": " + handler.getClass());
    assertSame(handler, query(GpuMetadata.PROVIDER).revise(type));
  }

  @Test
  void anothersHandlersAreCompiledByCalcite() {
    assertFalse(PrecompiledHandlers.areOf(null));
    for (Class<? extends MetadataHandler<?>> type : PrecompiledHandlers.types()) {
      assertNotSame(
          query(GpuMetadata.PROVIDER).revise(type),
          query(DefaultRelMetadataProvider.INSTANCE).revise(type));
    }
  }

  private static StoppableMetadataQuery query(RelMetadataProvider provider) {
    JaninoRelMetadataProvider before = RelMetadataQueryBase.THREAD_PROVIDERS.get();
    RelMetadataQueryBase.THREAD_PROVIDERS.set(JaninoRelMetadataProvider.of(provider));
    try {
      return new StoppableMetadataQuery();
    } finally {
      RelMetadataQueryBase.THREAD_PROVIDERS.set(before);
    }
  }
}
