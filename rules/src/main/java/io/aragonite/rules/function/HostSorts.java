package io.aragonite.rules.function;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.adapter.enumerable.EnumerableCalc;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgram;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * Orders of Calcite's code. It compares texts by UTF-16 units, so that they become others that it
 * compares as code points are; and lists and maps as Java does, which become their sort keys.
 */
final class HostSorts {
  private HostSorts() {}

  /** The sort, in several ones where a list is among its keys. */
  static RelNode of(Sort sort) {
    List<RelFieldCollation> keys = sort.getCollation().getFieldCollations();
    List<Integer> places = keys.stream().map(RelFieldCollation::getFieldIndex).toList();
    Keys changed = Keys.of(sort.getInput(), places);
    List<RelFieldCollation> sorted = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      sorted.add(keys.get(i).withFieldIndex(changed.places.get(i)));
    }
    if (changed.places.equals(places)) {
      return sort;
    }
    RelCollation collation = RelCollations.of(sorted);
    RelNode made =
        sort.copy(
            sort.getCluster().traitSetOf(EnumerableConvention.INSTANCE).replace(collation),
            changed.input,
            collation,
            sort.offset,
            sort.fetch);
    return plain(made, sort.getRowType().getFieldCount());
  }

  /** The rows without the columns from a place on. */
  private static RelNode plain(RelNode rows, int columns) {
    return rows.getRowType().getFieldCount() == columns
        ? rows
        : project(
            rows,
            List.copyOf(
                rows.getCluster()
                    .getRexBuilder()
                    .identityProjects(rows.getRowType())
                    .subList(0, columns)));
  }

  /** Rows of so many columns, of which the first have the names of the input's. */
  static RelNode project(RelNode input, List<RexNode> columns) {
    List<RelDataTypeField> fields = input.getRowType().getFieldList();
    RelDataTypeFactory.Builder row = input.getCluster().getTypeFactory().builder();
    for (int i = 0; i < columns.size(); i++) {
      String name = i < fields.size() ? fields.get(i).getName() : "$KEY_" + i;
      row.add(name, columns.get(i).getType());
    }
    return rows(input, columns, row.build());
  }

  /** Rows of a type. Their order is not said: of several ones Calcite's rules make an error. */
  static RelNode rows(RelNode input, List<? extends RexNode> columns, RelDataType type) {
    RelOptCluster cluster = input.getCluster();
    return new EnumerableCalc(
        cluster,
        cluster.traitSetOf(EnumerableConvention.INSTANCE),
        input,
        RexProgram.create(input.getRowType(), columns, null, type, cluster.getRexBuilder()));
  }

  /**
   * What Calcite's code compares in the place of a text, a list or a map.
   *
   * @param type its own, or one that values of several types are compared as
   * @return null for all others
   */
  static @Nullable RexNode ordered(RexBuilder rex, RexNode value, RelDataType type) {
    if (SqlTypeUtil.inCharFamily(type)) {
      return rex.makeCall(
          value.getType(),
          HostMethods.function(SqlStdOperatorTable.LOWER, CodePointFunctions.class, "ordered"),
          List.of(value));
    }
    boolean collection = type.getComponentType() != null || type.getKeyType() != null;
    return collection && SortKeys.has(type) ? SortKeys.create(rex, value, type) : null;
  }

  /**
   * Rows with more columns, which Calcite's code compares in the place of others.
   *
   * @param places of what it compares for each key
   */
  record Keys(RelNode input, List<Integer> places) {
    static Keys of(RelNode input, List<Integer> keys) {
      RexBuilder rex = input.getCluster().getRexBuilder();
      List<RexNode> columns = new ArrayList<>(rex.identityProjects(input.getRowType()));
      List<Integer> places = new ArrayList<>();
      for (int key : keys) {
        RexNode ordered = ordered(rex, columns.get(key), columns.get(key).getType());
        places.add(ordered == null ? key : columns.size());
        if (ordered != null) {
          columns.add(ordered);
        }
      }
      return places.equals(keys)
          ? new Keys(input, keys)
          : new Keys(project(input, columns), places);
    }
  }
}
