package io.aragonite.rules.metadata;

import java.util.List;
import java.util.ServiceLoader;

/** Those on the class path. */
final class RowCountSources {
  /** Knows nothing. */
  static final RowCountSource NONE = new RowCountSource() {};

  static final List<RowCountSource> FOUND =
      ServiceLoader.load(RowCountSource.class, RowCountSource.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  private RowCountSources() {}
}
