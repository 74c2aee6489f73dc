package io.aragonite.rules.program.subquery;

import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/** The outer side of a dependent join: its keys, and how its values are brought in. */
final class OuterSide {
  private final RelNode rel;
  private final CorrelationId variable;
  private final RexBuilder rexBuilder;
  private final Domain domain;
  private final Map<Integer, CorrelationKey> columns = new HashMap<>();
  private final Map<RexNode, CorrelationKey> expressions = new HashMap<>();

  OuterSide(RelNode rel, CorrelationId variable) {
    this.rel = rel;
    this.variable = variable;
    this.rexBuilder = rel.getCluster().getRexBuilder();
    this.domain = new Domain(rel);
  }

  boolean isUsedBy(RelNode tree) {
    return OuterColumns.uses(tree, variable);
  }

  boolean isUsedBy(RexNode expression) {
    return OuterColumns.uses(expression, variable);
  }

  CorrelationKey column(int field) {
    return columns.computeIfAbsent(field, i -> new CorrelationKey(Rels.ref(rel, i)));
  }

  /** The keys of the columns that an expression refers to. */
  Set<CorrelationKey> keys(RexNode expression) {
    Set<CorrelationKey> keys = new LinkedHashSet<>();
    OuterColumns.fields(expression, variable).forEach(field -> keys.add(column(field)));
    return keys;
  }

  Set<CorrelationKey> keys(Iterable<? extends RexNode> several) {
    Set<CorrelationKey> keys = new LinkedHashSet<>();
    several.forEach(expression -> keys.addAll(keys(expression)));
    return keys;
  }

  Set<CorrelationKey> keys(RelNode tree) {
    Set<CorrelationKey> keys = new LinkedHashSet<>();
    OuterColumns.fields(tree, variable).forEach(field -> keys.add(column(field)));
    return keys;
  }

  /** Whether an expression is over the outer row alone. */
  boolean isOuter(RexNode expression) {
    if (!isUsedBy(expression) || !RexUtil.isDeterministic(expression)) {
      return false;
    }
    try {
      expression.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitInputRef(RexInputRef ref) {
              throw Util.FoundOne.NULL;
            }
          });
      return true;
    } catch (Util.FoundOne e) {
      return false;
    }
  }

  /**
   * The key that an equality binds to a value of the right side, null if it may not be bound: for
   * each value of the key at most one of the right side may be equal.
   *
   * @param outer over the outer row alone
   * @param inner over the right side alone
   */
  @Nullable CorrelationKey bindable(RexNode outer, RexNode inner) {
    RelDataType left = outer.getType();
    RelDataType right = inner.getType();
    RexNode overRow =
        OuterColumns.replace(
            outer, (id, row, field) -> id.equals(variable) ? Rels.ref(rel, field) : null);
    boolean alike =
        left.getSqlTypeName() == right.getSqlTypeName()
            && left.getPrecision() == right.getPrecision()
            && left.getScale() == right.getScale();
    if (alike && isExact(left)) {
      return overRow instanceof RexInputRef ref
          ? column(ref.getIndex())
          : expressions.computeIfAbsent(overRow, CorrelationKey::new);
    }
    boolean equivalent =
        alike && !isNested(left)
            || SqlTypeUtil.isExactNumeric(left) && SqlTypeUtil.isExactNumeric(right)
            || left.getSqlTypeName() == SqlTypeName.VARCHAR
                && right.getSqlTypeName() == SqlTypeName.VARCHAR;
    return equivalent ? new CorrelationKey(overRow) : null;
  }

  /** Whether equal values cannot be told apart. */
  private static boolean isExact(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL, DATE, TIME, TIMESTAMP, VARCHAR ->
          true;
      default -> false;
    };
  }

  private static boolean isNested(RelDataType type) {
    return TypeMapping.isNested(type)
        || type.getSqlTypeName() == SqlTypeName.OTHER
        || type.getSqlTypeName() == SqlTypeName.ANY;
  }

  /** An expression with the columns of bound keys in place of the outer row's. */
  RexNode resolve(RexNode expression, UnnestedSide inner) {
    RexNode resolved =
        OuterColumns.replace(
            expression,
            (id, row, field) -> id.equals(variable) ? inner.column(column(field)) : null);
    return Rels.move(resolved, column -> column, inner.rel());
  }

  /** Brings the values of missing keys in, by a join with the domain. */
  UnnestedSide bind(UnnestedSide inner, Set<CorrelationKey> wanted) {
    Set<CorrelationKey> missing = new LinkedHashSet<>(wanted);
    missing.removeAll(inner.keys().keySet());
    if (missing.isEmpty()) {
      return inner;
    }
    UnnestedSide complete = complete(inner);
    List<CorrelationKey> all = new ArrayList<>(missing);
    all.addAll(complete.keys().keySet());
    RelNode values = domain.of(all, false);
    int width = Rels.width(complete.rel());
    RelNode joined =
        Rels.join(
            complete.rel(),
            values,
            conditions(complete, values, all, missing.size()),
            JoinRelType.INNER);
    List<RexNode> kept = Rels.refs(joined, 0, width + missing.size());
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>(complete.keys());
    for (int i = 0; i < missing.size(); i++) {
      keys.put(all.get(i), new UnnestedSide.KeyBinding(width + i, false));
    }
    RelNode result = kept.size() == Rels.width(joined) ? joined : Rels.project(joined, kept);
    return new UnnestedSide(result, keys, null);
  }

  /** The rows for values that the outer side has, only. */
  UnnestedSide restrict(UnnestedSide inner) {
    List<CorrelationKey> all = new ArrayList<>(inner.keys().keySet());
    RelNode values = domain.of(all, true);
    return inner.with(
        Rels.join(inner.rel(), values, conditions(inner, values, all, 0), JoinRelType.SEMI));
  }

  /** Equalities of an inner side's keys and the columns of the domain, behind it. */
  private List<RexNode> conditions(
      UnnestedSide inner, RelNode values, List<CorrelationKey> keys, int from) {
    int width = Rels.width(inner.rel());
    List<RexNode> conditions = new ArrayList<>();
    for (int i = from; i < keys.size(); i++) {
      CorrelationKey key = keys.get(i);
      RexInputRef value = Rels.ref(values, i);
      conditions.add(
          UnnestedSide.same(
              rexBuilder,
              inner.column(key),
              new RexInputRef(width + i, value.getType()),
              inner.bound(key).notNull()));
    }
    return conditions;
  }

  /** Makes the default rows, for all values of the domain that there is no row for. */
  UnnestedSide complete(UnnestedSide inner) {
    List<RexNode> defaults = inner.defaults();
    if (defaults == null) {
      return inner;
    }
    Set<CorrelationKey> keys = new LinkedHashSet<>(inner.keys().keySet());
    keys.addAll(keys(defaults));
    List<CorrelationKey> all = List.copyOf(keys);
    RelNode values = domain.of(all, false);
    int width = defaults.size();
    Filler filler = Filler.of(inner, width);
    List<RexNode> conditions = new ArrayList<>();
    for (CorrelationKey key : inner.keys().keySet()) {
      RexInputRef column = inner.column(key);
      conditions.add(
          UnnestedSide.same(
              rexBuilder,
              Rels.ref(values, all.indexOf(key)),
              new RexInputRef(all.size() + column.getIndex(), column.getType()),
              inner.bound(key).notNull()));
    }
    RelNode joined = Rels.join(values, filler.rel(), conditions, JoinRelType.LEFT);
    List<RexNode> columns = new ArrayList<>();
    for (RexNode filled : filler.columns(joined, all.size(), defaults, false)) {
      columns.add(
          OuterColumns.replace(
              filled,
              (id, row, field) ->
                  id.equals(variable) ? Rels.ref(joined, all.indexOf(column(field))) : null));
    }
    Map<CorrelationKey, UnnestedSide.KeyBinding> places = new LinkedHashMap<>();
    for (int i = 0; i < all.size(); i++) {
      columns.add(Rels.ref(joined, i));
      places.put(all.get(i), new UnnestedSide.KeyBinding(width + i, false));
    }
    return new UnnestedSide(Rels.project(joined, columns), places, null);
  }

  /** A tree that refers to another variable in place of this one, whose columns are those of it. */
  RelNode rebase(RelNode tree, CorrelationId own, CorrelationId wanted, UnnestedSide left) {
    RexNode row = rexBuilder.makeCorrel(left.rel().getRowType(), wanted);
    return OuterColumns.replace(
        tree,
        (id, type, field) -> {
          if (!id.equals(own) && !id.equals(variable)) {
            return null;
          }
          int place = id.equals(own) ? field : left.bound(column(field)).column();
          return Rels.as(
              type.getFieldList().get(field).getType(),
              rexBuilder.makeFieldAccess(row, place),
              rexBuilder);
        });
  }
}
