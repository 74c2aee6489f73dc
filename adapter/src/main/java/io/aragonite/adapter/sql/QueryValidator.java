package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.Ages;
import io.aragonite.adapter.sql.function.CallFinder;
import io.aragonite.adapter.sql.function.CommonFunctions;
import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.function.OperatorLookups;
import io.aragonite.adapter.sql.function.RandomCalls;
import io.aragonite.adapter.sql.parse.EverydayConformance;
import io.aragonite.adapter.sql.parse.OrderByAll;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.function.LambdaFunctions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.SqlTimeLiteral;
import org.apache.calcite.sql.SqlUnknownLiteral;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlInOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.AggregatingScope;
import org.apache.calcite.sql.validate.AggregatingSelectScope;
import org.apache.calcite.sql.validate.DelegatingScope;
import org.apache.calcite.sql.validate.ListScope;
import org.apache.calcite.sql.validate.OrderByScope;
import org.apache.calcite.sql.validate.SelectNamespace;
import org.apache.calcite.sql.validate.SqlMonotonicity;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorCatalogReader;
import org.apache.calcite.sql.validate.SqlValidatorImpl;
import org.apache.calcite.sql.validate.SqlValidatorNamespace;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.util.Static;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's validator with fixes, two of them of wrong answers: {@code OVER (w ROWS ...)} forgets
 * its own frame, and a window with EXCLUDE is believed to hold a row always. A number in GROUP BY
 * is that of a column, whatever the conformance.
 */
public final class QueryValidator extends SqlValidatorImpl {
  /** A fraction of a second with more than milliseconds. */
  private static final Pattern FINER = Pattern.compile("\\.\\d{3}\\d*[1-9]");

  /** One with more than microseconds. */
  private static final Pattern FINER_TIME = Pattern.compile("\\.\\d{6}\\d*[1-9]");

  private static final Map<String, Integer> LEAST_ARGUMENTS = Map.of("COALESCE", 1, "DECODE", 3);

  /** The standard's functions. */
  private static final Set<SqlOperator> STANDARD =
      Set.copyOf(SqlStdOperatorTable.instance().getOperatorList());

  private final OperatorLookups given;
  private final TypedForms typed;
  private final RandomCalls randomCalls = new RandomCalls(this::ownFunctions);

  /** Calls whose type is known: to ask for the operands' again would count depth exponentially. */
  private final Set<SqlNode> derived = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The query whose columns are being validated, and whether it has aggregates. */
  private @Nullable SqlSelect listed;

  private boolean listedAggregates;

  /** Keys of ORDER BY in which no name is an alias. */
  private Set<SqlNode> agesOfColumns = Set.of();

  private final OuterReferences outerReferences = new OuterReferences();
  private final NamedUnions namedUnions =
      new NamedUnions(query -> {
        QueryValidator own = ofPart();
        return own.getValidatedNodeType(own.validate(query)).getFieldNames();
      });

  /**
   * @param like Calcite's, whose operators, catalog and configuration it takes
   */
  public QueryValidator(SqlValidator like) {
    this(like, new OperatorLookups(like.getOperatorTable()));
  }

  private QueryValidator(SqlValidator like, OperatorLookups given) {
    super(
        new OperatorLookups(CommonFunctions.after(given)),
        (SqlValidatorCatalogReader) like.getCatalogReader(),
        like.getTypeFactory(),
        like.config()
            .withConformance(
                new GroupByOrdinal(EverydayConformance.orGiven(like.config().conformance())))
            .withTypeCoercionFactory(Coercion::new));
    this.given = given;
    this.typed = new TypedForms(this, zone(like.getCatalogReader()));
  }

  /** For a part of the statement, whose functions mean what they mean in all of it. */
  private QueryValidator ofPart() {
    return new QueryValidator(this, given);
  }

  /** The connection's, or that of the process. */
  private static String zone(SqlValidatorCatalogReader reader) {
    String zone = reader instanceof CalciteCatalogReader own ? own.getConfig().timeZone() : null;
    return zone == null ? TimeZone.getDefault().getID() : zone;
  }

  @Override
  protected SelectNamespace createSelectNamespace(SqlSelect select, SqlNode enclosingNode) {
    return new Columns(this, select, enclosingNode);
  }

  /**
   * Columns of a SELECT; each is asked once how it is ordered, or depth would count exponentially.
   */
  private static final class Columns extends SelectNamespace {
    private final Map<String, SqlMonotonicity> known = new HashMap<>();

    Columns(SqlValidatorImpl validator, SqlSelect select, SqlNode enclosingNode) {
      super(validator, select, enclosingNode);
    }

    @Override
    public SqlMonotonicity getMonotonicity(String columnName) {
      StopCheck.current().check();
      SqlMonotonicity present = known.get(columnName);
      if (present == null) {
        present = super.getMonotonicity(columnName);
        known.put(columnName, present);
      }
      return present;
    }
  }

  /** Rows are counted in 64 bits; Calcite has markers of LIMIT and OFFSET be INTEGER. */
  @Override
  public SqlNode validate(SqlNode statement) {
    agesOfColumns = Ages.show(statement, this::isCommon);
    SqlNode validated = super.validate(statement);
    validated.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public Void visit(SqlCall call) {
            switch (call) {
              case SqlSelect select -> count(select.getFetch(), select.getOffset());
              case SqlOrderBy order -> count(order.fetch, order.offset);
              default -> {}
            }
            return super.visit(call);
          }
        });
    return validated;
  }

  private void count(@Nullable SqlNode... limits) {
    for (SqlNode limit : limits) {
      if (limit instanceof SqlDynamicParam) {
        setValidatedNodeType(limit, getTypeFactory().createSqlType(SqlTypeName.BIGINT));
      }
    }
  }

  /**
   * A marker that nothing says the type of is a text until its value is known: SELECT ? has a
   * description before.
   */
  @Override
  protected void inferUnknownTypes(
      RelDataType inferredType, SqlValidatorScope scope, SqlNode node) {
    boolean unknown = inferredType.getSqlTypeName() == SqlTypeName.UNKNOWN;
    if (node instanceof SqlCall call) {
      LambdaFunctions.setParameters(this, scope, call); // Calcite goes on into the lambda
    }
    super.inferUnknownTypes(
        unknown && node instanceof SqlDynamicParam
            ? getTypeFactory().createSqlType(SqlTypeName.VARCHAR)
            : inferredType,
        scope,
        node);
  }

  @Override
  public SqlTypeMappingRule getTypeMappingRule() {
    return TruthValues.CASTS;
  }

  @Override
  public RelDataType deriveType(SqlValidatorScope scope, SqlNode expr) {
    StopCheck.current().check();
    if (!derived.contains(expr)) {
      typed.apply(scope, expr);
    }
    RelDataType type = super.deriveType(scope, expr);
    if (expr.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR) {
      Coercion.dropIntervalCasts((SqlCall) expr);
    }
    if (type.getSqlTypeName() == SqlTypeName.INTEGER && FractionConvertlets.countsFractions(expr)) {
      // Of microseconds there are more than an INTEGER holds in an hour.
      type =
          getTypeFactory()
              .createTypeWithNullability(
                  getTypeFactory().createSqlType(SqlTypeName.BIGINT), type.isNullable());
      setValidatedNodeType(expr, type);
    }
    if (expr.getKind() == SqlKind.OVER && !type.isNullable() && mayBeNull((SqlCall) expr, scope)) {
      type = getTypeFactory().createTypeWithNullability(type, true);
      setValidatedNodeType(expr, type);
    }
    if (expr instanceof SqlCall call) {
      derived.add(expr);
      RowNames.check(call, type, value -> super.deriveType(scope, value));
    }
    return type;
  }

  /**
   * Behind IGNORE NULLS Calcite forgets that a frame may be without rows, and beside the default of
   * LAG and LEAD that their argument may be null.
   */
  private boolean mayBeNull(SqlCall over, SqlValidatorScope scope) {
    SqlKind function = over.operand(0).getKind();
    if ((function == SqlKind.LAG || function == SqlKind.LEAD)
        && over.operand(0) instanceof SqlCall call) {
      return deriveType(scope, call.operand(0)).isNullable();
    }
    return (function == SqlKind.IGNORE_NULLS || function == SqlKind.RESPECT_NULLS)
        && !resolveWindow(over.operand(1), scope).isAlwaysNonEmpty();
  }

  /** The parameter of a lambda has another type than before. */
  @Override
  public void removeValidatedNodeType(SqlNode node) {
    super.removeValidatedNodeType(node);
    derived.remove(node);
  }

  @Override
  public SqlLiteral resolveLiteral(SqlLiteral literal) {
    return MomentLiterals.resolved(literal, super::resolveLiteral);
  }

  /** An interval counts milliseconds: what a literal has behind them would be cut off. */
  @Override
  public void validateLiteral(SqlLiteral literal) {
    LiteralOperands.requireDigits(literal);
    super.validateLiteral(literal);
    if (literal.getValue() instanceof SqlIntervalLiteral.IntervalValue interval
        && FINER.matcher(interval.getIntervalLiteral()).find()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "The interval '%s' has more than milliseconds; use TIMESTAMPADD(MICROSECOND, ...)."
              .formatted(interval.getIntervalLiteral()));
    }
    if (resolveLiteral(literal) instanceof SqlTimeLiteral time
        && FINER_TIME.matcher(time.toFormattedString()).find()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "TIME '%s' has digits behind the microseconds, which TIME does not keep; cut them off, or make it a TIMESTAMP(9)."
              .formatted(time.toFormattedString()));
    }
  }

  @Override
  public SqlNode expand(SqlNode expr, SqlValidatorScope scope) {
    StopCheck.current().check();
    if (scope instanceof OrderByScope order && agesOfColumns.contains(expr)) {
      return super.expand(withColumns(expr, order.getParent()), scope);
    }
    SqlNode expanded = super.expand(expr, scope);
    return OuterReferences.areChecked(scope)
        ? outerReferences.mark(
            expanded, (AggregatingSelectScope) scope, getCatalogReader().nameMatcher())
        : expanded;
  }

  /** A key of ORDER BY whose names are those of FROM, as far as it has them, and no aliases. */
  private SqlNode withColumns(SqlNode key, SqlValidatorScope scope) {
    SqlNameMatcher names = getCatalogReader().nameMatcher();
    return Objects.requireNonNull(
        key.accept(
            new SqlShuttle() {
              @Override
              public SqlNode visit(SqlIdentifier name) {
                return name.isSimple() && isColumn(scope, name.getSimple(), names)
                    ? QueryValidator.super.expand(name, scope)
                    : name;
              }

              @Override
              public @Nullable SqlNode visit(SqlCall call) {
                return CallFinder.isQuery(call) ? call : super.visit(call);
              }
            }));
  }

  /** A column of an outer query passes for a function without arguments, which none groups by. */
  @Override
  public @Nullable SqlCall makeNullaryCall(SqlIdentifier id) {
    return outerReferences.contains(id)
        ? SqlStdOperatorTable.ROW.createCall(id.getParserPosition())
        : super.makeNullaryCall(id);
  }

  /** Behind FILTER Calcite forgets the subqueries of an order that the aggregate has of its own. */
  @Override
  public void validateAggregateParams(
      SqlCall aggregate,
      @Nullable SqlNode filter,
      @Nullable SqlNodeList distinct,
      @Nullable SqlNodeList order,
      SqlValidatorScope scope) {
    super.validateAggregateParams(aggregate, filter, distinct, order, scope);
    if (filter != null) {
      Stream.concat(Stream.ofNullable(order), aggregate.getOperandList().stream())
          .filter(SqlNodeList.class::isInstance)
          .forEach(keys -> ((SqlNodeList) keys).forEach(key -> key.validateExpr(this, scope)));
    }
  }

  /**
   * CALCITE-6473 takes a window in a subquery of HAVING for one of HAVING, which has none. With
   * such a subquery HAVING knows no aliases.
   */
  @Override
  protected void validateHavingClause(SqlSelect select) {
    SqlNode having = select.getHaving();
    boolean inSubQuery =
        having != null
            && !CallFinder.hasWindow(having)
            && SqlUtil.containsCall(having, call -> call.getKind() == SqlKind.OVER);
    if (having == null || !inSubQuery) {
      super.validateHavingClause(select);
      return;
    }
    AggregatingScope scope = (AggregatingScope) getSelectScope(select);
    inferUnknownTypes(getTypeFactory().createSqlType(SqlTypeName.BOOLEAN), scope, having);
    scope.checkAggregateExpr(having, true);
    having.validate(this, scope);
    if (!SqlTypeUtil.inBooleanFamily(deriveType(scope, having))) {
      throw newValidationError(having, Static.RESOURCE.havingMustBeBoolean());
    }
  }

  @Override
  protected void validateSelect(SqlSelect select, RelDataType targetRowType) {
    StructColumns structs =
        new StructColumns(getWhereScope(select), getCatalogReader().nameMatcher(), this::rowType);
    structs.qualifyLists(select);
    new UnnestedStruct(getCatalogReader().nameMatcher(), this::rowType).resolve(select);
    structs.qualify(select);
    GroupedStructs.resolve(
        select,
        getCatalogReader().nameMatcher(),
        name -> struct(getWhereScope(select), name, getCatalogReader().nameMatcher()));
    SqlNameMatcher names = getCatalogReader().nameMatcher();
    SqlValidatorScope from = getWhereScope(select);
    WholeRows.resolve(select, names, this::rowType, name -> isColumn(from, name, names));
    UsingColumns using = new UsingColumns(names, this::rowType);
    ColumnsExpansion expansion = new ColumnsExpansion(this::rowType, using);
    expansion.expand(select);
    SqlNodeList orders = select.getOrderList();
    if (orders != null && OrderByAll.is(orders)) {
      int columns = expansion.count(select);
      if (columns < 0) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "ORDER BY ALL needs a SELECT before it that lists its columns by name; write their"
                + " numbers.");
      }
      OrderByAll.expand(orders, columns);
    }
    using.qualify(select);
    boolean grouped = select.getGroup() != null || isAggregate(select);
    QualifyColumns.resolve(select, grouped, from, names);
    AliasGrowth.require(select, names, name -> isColumn(from, name, names));
    WhereAliases.expand(select, names, name -> isColumn(from, name, names));
    super.validateSelect(select, targetRowType);
  }

  @Override
  protected RelDataType validateSelectList(
      SqlNodeList columns, SqlSelect select, RelDataType targetRowType) {
    return listing(select, () -> super.validateSelectList(columns, select, targetRowType));
  }

  @Override
  public SqlNodeList expandStar(SqlNodeList columns, SqlSelect select, boolean systemColumns) {
    return listing(select, () -> super.expandStar(columns, select, systemColumns));
  }

  /** Calcite asks for each column of a query again whether one of them is an aggregate. */
  private <T> T listing(SqlSelect select, Supplier<T> columns) {
    SqlSelect around = listed;
    boolean aroundAggregates = listedAggregates;
    listedAggregates = super.isAggregate(select);
    listed = select;
    try {
      return columns.get();
    } finally {
      listed = around;
      listedAggregates = aroundAggregates;
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // it is that very query
  public boolean isAggregate(SqlSelect select) {
    return select == listed ? listedAggregates : super.isAggregate(select);
  }

  /** Whether FROM, or that of a query around it, has a column of a name. */
  private static boolean isColumn(SqlValidatorScope of, String name, SqlNameMatcher names) {
    for (SqlValidatorScope scope = of;
        scope instanceof DelegatingScope inner;
        scope = inner.getParent()) {
      if (scope instanceof ListScope from
          && from.getChildren().stream()
              .anyMatch(table -> names.field(table.getRowType(), name) != null)) {
        return true;
      }
    }
    return false;
  }

  /** The type of FROM's column of a name that is a struct. */
  private static @Nullable RelDataType struct(
      SqlValidatorScope scope, String name, SqlNameMatcher names) {
    return scope instanceof ListScope from
        ? from.getChildren().stream()
            .map(table -> names.field(table.getRowType(), name))
            .filter(field -> field != null && field.getType().isStruct())
            .map(RelDataTypeField::getType)
            .findFirst()
            .orElse(null)
        : null;
  }

  private @Nullable RelDataType rowType(SqlNode item) {
    SqlValidatorNamespace namespace = getNamespace(item);
    return namespace == null ? null : namespace.getRowType();
  }

  @Override
  public void validateQuery(
      SqlNode node, @Nullable SqlValidatorScope scope, RelDataType targetRowType) {
    StopCheck.current().check();
    super.validateQuery(node, scope, targetRowType);
    if (SqlKind.SET_QUERY.contains(node.getKind())) {
      RowNames.check((SqlCall) node, this::rowType);
    }
  }

  /** The parts of a recursive query are not validated as queries of their own. */
  @Override
  public void validateWithItem(SqlWithItem item) {
    super.validateWithItem(item);
    if (SqlKind.SET_QUERY.contains(item.query.getKind())) {
      RowNames.check((SqlCall) item.query, this::rowType);
    }
  }

  @Override
  public RelDataType getParameterRowType(SqlNode query) {
    return ParameterMarkers.types(query, this);
  }

  /**
   * Names in rows are those of what is around. Calcite looks for them in the query whose FROM the
   * rows are, too: a row's column has the name of the outer column in it, and would be taken for
   * that (1.42, no issue known).
   */
  @Override
  protected void validateValues(SqlCall node, RelDataType targetRowType, SqlValidatorScope scope) {
    SqlValidatorScope known = getOverScope(node);
    SqlValidatorScope around = known == null ? scope : known;
    MixedMoments.inRows(node, value -> deriveType(around, value));
    MixedBytes.inRows(node, value -> deriveType(around, value));
    super.validateValues(node, targetRowType, around);
    if (node.operandCount() > 1) {
      RowNames.check(node, row -> columns((SqlCall) row, around));
    }
  }

  /** The columns of a row of VALUES, which is no value itself. */
  private RelDataType columns(SqlCall row, SqlValidatorScope scope) {
    RelDataTypeFactory.Builder columns = getTypeFactory().builder();
    for (SqlNode value : row.getOperandList()) {
      columns.add(
          SqlUtil.deriveAliasFromOrdinal(columns.getFieldCount()), deriveType(scope, value));
    }
    return columns.build();
  }

  @Override
  public SqlWindow resolveWindow(SqlNode windowOrRef, SqlValidatorScope scope) {
    SqlWindow window =
        windowOrRef instanceof SqlIdentifier name
            ? getWindowByName(name, scope)
            : (SqlWindow) windowOrRef;
    return ResolvedWindow.of(window, windowOrRef, scope, this, super::resolveWindow);
  }

  @Override
  public void validateWindow(SqlNode windowOrId, SqlValidatorScope scope, @Nullable SqlCall call) {
    super.validateWindow(windowOrId, scope, call);
    if (call != null
        && (call.getKind() == SqlKind.COLLECT || call.getKind() == SqlKind.ARRAY_CONCAT_AGG)) {
      ResolvedWindow.requireWholePartition(call, resolveWindow(windowOrId, scope));
    }
  }

  @Override
  protected @Nullable SqlNode performUnconditionalRewrites(
      @Nullable SqlNode node, boolean underFrom) {
    StopCheck.current().check();
    if (node instanceof SqlSelect select) {
      SqlNameMatcher names = getCatalogReader().nameMatcher();
      new GroupByColumns(config().conformance(), names).copySubQueries(select);
      new RankingWindows(names).complete(select);
    }
    if (node instanceof SqlOrderBy ordered) {
      new RankingWindows(getCatalogReader().nameMatcher()).complete(ordered);
    }
    if (node instanceof SqlCall call) {
      checkArguments(call);
      randomCalls.share(call);
    }
    if (node instanceof SqlCall call && call.getOperator() instanceof SqlInOperator) {
      LiteralLists.foldSigns(call);
    }
    SqlNode form =
        node instanceof SqlCall call && isCommon(call) && hasCommonAges(call)
            ? FunctionForms.of(call, randomCalls)
            : node;
    if (form instanceof SqlCall call) {
      form = NullOperands.withoutNullDefault(RowComparisons.of(call, randomCalls));
    }
    namedUnions.enter(form);
    SqlNode rewritten = super.performUnconditionalRewrites(form, underFrom);
    if (rewritten != null && rewritten.getKind() == SqlKind.VALUES) {
      ((SqlCall) rewritten).getOperandList().forEach(this::resolveMoments);
    }
    namedUnions.leave(form);
    if (rewritten instanceof SqlCall call) {
      NullOperands.type(call);
    }
    return becameCase(node, rewritten) && CallFinder.hasSubQuery(rewritten)
        ? rewritten.accept(new NodeCopy())
        : rewritten;
  }

  /**
   * Has a row of VALUES its dates and times, which the parser leaves as texts. Where Calcite does
   * so later it copies the row and what is around it: a set operation that is a subquery is then
   * another one, of which nothing is known (1.42, no issue known).
   */
  private void resolveMoments(SqlNode row) {
    if (!(row instanceof SqlCall call)) {
      return;
    }
    for (int i = 0; i < call.operandCount(); i++) {
      if (call.operand(i) instanceof SqlUnknownLiteral moment) {
        call.setOperand(i, resolveLiteral(moment));
      }
    }
  }

  /** Calls around an age are rewritten with it. */
  private boolean hasCommonAges(SqlCall call) {
    return call.getOperandList().stream()
        .allMatch(operand -> !Ages.is(operand) || isCommon((SqlCall) operand));
  }

  /** Whether no function of the connection has the name: those of fun= and of schemas go before. */
  private boolean isCommon(SqlCall call) {
    if (!(call.getOperator() instanceof SqlUnresolvedFunction function)) {
      return true;
    }
    List<SqlOperator> own = ownFunctions(function);
    return own.isEmpty() || STANDARD.containsAll(own);
  }

  /** The functions of a name that the connection has, those of the standard included. */
  private List<SqlOperator> ownFunctions(SqlFunction function) {
    List<SqlOperator> own = new ArrayList<>();
    SqlIdentifier name = function.getSqlIdentifier();
    if (name != null) {
      given.lookupOperatorOverloads(
          name, null, SqlSyntax.FUNCTION, own, getCatalogReader().nameMatcher());
    }
    return own;
  }

  /**
   * COALESCE and NULLIF become CASE, which has operands twice. Calcite copies them, but not what is
   * in them: the columns of a subquery in a copy would be those of the other's query.
   */
  private static boolean becameCase(@Nullable SqlNode node, @Nullable SqlNode rewritten) {
    return rewritten != null
        && rewritten.getKind() == SqlKind.CASE
        && node != null
        && node.getKind() != SqlKind.CASE;
  }

  /** Calcite rewrites some functions before it looks at how many arguments there are. */
  private void checkArguments(SqlCall call) {
    Integer least =
        call.getOperator() instanceof SqlFunction function
            ? LEAST_ARGUMENTS.get(function.getName().toUpperCase(Locale.ROOT))
            : null;
    if (least != null && call.operandCount() < least) {
      throw newValidationError(
          call, Static.RESOURCE.invalidArgCount(call.getOperator().getName(), least));
    }
  }
}
