package io.aragonite.rules.translate;

import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.Nullable;

/**
 * The data context of the query's present execution, for host functions that ask for the session's
 * time zone, locale or user. They see the session of the execution that started last.
 */
public final class HostContext {
  private volatile @Nullable DataContext session;

  /** Called at the start of an execution. */
  public void begin(DataContext context) {
    this.session = context;
  }

  /** A context for one evaluation, over one row of arguments. */
  DataContext row(@Nullable Object[] arguments) {
    return new RowContext(session, arguments);
  }

  private record RowContext(@Nullable DataContext session, @Nullable Object[] arguments)
      implements DataContext {
    @Override
    public @Nullable SchemaPlus getRootSchema() {
      return session == null ? null : session.getRootSchema();
    }

    @Override
    public JavaTypeFactory getTypeFactory() {
      return present().getTypeFactory();
    }

    @Override
    public QueryProvider getQueryProvider() {
      return present().getQueryProvider();
    }

    private DataContext present() {
      if (session == null) {
        throw new IllegalStateException("no session");
      }
      return session;
    }

    @Override
    public @Nullable Object get(String name) {
      if (name.equals("inputRecord")) {
        return arguments;
      }
      return session == null ? null : session.get(name);
    }
  }
}
