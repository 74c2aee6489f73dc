package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.ListCalls;
import io.aragonite.rules.function.RowAggregates;
import io.aragonite.rules.function.SortKeys;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what would compare rows, of which Calcite's code asks whether they are the same object,
 * and what would sort by rows, lists or maps: where these have an order, plans compare and sort by
 * their fields and keys ({@link NestedKeys}), so that the rest has none. Lists and maps of anything
 * but rows are equal if their elements are.
 */
public final class NestedComparisonCheck extends RelVisitor {
  private static final Set<SqlKind> COMPARING =
      EnumSet.of(
          SqlKind.ARRAY_CONTAINS,
          SqlKind.ARRAY_DISTINCT,
          SqlKind.ARRAY_EXCEPT,
          SqlKind.ARRAY_INTERSECT,
          SqlKind.ARRAY_MAX,
          SqlKind.ARRAY_MIN,
          SqlKind.ARRAY_POSITION,
          SqlKind.ARRAY_REMOVE,
          SqlKind.ARRAY_UNION,
          SqlKind.ARRAYS_OVERLAP,
          SqlKind.SORT_ARRAY,
          SqlKind.GREATEST,
          SqlKind.LEAST);

  /** Aggregates whose values, or those behind the first argument, have an order. */
  private static final Set<SqlKind> ORDERING =
      EnumSet.of(SqlKind.MIN, SqlKind.MAX, SqlKind.ARG_MIN, SqlKind.ARG_MAX);

  static {
    COMPARING.addAll(SqlKind.COMPARISON);
  }

  private NestedComparisonCheck() {}

  /**
   * @param plan what a statement was converted to, or what it is run as
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED
   */
  public static void requireNone(RelNode plan) {
    new NestedComparisonCheck().go(plan);
  }

  @Override
  public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
    switch (node) {
      case Aggregate aggregate -> check(aggregate);
      case SetOp set -> {
        if (!(set instanceof Union union && union.all)) {
          set.getRowType().getFieldList().forEach(NestedComparisonCheck::requireEquality);
        }
      }
      case RepeatUnion union -> {
        if (!union.all) {
          union.getRowType().getFieldList().forEach(NestedComparisonCheck::requireEquality);
        }
      }
      case Sort sort -> requireOrder(sort.getCollation().getFieldCollations(), sort.getInput());
      default -> {}
    }
    List<RelDataTypeField> fields =
        node.getInputs().stream()
            .flatMap(input -> input.getRowType().getFieldList().stream())
            .toList();
    node.accept(new Expressions(fields));
    super.visit(node, ordinal, parent);
  }

  private static void check(Aggregate aggregate) {
    List<RelDataTypeField> fields = aggregate.getInput().getRowType().getFieldList();
    aggregate.getGroupSet().forEach(key -> requireEquality(fields.get(key)));
    for (AggregateCall call : aggregate.getAggCallList()) {
      List<Integer> arguments = call.getArgList();
      if (call.isDistinct()) {
        arguments.stream()
            .map(fields::get)
            .filter(field -> !isCompared(call, field.getType()))
            .forEach(NestedComparisonCheck::requireEquality);
      }
      if (ORDERING.contains(call.getAggregation().getKind())) {
        requireOrder(fields.get(arguments.getLast()));
      }
      requireOrder(call.collation.getFieldCollations(), aggregate.getInput());
    }
  }

  /** Lists of distinct values are made on the host, which has an order of them. */
  private static boolean isCompared(AggregateCall call, RelDataType type) {
    return call.getAggregation().getKind() == SqlKind.ARRAY_AGG && SortKeys.has(type);
  }

  private static void requireOrder(List<RelFieldCollation> keys, RelNode input) {
    List<RelDataTypeField> fields = input.getRowType().getFieldList();
    keys.forEach(key -> requireOrder(fields.get(key.getFieldIndex())));
  }

  private static void requireOrder(RelDataTypeField field) {
    requireOrder(field.getName(), field.getType());
  }

  private static void requireOrder(String name, RelDataType type) {
    if (hasRow(type) || type.getComponentType() != null || type.getKeyType() != null) {
      throw refused(name, type);
    }
  }

  private static void requireEquality(RelDataTypeField field) {
    requireEquality(field.getName(), field.getType());
  }

  private static void requireEquality(String name, RelDataType type) {
    if (hasRow(type)) {
      throw refused(name, type);
    }
  }

  private static AragoniteException refused(String name, RelDataType type) {
    return new AragoniteException(
        ErrorCode.COLUMN_TYPE_UNSUPPORTED,
        "Column \"%s\" is of type %s, whose values are not compared, grouped or sorted; take their parts, as t.%s"
            .formatted(
                name,
                type,
                type.isStruct() && !type.getFieldList().isEmpty()
                    ? name + "." + type.getFieldList().getFirst().getName()
                    : name + "[1]"));
  }

  /** Whether a value has a row in it; what MULTISET calls a row of one column is its element. */
  private static boolean hasRow(@Nullable RelDataType type) {
    if (type == null || type.getSqlTypeName() == SqlTypeName.MULTISET) {
      return false;
    }
    return type.isStruct()
        || Stream.of(type.getComponentType(), type.getKeyType(), type.getValueType())
            .anyMatch(NestedComparisonCheck::hasRow);
  }

  /** Looks at the expressions of a node. */
  private static final class Expressions extends RexShuttle {
    private final List<RelDataTypeField> fields;

    Expressions(List<RelDataTypeField> fields) {
      this.fields = fields;
    }

    private String name(RexNode node) {
      return node instanceof RexInputRef ref && ref.getIndex() < fields.size()
          ? fields.get(ref.getIndex()).getName()
          : node.toString();
    }

    @Override
    public RexNode visitCall(RexCall call) {
      boolean byKeys =
          ListCalls.compares(call.getOperator())
              && call.getOperands().stream().allMatch(operand -> SortKeys.has(operand.getType()));
      if (COMPARING.contains(call.getKind()) && !byKeys) {
        call.getOperands().forEach(this::requireEquality);
      }
      return super.visitCall(call);
    }

    /** Rows that are written as such are compared field by field. */
    private void requireEquality(RexNode node) {
      if (node.getKind() == SqlKind.ROW) {
        ((RexCall) node).getOperands().forEach(this::requireEquality);
      } else {
        NestedComparisonCheck.requireEquality(name(node), node.getType());
      }
    }

    private void requireOrder(RexNode node) {
      NestedComparisonCheck.requireOrder(name(node), node.getType());
    }

    @Override
    public RexNode visitOver(RexOver over) {
      over.getWindow().partitionKeys.forEach(this::requireEquality);
      over.getWindow().orderKeys.forEach(key -> requireOrder(key.left));
      SqlAggFunction function = over.getAggOperator();
      boolean onHost = RowAggregates.has(function) || function.getKind() == SqlKind.ARRAY_AGG;
      boolean keyed =
          onHost
              && over.getOperands().stream().allMatch(operand -> SortKeys.has(operand.getType()));
      if (over.isDistinct() && !keyed) {
        over.getOperands().forEach(this::requireOrder);
      } else if (ORDERING.contains(function.getKind()) && !keyed) {
        requireOrder(over.getOperands().getLast()); // ARG_MIN has the value first
      }
      return super.visitOver(over);
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery query) {
      query.getOperands().forEach(this::requireEquality);
      new NestedComparisonCheck().go(query.rel);
      return super.visitSubQuery(query);
    }
  }
}
