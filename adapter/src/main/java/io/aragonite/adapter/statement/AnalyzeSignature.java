package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.catalog.ConnectionAccess;
import io.aragonite.adapter.explain.AnalyzeRequest;
import io.aragonite.adapter.options.Units;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.schema.Table;
import org.jspecify.annotations.Nullable;

/** ANALYZE: makes the statistics of a table anew and says of how many columns. */
final class AnalyzeSignature extends CalciteSignature<Object> {
  private final CatalogTable table;
  private final String name;
  private final Session session;

  private AnalyzeSignature(
      String sql, CalciteSchema root, CatalogTable table, String name, Session session) {
    super(
        sql,
        List.of(),
        Map.of(),
        null,
        List.of(MetaImpl.columnMetaData("RESULT", 0, String.class, false)),
        Meta.CursorFactory.OBJECT,
        root,
        List.of(),
        -1,
        null,
        Meta.StatementType.SELECT);
    this.table = table;
    this.name = name;
    this.session = session;
  }

  /**
   * @throws AragoniteException UNKNOWN_TABLE
   */
  static AnalyzeSignature of(
      String sql, AnalyzeRequest request, CalcitePrepare.Context context, Session session) {
    ConnectionAccess access = session.access();
    if (access != null) {
      throw access.refused("have statistics made anew");
    }
    for (List<String> prefix : List.of(context.getDefaultSchemaPath(), List.<String>of())) {
      List<String> path = new ArrayList<>(prefix);
      path.addAll(request.path());
      Table found = find(context.getRootSchema(), path);
      if (found instanceof CatalogTable table) {
        return new AnalyzeSignature(
            sql, context.getRootSchema(), table, table.data().name(), session);
      }
      if (found != null) {
        throw new AragoniteException(
            ErrorCode.UNKNOWN_TABLE,
            "%s is no table of files, so it has no statistics to make anew."
                .formatted(String.join(".", path)));
      }
    }
    throw new AragoniteException(
        ErrorCode.UNKNOWN_TABLE,
        "There is no table %s to analyze.".formatted(String.join(".", request.path())));
  }

  /** Whatever the case of the names. */
  private static @Nullable Table find(CalciteSchema root, List<String> path) {
    CalciteSchema schema = root;
    for (String part : path.subList(0, path.size() - 1)) {
      schema = schema == null ? null : schema.getSubSchema(part, false);
    }
    CalciteSchema.TableEntry entry = schema == null ? null : schema.getTable(path.getLast(), false);
    return entry == null ? null : entry.getTable();
  }

  @Override
  public Enumerable<Object> enumerable(DataContext dataContext) {
    long begin = System.nanoTime();
    int columns = table.data().statistics().analyze();
    session.plans().clear();
    return Linq4j.singletonEnumerable(
        String.format(
            Locale.ROOT,
            "%s: statistics of %d columns, %s rows, in %s",
            name,
            columns,
            Units.formatRows(table.data().rows()),
            Units.formatNanos(System.nanoTime() - begin)));
  }
}
