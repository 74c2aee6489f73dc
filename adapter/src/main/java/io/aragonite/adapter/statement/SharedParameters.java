package io.aragonite.adapter.statement;

import io.aragonite.adapter.table.CachedTable;
import io.aragonite.rules.metadata.TableData;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Where the parameters of a converted query are, and what it reads. A parameter is at its place if
 * all of a filter's condition that it is in are comparisons of it with a column that has values of
 * its type.
 */
final class SharedParameters {
  /**
   * Rows of a query's tables up to which a plan may do without knowing values. More are worth a
   * plan of their own: parts of files are left out by values, and joins are ordered by how many
   * rows values leave.
   */
  static final long MOST_ROWS = 100_000;

  private static final Set<SqlKind> COMPARISONS =
      EnumSet.of(
          SqlKind.EQUALS,
          SqlKind.NOT_EQUALS,
          SqlKind.LESS_THAN,
          SqlKind.LESS_THAN_OR_EQUAL,
          SqlKind.GREATER_THAN,
          SqlKind.GREATER_THAN_OR_EQUAL);

  private final int[] met;
  private final int[] compared;
  private final List<ParameterRange> ranges;
  private long rows;
  private boolean unknownTable;

  private SharedParameters(int count) {
    met = new int[count];
    compared = new int[count];
    ranges = new ArrayList<>(Collections.nCopies(count, ParameterRange.ALL));
  }

  /**
   * @param query with its subqueries as they are written
   * @param count of its parameters
   */
  static SharedParameters of(RelNode query, int count) {
    SharedParameters parameters = new SharedParameters(count);
    query.accept(parameters.new Finder());
    for (int i = 0; i < count; i++) {
      if (parameters.met[i] == 0 || parameters.met[i] != parameters.compared[i]) {
        parameters.ranges.set(i, ParameterRange.NONE);
      }
    }
    return parameters;
  }

  /** Whether it reads few rows, of tables that each are one file or in memory. */
  boolean onSmallTables() {
    return !unknownTable && rows <= MOST_ROWS;
  }

  /** The values that each parameter may have; none for one that is not at its place. */
  List<ParameterRange> ranges() {
    return List.copyOf(ranges);
  }

  private void scan(TableScan scan) {
    TableData table = scan.getTable().unwrap(TableData.class);
    if (table == null || !(table.data() instanceof CachedTable data) || data.fileCount() > 1) {
      unknownTable = true;
    } else {
      rows += data.rows();
    }
  }

  private void condition(RexNode node) {
    if (!(node instanceof RexCall call)) {
      return;
    }
    if (call.isA(SqlKind.AND) || call.isA(SqlKind.OR) || call.isA(SqlKind.NOT)) {
      call.getOperands().forEach(this::condition);
    } else if (call.isA(COMPARISONS) && call.getOperands().size() == 2) {
      comparison(call.getOperands().get(0), call.getOperands().get(1));
      comparison(call.getOperands().get(1), call.getOperands().get(0));
    }
  }

  private void comparison(RexNode column, RexNode value) {
    RelDataType type = columnType(column);
    RexDynamicParam parameter = parameter(value);
    if (type == null
        || parameter == null
        || parameter.getIndex() >= met.length
        || !isAlike(type.getSqlTypeName(), parameter.getType().getSqlTypeName())) {
      return;
    }
    ParameterRange range = ParameterRange.of(type.getSqlTypeName());
    // A value of the column's is the same in the type that both are compared in.
    if (ParameterRange.of(value.getType().getSqlTypeName()).contains(range)) {
      compared[parameter.getIndex()]++;
      ranges.set(parameter.getIndex(), range);
    }
  }

  /** The parameter itself, or in a type that holds its values; null if the expression is none. */
  private static @Nullable RexDynamicParam parameter(RexNode node) {
    if (node instanceof RexDynamicParam parameter) {
      return parameter;
    }
    if (!(node instanceof RexCall cast
        && cast.isA(SqlKind.CAST)
        && cast.getOperands().getFirst() instanceof RexDynamicParam parameter)) {
      return null;
    }
    RelDataType from = parameter.getType();
    RelDataType to = cast.getType();
    boolean cut =
        from.getSqlTypeName() == SqlTypeName.VARCHAR
            && to.getPrecision() != RelDataType.PRECISION_NOT_SPECIFIED
            && to.getPrecision() < from.getPrecision();
    return isAlike(from.getSqlTypeName(), to.getSqlTypeName()) && !cut ? parameter : null;
  }

  /** The type of a column, which may be widened; null if the expression is none. */
  private static @Nullable RelDataType columnType(RexNode node) {
    if (node instanceof RexInputRef) {
      return node.getType();
    }
    return node instanceof RexCall cast
            && cast.isA(SqlKind.CAST)
            && cast.getOperands().getFirst() instanceof RexInputRef column
            && isAlike(column.getType().getSqlTypeName(), cast.getType().getSqlTypeName())
        ? column.getType()
        : null;
  }

  private static boolean isAlike(SqlTypeName one, SqlTypeName other) {
    return one == SqlTypeName.VARCHAR || one == SqlTypeName.DATE
        ? one == other
        : SqlTypeFamily.INTEGER.getTypeNames().contains(one)
            && SqlTypeFamily.INTEGER.getTypeNames().contains(other);
  }

  /** Looks at all expressions, and into subqueries. */
  private final class Finder extends RelHomogeneousShuttle {
    private final RexShuttle expressions =
        new RexShuttle() {
          @Override
          public RexNode visitDynamicParam(RexDynamicParam parameter) {
            if (parameter.getIndex() < met.length) {
              met[parameter.getIndex()]++;
            } else {
              unknownTable = true; // one that the query was not given by us
            }
            return parameter;
          }

          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            subQuery.rel.accept(Finder.this);
            return super.visitSubQuery(subQuery);
          }
        };

    @Override
    public RelNode visit(TableScan scan) {
      SharedParameters.this.scan(scan);
      return scan;
    }

    @Override
    public RelNode visit(RelNode node) {
      if (node instanceof TableScan scan) {
        return visit(scan);
      }
      node.accept(expressions);
      if (node instanceof Filter filter) {
        condition(filter.getCondition());
      }
      return super.visit(node);
    }
  }
}
