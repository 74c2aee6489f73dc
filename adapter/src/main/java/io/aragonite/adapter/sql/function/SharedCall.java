package io.aragonite.adapter.sql.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;

/**
 * A random call that is read several times and has one value. It has a number until the statement
 * is a tree of rels; then calls of one number become a column of a Project below.
 */
public final class SharedCall {
  private static final SqlFunction SHARED =
      new SqlFunction(
          "$SHARED",
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.ARG1,
          null,
          OperandTypes.VARIADIC,
          SqlFunctionCategory.SYSTEM) {
        /** Calcite looks for others in the functions of a name. */
        @Override
        public RelDataType deriveType(
            SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
          call.getOperandList().forEach(operand -> validator.deriveType(scope, operand));
          return validateOperands(validator, scope, call);
        }
      };

  /** What makes an approximate number of any approximate numbers. */
  private static final Set<SqlKind> TOTAL =
      EnumSet.of(
          SqlKind.PLUS,
          SqlKind.MINUS,
          SqlKind.TIMES,
          SqlKind.MINUS_PREFIX,
          SqlKind.FLOOR,
          SqlKind.CEIL);

  private static final AtomicLong NUMBERS = new AtomicLong();

  private SharedCall() {}

  public static boolean is(SqlCall call) {
    return call.getOperator().equals(SHARED);
  }

  /** The call, with a number of its own. */
  public static SqlNode of(SqlCall call) {
    SqlParserPos at = call.getParserPosition();
    return SHARED.createCall(
        at, SqlLiteral.createExactNumeric(String.valueOf(NUMBERS.incrementAndGet()), at), call);
  }

  /**
   * A tree without such calls.
   *
   * @throws AragoniteException INVALID_STATEMENT where no Project can be put below, as of joins
   */
  public static RelNode resolve(RelNode rel) {
    return rel.accept(new Resolver());
  }

  /** Puts Projects below nodes that have such calls. */
  private static final class Resolver extends RelHomogeneousShuttle {
    @Override
    public RelNode visit(RelNode other) {
      RelNode node = super.visit(other);
      Calls calls = new Calls(this);
      RelNode found = node.accept(calls);
      if (calls.values.isEmpty()) {
        return found;
      }
      if (calls.count == calls.values.size()) {
        return found.accept(new Replacement(calls.values));
      }
      if (!found.getVariablesSet().isEmpty()) {
        throw refused();
      }
      return switch (found) {
        case LogicalFilter filter -> below(filter, calls.values);
        case LogicalProject project -> below(project, calls.values);
        default -> throw refused();
      };
    }

    private static RelNode below(Filter filter, Map<RexNode, RexNode> values) {
      RelNode input = filter.getInput();
      RelNode more = withColumns(input, values);
      RelNode kept =
          LogicalFilter.create(more, filter.getCondition().accept(new Replacement(values)));
      RexBuilder rexes = filter.getCluster().getRexBuilder();
      List<RexNode> columns = new ArrayList<>();
      for (int i = 0; i < input.getRowType().getFieldCount(); i++) {
        columns.add(rexes.makeInputRef(kept, i));
      }
      return LogicalProject.create(
          kept, List.of(), columns, input.getRowType().getFieldNames(), filter.getVariablesSet());
    }

    private static RelNode below(Project project, Map<RexNode, RexNode> values) {
      RelNode more = withColumns(project.getInput(), values);
      return LogicalProject.create(
          more,
          project.getHints(),
          new Replacement(values).apply(project.getProjects()),
          project.getRowType().getFieldNames(),
          project.getVariablesSet());
    }

    /** The input with a column for each call, which the values become references of. */
    private static RelNode withColumns(RelNode input, Map<RexNode, RexNode> values) {
      RexBuilder rexes = input.getCluster().getRexBuilder();
      List<RexNode> columns = new ArrayList<>();
      List<String> names = new ArrayList<>(input.getRowType().getFieldNames());
      int width = names.size();
      for (int i = 0; i < width; i++) {
        columns.add(rexes.makeInputRef(input, i));
      }
      for (Map.Entry<RexNode, RexNode> shared : values.entrySet()) {
        names.add("$shared" + columns.size());
        columns.add(shared.getValue());
        shared.setValue(rexes.makeInputRef(shared.getValue().getType(), columns.size() - 1));
      }
      return LogicalProject.create(input, List.of(), columns, names, Set.of());
    }

    static AragoniteException refused() {
      return new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "A random operand is read several times where it cannot be computed once, as in ON,"
              + " beside a subquery or of columns for which it may fail; make it a column first:"
              + " SELECT ... FROM (SELECT random() AS r FROM ...).");
    }
  }

  /** Finds the calls of a node, and resolves those of its subqueries. */
  private static final class Calls extends RexShuttle {
    private final Resolver resolver;

    /** By its number, what is called. */
    private final Map<RexNode, RexNode> values = new LinkedHashMap<>();

    private int count;

    Calls(Resolver resolver) {
      this.resolver = resolver;
    }

    @Override
    public RexNode visitCall(RexCall call) {
      if (call.getOperator().equals(SHARED)) {
        count++;
        if (!neverFails(call.getOperands().get(1))) {
          throw Resolver.refused();
        }
        values.put(call.getOperands().get(0), call.getOperands().get(1));
        return call;
      }
      return super.visitCall(call);
    }

    /**
     * Whether a call has a value for each row, also for those that a CASE or an AND would not have
     * asked: one that reads no columns, or adds and multiplies them as approximate numbers.
     */
    private static boolean neverFails(RexNode node) {
      if (!(node instanceof RexCall call)) {
        return node instanceof RexLiteral || node instanceof RexInputRef;
      }
      if (call.getOperator().equals(SHARED)) {
        return false;
      }
      boolean total =
          SqlTypeUtil.isApproximateNumeric(call.getType())
              && (TOTAL.contains(call.getKind())
                  || call.getKind() == SqlKind.CAST
                      && SqlTypeUtil.isNumeric(call.getOperands().getFirst().getType()));
      return call.getOperands().stream()
          .allMatch(operand -> total ? neverFails(operand) : readsNothing(operand));
    }

    private static boolean readsNothing(RexNode node) {
      return node instanceof RexLiteral
          || node instanceof RexCall call
              && !call.getOperator().equals(SHARED)
              && !(call instanceof RexSubQuery)
              && call.getOperands().stream().allMatch(Calls::readsNothing);
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery query) {
      RexNode visited = super.visitSubQuery(query);
      return visited instanceof RexSubQuery of ? of.clone(of.rel.accept(resolver)) : visited;
    }
  }

  /** Has values in the place of calls. */
  private static final class Replacement extends RexShuttle {
    private final Map<RexNode, RexNode> values;

    Replacement(Map<RexNode, RexNode> values) {
      this.values = values;
    }

    @Override
    public RexNode visitCall(RexCall call) {
      RexNode value =
          call.getOperator().equals(SHARED)
                  && call.getOperands().getFirst() instanceof RexLiteral number
              ? values.get(number)
              : null;
      return value == null ? super.visitCall(call) : value;
    }
  }
}
