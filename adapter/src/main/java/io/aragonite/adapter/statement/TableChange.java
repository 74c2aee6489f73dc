package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement;
import io.aragonite.adapter.ddl.TableStatement.AddColumn;
import io.aragonite.adapter.ddl.TableStatement.AlterTable;
import io.aragonite.adapter.ddl.TableStatement.Alteration;
import io.aragonite.adapter.ddl.TableStatement.ColumnDefinition;
import io.aragonite.adapter.ddl.TableStatement.CopyFrom;
import io.aragonite.adapter.ddl.TableStatement.CopyTo;
import io.aragonite.adapter.ddl.TableStatement.CreateMacro;
import io.aragonite.adapter.ddl.TableStatement.CreateSchema;
import io.aragonite.adapter.ddl.TableStatement.CreateSequence;
import io.aragonite.adapter.ddl.TableStatement.CreateTable;
import io.aragonite.adapter.ddl.TableStatement.CreateTableAs;
import io.aragonite.adapter.ddl.TableStatement.CreateView;
import io.aragonite.adapter.ddl.TableStatement.Delete;
import io.aragonite.adapter.ddl.TableStatement.Drop;
import io.aragonite.adapter.ddl.TableStatement.DropMacro;
import io.aragonite.adapter.ddl.TableStatement.DropSchema;
import io.aragonite.adapter.ddl.TableStatement.DropSequence;
import io.aragonite.adapter.ddl.TableStatement.DroppedName;
import io.aragonite.adapter.ddl.TableStatement.IfExists;
import io.aragonite.adapter.ddl.TableStatement.Insert;
import io.aragonite.adapter.ddl.TableStatement.MergeInto;
import io.aragonite.adapter.ddl.TableStatement.OnConflict;
import io.aragonite.adapter.ddl.TableStatement.RenameTable;
import io.aragonite.adapter.ddl.TableStatement.SetDefault;
import io.aragonite.adapter.ddl.TableStatement.SetType;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.metadata.FunctionMetadata;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.sql.NondeterministicCallFinder;
import io.aragonite.adapter.sql.parse.InsertedValues;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.AvaticaParameter;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.jspecify.annotations.Nullable;

/** What a statement does to the connection's tables. */
final class TableChange {
  private static final String ALIAS = InsertedValues.ALIAS;

  private final TableStatement statement;
  private final SessionSchema schema;
  private final Session session;
  private final WriteScope scope;

  /**
   * @param returned takes the rows of one run; null: there is no RETURNING
   */
  TableChange(
      TableStatement statement,
      SessionSchema schema,
      Session session,
      @Nullable ReturnedRows returned) {
    this.statement = statement;
    this.schema = schema;
    this.session = session;
    this.scope = new WriteScope(schema, session, returned);
  }

  /** Looks whether the statement can be run, and which parameters it has. */
  List<AvaticaParameter> check() {
    return switch (statement) {
      case CreateView view -> {
        requireNoParameters(query(view));
        yield List.of();
      }
      case CreateTableAs table -> parameters(query(table).signature());
      case CreateTable table -> {
        var _ = rules(table, columns(table));
        yield List.of();
      }
      case Insert insert -> check(insert);
      case CopyFrom copy ->
          check(CopiedFile.insert(copy, schema.stored(copy.target()).data(), session));
      case Delete delete -> {
        OwnTable table = schema.stored(delete.target());
        yield delete.condition() == null
            ? List.of()
            : parameters(new RowChange(scope).query(delete, table.data()));
      }
      case Update update -> {
        OwnTable table = schema.stored(update.target());
        yield parameters(new RowChange(scope).query(update, table));
      }
      case MergeInto merge -> parameters(new RowMerge(scope, merge).query());
      case CopyTo copy -> parameters(new FileCopy(copy, session).query());
      case AlterTable alter -> {
        OwnTable table = schema.stored(alter.target());
        if (!(alter.alteration() instanceof RenameTable)) {
          var _ = alteration(table, alter.alteration());
        }
        yield List.of();
      }
      case Drop _,
          CreateSchema _,
          DropSchema _,
          CreateMacro _,
          DropMacro _,
          CreateSequence _,
          DropSequence _ ->
          List.of();
    };
  }

  private List<AvaticaParameter> check(Insert written) {
    OwnTable table = schema.stored(written.target());
    Insert insert = named(written);
    if (insert.onConflict() instanceof OnConflict.DoUpdate update) {
      new ConflictUpdate(scope, insert, update, table).check();
    }
    List<Integer> places = NamedColumns.places(insert, table.data());
    return InsertParameters.described(
        inserted(insert, places, table),
        places,
        table.data().columnTypes(),
        parameters(query(insert, table)));
  }

  private static List<AvaticaParameter> parameters(ExecutionSignature<?> signature) {
    return signature.parameters == null ? List.of() : signature.parameters;
  }

  private static void requireNoParameters(ExecutionSignature<?> signature) {
    if (!parameters(signature).isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT, "A view cannot have parameters; write their values.");
    }
  }

  /** Returns the rows that were written. */
  long run(DataContext context, Execution execution) {
    try {
      return switch (statement) {
        case CreateView view -> createView(view);
        case CreateTableAs table -> createTableAs(table, context, execution);
        case CreateTable table -> createTable(table, context, execution);
        case Insert insert -> insert(insert, context, execution);
        case CopyFrom copy ->
            insert(
                CopiedFile.insert(copy, schema.stored(copy.target()).data(), session),
                context,
                execution);
        case Delete delete -> new RowChange(scope).delete(delete, context, execution);
        case Update update -> new RowChange(scope).update(update, context, execution);
        case MergeInto merge -> new RowMerge(scope, merge).run(context, execution);
        case CopyTo copy -> new FileCopy(copy, session).run(context, execution);
        case Drop drop -> drop(drop);
        case CreateMacro created -> createMacro(created);
        case DropMacro dropped -> dropMacro(dropped);
        case CreateSequence created -> createSequence(created);
        case DropSequence dropped -> dropSequence(dropped);
        case AlterTable alter -> alter(alter, context, execution);
        case CreateSchema created -> {
          session.createSchema(created.target(), created.ifNotExists());
          yield 0;
        }
        case DropSchema dropped -> {
          session.dropSchema(dropped.target(), dropped.ifExists(), dropped.cascade());
          yield 0;
        }
      };
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.DISK_FAILED,
          "Rows of table \"%s\" cannot be kept in the folder of spill files %s: %s."
              .formatted(statement.target(), schema.store().spillFolder(), FileErrors.reason(e)),
          e);
    } finally {
      session.changed();
      boolean rows = statement instanceof Insert || statement instanceof CopyFrom;
      if (!rows && !(statement instanceof CopyTo)) {
        session.tablesChanged(); // plans may be of another table or view of the name
      }
    }
  }

  private long createView(CreateView view) {
    if (schema.mayCreate(view.target(), view.ifExists(), true)) {
      schema.createView(
          view.target(),
          QueryBatches.rowType(query(view)),
          viewQuery(view),
          session.schemaPath(),
          view.ifExists());
    }
    return 0;
  }

  /** The columns of a view stay: what its tables have later makes no others. */
  private ExecutionSignature<?> query(CreateView view) {
    return ScopedValue.where(DistinctValues.VIEW, view.target())
        .call(() -> session.query(viewQuery(view)));
  }

  private String viewQuery(CreateView view) {
    return view.columns().isEmpty()
        ? view.query()
        : "SELECT * FROM (%s\n) AS %s (%s)"
            .formatted(view.query(), ALIAS, WriteScope.quoted(session, view.columns()));
  }

  private long createMacro(CreateMacro created) {
    if (FunctionMetadata.isKnown(created.target())) {
      throw new AragoniteException(
          ErrorCode.DUPLICATE_TABLE,
          "There is a function \"%s\", which queries of the engine's own may call; give the macro another name."
              .formatted(created.target()));
    }
    boolean there = session.macros().has(created.target());
    switch (created.ifExists()) {
      case KEEP -> {
        if (there) {
          return 0;
        }
      }
      case FAIL -> {
        if (there) {
          throw new AragoniteException(
              ErrorCode.DUPLICATE_TABLE,
              "There is a macro \"%s\" already; CREATE OR REPLACE MACRO makes it anew."
                  .formatted(created.target()));
        }
      }
      case REPLACE -> {}
    }
    session.macros().put(created.macro());
    return 0;
  }

  private long dropMacro(DropMacro dropped) {
    if (!session.macros().remove(dropped.target()) && !dropped.ifExists()) {
      throw new AragoniteException(
          ErrorCode.UNKNOWN_FUNCTION,
          "The connection has no macro \"%s\"; CREATE MACRO makes one."
              .formatted(dropped.target()));
    }
    return 0;
  }

  private long createSequence(CreateSequence created) {
    boolean there = session.sequences().has(created.target());
    if (there && created.ifExists() == IfExists.FAIL) {
      throw new AragoniteException(
          ErrorCode.DUPLICATE_TABLE,
          "There is a sequence \"%s\" already; CREATE OR REPLACE SEQUENCE makes it anew."
              .formatted(created.target()));
    }
    if (!there || created.ifExists() == IfExists.REPLACE) {
      session.sequences().put(created.target(), created.definition());
    }
    return 0;
  }

  private long dropSequence(DropSequence dropped) {
    if (!session.sequences().remove(dropped.target()) && !dropped.ifExists()) {
      throw new AragoniteException(
          ErrorCode.UNKNOWN_TABLE,
          "The connection has no sequence \"%s\"; CREATE SEQUENCE makes one."
              .formatted(dropped.target()));
    }
    return 0;
  }

  /** All of them go, or none. */
  private long drop(Drop drop) {
    for (DroppedName dropped : drop.names()) {
      schemaOf(dropped).requireDroppable(dropped.name(), drop.view(), drop.ifExists());
    }
    // one that is named twice is there once
    drop.names().forEach(dropped -> schemaOf(dropped).drop(dropped.name(), drop.view(), true));
    return 0;
  }

  private SessionSchema schemaOf(DroppedName dropped) {
    String written = dropped.schema();
    String name = written == null ? session.usedSchema(dropped.name()) : written;
    return session.ownSchema(name == null ? SessionSchema.NAME : name);
  }

  /** A prepared query, and the columns of the table that its rows become. */
  private record TableQuery(ExecutionSignature<?> signature, List<TableColumn> columns) {}

  private TableQuery query(CreateTableAs table) {
    ExecutionSignature<?> signature = session.query(table.query());
    List<RelDataTypeField> fields = QueryBatches.rowType(signature).getFieldList();
    List<String> names =
        table.columns().isEmpty()
            ? fields.stream().map(RelDataTypeField::getName).toList()
            : table.columns();
    if (names.size() != fields.size()) {
      throw NamedColumns.counts(table.target(), names.size(), fields.size());
    }
    NamedColumns.requireDistinct(table.target(), names);
    List<NestedType> types = QueryBatches.stored(signature);
    List<TableColumn> columns = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      StorableTypes.requireColumn(fields.get(i), types.get(i));
      RelDataType type = fields.get(i).getType();
      columns.add(
          DeclaredChars.has(signature.plan(), i)
              ? TableColumn.declared(names.get(i), type, true)
              : TableColumn.unbounded(names.get(i), type));
    }
    boolean typed = types.stream().noneMatch(TableColumn::isNull);
    return new TableQuery(
        typed
            ? signature
            : session.query(
                CastQuery.of(
                    table.query(),
                    NamedColumns.places(columns.size()),
                    columns,
                    TableRules.NONE,
                    place -> false,
                    scope::quoted)),
        columns);
  }

  private long createTableAs(CreateTableAs table, DataContext context, Execution execution)
      throws IOException {
    if (!schema.mayCreate(table.target(), table.ifExists(), false)) {
      return 0;
    }
    TableQuery query = query(table);
    List<TableColumn> columns = query.columns();
    try (StoredRows rows = scope.rows(table.target(), columns, TableRules.NONE, null, false)) {
      rows.copy(query.signature(), context, execution);
      schema.createTable(
          table.target(),
          TableColumn.ofFile(columns),
          TableRules.NONE,
          rows.writer(),
          table.ifExists());
      return rows.count();
    }
  }

  private TableRules rules(CreateTable table, List<TableColumn> columns) {
    return new RuleDefinitions(table, scope::rewritten, scope::quoted).rules(columns);
  }

  private List<TableColumn> columns(CreateTable table) {
    NamedColumns.requireDistinct(
        table.target(), table.columns().stream().map(ColumnDefinition::name).toList());
    List<TableColumn> columns = new ArrayList<>();
    for (ColumnDefinition column : table.columns()) {
      ExecutionSignature<?> typed =
          session.query(
              "SELECT CAST(NULL AS %s) AS %s"
                  .formatted(column.type(), scope.quoted(column.name())));
      NestedType type = QueryBatches.stored(typed).getFirst();
      RelDataTypeField field = QueryBatches.rowType(typed).getFieldList().getFirst();
      StorableTypes.requireColumn(field, type);
      columns.add(
          TableColumn.declared(
              column.name(),
              field.getType(),
              column.nullable() && !RuleDefinitions.isPrimary(table, column.name())));
    }
    return columns;
  }

  private long createTable(CreateTable table, DataContext context, Execution execution)
      throws IOException {
    if (schema.mayCreate(table.target(), table.ifExists(), false)) {
      List<TableColumn> columns = columns(table);
      TableRules rules = rules(table, columns);
      requireDefaults(columns, rules, context, execution);
      schema.createTable(
          table.target(), TableColumn.ofFile(columns), rules, null, table.ifExists());
    }
    return 0;
  }

  /** Looks whether columns can have their defaults, as far as these are always the same. */
  private void requireDefaults(
      List<TableColumn> columns, TableRules rules, DataContext context, Execution execution)
      throws IOException {
    for (int i = 0; i < columns.size(); i++) {
      TableColumn column = columns.get(i);
      String value = rules.defaultOf(i);
      if (value == null) {
        continue;
      }
      ExecutionSignature<?> query =
          scope.rewritten("SELECT " + CastQuery.format(column).formatted(value + "\n"));
      PreparedPlan plan = query.plan();
      if (plan == null || NondeterministicCallFinder.dependsOnMoment(plan.root().rel)) {
        continue;
      }
      List<TableColumn> one = List.of(column.as(column.name(), true));
      try (StoredRows row = scope.rows(statement.target(), one, TableRules.NONE, null, false)) {
        row.copy(query, context, execution);
      }
    }
  }

  /** An INSERT that names its columns, if those of its query do. */
  private Insert named(Insert insert) {
    if (!insert.byName() || insert.query() == null) {
      return insert;
    }
    List<String> names = QueryBatches.rowType(session.query(insert.query())).getFieldNames();
    return new Insert(
        insert.target(),
        insert.alias(),
        names,
        false,
        insert.query(),
        insert.onConflict(),
        insert.conflict());
  }

  private long insert(Insert written, DataContext context, Execution execution) throws IOException {
    OwnTable table = schema.stored(written.target());
    Insert insert = named(written);
    List<TableColumn> columns = TableColumn.of(table.data());
    String name = table.data().name();
    if (insert.onConflict() instanceof OnConflict.DoUpdate update) {
      return new ConflictUpdate(scope, insert, update, table)
          .run(query(insert, table), context, execution);
    }
    NamedColumns.requireOnlyKey(insert, table.rules(), columns);
    boolean ignore = insert.onConflict() instanceof OnConflict.DoNothing;
    try (StoredRows rows = scope.rows(name, columns, table.rules(), table.keys(), ignore)) {
      rows.copy(query(insert, table), context, execution, scope.again());
      scope.prove(context, execution);
      if (rows.count() > 0) {
        schema.append(insert.target(), table, rows.writer(), rows.keys(), rows.allocator());
      }
      return rows.count();
    }
  }

  private TableAlteration alteration(OwnTable table, Alteration change) {
    ColumnDefinition definition = definition(table, change);
    TableAlteration.DefinedColumn defined = null;
    if (definition != null) {
      CreateTable alone =
          new CreateTable(
              table.data().name(), List.of(definition), List.of(), TableStatement.IfExists.FAIL);
      List<TableColumn> columns = columns(alone);
      var _ = rules(alone, columns);
      // lengths of texts are checked when rows are written
      String type =
          columns.getFirst().stored() instanceof NestedType.Scalar
              ? CastQuery.sqlType(columns.getFirst(), scope::quoted)
              : definition.type();
      defined =
          new TableAlteration.DefinedColumn(columns.getFirst(), type, definition.defaultValue());
    }
    return TableAlteration.of(table, change, defined, scope::quoted);
  }

  /** The column that an alteration adds, or gives another type or default; null if none. */
  private @Nullable ColumnDefinition definition(OwnTable table, Alteration change) {
    List<String> names = table.data().columnNames();
    return switch (change) {
      case AddColumn add -> add.column();
      case SetType set -> {
        int place = TableColumn.find(names, set.column());
        String value = place < 0 ? null : table.rules().defaultOf(place);
        if (set.using() != null) {
          RuleDefinitions.requirePlain("USING", set.using());
        }
        yield new ColumnDefinition(set.column(), set.type(), true, value == null ? "" : value);
      }
      case SetDefault set -> {
        int place = TableColumn.find(names, set.column());
        yield place < 0
            ? null
            : new ColumnDefinition(
                set.column(),
                CastQuery.sqlType(TableColumn.of(table.data()).get(place), scope::quoted),
                true,
                set.defaultValue());
      }
      default -> null;
    };
  }

  private long alter(AlterTable alter, DataContext context, Execution execution)
      throws IOException {
    OwnTable table = schema.stored(alter.target());
    CachedTable data = table.data();
    if (alter.alteration() instanceof RenameTable(String name)) {
      TableAlteration.requireUnchecked(table, data.name());
      schema.rename(table, name);
      return 0;
    }
    TableAlteration after = alteration(table, alter.alteration());
    if (after.select() == null) {
      return 0;
    }
    requireDefaults(after.columns(), after.rules(), context, execution);
    ExecutionSignature<?> query =
        scope.rewritten(
            "SELECT %s FROM %s.%s"
                .formatted(after.select(), scope.quoted(schema.name()), scope.quoted(data.name())));
    scope.requireOf(query, data);
    try (StoredRows rows = scope.rows(data.name(), after.columns(), TableRules.NONE, null, false)) {
      rows.copy(query, context, execution);
      schema.replaceColumns(
          table, TableColumn.ofFile(after.columns()), after.rules(), rows.writer());
    }
    return 0;
  }

  /** The query of an INSERT, whose columns are those of the table. */
  private ExecutionSignature<?> query(Insert insert, OwnTable table) {
    List<Integer> places = NamedColumns.places(insert, table.data());
    List<TableColumn> columns = TableColumn.of(table.data());
    String inserted = inserted(insert, places, table);
    try {
      String text =
          CastQuery.of(inserted, places, columns, table.rules(), place -> false, scope::quoted);
      ExecutionSignature<?> signature = session.query(scope.checked(text, table));
      // with parameters it may not be known before they have values
      if (signature.rowType == null && !parameters(signature).isEmpty()) {
        return signature;
      }
      BitSet cast = WriteScope.castable(signature, columns);
      if (!cast.isEmpty()) {
        String typed =
            CastQuery.of(inserted, places, columns, table.rules(), cast::get, scope::quoted);
        signature = session.query(scope.checked(typed, table));
      }
      WriteScope.requireInsertable(signature, columns);
      return signature;
    } catch (RuntimeException e) {
      // What is wrong with the query is told of the query as it was written.
      int count = QueryBatches.types(session.query(inserted)).size();
      throw count == places.size() ? e : NamedColumns.counts(insert.target(), places.size(), count);
    }
  }

  /** The query of an INSERT, with the defaults of the table. */
  private static String inserted(Insert insert, List<Integer> places, OwnTable table) {
    String query = insert.query() == null ? DefaultValues.row(places.size()) : insert.query();
    return DefaultValues.inserted(query, places, table.rules());
  }
}
