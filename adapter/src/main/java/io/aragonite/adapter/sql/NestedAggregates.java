package io.aragonite.adapter.sql;

import io.aragonite.rules.function.OrderedFunctions;
import io.aragonite.rules.function.SortKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates that compare structs, by the parts of these, or order UUIDs: the least and the
 * greatest are the first in an order, ordered aggregates have orders of parts, MODE takes the parts
 * too, and COUNT(DISTINCT) counts columns that are all null for a null, or a text of them.
 */
final class NestedAggregates {
  private final LogicalAggregate aggregate;
  private final RexBuilder rex;

  /** Those of the input, and what the calls take besides. */
  private final List<RexNode> columns;

  private NestedAggregates(LogicalAggregate aggregate) {
    this.aggregate = aggregate;
    this.rex = aggregate.getCluster().getRexBuilder();
    this.columns = new ArrayList<>(rex.identityProjects(aggregate.getInput().getRowType()));
  }

  /** The same aggregate, or one with other calls, under a projection where types changed. */
  static RelNode of(LogicalAggregate aggregate) {
    NestedAggregates changed = new NestedAggregates(aggregate);
    List<AggregateCall> calls = aggregate.getAggCallList().stream().map(changed::changed).toList();
    return calls.equals(aggregate.getAggCallList()) ? aggregate : changed.with(calls);
  }

  private RelNode with(List<AggregateCall> calls) {
    RelNode made =
        LogicalAggregate.create(
            LogicalProject.create(aggregate.getInput(), List.of(), columns, (List<String>) null),
            aggregate.getHints(),
            aggregate.getGroupSet(),
            aggregate.getGroupSets(),
            calls);
    if (made.getRowType().equals(aggregate.getRowType())) {
      return made;
    }
    List<RexNode> typed = new ArrayList<>();
    for (RelDataTypeField field : aggregate.getRowType().getFieldList()) {
      RexNode value = rex.makeInputRef(made, field.getIndex());
      if (value.getType().equals(field.getType())) {
        typed.add(value);
      } else if (NestedLeaves.isNested(field.getType())
          && value.getType().getSqlTypeName() == SqlTypeName.VARBINARY) {
        typed.add(SortKeys.decode(rex, value, field.getType()));
      } else {
        typed.add(rex.makeAbstractCast(field.getType(), value, false));
      }
    }
    return LogicalProject.create(made, List.of(), typed, aggregate.getRowType().getFieldNames());
  }

  private boolean isStruct(AggregateCall call, int argument) {
    return call.getArgList().size() > argument
        && NestedLeaves.isNested(columns.get(call.getArgList().get(argument)).getType());
  }

  private boolean isOrderedByParts(AggregateCall call, int argument) {
    return call.getArgList().size() > argument
        && NestedKeys.isOrderedByParts(columns.get(call.getArgList().get(argument)).getType());
  }

  private AggregateCall changed(AggregateCall call) {
    return switch (call.getAggregation().getKind()) {
      case COUNT -> call.isDistinct() && isStruct(call, 0) ? counted(call) : call;
      case MIN, MAX ->
          hasKey(call)
              ? extremeKey(call)
              : isStruct(call, 0) // UUIDs are compared as they are
                  ? first(call, call.getArgList().getFirst(), call.getAggregation().getKind())
                  : call;
      case ARG_MIN, ARG_MAX ->
          isOrderedByParts(call, 1)
              ? first(call, call.getArgList().get(1), call.getAggregation().getKind())
              : call;
      case MODE -> isStruct(call, 0) ? mostFrequent(call) : call;
      default -> {
        boolean struct = isStruct(call, 0);
        if (struct && call.getAggregation().equals(OrderedFunctions.QUANTILE_DISC)) {
          yield quantileKey(call);
        }
        yield struct && call.getAggregation().equals(OrderedFunctions.MODE)
            ? mostFrequent(ordered(call))
            : ordered(call);
      }
    };
  }

  /**
   * Whether the least or greatest value is that of sort keys: with grouping sets there is no FIRST.
   */
  private boolean hasKey(AggregateCall call) {
    RelDataType type = columns.get(call.getArgList().getFirst()).getType();
    boolean sets = aggregate.getGroupType() != LogicalAggregate.Group.SIMPLE;
    return NestedLeaves.isKeyed(type) || sets && type.isStruct() && SortKeys.has(type);
  }

  private AggregateCall extremeKey(AggregateCall call) {
    return ofKey(call, List.of(key(call)), RelCollations.EMPTY);
  }

  /** The value itself is the order of it. */
  private AggregateCall quantileKey(AggregateCall call) {
    if (!SortKeys.has(columns.get(call.getArgList().getFirst()).getType())) {
      return call;
    }
    int key = key(call);
    List<Integer> arguments = new ArrayList<>(call.getArgList());
    arguments.set(0, key);
    RelFieldCollation order = call.collation.getFieldCollations().getFirst();
    return ofKey(call, arguments, RelCollations.of(order.withFieldIndex(key)));
  }

  /** The column with the sort key of the first argument. */
  private int key(AggregateCall call) {
    RexNode value = columns.get(call.getArgList().getFirst());
    columns.add(SortKeys.create(rex, value, value.getType()));
    return columns.size() - 1;
  }

  private AggregateCall ofKey(AggregateCall call, List<Integer> arguments, RelCollation order) {
    RelDataType key = columns.get(arguments.getFirst()).getType();
    return AggregateCall.create(
        call.getParserPosition(),
        call.getAggregation(),
        false,
        false,
        false,
        List.of(),
        arguments,
        call.filterArg,
        null,
        order,
        rex.getTypeFactory().createTypeWithNullability(key, call.getType().isNullable()),
        call.name);
  }

  /** Behind the struct stand its parts, by which it is equal to others, and less than them. */
  private AggregateCall mostFrequent(AggregateCall call) {
    List<RexNode> parts = new ArrayList<>();
    int value = call.getArgList().getFirst();
    NestedLeaves.of(rex, columns.get(value), columns.get(value).getType(), parts);
    List<Integer> arguments = new ArrayList<>(call.getArgList());
    for (RexNode part : parts) {
      arguments.add(columns.size());
      columns.add(part);
    }
    return call.withArgList(arguments);
  }

  private AggregateCall ordered(AggregateCall call) {
    if (call.collation.getFieldCollations().stream()
        .noneMatch(
            key -> NestedKeys.isOrderedByParts(columns.get(key.getFieldIndex()).getType()))) {
      return call;
    }
    List<RelFieldCollation> keys = new ArrayList<>();
    call.collation.getFieldCollations().forEach(key -> NestedKeys.order(rex, key, columns, keys));
    return call.withCollation(RelCollations.of(keys));
  }

  /**
   * The first argument where another is the least or the greatest; rows where one is null do not
   * count.
   */
  private AggregateCall first(AggregateCall call, int by, SqlKind kind) {
    boolean greatest = kind == SqlKind.MAX || kind == SqlKind.ARG_MAX;
    List<RexNode> conditions = new ArrayList<>();
    if (call.filterArg >= 0) {
      conditions.add(columns.get(call.filterArg));
    }
    for (int argument : call.getArgList()) {
      if (columns.get(argument).getType().isNullable()) {
        conditions.add(rex.makeCall(SqlStdOperatorTable.IS_NOT_NULL, columns.get(argument)));
      }
    }
    int filter = -1;
    if (!conditions.isEmpty()) {
      RexNode condition = RexUtil.composeConjunction(rex, conditions);
      filter = columns.size();
      columns.add(
          condition.getType().isNullable()
              ? rex.makeCall(SqlStdOperatorTable.IS_TRUE, condition)
              : condition);
    }
    List<RelFieldCollation> keys = new ArrayList<>();
    RelFieldCollation.Direction direction =
        greatest ? RelFieldCollation.Direction.DESCENDING : RelFieldCollation.Direction.ASCENDING;
    RelFieldCollation key =
        new RelFieldCollation(by, direction, RelFieldCollation.NullDirection.LAST);
    NestedKeys.order(rex, key, columns, keys);
    int value = call.getArgList().getFirst();
    RelDataType type =
        rex.getTypeFactory().createTypeWithNullability(columns.get(value).getType(), true);
    return AggregateCall.create(
        call.getParserPosition(),
        OrderedFunctions.FIRST,
        false,
        false,
        false,
        List.of(),
        List.of(value),
        filter,
        null,
        RelCollations.of(keys),
        type,
        call.name);
  }

  /** Beside other aggregates nothing counts several columns. */
  private AggregateCall counted(AggregateCall call) {
    List<RexNode> encoded = new ArrayList<>();
    RexNode value = columns.get(call.getArgList().getFirst());
    if (call.getArgList().size() > 1) {
      return call;
    }
    boolean known = NestedLeaves.encode(rex, value, value.getType(), encoded);
    if (!known || aggregate.getAggCallList().size() > 1 && encoded.size() > 1) {
      RexNode text = known ? text(encoded) : null;
      if (text == null && !SortKeys.has(value.getType())) {
        return call;
      }
      encoded = List.of(text == null ? SortKeys.create(rex, value, value.getType()) : text);
    }
    int from = columns.size();
    columns.addAll(encoded);
    return call.withArgList(IntStream.range(from, columns.size()).boxed().toList());
  }

  /** A text that is another one for other values: each behind its length. Null if one has none. */
  private @Nullable RexNode text(List<RexNode> values) {
    RexNode all = null;
    for (RexNode value : values) {
      RelDataType type = value.getType();
      if (type.getFamily() == SqlTypeFamily.BINARY
          || type.getFamily() == SqlTypeFamily.ANY
          || type.getSqlTypeName() == SqlTypeName.UUID) {
        return null;
      }
      boolean floating =
          type.getSqlTypeName() == SqlTypeName.DOUBLE || type.getSqlTypeName() == SqlTypeName.REAL;
      RexNode equal = // the two zeros are
          floating
              ? rex.makeCall(SqlStdOperatorTable.PLUS, value, rex.makeZeroLiteral(plain(type)))
              : value;
      RexNode text = rex.makeCast(varchar(type), equal);
      RexNode length =
          rex.makeCast(varchar(type), rex.makeCall(SqlStdOperatorTable.CHAR_LENGTH, text));
      RexNode part =
          rex.makeCall(
              SqlStdOperatorTable.CONCAT,
              rex.makeCall(SqlStdOperatorTable.CONCAT, length, rex.makeLiteral(":")),
              text);
      all = all == null ? part : rex.makeCall(SqlStdOperatorTable.CONCAT, all, part);
    }
    return all;
  }

  private RelDataType plain(RelDataType type) {
    return rex.getTypeFactory().createTypeWithNullability(type, false);
  }

  private RelDataType varchar(RelDataType like) {
    return rex.getTypeFactory()
        .createTypeWithNullability(
            rex.getTypeFactory().createSqlType(SqlTypeName.VARCHAR), like.isNullable());
  }
}
