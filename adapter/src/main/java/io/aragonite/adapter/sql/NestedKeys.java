package io.aragonite.adapter.sql;

import io.aragonite.rules.function.SortKeys;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.RelShuttleImpl;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalIntersect;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalMinus;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.Util;

/**
 * Structs, lists and maps as keys of groups and orders, in sets of rows, and where they are
 * compared: structs by their fields, one after the other, with nulls that are equal to each other,
 * the others by their sort keys. Calcite's code asks whether two rows are the same object.
 */
public final class NestedKeys extends RelShuttleImpl {
  private static final int UUID_LENGTH = 36;

  private NestedKeys() {}

  /** A plan without such keys, as far as they are known. */
  public static RelRoot byFields(RelRoot root) {
    RelNode made = root.rel.accept(new NestedKeys());
    // the order of the whole is by columns that the result leaves out
    return root.rel instanceof LogicalSort
            && made instanceof LogicalProject result
            && result.getInput() instanceof LogicalSort sort
        ? root.withRel(sort).withCollation(sort.getCollation())
        : root.withRel(made);
  }

  /** The rows of a subquery without such keys. */
  static RelNode byFields(RelNode rows) {
    return rows.accept(new NestedKeys());
  }

  @Override
  protected RelNode visitChild(RelNode parent, int i, RelNode child) {
    RelNode visited = super.visitChild(parent, i, child);
    return i == parent.getInputs().size() - 1 ? visited.accept(comparisons(visited)) : visited;
  }

  private static NestedComparisons comparisons(RelNode node) {
    return new NestedComparisons(node.getCluster().getRexBuilder());
  }

  @Override
  public RelNode visit(LogicalFilter filter) {
    RexNode condition = comparisons(filter).condition(filter.getCondition());
    if (condition.equals(filter.getCondition())) {
      return super.visit(filter);
    }
    return super.visit(filter.copy(filter.getTraitSet(), filter.getInput(), condition));
  }

  @Override
  public RelNode visit(LogicalJoin join) {
    RexNode condition = comparisons(join).condition(join.getCondition());
    if (condition.equals(join.getCondition())) {
      return super.visit(join);
    }
    return super.visit(
        join.copy(
            join.getTraitSet(),
            condition,
            join.getLeft(),
            join.getRight(),
            join.getJoinType(),
            join.isSemiJoinDone()));
  }

  private static boolean isGrouped(LogicalAggregate aggregate) {
    List<RelDataTypeField> fields = aggregate.getInput().getRowType().getFieldList();
    return aggregate.getGroupSet().asList().stream()
        .map(key -> fields.get(key).getType())
        .anyMatch(
            type -> NestedLeaves.isNested(type) && (isSimple(aggregate) || SortKeys.has(type)));
  }

  private static boolean isSimple(LogicalAggregate aggregate) {
    return aggregate.getGroupType() == LogicalAggregate.Group.SIMPLE;
  }

  @Override
  public RelNode visit(LogicalAggregate node) {
    RelNode visited = super.visit(node);
    if (!(visited instanceof LogicalAggregate aggregate)) {
      return visited;
    }
    RelNode made = NestedAggregates.of(aggregate);
    return made instanceof LogicalAggregate plain
        ? byKeys(plain)
        : made.copy(
            made.getTraitSet(), List.of(byKeys((LogicalAggregate) made.getInputs().getFirst())));
  }

  private static RelNode byKeys(LogicalAggregate aggregate) {
    if (!isGrouped(aggregate)) {
      return aggregate;
    }
    return isSimple(aggregate) ? byLeaves(aggregate) : bySortKeys(aggregate);
  }

  private static RelNode byLeaves(LogicalAggregate aggregate) {
    RexBuilder rex = aggregate.getCluster().getRexBuilder();
    RelNode input = aggregate.getInput();
    List<RexNode> columns = new ArrayList<>();
    for (int key : aggregate.getGroupSet()) {
      RexNode value = rex.makeInputRef(input, key);
      NestedLeaves.of(rex, value, value.getType(), columns);
    }
    int keys = columns.size();
    columns.addAll(rex.identityProjects(input.getRowType()));
    RelNode project = LogicalProject.create(input, List.of(), columns, (List<String>) null);
    List<AggregateCall> calls =
        aggregate.getAggCallList().stream().map(call -> moved(call, keys)).toList();
    RelNode groups =
        LogicalAggregate.create(project, List.of(), ImmutableBitSet.range(keys), null, calls);
    List<RexNode> found = rex.identityProjects(groups.getRowType()).stream().toList();
    List<RexNode> result = new ArrayList<>();
    int[] at = new int[1];
    for (RelDataTypeField field :
        aggregate.getRowType().getFieldList().subList(0, aggregate.getGroupCount())) {
      result.add(NestedLeaves.struct(rex, field.getType(), found, at));
    }
    result.addAll(found.subList(keys, found.size()));
    return LogicalProject.create(groups, List.of(), result, aggregate.getRowType().getFieldNames());
  }

  /** With grouping sets a key is one column, which is null in the sets that it is not in. */
  private static RelNode bySortKeys(LogicalAggregate aggregate) {
    RexBuilder rex = aggregate.getCluster().getRexBuilder();
    RelNode input = aggregate.getInput();
    List<Integer> given = aggregate.getGroupSet().asList();
    List<RexNode> columns = new ArrayList<>();
    for (int key : given) {
      RexNode value = rex.makeInputRef(input, key);
      columns.add(
          NestedLeaves.isNested(value.getType())
              ? SortKeys.create(rex, value, value.getType())
              : value);
    }
    int keys = columns.size();
    columns.addAll(rex.identityProjects(input.getRowType()));
    RelNode project = LogicalProject.create(input, List.of(), columns, (List<String>) null);
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      boolean ofKeys =
          call.getAggregation().getKind() == SqlKind.GROUPING
              || call.getAggregation().getKind() == SqlKind.GROUPING_ID;
      calls.add(
          ofKeys
              ? call.withArgList(call.getArgList().stream().map(given::indexOf).toList())
              : moved(call, keys));
    }
    List<ImmutableBitSet> sets =
        aggregate.getGroupSets().stream()
            .map(set -> ImmutableBitSet.of(Util.transform(set.asList(), given::indexOf)))
            .sorted(ImmutableBitSet.ORDERING)
            .toList();
    RelNode groups =
        LogicalAggregate.create(project, List.of(), ImmutableBitSet.range(keys), sets, calls);
    List<RexNode> result = new ArrayList<>();
    for (RelDataTypeField field : aggregate.getRowType().getFieldList()) {
      RexNode value = rex.makeInputRef(groups, field.getIndex());
      boolean decoded = field.getIndex() < keys && NestedLeaves.isNested(field.getType());
      result.add(decoded ? SortKeys.decode(rex, value, field.getType()) : value);
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
      order(rex, key, columns, keys);
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

  /** Whether values of a type are ordered by others that are made of them. */
  static boolean isOrderedByParts(RelDataType type) {
    return NestedLeaves.isNested(type) || type.getSqlTypeName() == SqlTypeName.UUID;
  }

  /**
   * What values are ordered by: UUIDs by their texts, since Java's compare their halves as numbers
   * with signs.
   */
  static RexNode ordered(RexBuilder rex, RexNode value) {
    RelDataType type = value.getType();
    return type.getSqlTypeName() == SqlTypeName.UUID
        ? rex.makeCast(
            rex.getTypeFactory()
                .createTypeWithNullability(
                    rex.getTypeFactory().createSqlType(SqlTypeName.VARCHAR, UUID_LENGTH),
                    type.isNullable()),
            value)
        : value;
  }

  /** A key of an order as one by the parts of its value, which are added to the columns. */
  static void order(
      RexBuilder rex, RelFieldCollation key, List<RexNode> columns, List<RelFieldCollation> keys) {
    RexNode value = columns.get(key.getFieldIndex());
    if (!isOrderedByParts(value.getType())) {
      keys.add(key);
      return;
    }
    int from = columns.size();
    List<RexNode> leaves = new ArrayList<>();
    NestedLeaves.of(rex, value, value.getType(), leaves);
    if (!value.getType().isStruct()) {
      columns.add(ordered(rex, leaves.getFirst()));
      keys.add(key.withFieldIndex(from));
      return;
    }
    leaves.forEach(leaf -> columns.add(ordered(rex, leaf)));
    for (int leaf = from; leaf < columns.size(); leaf++) {
      boolean whole = leaf == from && value.getType().isNullable();
      keys.add(whole ? ofWhole(key, leaf) : ofLeaf(key, leaf));
    }
  }

  /** Where nulls come last, structs that are there come first. */
  private static RelFieldCollation ofWhole(RelFieldCollation key, int place) {
    boolean last = key.nullDirection == RelFieldCollation.NullDirection.LAST;
    return new RelFieldCollation(
        place,
        last ? RelFieldCollation.Direction.ASCENDING : RelFieldCollation.Direction.DESCENDING);
  }

  /** Nulls within a struct are greater than all else, wherever null structs come. */
  private static RelFieldCollation ofLeaf(RelFieldCollation key, int place) {
    return new RelFieldCollation(
        place,
        key.direction,
        key.direction.isDescending()
            ? RelFieldCollation.NullDirection.FIRST
            : RelFieldCollation.NullDirection.LAST);
  }

  @Override
  public RelNode visit(LogicalUnion union) {
    RelNode visited = super.visit(union);
    if (!(visited instanceof SetOp set)) {
      return visited;
    }
    return union.all ? ofOneType(set) : ofSet(set);
  }

  /**
   * Rows of several inputs, whose nested values become those of the type that they have in common.
   */
  private static RelNode ofOneType(SetOp union) {
    List<RelNode> inputs =
        union.getInputs().stream().map(input -> cast(input, union.getRowType())).toList();
    return inputs.equals(union.getInputs())
        ? union
        : union.copy(union.getTraitSet(), inputs, union.all);
  }

  private static RelNode cast(RelNode rows, RelDataType type) {
    RexBuilder rex = rows.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>();
    boolean same = true;
    for (RelDataTypeField field : type.getFieldList()) {
      RexNode value = rex.makeInputRef(rows, field.getIndex());
      boolean kept =
          !NestedLeaves.isNested(field.getType())
              || SqlTypeUtil.equalSansNullability(
                  rex.getTypeFactory(), value.getType(), field.getType());
      RelDataType cast =
          rex.getTypeFactory()
              .createTypeWithNullability(field.getType(), value.getType().isNullable());
      columns.add(kept ? value : rex.makeCast(cast, value));
      same &= kept;
    }
    return same ? rows : LogicalProject.create(rows, List.of(), columns, type.getFieldNames());
  }

  @Override
  public RelNode visit(LogicalIntersect intersect) {
    return super.visit(intersect) instanceof SetOp set ? ofSet(set) : intersect;
  }

  @Override
  public RelNode visit(LogicalMinus minus) {
    return super.visit(minus) instanceof SetOp set ? ofSet(set) : minus;
  }

  /** Rows that are compared as a whole. */
  private static RelNode ofSet(SetOp set) {
    List<RelDataTypeField> fields = set.getRowType().getFieldList();
    if (fields.stream().noneMatch(field -> NestedLeaves.isNested(field.getType()))) {
      return set;
    }
    RexBuilder rex = set.getCluster().getRexBuilder();
    List<RelNode> inputs = new ArrayList<>();
    for (RelNode input : set.getInputs()) {
      List<RexNode> columns = new ArrayList<>();
      for (RelDataTypeField field : fields) {
        NestedLeaves.of(rex, rex.makeInputRef(input, field.getIndex()), field.getType(), columns);
      }
      inputs.add(LogicalProject.create(input, List.of(), columns, (List<String>) null));
    }
    RelNode leaves = set.copy(set.getTraitSet(), inputs, set.all);
    List<RexNode> columns = rex.identityProjects(leaves.getRowType()).stream().toList();
    int[] at = new int[1];
    List<RexNode> result = new ArrayList<>();
    for (RelDataTypeField field : fields) {
      result.add(NestedLeaves.struct(rex, field.getType(), columns, at));
    }
    return LogicalProject.create(leaves, List.of(), result, set.getRowType().getFieldNames());
  }
}
