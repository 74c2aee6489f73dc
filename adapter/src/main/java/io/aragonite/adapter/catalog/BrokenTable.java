package io.aragonite.adapter.catalog;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.impl.AbstractTable;

/**
 * A table whose file cannot be opened: the error comes when a statement uses it. Metadata lists it
 * without columns, so that tools can list the others.
 */
public final class BrokenTable extends AbstractTable {
  private final AragoniteException error;
  private final boolean tellsStatements;

  /**
   * @param tellsStatements whether the connection is our driver's, which knows while a statement is
   *     under way; if it is not, metadata gets the error as well
   */
  public BrokenTable(AragoniteException error, boolean tellsStatements) {
    this.error = error;
    this.tellsStatements = tellsStatements;
  }

  /**
   * @throws AragoniteException what is wrong with the file
   */
  @Override
  public RelDataType getRowType(RelDataTypeFactory factory) {
    Execution statement = Execution.current();
    // One that runs has been planned with the columns of its tables: it lists those that there are.
    boolean lists = statement == null || statement.planned() != 0;
    if (tellsStatements && lists) {
      return factory.builder().build();
    }
    throw error;
  }
}
