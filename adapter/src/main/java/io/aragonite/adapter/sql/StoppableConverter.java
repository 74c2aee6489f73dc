package io.aragonite.adapter.sql;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.aragonite.adapter.sql.function.SeriesFunction;
import io.aragonite.adapter.sql.function.SharedCall;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.limit.PlanningClock;
import io.aragonite.rules.limit.PlanningPhase;
import io.aragonite.rules.program.MaterializedCtes;
import io.aragonite.rules.rel.CteTable;
import io.aragonite.rules.rel.LogicalSeries;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.prepare.Prepare;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.hint.RelHint;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlPivot;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.AggregatingSelectScope;
import org.apache.calcite.sql.validate.SelectScope;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.ImmutableIntList;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/**
 * Makes plans of syntax trees, and ends with the statement's error when its time is up.
 *
 * <p>A node says which variables stand for its rows. Calcite forgets to say so of all but the first
 * subquery of HAVING and of the second variable of ON and of a SELECT list, and the tree alone does
 * not tell: a subquery may refer to rows of any node around it. Only the scope in which the name of
 * the column was found does, so that is remembered for each variable.
 */
public final class StoppableConverter extends SqlToRelConverter {
  private final Map<CorrelationId, SqlValidatorScope> scopes = new HashMap<>();

  private final OrderedFrom orderedFrom;

  /** Scans of queries of WITH whose rows are made once. */
  private final Map<SqlNode, RelNode> ctes = new IdentityHashMap<>();

  /** Queries of WITH of which there is no second reading. */
  private final Set<SqlWithItem> readOnce = Collections.newSetFromMap(new IdentityHashMap<>());

  /** By the scope of its FROM, a query with aggregates that is being converted. */
  private final Map<SqlValidatorScope, Workspace> grouping = new HashMap<>();

  public StoppableConverter(
      RelOptTable.ViewExpander views,
      @Nullable SqlValidator validator,
      Prepare.CatalogReader catalogReader,
      RelOptCluster cluster,
      SqlRexConvertletTable convertlets,
      Config config) {
    super(views, validator, catalogReader, cluster, convertlets, config);
    this.orderedFrom = new OrderedFrom(validator);
  }

  @Override
  protected RelRoot convertQueryRecursive(
      SqlNode query, boolean top, @Nullable RelDataType targetRowType) {
    StopCheck.current().check();
    if (top) {
      PlanningClock.begin(getCluster().getPlanner(), PlanningPhase.CONVERT);
    }
    orderedFrom.begin(query, top);
    return super.convertQueryRecursive(query, top, targetRowType);
  }

  /**
   * A recursive query has the types that the validator has given it, which are those of its working
   * table; Calcite's types of the step that is built over that may be wider.
   */
  @Override
  protected RelNode convertSetOp(SqlCall call) {
    RelNode made = super.convertSetOp(call);
    if (made instanceof SetOp rows) {
      List<RelNode> inputs = new ArrayList<>();
      rows.getInputs().forEach(input -> inputs.add(orderedFrom.taken(input, call)));
      boolean same = inputs.equals(rows.getInputs());
      return withInstants(same ? rows : rows.copy(rows.getTraitSet(), inputs));
    }
    if (!(made instanceof RepeatUnion recursion) || validator == null) {
      return made;
    }
    RelDataType wanted = validator.getValidatedNodeType(call);
    if (RelOptUtil.areRowTypesEqual(made.getRowType(), wanted, false)) {
      return made;
    }
    return recursion.copy(
        recursion.getTraitSet(),
        List.of(cast(recursion.getSeedRel(), wanted), cast(recursion.getIterativeRel(), wanted)));
  }

  @Override
  protected void convertCollectionTable(Blackboard bb, SqlCall call) {
    if (!(call.getOperator() instanceof SeriesFunction)) {
      super.convertCollectionTable(bb, call);
      return;
    }
    RelDataType type = requireNonNull(validator).getValidatedNodeType(call);
    int rows = ((SqlNumericLiteral) call.operand(0)).intValue(true);
    bb.setRoot(LogicalSeries.create(getCluster(), type, rows), true);
  }

  /** Casts local times beside instants here, where the zone is known. */
  private static RelNode withInstants(SetOp rows) {
    List<RelDataTypeField> wanted = rows.getRowType().getFieldList();
    List<RelNode> inputs = new ArrayList<>();
    for (RelNode input : rows.getInputs()) {
      boolean mixed = false;
      for (int i = 0; i < wanted.size(); i++) {
        RelDataType from = input.getRowType().getFieldList().get(i).getType();
        mixed |= ZonedForms.isInstant(from) != ZonedForms.isInstant(wanted.get(i).getType());
      }
      inputs.add(mixed ? RelOptUtil.createCastRel(input, rows.getRowType(), true) : input);
    }
    return inputs.equals(rows.getInputs()) ? rows : rows.copy(rows.getTraitSet(), inputs);
  }

  private static RelNode cast(RelNode spool, RelDataType wanted) {
    RelNode rows = spool.getInput(0);
    List<RelDataTypeField> fields = rows.getRowType().getFieldList();
    for (int i = 0; i < fields.size(); i++) {
      RelDataTypeField to = wanted.getFieldList().get(i);
      if (loses(fields.get(i).getType(), to.getType())) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Column %s of the recursive query is %s by its first part and %s by its recursive one; cast it to one type in both."
                .formatted(to.getName(), to.getType(), fields.get(i).getType()));
      }
    }
    return spool.copy(spool.getTraitSet(), List.of(RelOptUtil.createCastRel(rows, wanted, true)));
  }

  /**
   * Whether values may lose digits or letters; a number that does not fit is an error at run time.
   */
  private static boolean loses(RelDataType from, RelDataType to) {
    return SqlTypeUtil.isDecimal(to) && from.getScale() > to.getScale()
        || SqlTypeUtil.inCharOrBinaryFamilies(to)
            && to.getPrecision() >= 0
            && (from.getPrecision() < 0 || from.getPrecision() > to.getPrecision());
  }

  @Override
  public RelNode convertSelect(SqlSelect select, boolean top) {
    boolean ordered = orderedFrom.begin(select, top);
    RelNode rows = super.convertSelect(select, ordered);
    int width = requireNonNull(validator).getValidatedNodeType(select).getFieldCount();
    boolean whole = top || rows.getRowType().getFieldCount() == width;
    return whole ? rows : RelOptUtil.createProject(rows, ImmutableIntList.range(0, width));
  }

  @Override
  protected void convertFrom(@Nullable Blackboard blackboard, @Nullable SqlNode from) {
    StopCheck.current().check();
    if (blackboard != null && from instanceof SqlWithItem item) {
      orderedFrom.begin(item);
      convertCte(blackboard, item);
    } else {
      super.convertFrom(blackboard, from);
    }
  }

  /**
   * Names in the rows of VALUES are those of what is around, as the validator says. Calcite looks
   * for them in the query whose FROM the rows are: a row's column has the name of the outer column
   * in it, and would be taken for that (1.42, no issue known).
   */
  @Override
  protected void convertFrom(
      @Nullable Blackboard blackboard, @Nullable SqlNode from, @Nullable List<String> names) {
    SqlValidatorScope around =
        blackboard == null || from == null || from.getKind() != SqlKind.VALUES || validator == null
            ? null
            : validator.getOverScope(from);
    if (blackboard == null || around == null || around.equals(blackboard.scope)) {
      SqlSelect select = orderedFrom.taker(from);
      super.convertFrom(blackboard, from, names);
      if (select != null && blackboard != null) {
        RelNode rows = requireNonNull(blackboard.root);
        RelNode kept = orderedFrom.taken(rows, select);
        if (!kept.equals(rows)) {
          blackboard.setRoot(kept, true);
        }
      }
      return;
    }
    Blackboard rows = createBlackboard(around, null, false);
    super.convertFrom(rows, from, names);
    blackboard.setRoot(requireNonNull(rows.root), true);
  }

  @Override
  public RelNode toRel(RelOptTable table, List<RelHint> hints) {
    return orderedFrom.named(super.toRel(table, hints));
  }

  /** Calcite makes a query of WITH anew where it is named; rows that vary are made once. */
  private void convertCte(Blackboard blackboard, SqlWithItem item) {
    RelNode known = ctes.get(item);
    if (known == null) {
      super.convertFrom(blackboard, item);
      RelNode rows = requireNonNull(blackboard.root);
      String name = item.name.getSimple();
      MaterializedCtes.Reading reading = MaterializedCtes.reading(rows);
      if (reading == MaterializedCtes.Reading.ONE_PLACE && !readOnce.add(item)) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "The rows of WITH %s vary, and depend on the query around it, so it can be named once only; compute what varies in a table of FROM outside."
                .formatted(name));
      }
      if (reading != MaterializedCtes.Reading.MADE_ONCE) {
        return;
      }
      if (orderedFrom.makesOrdered(item)) {
        super.convertFrom(blackboard, item);
        rows = requireNonNull(blackboard.root);
      }
      known = CteTable.scan(catalogReader, name, SharedCall.resolve(rows));
      ctes.put(item, known);
    }
    blackboard.setRoot(known, true);
  }

  @Override
  protected void convertAgg(
      Blackboard blackboard, SqlSelect select, List<SqlNode> order, List<SqlNode> others) {
    List<SqlNode> expressions = new ArrayList<>(select.getSelectList());
    expressions.addAll(order);
    expressions.addAll(others);
    if (select.getHaving() != null) {
      expressions.add(select.getHaving());
    }
    SelectScope rows = requireNonNull(requireNonNull(validator).getRawSelectScope(select));
    OuterAggregates.refuse(rows, catalogReader.nameMatcher(), expressions);
    Workspace workspace = (Workspace) blackboard;
    AggregatingSelectScope groups =
        (AggregatingSelectScope) requireNonNull(validator.getSelectScope(select));
    workspace.keys =
        GroupColumns.positions(
            groups.resolved.get().groupExprList, rows, catalogReader.nameMatcher());
    grouping.put(blackboard.scope, workspace);
    try {
      super.convertAgg(blackboard, select, order, others);
    } finally {
      grouping.remove(blackboard.scope);
      workspace.keys = null;
      workspace.groups = null;
    }
  }

  /**
   * Calcite drops groups of rows that are different anyway. Its GROUPING is an INTEGER then, where
   * the query has a BIGINT (1.42, no issue known).
   */
  @Override
  protected RelNode createAggregate(
      Blackboard blackboard,
      ImmutableBitSet keys,
      ImmutableList<ImmutableBitSet> sets,
      List<AggregateCall> calls) {
    if (calls.stream().noneMatch(call -> call.getAggregation().getKind() == SqlKind.GROUPING)) {
      return typed(super.createAggregate(blackboard, keys, sets, calls), calls);
    }
    RelBuilder builder =
        config
            .getRelBuilderFactory()
            .create(cluster, null)
            .transform(config.getRelBuilderConfigTransform())
            .transform(settings -> settings.withAggregateUnique(true))
            .push(requireNonNull(blackboard.root));
    return typed(builder.aggregate(builder.groupKey(keys, sets), calls).build(), calls);
  }

  /**
   * Lists of a key of several grouping sets: the validator takes the key for null in some groups,
   * and so for null in the list, whose elements are the values below the groups.
   */
  private RelNode typed(RelNode groups, List<AggregateCall> calls) {
    List<RelDataTypeField> fields = groups.getRowType().getFieldList();
    int keys = fields.size() - calls.size();
    List<RexNode> columns = new ArrayList<>();
    boolean different = false;
    for (int i = 0; i < fields.size(); i++) {
      RexNode column = rexBuilder.makeInputRef(groups, i);
      RelDataType wanted = i < keys ? column.getType() : calls.get(i - keys).getType();
      boolean same =
          SqlTypeUtil.equalSansNullability(typeFactory, wanted, column.getType())
              || wanted.getComponentType() == null;
      different |= !same;
      columns.add(same ? column : rexBuilder.makeAbstractCast(wanted, column, false));
    }
    return different
        ? LogicalProject.create(
            groups, List.of(), columns, groups.getRowType().getFieldNames(), Set.of())
        : groups;
  }

  @Override
  protected Blackboard createBlackboard(
      SqlValidatorScope scope, @Nullable Map<String, RexNode> parameters, boolean top) {
    return new Workspace(scope, parameters, top);
  }

  @Override
  protected RelNode createJoin(
      Blackboard blackboard, RelNode left, RelNode right, RexNode condition, JoinRelType type) {
    RelNode joined = super.createJoin(blackboard, left, right, condition, type);
    return joined instanceof LogicalCorrelate lateral && !condition.isAlwaysTrue()
        ? LateralCondition.split(
            lateral,
            variable -> blackboard.scope.equals(scopes.get(variable)),
            cluster.createCorrel())
        : defining(joined, blackboard.scope);
  }

  /** A node that says which variables of a scope its expressions use. */
  private RelNode defining(RelNode rel, SqlValidatorScope scope) {
    Set<CorrelationId> all = new LinkedHashSet<>(rel.getVariablesSet());
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            for (CorrelationId variable : RelOptUtil.getVariablesUsed(subQuery.rel)) {
              if (scope.equals(scopes.get(variable))) {
                all.add(variable);
              }
            }
            return super.visitSubQuery(subQuery);
          }
        });
    if (all.size() == rel.getVariablesSet().size()) {
      return rel;
    }
    ImmutableSet<CorrelationId> variables = ImmutableSet.copyOf(all);
    return switch (rel) {
      case LogicalFilter filter ->
          LogicalFilter.create(filter.getInput(), filter.getCondition(), variables)
              .withHints(filter.getHints());
      case LogicalProject project ->
          LogicalProject.create(
              project.getInput(),
              project.getHints(),
              project.getProjects(),
              project.getRowType(),
              variables);
      case LogicalJoin join ->
          LogicalJoin.create(
              join.getLeft(),
              join.getRight(),
              join.getHints(),
              join.getCondition(),
              variables,
              join.getJoinType());
      default -> rel;
    };
  }

  /** What a SELECT, or the ON of a join, is converted with. */
  private final class Workspace extends Blackboard {
    /** Of a query with aggregates, where its grouped columns are in the aggregate. */
    private @Nullable Map<List<Integer>, Integer> keys;

    /** What subqueries see of a query whose aggregate is made. */
    private @Nullable GroupColumns groups;

    Workspace(SqlValidatorScope scope, @Nullable Map<String, RexNode> parameters, boolean top) {
      super(scope, parameters, top);
    }

    /**
     * Whether a window can be without rows knows the validator: Calcite forgets its EXCLUDE here.
     */
    @Override
    public RexNode convertExpression(SqlNode expression) {
      RexNode value = super.convertExpression(expression);
      if (expression.getKind() != SqlKind.OVER
          || !requireNonNull(validator).getValidatedNodeType(expression).isNullable()) {
        return value;
      }
      if (value instanceof RexOver over && !over.getType().isNullable()) {
        return nullable(over);
      }
      return value instanceof RexCall cast
              && cast.isA(SqlKind.CAST)
              && cast.getOperands().getFirst() instanceof RexOver over
              && !over.getType().isNullable()
          ? rexBuilder.ensureType(cast.getType(), nullable(over), false)
          : value;
    }

    private RexNode nullable(RexOver over) {
      RexWindow window = over.getWindow();
      return rexBuilder.makeOver(
          typeFactory.createTypeWithNullability(over.getType(), true),
          over.getAggOperator(),
          over.getOperands(),
          window.partitionKeys,
          window.orderKeys,
          window.getLowerBound(),
          window.getUpperBound(),
          window.getExclude(),
          window.isRows(),
          true,
          false,
          over.isDistinct(),
          over.ignoreNulls());
    }

    @Override
    public RexNode visit(SqlIdentifier name) {
      RexNode value = super.visit(name);
      RexNode row = value;
      while (row instanceof RexFieldAccess access) {
        row = access.getReferenceExpr();
      }
      if (row instanceof RexCorrelVariable variable) {
        SqlValidatorScope.ResolvedImpl found = new SqlValidatorScope.ResolvedImpl();
        scope.resolve(scope.fullyQualify(name).prefix(), catalogReader.nameMatcher(), false, found);
        Workspace outer = grouping.get(found.only().scope);
        if (outer != null && outer.groups != null) {
          return outer.groups.column((RexFieldAccess) value, name);
        }
        scopes.put(variable.id, found.only().scope);
      }
      return row instanceof RexInputRef && value instanceof RexFieldAccess field
          ? ofJoined(field)
          : value;
    }

    /** A field of a struct that an outer join may have made null, which Calcite forgets. */
    private RexNode ofJoined(RexNode value) {
      if (value instanceof RexFieldAccess access) {
        return rexBuilder.makeFieldAccess(
            ofJoined(access.getReferenceExpr()), access.getField().getIndex());
      }
      return value instanceof RexInputRef column ? adjustInputRef(this, column) : value;
    }

    @Override
    public void setRoot(RelNode rel, boolean leaf) {
      if (keys != null && rel instanceof Aggregate aggregate) {
        CorrelationId variable = cluster.createCorrel();
        groups = new GroupColumns(rexBuilder, variable, aggregate, keys);
        scopes.put(variable, scope);
      } else if (groups != null) {
        super.setRoot(defined(groups.resolve(rel)), leaf);
        return;
      }
      super.setRoot(leaf ? rel : defined(rel), leaf);
    }

    /** The projections and filters on top may be of this scope. */
    private RelNode defined(RelNode rel) {
      if (!(rel instanceof LogicalProject) && !(rel instanceof LogicalFilter)) {
        return rel;
      }
      RelNode input = rel.getInput(0);
      RelNode below = defined(input);
      RelNode changed = below.equals(input) ? rel : rel.copy(rel.getTraitSet(), List.of(below));
      return defining(changed, scope);
    }
  }

  /** Calcite has one column for equal aggregates, and looks for as many as there are. */
  @Override
  protected void convertPivot(Blackboard bb, SqlPivot pivot) {
    List<SqlNode> found = new ArrayList<>();
    pivot.forEachAgg((alias, aggregate) -> {
      SqlNode call = SqlUtil.stripAs(aggregate);
      if (found.stream().anyMatch(other -> other.equalsDeep(call, Litmus.IGNORE))) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "PIVOT in FROM has the aggregate %s twice; write it once, or PIVOT as a statement or in parentheses: (PIVOT t ON y IN (...) USING a, b)."
                .formatted(call));
      }
      found.add(call);
    });
    super.convertPivot(bb, pivot);
  }
}
