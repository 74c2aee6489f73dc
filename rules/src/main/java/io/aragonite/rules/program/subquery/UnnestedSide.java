package io.aragonite.rules.program.subquery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * A right side of a dependent join for all values of its keys at once. For given values of the
 * bound keys, the rows with these values are those that the right side has for an outer row with
 * them; there may be rows for values that no outer row has.
 *
 * @param rel the right side's columns first
 * @param keys the keys that it depends on, and the columns that hold their values
 * @param defaults if not null: for values that there is no row of, the right side has one row, of
 *     these constants and columns of the outer row
 */
record UnnestedSide(
    RelNode rel, Map<CorrelationKey, KeyBinding> keys, @Nullable List<RexNode> defaults) {

  /**
   * Where the values of a key are.
   *
   * @param notNull whether there is no row for a null, since the key was bound by an equality
   */
  record KeyBinding(int column, boolean notNull) {}

  static UnnestedSide of(RelNode rel) {
    return new UnnestedSide(rel, Map.of(), null);
  }

  RexInputRef column(CorrelationKey key) {
    return Rels.ref(rel, bound(key).column);
  }

  KeyBinding bound(CorrelationKey key) {
    KeyBinding bound = keys.get(key);
    if (bound == null) {
      throw new IllegalStateException("a key is not bound: " + key.outer());
    }
    return bound;
  }

  UnnestedSide with(RelNode newRel) {
    return new UnnestedSide(newRel, keys, defaults);
  }

  UnnestedSide with(RelNode newRel, Map<CorrelationKey, KeyBinding> newKeys) {
    return new UnnestedSide(newRel, newKeys, defaults);
  }

  UnnestedSide withDefaults(@Nullable List<RexNode> newDefaults) {
    return new UnnestedSide(rel, keys, newDefaults);
  }

  boolean binds(Set<CorrelationKey> wanted) {
    return keys.keySet().containsAll(wanted);
  }

  /** The keys behind the first columns, at new places. */
  static Map<CorrelationKey, KeyBinding> moved(
      Map<CorrelationKey, KeyBinding> keys, Rels.Places places) {
    Map<CorrelationKey, KeyBinding> moved = new LinkedHashMap<>();
    keys.forEach(
        (key, bound) -> moved.put(key, new KeyBinding(places.of(bound.column), bound.notNull)));
    return moved;
  }

  /** The equality of a key's column and another value of it. */
  static RexNode same(RexBuilder rexBuilder, RexNode left, RexNode right, boolean notNull) {
    return notNull
        ? rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, left, right)
        : Rels.same(rexBuilder, left, right);
  }
}
