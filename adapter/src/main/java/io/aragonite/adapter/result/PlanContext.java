package io.aragonite.adapter.result;

import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.Nullable;

/**
 * The context of another statement, with what a plan's generated code has kept under names of its
 * own.
 */
record PlanContext(DataContext context, Map<String, Object> kept) implements DataContext {
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
    Object value = kept.get(name);
    return value != null ? value : context.get(name);
  }
}
