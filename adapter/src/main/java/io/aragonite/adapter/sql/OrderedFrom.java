package io.aragonite.adapter.sql;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * The queries and views in FROM whose ORDER BY counts: it is the result's order, or says which rows
 * LIMIT keeps, where the query around it takes the rows as they come, or the order of what an
 * aggregate puts together. Calcite drops it in most of these places.
 */
final class OrderedFrom {
  private final @Nullable SqlValidator validator;

  /** By what is in their FROM, queries that take its rows as they come; null: the statement. */
  private final Map<SqlNode, @Nullable SqlSelect> takers = new IdentityHashMap<>();

  /** The one of them whose FROM is the name that is being looked up. */
  private @Nullable SqlSelect naming;

  /**
   * @param validator null only if no query is made
   */
  OrderedFrom(@Nullable SqlValidator validator) {
    this.validator = validator;
  }

  /**
   * A query is about to be made.
   *
   * @param top whether it is the whole statement, or all of a view
   * @return whether its own ORDER BY counts
   */
  boolean begin(SqlSelect select, boolean top) {
    boolean ordered = top || takers.containsKey(select);
    SqlNode from = rows(select.getFrom());
    boolean taken = ordered || isLimited(select);
    if (from != null && (taken && takesRows(select) || isAggregate(select))) {
      takers.put(query(from), select);
    }
    return ordered;
  }

  /**
   * A set operation is about to be made: the queries of UNION ALL give it their rows in their
   * orders, one behind the other, if those of the whole are taken so. An aggregate takes them as
   * they are made: a sorted query's come behind those of others.
   */
  void begin(SqlNode union, boolean top) {
    SqlSelect by = takers.get(union);
    if (union instanceof SqlCall all
        && all.getOperator().equals(SqlStdOperatorTable.UNION_ALL)
        && (top || takers.containsKey(union))
        && (by == null || !isAggregate(by))) {
      all.getOperandList().forEach(operand -> takers.put(query(operand), by));
    }
  }

  /** The rows of one query of UNION ALL. */
  RelNode taken(RelNode rows, SqlCall union) {
    SqlSelect by = takers.get(union);
    return by == null ? rows : taken(rows, by);
  }

  /** What gives a query its rows, in its order; null if that is a join of rows with others. */
  private static @Nullable SqlNode rows(@Nullable SqlNode from) {
    SqlNode item = from == null ? null : SqlUtil.stripAs(from);
    return item instanceof SqlJoin join ? isOfElements(join) ? rows(join.getLeft()) : null : item;
  }

  /** Whether a join puts elements of lists beside each row. */
  private static boolean isOfElements(SqlJoin join) {
    SqlNode right = SqlUtil.stripAs(join.getRight());
    SqlNode elements = right.getKind() == SqlKind.LATERAL ? ((SqlCall) right).operand(0) : right;
    return elements.getKind() == SqlKind.UNNEST;
  }

  private boolean takesRows(SqlSelect select) {
    return (select.getQualify() == null || isByPlace(select.getQualify()))
        && !select.hasOrderBy()
        && !select.isDistinct()
        && !isAggregate(select);
  }

  private boolean isAggregate(SqlSelect select) {
    return select.getGroup() != null
        || select.getHaving() != null
        || requireNonNull(validator).isAggregate(select);
  }

  /** Whether windows in a condition are of all rows as they come, as those of LIMIT 10 %. */
  private static boolean isByPlace(SqlNode condition) {
    try {
      condition.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public Void visit(SqlCall call) {
              if (call instanceof SqlWindow window
                  && (!window.getPartitionList().isEmpty() || !window.getOrderList().isEmpty())) {
                throw Util.FoundOne.NULL;
              }
              return super.visit(call);
            }
          });
      return true;
    } catch (Util.FoundOne _) {
      return false;
    }
  }

  /** An item of FROM is about to be made. Returns the query that takes its rows as they come. */
  @Nullable SqlSelect taker(@Nullable SqlNode from) {
    SqlSelect select = from == null ? null : takers.get(query(from));
    naming = from != null && from.getKind() == SqlKind.IDENTIFIER ? select : null;
    return select;
  }

  /** The rows of a query of WITH are taken as those of the name are that was looked up. */
  void begin(SqlWithItem item) {
    SqlSelect select = naming;
    if (select == null) {
      takers.remove(query(item.query));
    } else {
      takers.put(query(item.query), select);
    }
  }

  /**
   * Whether a query of WITH is to be made again, with its ORDER BY: rows that are made once are
   * read in several places, some of which may take them as they come.
   */
  boolean makesOrdered(SqlWithItem item) {
    SqlNode query = query(item.query);
    return query instanceof SqlSelect select
        && select.hasOrderBy()
        && takers.putIfAbsent(query, select) == null;
  }

  /** What the name stands for that was looked up. */
  RelNode named(RelNode rows) {
    return naming == null ? rows : taken(rows, naming);
  }

  /**
   * What LIMIT, OFFSET and aggregates of a query are over. Calcite drops ORDER BY below them unless
   * the sort itself has one of them.
   */
  RelNode taken(RelNode rows, SqlSelect by) {
    if (rows instanceof LogicalProject columns) {
      RelNode input = taken(columns.getInput(), by);
      return input.equals(columns.getInput())
          ? rows
          : columns.copy(columns.getTraitSet(), List.of(input));
    }
    if (!isLimited(by) && !isAggregate(by)
        || !(rows instanceof LogicalSort sort)
        || sort.fetch != null
        || sort.offset != null) {
      return rows;
    }
    RexNode none = sort.getCluster().getRexBuilder().makeExactLiteral(BigDecimal.ZERO);
    return LogicalSort.create(sort.getInput(), sort.getCollation(), none, null);
  }

  private static boolean isLimited(SqlSelect select) {
    return select.getFetch() != null || select.getOffset() != null;
  }

  /** The query itself of one that begins with WITH. */
  private static SqlNode query(SqlNode node) {
    return node instanceof SqlWith with ? query(with.body) : node;
  }
}
