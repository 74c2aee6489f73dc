package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.ConnectionAccess;
import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.ddl.TableStatement;
import io.aragonite.adapter.execution.Execution;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongBiFunction;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.AvaticaParameter;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.linq4j.Linq4j;

/**
 * A statement that changes the connection's tables or settings. It is checked when it is prepared;
 * each run looks at tables anew, and answers with the number of rows that it has written.
 */
final class TableSignature extends CalciteSignature<Object> {
  private final ToLongBiFunction<DataContext, Execution> change;

  /**
   * @param change what a run does; returns the rows that were written
   */
  TableSignature(
      String sql,
      CalciteSchema root,
      List<AvaticaParameter> parameters,
      ToLongBiFunction<DataContext, Execution> change) {
    super(
        sql,
        parameters,
        Map.of(),
        null,
        List.of(MetaImpl.columnMetaData("ROWCOUNT", 0, Long.class, false)),
        Meta.CursorFactory.OBJECT,
        root,
        List.of(),
        -1,
        null,
        Meta.StatementType.INSERT); // whose one row is the count
    this.change = change;
  }

  static CalciteSignature<Object> of(
      String sql, TableStatement.InSchema written, CalciteSchema root, Session session) {
    ConnectionAccess access = session.access();
    if (access != null && !access.ownTables()) {
      throw access.refused("make or change tables and views, or write files");
    }
    TableStatement statement = written.statement();
    boolean makes =
        statement instanceof TableStatement.CreateTable
            || statement instanceof TableStatement.CreateTableAs
            || statement instanceof TableStatement.CreateView;
    String name =
        written.schema() == null
            ? session.usedSchema(makes ? null : statement.target())
            : written.schema();
    SessionSchema schema = session.openOwnSchema(root, name);
    TableChange change = new TableChange(statement, schema, session, null);
    List<AvaticaParameter> parameters = change.check();
    String list = written.returning();
    return list == null
        ? new TableSignature(sql, root, parameters, change::run)
        : ReturningSignature.of(
            sql, new ReturnedList(statement, list), root, parameters, schema, session);
  }

  /** Runs once for each enumerator, when the first row is asked for. */
  @Override
  public Enumerable<Object> enumerable(DataContext dataContext) {
    Execution current = Execution.current();
    Execution execution = current != null ? current : new Execution(null);
    return new AbstractEnumerable<>() {
      @Override
      public Enumerator<Object> enumerator() {
        return Linq4j.singletonEnumerator((Object) change.applyAsLong(dataContext, execution));
      }
    };
  }
}
