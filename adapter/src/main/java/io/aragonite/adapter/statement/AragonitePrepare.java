package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.ddl.NamedStatement;
import io.aragonite.adapter.ddl.TableStatement;
import io.aragonite.adapter.ddl.TableStatementParser;
import io.aragonite.adapter.error.CalciteErrors;
import io.aragonite.adapter.error.UndescribedStatementException;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.LiteralSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.explain.AnalyzeRequest;
import io.aragonite.adapter.explain.ExplainRequest;
import io.aragonite.adapter.explain.ExplainSignature;
import io.aragonite.adapter.options.ProductVersion;
import io.aragonite.adapter.parameter.ParameterType;
import io.aragonite.adapter.sql.Convertlets;
import io.aragonite.adapter.sql.FileReferences;
import io.aragonite.adapter.sql.QuotedNames;
import io.aragonite.adapter.sql.SessionNames;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.adapter.sql.ZonedRexBuilder;
import io.aragonite.adapter.sql.parse.PivotValues;
import io.aragonite.adapter.sql.parse.StatementParser;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.PlanningSettings;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.hint.JoinHints;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.limit.PlanningClock;
import io.aragonite.rules.limit.PlanningPhase;
import io.aragonite.rules.limit.StoppableMetadataQuery;
import io.aragonite.rules.limit.StoppablePlanner;
import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.GpuMetadata;
import io.aragonite.rules.program.ConstantExecutor;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.runtime.ScanListener;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongBiFunction;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.config.CalciteConnectionConfig;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCostFactory;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.prepare.CalcitePrepareImpl;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.schema.Table;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.util.CancelFlag;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the statements of a connection: Calcite's way, with our planner context, cost, metadata
 * and program. One object prepares one statement.
 */
public final class AragonitePrepare extends CalcitePrepareImpl {
  private static final int MAX_NAME = 1 << 16;

  private final Session session;
  private final @Nullable CardinalityProvider cardinalities;
  private PlanningClock clock = new PlanningClock();
  private PlanningBudget budget = new PlanningBudget(PlanningSettings.ENDLESS);
  private @Nullable PreparedPlan plan;
  private @Nullable CalciteSchema root;

  /** Whether what is prepared is run as soon as its plan is made. */
  private boolean runsNext;

  /** Whether the plan of another query may do, which differs in literals. */
  private boolean mayShare;

  /** What is known of the parameters of a plan that others use too; null: it is for one text. */
  private @Nullable LiteralSharing sharing;

  public AragonitePrepare(Session session) {
    this.session = session;
    this.cardinalities = session.cardinalities();
    this.mayShare = session.sharesPlans();
  }

  @Nullable LiteralSharing sharing() {
    return sharing;
  }

  Session session() {
    return session;
  }

  @Override
  public <T> CalciteSignature<T> prepareSql(
      Context context, Query<T> query, Type elementType, long maxRowCount) {
    root = context.getRootSchema();
    session.showOwnSchema(root);
    if (query.sql == null) {
      return prepare(context, query, elementType, maxRowCount);
    }
    String sql = SqlTokens.statement(QuotedNames.withDollarTexts(query.sql), quoting());
    if (sql.isBlank()) {
      throw new AragoniteException(ErrorCode.SYNTAX, "The statement is empty.");
    }
    SessionSetting setting = SessionSetting.of(sql);
    if (setting != null) {
      @SuppressWarnings("unchecked") // the row is a number
      CalciteSignature<T> signature =
          (CalciteSignature<T>) setting.signature(sql, context.getRootSchema(), session);
      return signature;
    }
    ShowRequest show = ShowRequest.of(sql);
    if (show != null) {
      sql = shown(context, show);
    }
    sql = ShownQueries.expand(sql, request -> shown(context, request));
    AnalyzeRequest analyze = AnalyzeRequest.of(sql);
    if (analyze != null) {
      @SuppressWarnings("unchecked") // the row is a text
      CalciteSignature<T> signature =
          (CalciteSignature<T>) AnalyzeSignature.of(sql, analyze, context, session);
      return signature;
    }
    NamedStatement named = NamedStatement.parse(sql);
    if (named != null) {
      return named(context, sql, named, elementType, maxRowCount);
    }
    String written = sql;
    sql = session.sequences().resolve(session.macros().expand(sql));
    TableStatement.InSchema change = TableStatementParser.parse(sql);
    if (change != null) {
      @SuppressWarnings("unchecked") // the row is a number, or those of RETURNING
      CalciteSignature<T> signature =
          (CalciteSignature<T>) TableSignature.of(sql, change, context.getRootSchema(), session);
      return signature;
    }
    boolean same = sql.equals(written);
    return query(context, same ? query.sql : sql, sql, elementType, maxRowCount);
  }

  /**
   * A query, or an explanation of one.
   *
   * @param written the statement as it is written
   * @param sql without what does not matter
   */
  private <T> CalciteSignature<T> query(
      Context context, String written, String sql, Type elementType, long maxRowCount) {
    ExplainRequest explain = ExplainRequest.of(sql);
    runsNext = explain == null || explain.analyze();
    mayShare &= explain == null;
    if (explain == null) {
      ExecutionSignature<T> signature =
          cached(context, Query.of(sql), sql, elementType, maxRowCount);
      checkParameters(signature);
      return signature;
    }
    ExecutionSignature<Object> explained =
        cached(context, Query.of(explain.sql()), explain.sql(), elementType, -1);
    if (explained.plan() != null) {
      session.requireExplainable(explained.plan().root().rel);
    }
    if (explain.analyze()) {
      checkParameters(explained);
    }
    @SuppressWarnings("unchecked") // the rows of an explanation are texts
    CalciteSignature<T> signature =
        (CalciteSignature<T>) new ExplainSignature(written, explain, explained);
    return signature;
  }

  private <T> CalciteSignature<T> named(
      Context context, String sql, NamedStatement named, Type elementType, long maxRowCount) {
    NamedStatements known = session.namedStatements();
    ToLongBiFunction<DataContext, Execution> change;
    switch (named) {
      case NamedStatement.Execute execute -> {
        String text = known.text(execute, Execution.current(), session::timeZone);
        return prepareSql(context, Query.of(text), elementType, maxRowCount);
      }
      case NamedStatement.Prepare prepare -> {
        requireKnownNames(context, NamedStatements.sample(prepare), elementType);
        change =
            (_, _) -> {
              known.prepare(prepare);
              return 0;
            };
      }
      case NamedStatement.Deallocate deallocate ->
          change =
              (_, _) -> {
                known.deallocate(deallocate.name());
                return 0;
              };
    }
    @SuppressWarnings("unchecked") // the row is a number
    CalciteSignature<T> signature =
        (CalciteSignature<T>) new TableSignature(sql, context.getRootSchema(), List.of(), change);
    return signature;
  }

  /** Other errors of a statement with nulls for its parameters need not be those of its runs. */
  private void requireKnownNames(Context context, String sample, Type elementType) {
    try {
      var _ = new AragonitePrepare(session).prepareSql(context, Query.of(sample), elementType, -1);
    } catch (RuntimeException e) {
      AragoniteException told =
          e instanceof AragoniteException ours ? ours : CalciteErrors.of(e, session.names(sample));
      switch (told.code()) {
        case SYNTAX, UNKNOWN_TABLE, UNKNOWN_COLUMN, UNKNOWN_FUNCTION, READ_ONLY, NOT_GRANTED ->
            throw told;
        default -> {}
      }
    }
  }

  /** The plan of a statement of a connection, for the types of the present run's parameters. */
  static CalciteSignature<?> signature(Session session, CalciteConnection connection, String sql) {
    return signature(new AragonitePrepare(session), connection, sql);
  }

  /** The plan of a query that another statement has in it, which runs the plan by its own means. */
  static CalciteSignature<?> ofPart(Session session, CalciteConnection connection, String sql) {
    AragonitePrepare prepare = new AragonitePrepare(session);
    prepare.mayShare = false;
    return signature(prepare, connection, sql);
  }

  private static CalciteSignature<?> signature(
      AragonitePrepare prepare, CalciteConnection connection, String sql) {
    Context context = connection.createPrepareContext();
    CalcitePrepare.Dummy.push(context);
    try {
      return prepare.<Object>prepareSql(context, Query.of(sql), Object[].class, -1);
    } finally {
      CalcitePrepare.Dummy.pop(context);
    }
  }

  /** The query that lists what is asked for. */
  private String shown(Context context, ShowRequest show) {
    return switch (show.what()) {
      case TIME_ZONE -> ShowRequest.timeZone(session.zone());
      case SETTING -> {
        List<String> path = context.getDefaultSchemaPath();
        yield show.setting(path.isEmpty() ? null : path.getFirst(), ProductVersion.text());
      }
      case TABLES, SCHEMAS -> show.names(context);
      case COLUMNS, TABLE_INFO, SUMMARY -> described(context, show);
    };
  }

  private String described(Context context, ShowRequest show) {
    mayShare = false;
    String query = show.query();
    ExecutionSignature<?> signature = cached(context, Query.of(query), query, Object[].class, -1);
    List<ColumnMetaData> columns = signature.columns;
    List<String> types = ShowRequest.types(columns, signature.rowType);
    DescribedTable table = DescribedTable.of(String.valueOf(show.of()), signature.plan());
    return switch (show.what()) {
      case TABLE_INFO -> ShowRequest.info(columns, types, table);
      case SUMMARY -> SummaryQuery.of(query, columns, types);
      default -> ShowRequest.columns(columns, types, table);
    };
  }

  private Quoting quoting() {
    CalciteConnectionConfig config = session.config();
    return config == null ? Quoting.DOUBLE_QUOTE : config.quoting();
  }

  private static void checkParameters(ExecutionSignature<?> signature) {
    Execution execution = Execution.current();
    if (execution != null && signature.parameters != null) {
      execution.parameters().check(signature.parameters.size());
    }
  }

  private <T> ExecutionSignature<T> cached(
      Context context, Query<T> query, String sql, Type elementType, long maxRowCount) {
    PlanCache.PlanKey key =
        new PlanCache.PlanKey(
            sql,
            context.getDefaultSchemaPath(),
            session.zone(),
            maxRowCount,
            parameterTypes(),
            cardinalities,
            false,
            false);
    PlanCache.CachedPlan known = session.plans().get(key, context.getRootSchema());
    if (known != null) {
      session.counts().cached();
      return same(known.signature());
    }
    PlanCache.PlanKey described = key.ofDescription();
    known = isDescribing() ? session.plans().get(described, context.getRootSchema()) : null;
    if (known != null) {
      return same(known.signature());
    }
    LiteralSignature<?> shared = shared(context, query, key, elementType);
    if (shared != null) {
      return same(shared);
    }
    Planned<T> planned = planned(context, query, elementType, maxRowCount);
    PlanCache.CachedPlan kept = kept(context, planned, List.of());
    if (kept != null) {
      PreparedPlan plan = kept.signature().plan();
      session.plans().put(plan != null && plan.described() ? described : key, kept);
    }
    return planned.signature;
  }

  /** The query by a plan that others use too; null if it has none. */
  private <T> @Nullable LiteralSignature<?> shared(
      Context context, Query<T> query, PlanCache.PlanKey key, Type elementType) {
    if (!mayShare || key.types() != null) {
      return null;
    }
    return new SharedPlans(session, context.getRootSchema())
        .find(
            key,
            literals -> {
              sharing = literals;
              try {
                Planned<T> planned = planned(context, query, elementType, key.maxRows());
                PlanCache.CachedPlan kept = kept(context, planned, literals.ranges());
                PreparedPlan made = planned.signature.plan();
                return made == null || made.query() == null ? null : kept;
              } finally {
                sharing = null;
              }
            });
  }

  /**
   * A statement with its plan.
   *
   * @param values those that it has asked for
   */
  private record Planned<T>(ExecutionSignature<T> signature, DistinctValues values) {}

  private <T> Planned<T> planned(
      Context context, Query<T> query, Type elementType, long maxRowCount) {
    DistinctValues values = new DistinctValues(session, context);
    return new Planned<>(
        ScopedValue.where(PivotValues.CURRENT, values)
            .call(() -> prepare(context, query, elementType, maxRowCount)),
        values);
  }

  /** What is kept of a plan; null if it cannot be used again. */
  private PlanCache.@Nullable CachedPlan kept(
      Context context, Planned<?> planned, List<ParameterRange> ranges) {
    PreparedPlan prepared = planned.signature.plan();
    if (prepared == null || !prepared.cacheable() || planned.values.asked()) {
      return null;
    }
    Map<List<String>, Table> tables = tables(prepared, context.getRootSchema());
    return new PlanCache.CachedPlan(
        planned.signature,
        tables,
        PlanCache.refinements(tables.values()),
        clock.nanos().values().stream().mapToLong(Long::longValue).sum(),
        ranges);
  }

  @SuppressWarnings("unchecked") // a text has rows of one type
  private static <T> ExecutionSignature<T> same(CalciteSignature<?> known) {
    return (ExecutionSignature<T>) known;
  }

  private static boolean isDescribing() {
    Execution execution = Execution.current();
    return execution != null && execution.describing();
  }

  /** The types of the parameters' values, null if they have none. */
  static @Nullable List<ParameterType> parameterTypes() {
    Execution execution = Execution.current();
    return execution == null ? null : execution.parameters().types();
  }

  private <T> ExecutionSignature<T> prepare(
      Context context, Query<T> query, Type elementType, long maxRowCount) {
    plan = null;
    clock = new PlanningClock();
    budget = new PlanningBudget(EngineSettings.current().planning());
    CalciteSignature<T> signature;
    try {
      signature = super.prepareSql(context, query, elementType, maxRowCount);
    } catch (UndescribedStatementException e) {
      signature = e.signature(String.valueOf(query.sql), context.getRootSchema());
    }
    return new ExecutionSignature<>(signature, plan);
  }

  /**
   * The tables that a plan reads, as they were when it was made: a name may stand for other rows by
   * now.
   */
  static Map<List<String>, Table> tables(PreparedPlan prepared, CalciteSchema root) {
    Map<List<String>, Table> tables = new HashMap<>();
    new RelVisitor() {
      @Override
      public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
        if (node instanceof TableScan scan) {
          RelOptTable table = scan.getTable();
          Table read = table.unwrap(Table.class);
          Table found = read != null ? read : PlanCache.find(root, table.getQualifiedName());
          if (found != null) {
            tables.put(table.getQualifiedName(), found);
          }
        }
        super.visit(node, ordinal, parent);
      }
    }.go(prepared.root().rel);
    return tables;
  }

  /** Called by the statement being prepared when its plan is known. */
  void planned(PreparedPlan newPlan) {
    Execution execution = Execution.current();
    if (execution != null) {
      execution.check(); // a planner that is stopped hands out the best plan it has so far
    }
    plan = newPlan;
    clock.end();
    if (!newPlan.described()) {
      session
          .counts()
          .planned(
              newPlan, execution == null ? 0 : execution.steps(), budget.firings(), clock.nanos());
    }
  }

  /** Reads the query of a view as the connection's statements are read. */
  @Override
  protected SqlParser createParser(String sql) {
    CalciteConnectionConfig config = session.config();
    return config == null
        ? super.createParser(sql)
        : createParser(
            sql,
            parserConfig()
                .withQuotedCasing(config.quotedCasing())
                .withUnquotedCasing(config.unquotedCasing())
                .withQuoting(config.quoting())
                .withConformance(config.conformance())
                .withCaseSensitive(config.caseSensitive()));
  }

  @Override
  protected SqlParser createParser(String sql, SqlParser.Config parserConfig) {
    StopCheck.current().check();
    clock.begin(PlanningPhase.PARSE);
    QuotedNames.requireNoTransaction(sql);
    Quoting quoting = parserConfig.quoting();
    boolean doubleQuotes = quoting == Quoting.DOUBLE_QUOTE;
    String divided = QuotedNames.withDivisions(sql, quoting);
    String named = withFiles(QuotedNames.withSigns(divided, quoting), quoting);
    String read = doubleQuotes ? QuotedNames.escaped(named) : named;
    if (sharing != null) {
      sharing.requireWritten(sql, read);
    }
    return super.createParser(
        read,
        StatementParser.in(parserConfig.withIdentifierMaxLength(MAX_NAME))); // Calcite's is 128
  }

  /** The statement with names in place of files. */
  private String withFiles(String sql, Quoting quoting) {
    if (quoting == Quoting.BRACKET) {
      return sql; // brackets cannot hold every path
    }
    String named = FileReferences.named(sql, quoting == Quoting.DOUBLE_QUOTE ? '"' : '`');
    if (!named.equals(sql)) {
      session.openOwnSchema(Objects.requireNonNull(root));
    }
    return named;
  }

  @Override
  protected RelOptPlanner createPlanner(
      CalcitePrepare.Context prepareContext,
      org.apache.calcite.plan.@Nullable Context externalContext,
      @Nullable RelOptCostFactory costFactory) {
    Execution execution = Execution.current();
    AtomicBoolean stop = execution == null ? new AtomicBoolean() : execution.stopFlag();
    return new StoppablePlanner(
        GpuCost.FACTORY,
        Contexts.chain(
            Contexts.of(
                prepareContext.config(),
                session,
                new FallbackReasons(),
                new JoinHints(),
                clock,
                budget,
                new CancelFlag(stop)),
            cardinalities == null ? Contexts.empty() : Contexts.of(cardinalities),
            execution == null || !runsNext || execution.describing()
                ? Contexts.empty()
                : Contexts.of(listener(execution))),
        new ConstantExecutor());
  }

  private ScanListener listener(Execution execution) {
    return scans -> execution.expects(session.engine(), scans);
  }

  @Override
  protected RelOptCluster createCluster(RelOptPlanner planner, RexBuilder rexBuilder) {
    RelOptCluster cluster = super.createCluster(planner, rexBuilder);
    cluster.setMetadataProvider(GpuMetadata.PROVIDER);
    cluster.setMetadataQuerySupplier(StoppableMetadataQuery::new);
    return cluster;
  }

  @Override
  protected CalcitePreparingStmt getPreparingStmt(
      Context context,
      Type elementType,
      CalciteCatalogReader catalogReader,
      RelOptPlanner planner) {
    JavaTypeFactory typeFactory = context.getTypeFactory();
    return new PreparingStatement(
        this,
        context,
        SessionNames.in(catalogReader, SessionSchema.NAME, session::isMadeSchema),
        elementType == Object[].class ? EnumerableRel.Prefer.ARRAY : EnumerableRel.Prefer.CUSTOM,
        createCluster(planner, new ZonedRexBuilder(typeFactory, session.zone())),
        EnumerableConvention.INSTANCE,
        new Convertlets(createConvertletTable()));
  }
}
