package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.error.UndescribedStatementException;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.explain.CharsetNames;
import io.aragonite.adapter.explain.ExplainText;
import io.aragonite.adapter.parameter.ParameterType;
import io.aragonite.adapter.parameter.TypedMarker;
import io.aragonite.adapter.sql.NestedComparisonCheck;
import io.aragonite.adapter.sql.NestedKeys;
import io.aragonite.adapter.sql.NondeterministicCallFinder;
import io.aragonite.adapter.sql.ParameterMarkers;
import io.aragonite.adapter.sql.QueryValidator;
import io.aragonite.adapter.sql.RecursiveNames;
import io.aragonite.adapter.sql.SessionNames;
import io.aragonite.adapter.sql.StoppableConverter;
import io.aragonite.adapter.sql.function.SharedCall;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.AragonitePrograms;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.function.CheckedCalls;
import io.aragonite.rules.function.PushedTexts;
import io.aragonite.rules.hint.JoinHints;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.limit.PlanningClock;
import io.aragonite.rules.limit.PlanningPhase;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.rel.GpuRelImplementor;
import io.aragonite.rules.rel.GpuToEnumerableConverter;
import io.aragonite.rules.rel.JoinHintCheck;
import io.aragonite.rules.runtime.GpuQuery;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.prepare.CalcitePrepareImpl;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.Bindable;
import org.apache.calcite.runtime.Typed;
import org.apache.calcite.sql.SqlExplainFormat;
import org.apache.calcite.sql.SqlExplainLevel;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.tools.Program;
import org.apache.calcite.util.Pair;
import org.jspecify.annotations.Nullable;

/**
 * One statement on its way to a plan. What our convention runs as a whole goes to the engine as it
 * is; only plans with nodes that stay in Calcite's Enumerable convention become generated code.
 */
final class PreparingStatement extends CalcitePrepareImpl.CalcitePreparingStmt {
  private final AragonitePrepare prepare;
  private final RelOptCluster ownCluster;
  private boolean dependsOnMoment;
  private boolean describing;

  /** The views that are being put in their places, by their paths. */
  private final List<List<String>> expanding = new ArrayList<>();

  PreparingStatement(
      AragonitePrepare prepare,
      CalcitePrepare.Context context,
      CatalogReader catalogReader,
      EnumerableRel.Prefer prefer,
      RelOptCluster cluster,
      Convention resultConvention,
      SqlRexConvertletTable convertletTable) {
    super(
        prepare,
        context,
        catalogReader,
        cluster.getTypeFactory(),
        context.getRootSchema(),
        prefer,
        cluster,
        resultConvention,
        convertletTable);
    this.prepare = prepare;
    this.ownCluster = cluster;
  }

  @Override
  @SuppressWarnings("rawtypes") // Calcite's
  public PreparedResult prepareSql(
      SqlNode sqlQuery,
      SqlNode sqlNodeOriginal,
      Class runtimeContextClass,
      SqlValidator validator,
      boolean needsValidation) {
    PlanningClock.begin(planner, PlanningPhase.VALIDATE);
    RecursiveNames.prepare(sqlQuery);
    JoinHints hints = JoinHints.of(planner);
    if (hints != null) {
      hints.read(sqlQuery);
    }
    List<ParameterType> types = AragonitePrepare.parameterTypes();
    Execution execution = Execution.current();
    LiteralSharing sharing = prepare.sharing();
    if (sharing != null) {
      sharing.mark(sqlQuery);
    } else if (types != null) {
      TypedMarker.apply(sqlQuery, types);
    } else if (execution != null && execution.describing()) {
      describing =
          SqlKind.QUERY.contains(sqlQuery.getKind()) && ParameterMarkers.count(sqlQuery) > 0;
    }
    try {
      return super.prepareSql(
          sqlQuery, sqlNodeOriginal, runtimeContextClass, validator, needsValidation);
    } catch (RuntimeException | AssertionError e) {
      if (describing && UndescribedStatementException.isFor(e)) {
        throw new UndescribedStatementException(ParameterMarkers.count(sqlQuery), e);
      }
      throw e;
    }
  }

  /**
   * Nothing is merged, moved or simplified while a statement is converted: subqueries refer to rows
   * by the places of columns, which Calcite does not heed (CALCITE-7405). The program does all of
   * that when there are no subqueries any more.
   */
  @Override
  protected SqlToRelConverter getSqlToRelConverter(
      SqlValidator validator, CatalogReader catalogReader, SqlToRelConverter.Config config) {
    return new StoppableConverter(
        this,
        validator,
        own(catalogReader),
        ownCluster,
        convertletTable,
        config
            .withHintStrategyTable(NullAwareAnti.strategies())
            .addRelBuilderConfigTransform(builder ->
                builder
                    .withBloat(-1)
                    .withPushJoinCondition(false)
                    .withSimplify(false)
                    // a row of 20,000 constants would have each pair of them compared
                    .withSimplifyValues(false)));
  }

  @Override
  protected SqlValidator createSqlValidator(
      CatalogReader catalogReader, UnaryOperator<SqlValidator.Config> configTransform) {
    return new QueryValidator(super.createSqlValidator(own(catalogReader), configTransform));
  }

  /**
   * A view that reads itself, by way of others perhaps, would be put in its own place for ever.
   * What the view's ORDER BY alone asks for is no column of it.
   */
  @Override
  public RelRoot expandView(
      RelDataType rowType,
      String queryString,
      List<String> schemaPath,
      @Nullable List<String> viewPath) {
    if (viewPath != null && expanding.contains(viewPath)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "View \"%s\" reads itself; make it anew with CREATE OR REPLACE VIEW."
              .formatted(viewPath.getLast()));
    }
    if (viewPath != null) {
      expanding.add(viewPath);
    }
    try {
      RelRoot view = super.expandView(rowType, queryString, schemaPath, viewPath);
      return view.isRefTrivial() ? view : RelRoot.of(view.project(), view.kind);
    } finally {
      expanding.remove(viewPath);
    }
  }

  private CatalogReader own(CatalogReader reader) {
    return SessionNames.in(
        (CalciteCatalogReader) reader, SessionSchema.NAME, prepare.session()::isMadeSchema);
  }

  /** The program decorrelates, after it has unnested subqueries, and with a way out. */
  @Override
  protected RelNode decorrelate(
      SqlToRelConverter sqlToRelConverter, SqlNode query, RelNode rootRel) {
    return rootRel;
  }

  /**
   * The program trims, after it has taken the subqueries away: a subquery knows columns of the rows
   * around it by their places.
   */
  @Override
  protected RelRoot trimUnusedFields(RelRoot root) {
    return root;
  }

  @Override
  protected Program getProgram() {
    return AragonitePrograms.program();
  }

  @Override
  protected RelRoot optimize(
      RelRoot written,
      List<Materialization> materializations,
      List<CalciteSchema.LatticeEntry> lattices) {
    RelRoot ofFields = NestedKeys.byFields(written);
    NestedComparisonCheck.requireNone(ofFields.rel);
    RelRoot root = ofFields.withRel(SharedCall.resolve(ofFields.rel));
    LiteralSharing sharing = prepare.sharing();
    if (sharing != null) {
      sharing.check(root.rel);
    }
    if (describing) {
      return root;
    }
    dependsOnMoment = NondeterministicCallFinder.dependsOnMoment(root.rel);
    RelRoot plan = super.optimize(root, materializations, lattices);
    NestedComparisonCheck.requireNone(plan.rel); // subqueries have become joins and groups
    JoinHints hints = JoinHints.of(planner);
    if (hints != null) {
      JoinHintCheck.check(hints, plan.rel);
    }
    JoinHintCheck.checkForced(JoinPricing.forced(planner), plan.rel);
    return plan;
  }

  private List<FallbackReasons.Fallback> fallbacks() {
    FallbackReasons reasons = FallbackReasons.of(planner);
    return reasons == null ? List.of() : reasons.fallbacks();
  }

  /** What better plans were not looked for. */
  private List<String> leftOut() {
    return PlanningBudget.of(planner).leftOut();
  }

  private void requireAllowed(List<FallbackReasons.Fallback> fallbacks) {
    if (!fallbacks.isEmpty() && !prepare.session().options().fallback()) {
      FallbackReasons.Fallback first = fallbacks.get(0);
      throw new AragoniteException(
          ErrorCode.NOT_ON_DEVICE,
          "%s cannot run on the device (%s)%s; fallback=on lets Calcite run it."
              .formatted(
                  first.node(),
                  first.reason(),
                  fallbacks.size() == 1
                      ? ""
                      : ", nor can %d more nodes".formatted(fallbacks.size() - 1)));
    }
  }

  /** Without fallback nothing runs in Calcite's code, not even a function (ADR 7). */
  private void requireAllowed(@Nullable GpuQuery query) {
    if (query != null
        && !query.hostFunctions().isEmpty()
        && !prepare.session().options().fallback()) {
      throw new AragoniteException(
          ErrorCode.NOT_ON_DEVICE,
          "The device has no code of its own for %s; fallback=on lets Calcite's evaluate it row by row."
              .formatted(String.join(", ", query.hostFunctions())));
    }
  }

  @Override
  protected PreparedResult implement(RelRoot root) {
    PlanningClock.begin(planner, PlanningPhase.IMPLEMENT);
    if (describing) {
      prepare.planned(new PreparedPlan(root, null, List.of(), List.of(), true, true));
      return new Described(
          root, Objects.requireNonNull(parameterRowType), Objects.requireNonNull(fieldOrigins));
    }
    List<FallbackReasons.Fallback> fallbacks = fallbacks();
    requireAllowed(fallbacks);
    GpuQuery query = deviceQuery(root);
    requireAllowed(query);
    prepare.planned(new PreparedPlan(root, query, fallbacks, leftOut(), !dependsOnMoment, false));
    return query == null
        ? super.implement(root.withRel(PushedTexts.of(CheckedCalls.of(root.rel))))
        : new DeviceResult(
            root,
            Objects.requireNonNull(parameterRowType),
            Objects.requireNonNull(fieldOrigins),
            query);
  }

  /** The whole plan as one query of the engine; null if a part of it stays in Calcite. */
  private static @Nullable GpuQuery deviceQuery(RelRoot root) {
    if (!(root.rel instanceof GpuToEnumerableConverter converter)
        || root.kind.belongsTo(SqlKind.DML)) {
      return null;
    }
    RelNode rel = converter.getInput();
    return root.isRefTrivial()
        ? GpuRelImplementor.query(rel)
        : GpuRelImplementor.query(rel, Pair.left(root.fields), root.validatedRowType);
  }

  @Override
  protected PreparedResult createPreparedExplanation(
      @Nullable RelDataType resultType,
      RelDataType parameterTypes,
      @Nullable RelRoot root,
      SqlExplainFormat format,
      SqlExplainLevel detailLevel) {
    return new Explanation(
        resultType,
        parameterTypes,
        root,
        format,
        detailLevel,
        explanation(resultType, parameterTypes, root, format, detailLevel));
  }

  private List<Object> explanation(
      @Nullable RelDataType resultType,
      RelDataType parameterTypes,
      @Nullable RelRoot root,
      SqlExplainFormat format,
      SqlExplainLevel detailLevel) {
    if (root != null) {
      prepare.session().requireExplainable(root.rel);
    }
    if (root == null || !(root.rel instanceof EnumerableRel)) {
      String description =
          super.createPreparedExplanation(resultType, parameterTypes, root, format, detailLevel)
              .getCode();
      return List.of(CharsetNames.removed(description));
    }
    PreparedPlan plan =
        new PreparedPlan(root, deviceQuery(root), fallbacks(), leftOut(), false, false);
    return ExplainText.rows(plan, null, false, format == SqlExplainFormat.JSON);
  }

  /** A statement that is not planned before its parameters have values. */
  private static final class Described extends PreparedResultImpl {
    Described(
        RelRoot root, RelDataType parameterTypes, List<? extends @Nullable List<String>> origins) {
      super(root.rel.getRowType(), parameterTypes, origins, List.of(), root.rel, null, false);
    }

    @Override
    public String getCode() {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("rawtypes") // Calcite's
    public Bindable getBindable(Meta.CursorFactory cursorFactory) {
      return context -> {
        throw new AragoniteException(
            ErrorCode.MISSING_PARAMETER, "Not all parameters of the statement have been set.");
      };
    }

    @Override
    public Type getElementType() {
      return Object[].class;
    }
  }

  /** A plan that the engine runs as a whole. */
  private static final class DeviceResult extends PreparedResultImpl {
    private final GpuQuery query;

    DeviceResult(
        RelRoot root,
        RelDataType parameterTypes,
        List<? extends @Nullable List<String>> origins,
        GpuQuery query) {
      super(
          root.rel.getRowType(),
          parameterTypes,
          origins,
          root.collation.getFieldCollations().isEmpty() ? List.of() : List.of(root.collation),
          root.rel,
          null,
          false);
      this.query = query;
    }

    @Override
    public String getCode() {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("rawtypes") // Calcite's
    public Bindable getBindable(Meta.CursorFactory cursorFactory) {
      return new DeviceRows(query);
    }

    @Override
    public Type getElementType() {
      return Object[].class;
    }
  }

  private record DeviceRows(GpuQuery query) implements Bindable<@Nullable Object>, Typed {
    @Override
    public Enumerable<@Nullable Object> bind(DataContext dataContext) {
      return query.rows(dataContext);
    }

    @Override
    public Type getElementType() {
      return Object[].class;
    }
  }

  /** The answer to EXPLAIN PLAN. */
  private static final class Explanation extends PreparedExplain {
    private final List<Object> rows;

    Explanation(
        @Nullable RelDataType rowType,
        RelDataType parameterRowType,
        @Nullable RelRoot root,
        SqlExplainFormat format,
        SqlExplainLevel detailLevel,
        List<Object> rows) {
      super(rowType, parameterRowType, root, format, detailLevel);
      this.rows = rows;
    }

    @Override
    @SuppressWarnings("rawtypes") // Calcite's
    public Bindable getBindable(Meta.CursorFactory cursorFactory) {
      return context -> Linq4j.asEnumerable(rows);
    }
  }
}
