package io.aragonite.rules.function;

import java.util.List;
import org.apache.calcite.adapter.enumerable.EnumerableLimit;
import org.apache.calcite.adapter.enumerable.EnumerableSort;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.type.RelDataTypeField;

/**
 * Sorts for Calcite's code, which compares lists where a list is the only key. By several keys it
 * sorts by one after the other, the last one first: each sort leaves equal rows in their order.
 */
final class HostSorts {
  private HostSorts() {}

  /** The sort, in several ones where a list is among its keys. */
  static RelNode of(Sort sort) {
    List<RelFieldCollation> keys = sort.getCollation().getFieldCollations();
    List<RelDataTypeField> fields = sort.getRowType().getFieldList();
    if (keys.size() < 2
        || keys.stream()
            .noneMatch(
                key -> fields.get(key.getFieldIndex()).getType().getComponentType() != null)) {
      return sort;
    }
    RelNode sorted = sort.getInput();
    for (RelFieldCollation key : keys.reversed()) {
      sorted = EnumerableSort.create(sorted, RelCollations.of(key), null, null);
    }
    return sort.offset == null && sort.fetch == null
        ? sorted
        : EnumerableLimit.create(sorted, sort.offset, sort.fetch);
  }
}
