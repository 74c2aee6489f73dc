package io.aragonite.rules.translate;

import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.Nullable;

/** A data context over another, from which it differs in some of the values by name. */
public interface DelegatingDataContext extends DataContext {
  /** The one below. */
  DataContext context();

  @Override
  default @Nullable SchemaPlus getRootSchema() {
    return context().getRootSchema();
  }

  @Override
  default JavaTypeFactory getTypeFactory() {
    return context().getTypeFactory();
  }

  @Override
  default QueryProvider getQueryProvider() {
    return context().getQueryProvider();
  }
}
