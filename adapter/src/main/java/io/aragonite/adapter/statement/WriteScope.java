package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.error.CalciteErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.SegmentWriter;
import io.aragonite.adapter.table.TableKeys;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.config.CalciteConnectionConfig;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.jspecify.annotations.Nullable;

/**
 * Where a statement writes rows, and how it asks queries for them.
 *
 * @param returned takes the rows of one run; null: there is no RETURNING
 */
record WriteScope(SessionSchema schema, Session session, @Nullable ReturnedRows returned) {
  private static final Pattern PLACE =
      Pattern.compile(" \\(line \\d+, column \\d+\\)| at line \\d+, column \\d+");

  String quoted(String name) {
    return quoted(session, name);
  }

  /** A name in the quotes of the connection's statements. */
  static String quoted(Session session, String name) {
    CalciteConnectionConfig config = session.config();
    Quoting quoting = config == null ? Quoting.DOUBLE_QUOTE : config.quoting();
    String begin = quoting.string;
    String end = quoting == Quoting.BRACKET ? "]" : begin;
    return begin + name.replace(end, end + end) + end;
  }

  /** Names in quotes, and commas between them. */
  static String quoted(Session session, List<String> names) {
    return String.join(", ", names.stream().map(name -> quoted(session, name)).toList());
  }

  ExecutionSignature<?> rewritten(String query) {
    return rewritten(session, query);
  }

  /** The places that errors of such a query tell are none of the statement that was written. */
  static ExecutionSignature<?> rewritten(Session session, String query) {
    try {
      return session.query(query);
    } catch (RuntimeException e) {
      AragoniteException told =
          e instanceof AragoniteException ours ? ours : CalciteErrors.of(e, session.names(query));
      throw told.replacing(PLACE, "");
    }
  }

  StoredRows rows(
      String table,
      List<TableColumn> columns,
      TableRules rules,
      @Nullable TableKeys base,
      boolean ignore) {
    BufferAllocator allocator = returned == null ? new RootAllocator() : returned.allocator();
    return new StoredRows(schema.store(), allocator, table, columns, rules, base, ignore);
  }

  @Nullable SegmentWriter again() {
    return returned == null ? null : returned.writer();
  }

  /** Rows that cannot be returned are not changed either. */
  void prove(DataContext context, Execution execution) throws IOException {
    if (returned != null) {
      returned.prove(context, execution);
    }
  }

  /** A query with what the table's CHECK conditions say of its rows behind its columns. */
  String checked(String query, OwnTable table) {
    if (table.rules().checks().isEmpty()) {
      return query;
    }
    String name = quoted(table.data().name());
    List<String> checks =
        table.rules().checks().stream()
            .map(check -> "((%s\n) IS NOT FALSE)".formatted(check.condition()))
            .toList();
    return "SELECT %s.*, %s FROM (%s\n) AS %s"
        .formatted(name, String.join(", ", checks), query, name);
  }

  /**
   * Looks whether a query reads a table as it is known, and not as another statement has left it
   * meanwhile.
   */
  @SuppressWarnings("ReferenceEquality") // another object is another state of it
  void requireOf(ExecutionSignature<?> query, CachedTable table) {
    PreparedPlan plan = query.plan();
    if (plan == null) {
      return;
    }
    AragonitePrepare.tables(plan, query.rootSchema)
        .forEach((path, read) -> {
          if (path.getLast().equals(table.name())
              && path.getFirst().equals(schema.name())
              && !(read instanceof CatalogTable now && now.data() == table)) {
            throw SessionSchema.conflict(table.name());
          }
        });
  }

  /** The rows that an UPDATE changes, whose values have the types of their columns. */
  ExecutionSignature<?> changed(Update update, OwnTable table, TableRewrite rewrite) {
    List<TableColumn> columns = TableColumn.of(table.data());
    String changed = rewrite.changed(update, columns, CastQuery::format);
    ExecutionSignature<?> query = rewritten(checked(changed, table));
    // with parameters it may not be known before they have values
    BitSet cast = query.rowType == null ? new BitSet() : castable(query, columns);
    if (cast.isEmpty()) {
      return query;
    }
    String typed =
        rewrite.changed(
            update,
            columns,
            column ->
                cast.get(columns.indexOf(column))
                    ? CastQuery.nested(column, this::quoted)
                    : CastQuery.format(column));
    return rewritten(checked(typed, table));
  }

  /** Columns whose values are stored after a cast of what is in their lists, structs or maps. */
  static BitSet castable(ExecutionSignature<?> signature, List<TableColumn> columns) {
    List<NestedType> given = QueryBatches.stored(signature);
    BitSet castable = new BitSet();
    for (int i = 0; i < columns.size(); i++) {
      castable.set(i, StorableTypes.isCastable(given.get(i), columns.get(i)));
    }
    return castable;
  }

  static void requireInsertable(ExecutionSignature<?> signature, List<TableColumn> columns) {
    List<RelDataTypeField> fields = QueryBatches.rowType(signature).getFieldList();
    List<NestedType> given = QueryBatches.stored(signature);
    for (int i = 0; i < columns.size(); i++) {
      StorableTypes.requireInsertable(fields.get(i), given.get(i), columns.get(i));
    }
  }
}
