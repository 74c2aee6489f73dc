package io.aragonite.adapter.sql;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.RelShuttleImpl;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Structs as keys of groups and orders, and structs that are compared for equality: their fields
 * are, one after the other, with nulls that are equal to each other. Calcite's code asks whether
 * two rows are the same object.
 */
public final class StructKeys extends RelShuttleImpl {
  private StructKeys() {}

  /** A plan without such keys, as far as they are known. */
  public static RelRoot byFields(RelRoot root) {
    RelNode made = root.rel.accept(new StructKeys());
    // the order of the whole is by columns that the result leaves out
    return root.rel instanceof LogicalSort
            && made instanceof LogicalProject result
            && result.getInput() instanceof LogicalSort sort
        ? root.withRel(sort).withCollation(sort.getCollation())
        : root.withRel(made);
  }

  @Override
  protected RelNode visitChild(RelNode parent, int i, RelNode child) {
    RelNode visited = super.visitChild(parent, i, child);
    return i == parent.getInputs().size() - 1
        ? visited.accept(new Equalities(visited.getCluster().getRexBuilder()))
        : visited;
  }

  /** The fields of a struct that have no fields themselves, and whether it is there. */
  private static void leaves(RexBuilder rex, RexNode value, List<RexNode> leaves) {
    if (!value.getType().isStruct()) {
      leaves.add(value);
      return;
    }
    if (value.getType().isNullable()) {
      leaves.add(rex.makeCall(SqlStdOperatorTable.IS_NULL, value));
    }
    for (RelDataTypeField field : value.getType().getFieldList()) {
      leaves(rex, rex.makeFieldAccess(value, field.getIndex()), leaves);
    }
  }

  /** The struct that leaves are of. */
  private static RexNode struct(
      RexBuilder rex, RelDataType type, List<? extends RexNode> leaves, int[] at) {
    if (!type.isStruct()) {
      RexNode leaf = leaves.get(at[0]++);
      return leaf.getType().equals(type) ? leaf : rex.makeAbstractCast(type, leaf, false);
    }
    RexNode absent = type.isNullable() ? leaves.get(at[0]++) : null;
    List<RexNode> fields = new ArrayList<>();
    for (RelDataTypeField field : type.getFieldList()) {
      fields.add(struct(rex, field.getType(), leaves, at));
    }
    RelDataType whole = rex.getTypeFactory().createTypeWithNullability(type, false);
    RexNode row = rex.makeCall(whole, SqlStdOperatorTable.ROW, fields);
    return absent == null
        ? row
        : rex.makeCall(
            type, SqlStdOperatorTable.CASE, List.of(absent, rex.makeNullLiteral(type), row));
  }

  private static boolean isGrouped(LogicalAggregate aggregate) {
    List<RelDataTypeField> fields = aggregate.getInput().getRowType().getFieldList();
    return aggregate.getGroupType() == LogicalAggregate.Group.SIMPLE
        && aggregate.getGroupSet().asList().stream()
            .anyMatch(key -> fields.get(key).getType().isStruct())
        && aggregate.getGroupSet().asList().stream()
            .noneMatch(key -> hasList(fields.get(key).getType()));
  }

  /** Calcite's code makes no struct with a list that may be null. */
  private static boolean hasList(RelDataType type) {
    return type.isStruct()
        && type.getFieldList().stream()
            .map(RelDataTypeField::getType)
            .anyMatch(field ->
                field.getComponentType() != null || field.getKeyType() != null || hasList(field));
  }

  @Override
  public RelNode visit(LogicalAggregate node) {
    RelNode visited = super.visit(node);
    if (!(visited instanceof LogicalAggregate aggregate) || !isGrouped(aggregate)) {
      return visited;
    }
    RexBuilder rex = aggregate.getCluster().getRexBuilder();
    RelNode input = aggregate.getInput();
    List<RexNode> columns = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    for (int key : aggregate.getGroupSet()) {
      int before = columns.size();
      leaves(rex, rex.makeInputRef(input, key), columns);
      sizes.add(columns.size() - before);
    }
    int keys = columns.size();
    columns.addAll(rex.identityProjects(input.getRowType()));
    RelNode project = LogicalProject.create(input, List.of(), columns, (List<String>) null);
    List<AggregateCall> calls =
        aggregate.getAggCallList().stream().map(call -> moved(call, keys)).toList();
    RelNode groups =
        LogicalAggregate.create(project, List.of(), ImmutableBitSet.range(keys), null, calls);
    List<RexNode> result = new ArrayList<>();
    List<RelDataTypeField> wanted = aggregate.getRowType().getFieldList();
    int at = 0;
    for (int i = 0; i < wanted.size(); i++) {
      int size = i < sizes.size() ? sizes.get(i) : 1;
      List<RexNode> leaves = new ArrayList<>();
      for (int leaf = 0; leaf < size; leaf++) {
        leaves.add(rex.makeInputRef(groups, at++));
      }
      result.add(struct(rex, wanted.get(i).getType(), leaves, new int[1]));
    }
    return LogicalProject.create(groups, List.of(), result, aggregate.getRowType().getFieldNames());
  }

  /** A call whose columns stand so many places further on. */
  private static AggregateCall moved(AggregateCall call, int by) {
    return call.withArgList(call.getArgList().stream().map(place -> place + by).toList())
        .withFilter(call.filterArg < 0 ? -1 : call.filterArg + by)
        .withCollation(
            RelCollations.of(
                call.collation.getFieldCollations().stream()
                    .map(key -> key.withFieldIndex(key.getFieldIndex() + by))
                    .toList()));
  }

  @Override
  public RelNode visit(LogicalSort node) {
    RelNode visited = super.visit(node);
    if (!(visited instanceof LogicalSort sort)) {
      return visited;
    }
    RelNode input = sort.getInput();
    List<RelDataTypeField> fields = input.getRowType().getFieldList();
    RexBuilder rex = sort.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>(rex.identityProjects(input.getRowType()));
    List<RelFieldCollation> keys = new ArrayList<>();
    for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
      int from = columns.size();
      if (fields.get(key.getFieldIndex()).getType().isStruct()) {
        leaves(rex, rex.makeInputRef(input, key.getFieldIndex()), columns);
        for (int leaf = from; leaf < columns.size(); leaf++) {
          keys.add(ofLeaf(key, leaf, columns.get(leaf)));
        }
      } else {
        keys.add(key);
      }
    }
    if (columns.size() == fields.size()) {
      return visited;
    }
    RelNode project = LogicalProject.create(input, List.of(), columns, (List<String>) null);
    RelNode sorted = LogicalSort.create(project, RelCollations.of(keys), sort.offset, sort.fetch);
    return LogicalProject.create(
        sorted,
        List.of(),
        rex.identityProjects(project.getRowType()).subList(0, fields.size()),
        input.getRowType().getFieldNames());
  }

  /** Where nulls come last, structs that are there come first. */
  private static RelFieldCollation ofLeaf(RelFieldCollation key, int place, RexNode leaf) {
    if (leaf.getKind() != SqlKind.IS_NULL) {
      return key.withFieldIndex(place);
    }
    boolean last = key.nullDirection == RelFieldCollation.NullDirection.LAST;
    return new RelFieldCollation(
        place,
        last ? RelFieldCollation.Direction.ASCENDING : RelFieldCollation.Direction.DESCENDING);
  }

  /** {@code =} and {@code <>} of structs. */
  private static final class Equalities extends RexShuttle {
    private final RexBuilder rex;

    Equalities(RexBuilder rex) {
      this.rex = rex;
    }

    @Override
    public RexNode visitCall(RexCall original) {
      RexNode visited = super.visitCall(original);
      boolean equality =
          visited.isA(SqlKind.EQUALS)
              || visited.isA(SqlKind.NOT_EQUALS)
              || visited.isA(SqlKind.IS_DISTINCT_FROM)
              || visited.isA(SqlKind.IS_NOT_DISTINCT_FROM);
      if (!equality || !(visited instanceof RexCall call)) {
        return visited;
      }
      RexNode equal = equal(call.getOperands().getFirst(), call.getOperands().get(1));
      if (equal == null) {
        return visited;
      }
      boolean negated = call.isA(SqlKind.NOT_EQUALS) || call.isA(SqlKind.IS_DISTINCT_FROM);
      RexNode made = negated ? rex.makeCall(SqlStdOperatorTable.NOT, equal) : equal;
      return call.isA(SqlKind.EQUALS) || call.isA(SqlKind.NOT_EQUALS)
          ? ofPresent(call, made)
          : made;
    }

    /** Null if one of the operands is. */
    private RexNode ofPresent(RexCall call, RexNode made) {
      List<RexNode> absent = new ArrayList<>();
      for (RexNode operand : call.getOperands()) {
        if (operand.getType().isNullable()) {
          absent.add(rex.makeCall(SqlStdOperatorTable.IS_NULL, operand));
        }
      }
      if (absent.isEmpty()) {
        return made;
      }
      RelDataType type = rex.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN);
      RelDataType nullable = rex.getTypeFactory().createTypeWithNullability(type, true);
      return rex.makeCall(
          nullable,
          SqlStdOperatorTable.CASE,
          List.of(RexUtil.composeDisjunction(rex, absent), rex.makeNullLiteral(nullable), made));
    }

    /** Whether two structs are equal; null if they are none, or are written as rows. */
    private @Nullable RexNode equal(RexNode left, RexNode right) {
      if (!left.getType().isStruct()
          || !right.getType().isStruct()
          || isWritten(left) && isWritten(right)
          || left.getType().getFieldCount() != right.getType().getFieldCount()) {
        return null;
      }
      List<RexNode> parts = new ArrayList<>();
      parts(left, right, parts);
      return RexUtil.composeConjunction(rex, parts);
    }

    /** A ROW without names of fields, which the grammar compares by itself. */
    private static boolean isWritten(RexNode node) {
      return node.getKind() == SqlKind.ROW
          && node.getType().getFieldNames().stream().allMatch(name -> name.startsWith("EXPR$"));
    }

    private void parts(RexNode left, RexNode right, List<RexNode> parts) {
      if (!left.getType().isStruct() || !right.getType().isStruct()) {
        parts.add(rex.makeCall(SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, left, right));
        return;
      }
      if (left.getType().isNullable() || right.getType().isNullable()) {
        parts.add(
            rex.makeCall(
                SqlStdOperatorTable.EQUALS,
                rex.makeCall(SqlStdOperatorTable.IS_NULL, left),
                rex.makeCall(SqlStdOperatorTable.IS_NULL, right)));
      }
      for (int i = 0; i < left.getType().getFieldCount(); i++) {
        parts(field(left, i), field(right, i), parts);
      }
    }

    private RexNode field(RexNode struct, int i) {
      return struct.getKind() == SqlKind.ROW
          ? ((RexCall) struct).getOperands().get(i)
          : rex.makeFieldAccess(struct, i);
    }
  }
}
