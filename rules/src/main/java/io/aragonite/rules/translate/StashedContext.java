package io.aragonite.rules.translate;

import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.Nullable;

/** A statement's context, with what generated code has stashed under names of its own. */
public record StashedContext(DataContext context, Map<String, Object> stashed)
    implements DataContext {
  @Override
  public @Nullable SchemaPlus getRootSchema() {
    return context.getRootSchema();
  }

  @Override
  public JavaTypeFactory getTypeFactory() {
    return context.getTypeFactory();
  }

  @Override
  public QueryProvider getQueryProvider() {
    return context.getQueryProvider();
  }

  @Override
  public @Nullable Object get(String name) {
    Object value = stashed.get(name);
    return value != null ? value : context.get(name);
  }
}
