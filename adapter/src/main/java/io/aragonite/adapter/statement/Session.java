package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.ConnectionAccess;
import io.aragonite.adapter.catalog.GrantedTable;
import io.aragonite.adapter.catalog.InformationSchema;
import io.aragonite.adapter.catalog.PgCatalog;
import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.engine.Engines;
import io.aragonite.adapter.error.KnownNames;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.RunObserver;
import io.aragonite.adapter.format.FilePaths;
import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.adapter.sql.Macros;
import io.aragonite.adapter.sql.Sequences;
import io.aragonite.adapter.table.LoadWarmUp;
import io.aragonite.adapter.table.SessionTables;
import io.aragonite.adapter.table.TableCatalog;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.runtime.GpuQuery;
import io.aragonite.rules.runtime.MultiwayMode;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.config.CalciteConnectionConfig;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What a connection has beyond Calcite's: its options, its share in an engine, its plans, its
 * counts and the statements that are open. Safe for several threads.
 */
public final class Session implements EngineProvider, AutoCloseable {
  private final InformationSchema informationSchema = new InformationSchema(this::ownSchemas);
  private final PgCatalog pgCatalog = new PgCatalog();

  private static final String CLOSED = "The connection is closed.";

  private final ConnectionOptions options;
  private final @Nullable ConnectionAccess access;
  private final RunObserver runs;
  private final Engines.Lease lease;
  private final PlanCache plans = new PlanCache();
  private final QueryShapes shapes = new QueryShapes();
  private final NamedStatements namedStatements = new NamedStatements();
  private final Macros macros = new Macros();
  private final Sequences sequences = new Sequences();
  private final StatementCounts counts = new StatementCounts();
  private final Set<StatementGuard> statements = ConcurrentHashMap.newKeySet();
  private final AtomicLong changes = new AtomicLong();
  private volatile @Nullable CalciteConnection connection;
  private volatile @Nullable String firstSchema;
  private volatile @Nullable CardinalityProvider cardinalities;
  private @Nullable SessionTables tables;
  private volatile @Nullable SessionSchema ownSchema;

  /** Those of CREATE SCHEMA, by their names in lower case. */
  private final Map<String, SessionSchema> madeSchemas = new ConcurrentHashMap<>();

  private volatile boolean zoneChanged;

  /** The connection's property before it was changed. */
  private @Nullable String firstZone;

  private volatile boolean closed;

  /**
   * Opens a session, sharing or starting an engine.
   *
   * @param terms on which it is handed out
   */
  public Session(ConnectionOptions options, ConnectionTerms terms) {
    this.options = options;
    this.access = terms.access();
    this.runs = terms.runs();
    Path tables = options.directory();
    if (tables != null && !RemotePath.is(tables)) {
      LoadWarmUp.begin(tables);
    }
    this.lease = Engines.open(options);
  }

  public ConnectionOptions options() {
    return options;
  }

  /** Is told of the runs of this connection's statements. */
  public RunObserver runs() {
    return runs;
  }

  /**
   * Refuses to explain a plan that reads a table with hidden rows: its figures are of all rows, and
   * what it looks like follows from them.
   *
   * @throws AragoniteException NOT_GRANTED
   */
  void requireExplainable(RelNode plan) {
    if (access != null && GrantedTable.isPartlyHidden(plan)) {
      throw access.refused(
          "explain a statement on a table of which some rows are hidden, whose plan tells of them");
    }
  }

  /** What the connection sees; null: everything. */
  @Nullable ConnectionAccess access() {
    return access;
  }

  /** A statement has changed tables or written files. */
  void changed() {
    changes.incrementAndGet();
  }

  /** How many statements have changed tables or written files. */
  public long changes() {
    return changes.get();
  }

  /** Statements that PREPARE has given names. */
  NamedStatements namedStatements() {
    return namedStatements;
  }

  /** Those of CREATE SEQUENCE. */
  Sequences sequences() {
    return sequences;
  }

  /** Those of CREATE MACRO. */
  Macros macros() {
    return macros;
  }

  PlanCache plans() {
    return plans;
  }

  QueryShapes shapes() {
    return shapes;
  }

  /** Whether queries that differ in literals share plans. Names in other quotes hide literals. */
  boolean sharesPlans() {
    CalciteConnectionConfig config = config();
    return options.autoParameterize() && config != null && config.quoting() == Quoting.DOUBLE_QUOTE;
  }

  /** What replaces the planner's estimates; null: nothing. */
  @Nullable CardinalityProvider cardinalities() {
    return cardinalities;
  }

  public void setCardinalities(@Nullable CardinalityProvider provider) {
    cardinalities = provider;
  }

  public TableCatalog catalog(Path directory) {
    return lease.catalog(directory);
  }

  /**
   * Makes the connection's own schema, if it is not there yet.
   *
   * @param root the schemas as the present statement sees them, who has them from before
   */
  SessionSchema openOwnSchema(CalciteSchema root) {
    SessionSchema own = makeOwnSchema();
    showOwnSchema(root);
    return own;
  }

  /** Statements add the standard's schema to their own view; the lasting one is without it. */
  private synchronized SessionSchema makeOwnSchema() {
    SessionSchema present = ownSchema;
    if (present != null) {
      return present;
    }
    SessionTables own = lease.tables(paths(), this::isQuiet);
    tables = own;
    SessionSchema made = new SessionSchema(SessionSchema.NAME, own, this);
    ownSchema = made;
    add(root(), made.name(), made);
    return made;
  }

  /**
   * Whether tables of a schema can be changed.
   *
   * @param name as it is written; null: {@link SessionSchema#NAME}
   */
  boolean isOwnSchema(@Nullable String name) {
    return name == null || name.equalsIgnoreCase(SessionSchema.NAME) || isMadeSchema(name);
  }

  /** Whether a schema is one of those that CREATE SCHEMA has made. */
  boolean isMadeSchema(String name) {
    return madeSchemas.containsKey(name.toLowerCase(Locale.ROOT));
  }

  /** Says which schema the connection begins with; null for none. */
  public void beginWith(@Nullable String schema) {
    firstSchema = schema;
  }

  /**
   * Has a schema's tables need no name before theirs.
   *
   * @param name null for the schema that the connection began with
   * @throws AragoniteException UNKNOWN_TABLE
   */
  synchronized void useSchema(@Nullable String name) {
    CalciteConnection open = Objects.requireNonNull(connection);
    try {
      // No schema at all cannot be said again; the connection's own comes first then too.
      String begun = firstSchema != null ? firstSchema : SessionSchema.NAME;
      boolean other = name != null && !(isFirstElsewhere(name) && !isSchema(name));
      String wanted = name != null && other ? name : begun;
      if (wanted.equalsIgnoreCase(SessionSchema.NAME)) {
        var _ = makeOwnSchema();
      }
      if (isOfViews(wanted)) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "The schema %s cannot be in use; write it before the names of its views."
                .formatted(wanted.toLowerCase(Locale.ROOT)));
      }
      CalciteSchema found = root().getSubSchema(wanted, false);
      if (found == null) {
        throw ShowRequest.noSchema(wanted, root());
      }
      open.setSchema(found.getName());
    } catch (SQLException e) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, String.valueOf(e.getMessage()), e);
    }
  }

  /** Whether it is the name of the schema that connections of DuckDB or PostgreSQL begin with. */
  private static boolean isFirstElsewhere(String name) {
    return name.equalsIgnoreCase("main") || name.equalsIgnoreCase("public");
  }

  /** Whether it is the name of a schema that has views of what there is. */
  private static boolean isOfViews(String name) {
    return name.equalsIgnoreCase(InformationSchema.NAME) || name.equalsIgnoreCase(PgCatalog.NAME);
  }

  private boolean isSchema(String name) {
    return root().getSubSchema(name, false) != null;
  }

  /**
   * The schema of a table that no schema is written before: the one in use if the connection has
   * made it, and if the table is there or is to be made.
   *
   * @param target null for one that is to be made
   * @return null: {@link SessionSchema#NAME}
   */
  @Nullable String usedSchema(@Nullable String target) {
    List<String> path = schemaPath();
    SessionSchema made =
        path.isEmpty() ? null : madeSchemas.get(path.getFirst().toLowerCase(Locale.ROOT));
    return made == null
            || target != null && made.made().stream().noneMatch(target::equalsIgnoreCase)
        ? null
        : made.name();
  }

  /** The schema in use; empty if there is none. */
  List<String> schemaPath() {
    try {
      String used = Objects.requireNonNull(connection).getSchema();
      return used == null ? List.of() : List.of(used);
    } catch (SQLException e) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * The schema of a table that is to be changed.
   *
   * @param name as it is written; null: {@link SessionSchema#NAME}
   * @throws AragoniteException READ_ONLY if it is none of the connection's own
   */
  SessionSchema openOwnSchema(CalciteSchema root, @Nullable String name) {
    SessionSchema own = openOwnSchema(root);
    return name == null ? own : ownSchema(name);
  }

  /**
   * The schema of a table that is to be changed, of a statement that has opened {@link
   * SessionSchema#NAME}.
   *
   * @param name as it is written
   * @throws AragoniteException READ_ONLY if it is none of the connection's own
   */
  SessionSchema ownSchema(String name) {
    if (name.equalsIgnoreCase(SessionSchema.NAME)) {
      return makeOwnSchema();
    }
    SessionSchema made = madeSchemas.get(name.toLowerCase(Locale.ROOT));
    if (made == null) {
      throw new AragoniteException(
          ErrorCode.READ_ONLY,
          "Tables of the schema %s are read-only; the connection's own are in %s, and in those that CREATE SCHEMA makes."
              .formatted(name, SessionSchema.NAME));
    }
    return made;
  }

  /**
   * Makes a schema for tables of the connection.
   *
   * @throws AragoniteException DUPLICATE_TABLE
   */
  synchronized void createSchema(String name, boolean ifNotExists) {
    CalciteSchema root = root();
    String key = name.toLowerCase(Locale.ROOT);
    if (madeSchemas.containsKey(key) && ifNotExists) {
      return;
    }
    if (isOfViews(key) || root.getSubSchema(name, false) != null) {
      throw new AragoniteException(
          ErrorCode.DUPLICATE_TABLE,
          "There is a schema \"%s\" already; take another name.".formatted(name));
    }
    SessionSchema made = new SessionSchema(name, Objects.requireNonNull(tables), this);
    madeSchemas.put(key, made);
    add(root, made.name(), made);
  }

  /**
   * Takes a schema of the connection away.
   *
   * @throws AragoniteException UNKNOWN_TABLE, READ_ONLY, INVALID_STATEMENT if it has tables or
   *     views
   */
  synchronized void dropSchema(String name, boolean ifExists, boolean cascade) {
    CalciteSchema root = root();
    SessionSchema made = madeSchemas.get(name.toLowerCase(Locale.ROOT));
    if (made == null) {
      boolean there = root.getSubSchema(name, false) != null;
      if (ifExists && !there) {
        return;
      }
      throw there
          ? new AragoniteException(
              ErrorCode.READ_ONLY,
              "The schema %s stays; those that CREATE SCHEMA has made can be dropped."
                  .formatted(name))
          : new AragoniteException(
              ErrorCode.UNKNOWN_TABLE, "There is no schema '%s'.".formatted(name));
    }
    if (!cascade && !made.made().isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The schema %s has tables or views: %s; drop them first, or use CASCADE."
              .formatted(made.name(), String.join(", ", made.made())));
    }
    if (made.name().equals(usedSchema(null))) {
      useSchema(null);
    }
    madeSchemas.remove(name.toLowerCase(Locale.ROOT));
    var _ = root.removeSubSchema(made.name());
    made.close();
  }

  private CalciteSchema root() {
    return Objects.requireNonNull(
        CalciteSchema.from(Objects.requireNonNull(connection).getRootSchema()));
  }

  /** The files that statements may name. */
  FilePaths paths() {
    return new FilePaths(options.fileAccess(), options.directory(), options.remote());
  }

  /** A query that another statement has in it, prepared now. */
  ExecutionSignature<?> query(String sql) {
    CalciteSignature<?> signature =
        AragonitePrepare.ofPart(this, Objects.requireNonNull(connection), sql);
    if (signature instanceof ExecutionSignature<?> query) {
      return query;
    }
    throw new AragoniteException(
        ErrorCode.INVALID_STATEMENT, "A query is wanted, and '%s' is none.".formatted(sql.strip()));
  }

  /** What the settings of the connection say about the parser of queries. */
  @Nullable CalciteConnectionConfig config() {
    CalciteConnection open = connection;
    return open == null ? null : open.config();
  }

  /** The zone of the connection's instants: that of {@code SET TimeZone}, else of its property. */
  String zone() {
    CalciteConnectionConfig config = config();
    String zone = config == null ? null : config.timeZone();
    return zone == null ? TimeZone.getDefault().getID() : zone;
  }

  /** {@link #zone} as getters have it. */
  public TimeZone timeZone() {
    return TimeZone.getTimeZone(zone());
  }

  /**
   * Changes the zone; plans of statements that are prepared are made anew.
   *
   * @param zone as java.util.TimeZone names it; null for the one that the connection began with
   */
  synchronized void setTimeZone(@Nullable String zone) {
    Properties properties = Objects.requireNonNull(connection).getProperties();
    String usual = CalciteConnectionProperty.TIME_ZONE.camelName();
    // a URL and a client of the server may write it otherwise
    String name =
        properties.stringPropertyNames().stream()
            .filter(usual::equalsIgnoreCase)
            .findFirst()
            .orElse(usual);
    if (!zoneChanged) {
      firstZone = properties.getProperty(name);
      zoneChanged = true;
    }
    String wanted = zone == null ? firstZone : zone;
    if (wanted == null) {
      properties.remove(name);
    } else {
      properties.setProperty(name, wanted);
    }
  }

  /** Whether the zone may be another than the connection began with. */
  boolean timeZoneChanged() {
    return zoneChanged;
  }

  /** Plans may be of tables and views that there were before. */
  void tablesChanged() {
    plans.clear();
    shapes.clear();
  }

  private static void add(CalciteSchema root, String name, Schema schema) {
    CalciteSchema own = root.getSubSchema(name, true);
    if (own == null) {
      own = root.add(name, schema);
    }
    // Each statement's view of the schemas keeps tables by default, as far as somebody has looked.
    var _ = own.tables().getIgnoreCase("");
    own.setCache(false);
  }

  private List<SessionSchema> ownSchemas() {
    List<SessionSchema> schemas = new ArrayList<>(madeSchemas.values());
    SessionSchema first = ownSchema;
    if (first != null) {
      schemas.addFirst(first);
    }
    return schemas;
  }

  /** Whether the connection has tables of its own, or of files that its statements name. */
  boolean hasOwnSchema() {
    return ownSchema != null;
  }

  /**
   * Has a statement see the connection's own schemas as they are, if there are some, and the
   * standard's.
   */
  void showOwnSchema(CalciteSchema root) {
    if (root.getSubSchema(InformationSchema.NAME, false) == null) {
      add(root, InformationSchema.NAME, informationSchema);
      add(root, PgCatalog.NAME, pgCatalog);
    }
    SessionSchema own = ownSchema;
    if (own != null) {
      add(root, own.name(), own);
      madeSchemas.values().forEach(made -> add(root, made.name(), made));
    }
  }

  /** Whether no statement runs but the one of this thread. */
  private boolean isQuiet() {
    Execution mine = Execution.current();
    return statements.stream().noneMatch(statement -> statement.runsBeside(mine));
  }

  public void attach(CalciteConnection newConnection) {
    connection = newConnection;
  }

  @Override
  public Engine engine() {
    // Here, since who begins now is not seen by who ends what has begun.
    if (closed) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, CLOSED);
    }
    return lease.engine();
  }

  @Override
  public BatchResult started(GpuQuery query, DataContext context, BatchResult result) {
    counts.started(query);
    return context.get(Execution.KEY) instanceof Execution execution
        ? execution.track(query, result)
        : result;
  }

  @Override
  public long memoryBytes(DataContext context) {
    return context.get(Execution.KEY) instanceof Execution run ? run.memoryLimit() : 0;
  }

  @Override
  public @Nullable JoinAlgorithm join() {
    return options.join();
  }

  @Override
  public MultiwayMode multiway() {
    return options.multiway();
  }

  /**
   * @throws AragoniteException INVALID_CALL if the connection is closed
   */
  public void opened(StatementGuard statement) {
    statements.add(statement);
    if (closed) {
      statements.remove(statement);
      throw new AragoniteException(ErrorCode.INVALID_CALL, CLOSED);
    }
  }

  /** Whether the connection is closed, or is being. */
  public boolean closed() {
    return closed;
  }

  void closed(StatementGuard statement) {
    statements.remove(statement);
  }

  /** What the connection's statements add to. */
  StatementCounts counts() {
    return counts;
  }

  public ConnectionMetrics metrics() {
    return counts.metrics();
  }

  /** What a statement could have meant; {@code sql} may be null. */
  public KnownNames names(@Nullable String sql) {
    CalciteConnection open = connection;
    return open == null ? KnownNames.NONE : new SchemaNames(open, sql == null ? "" : sql);
  }

  /** Stops all that runs; nothing begins any more. */
  public void stop() {
    closed = true;
    statements.forEach(StatementGuard::discard);
  }

  /** Stops and ends all that runs; its readers have left then. */
  public void end() {
    stop();
    statements.forEach(StatementGuard::end);
    statements.clear();
  }

  @Override
  public void close() {
    end();
    plans.clear();
    sequences.clear();
    synchronized (this) {
      if (ownSchema != null) {
        ownSchema.close();
      }
      madeSchemas.values().forEach(SessionSchema::close);
      if (tables != null) {
        tables.close();
      }
    }
    lease.close();
  }
}
