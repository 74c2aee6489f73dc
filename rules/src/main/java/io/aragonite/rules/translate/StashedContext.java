package io.aragonite.rules.translate;

import java.util.Map;
import org.apache.calcite.DataContext;
import org.jspecify.annotations.Nullable;

/** A statement's context, with what generated code has stashed under names of its own. */
public record StashedContext(DataContext context, Map<String, Object> stashed)
    implements DelegatingDataContext {
  @Override
  public @Nullable Object get(String name) {
    Object value = stashed.get(name);
    return value != null ? value : context.get(name);
  }
}
