package io.aragonite.exec.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A query as the engine runs it: a tree of typed records without any Calcite type. Column
 * references are positions in the input's {@link #types}. A node's identity (not its equality) is
 * the key of its metrics. Plans without stored tables and host functions can be serialized.
 */
public sealed interface PhysicalPlan extends Serializable {
  /** Output columns. */
  List<DataType> types();

  List<PhysicalPlan> inputs();

  /** Whether no row comes out before all have come in, as equal ones become one or are counted. */
  default boolean groupsRows() {
    return false;
  }

  /** References to all of its columns. */
  default List<Expr> references() {
    List<DataType> types = types();
    return IntStream.range(0, types.size()).mapToObj(i -> Expr.ref(i, types.get(i))).toList();
  }

  /** Columns of a stored table. */
  record Scan(Table table, List<Integer> columns, List<DataType> types) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /** Constant rows; the values of a row are literals or parameters. */
  record Values(List<List<Expr>> rows, List<DataType> types) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /** The INT32 numbers from 0 to {@code rows - 1}, in their order. */
  record Series(int rows) implements PhysicalPlan {
    @Override
    public List<DataType> types() {
      return List.of(DataType.INT32);
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /**
   * Rows that the host hands over when the query runs.
   *
   * @param source a parameter whose value is a {@link io.aragonite.exec.table.RowSource}
   * @param columns positions of the source's columns wanted, in the order wanted
   */
  record RowInput(Expr.Parameter source, List<Integer> columns, List<DataType> types)
      implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /**
   * Columns that the host hands over when the query runs, batch by batch.
   *
   * @param source a parameter whose value is a {@link io.aragonite.exec.table.BatchSource}, or a
   *     {@link Table}
   * @param types of its columns, all of which are wanted
   */
  record BatchInput(Expr.Parameter source, List<DataType> types) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /**
   * Rows for which the predicate is true.
   *
   * @param expected how many the planner expects; infinite if nothing is known
   */
  record Filter(PhysicalPlan input, Expr predicate, double expected) implements PhysicalPlan {
    /** A filter of which nobody knows how many rows it keeps. */
    public Filter(PhysicalPlan input, Expr predicate) {
      this(input, predicate, Double.POSITIVE_INFINITY);
    }

    @Override
    public List<DataType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /** Expressions over each row. */
  record Project(PhysicalPlan input, List<Expr> expressions) implements PhysicalPlan {
    @Override
    public List<DataType> types() {
      DataType[] types = new DataType[expressions.size()];
      for (int i = 0; i < types.length; i++) {
        types[i] = expressions.get(i).type();
      }
      return List.of(types);
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * Each row as often as its last column, an INT64 that is not null, says: not at all for 0. The
   * input's columns but the last come out, and an INT32 behind them: which of the row's repetitions
   * it is, from 0.
   */
  record Repeat(PhysicalPlan input) implements PhysicalPlan {
    @Override
    public List<DataType> types() {
      List<DataType> types = new ArrayList<>(input.types());
      types.set(types.size() - 1, DataType.INT32);
      return types;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * Groups and their aggregates: the key columns, then a column a call. Without keys one row, over
   * no rows too.
   *
   * @param keys grouping columns of the input
   * @param groupingSets for each set the places in {@code keys} that it keeps, the others are null;
   *     a single set of all keys for a plain GROUP BY. An empty set among several yields a row over
   *     no rows too.
   * @param groupingIds output a last INT64 column with the position of the set in {@code
   *     groupingSets} (the planner makes GROUPING() of it)
   * @param expected how many rows the planner expects; infinite if nothing is known
   */
  record Aggregate(
      PhysicalPlan input,
      List<Integer> keys,
      List<List<Integer>> groupingSets,
      List<AggregateCall> calls,
      boolean groupingIds,
      List<DataType> types,
      double expected)
      implements PhysicalPlan {
    @Override
    public boolean groupsRows() {
      return true;
    }

    /** A grouping of which nobody knows how many rows come out. */
    public Aggregate(
        PhysicalPlan input,
        List<Integer> keys,
        List<List<Integer>> groupingSets,
        List<AggregateCall> calls,
        boolean groupingIds,
        List<DataType> types) {
      this(input, keys, groupingSets, calls, groupingIds, types, Double.POSITIVE_INFINITY);
    }

    /**
     * The grouping set with the most keys that has all keys of this one, of equal ones the first:
     * its groups can make this one's.
     */
    public int finest(int set) {
      int best = set;
      for (int other = 0; other < groupingSets.size(); other++) {
        List<Integer> present = groupingSets.get(best);
        List<Integer> more = groupingSets.get(other);
        boolean better =
            more.size() > present.size() || more.size() == present.size() && other < best;
        if (better && more.containsAll(groupingSets.get(set))) {
          best = other;
        }
      }
      return best;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * A join: left columns, then right ones (SEMI and the ANTIs: left only).
   *
   * @param keys equalities; all must hold; empty only for NESTED_LOOP
   * @param residual a further condition over left columns, then right ones, part of the join
   *     condition; null for none
   * @param buildLeft whether the left side is built and the right one probes
   * @param expected what the planner expected, for the choice at run time; null if nothing
   * @param order of the output, which a sort-merge join has as it is; empty: any
   */
  record Join(
      PhysicalPlan left,
      PhysicalPlan right,
      JoinType joinType,
      List<JoinKey> keys,
      @Nullable Expr residual,
      JoinAlgorithm algorithm,
      boolean buildLeft,
      List<DataType> types,
      @Nullable JoinEstimate expected,
      List<SortKey> order)
      implements PhysicalPlan {
    /** A join whose output has no order. */
    public Join(
        PhysicalPlan left,
        PhysicalPlan right,
        JoinType joinType,
        List<JoinKey> keys,
        @Nullable Expr residual,
        JoinAlgorithm algorithm,
        boolean buildLeft,
        List<DataType> types,
        @Nullable JoinEstimate expected) {
      this(left, right, joinType, keys, residual, algorithm, buildLeft, types, expected, List.of());
    }

    /** A join of which nothing is expected: its algorithm stays as it is. */
    public Join(
        PhysicalPlan left,
        PhysicalPlan right,
        JoinType joinType,
        List<JoinKey> keys,
        @Nullable Expr residual,
        JoinAlgorithm algorithm,
        boolean buildLeft,
        List<DataType> types) {
      this(left, right, joinType, keys, residual, algorithm, buildLeft, types, null);
    }

    /** The same join in another way. */
    public Join with(JoinAlgorithm other, boolean otherBuildLeft, @Nullable JoinEstimate estimate) {
      return new Join(
          left, right, joinType, keys, residual, other, otherBuildLeft, types, estimate, order);
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(left, right);
    }
  }

  /**
   * An equality of a join.
   *
   * @param left column of the left input
   * @param right column of the right input, of the same type but for nullability (text: any
   *     lengths)
   * @param nullSafe IS NOT DISTINCT FROM: nulls match each other
   */
  record JoinKey(int left, int right, boolean nullSafe) implements Serializable {}

  /**
   * Inner joins on equal keys of several relations at once, one variable after the other: a
   * variable stands for columns that are equal, one a relation at most.
   *
   * @param keys for each relation its joined columns, ascending by variable, one at least
   * @param variables how many, two at least, numbered in the order in which they are bound
   * @param comparisons what else must hold between variables of one type
   * @param outputs the columns that come out
   * @param counted the outputs are joined columns of variables before the last one, and behind them
   *     is an INT64 column: how many rows of the join a row stands for, 0 perhaps
   * @param traversal in which order values are tried
   * @param otherwise the same rows by joins of two relations at a time, for what tries do not hold
   */
  record MultiwayJoin(
      List<PhysicalPlan> relations,
      List<List<VariableKey>> keys,
      int variables,
      List<VariableComparison> comparisons,
      List<RelationColumn> outputs,
      boolean counted,
      TraversalOrder traversal,
      PhysicalPlan otherwise,
      List<DataType> types)
      implements PhysicalPlan {
    /** The same with other comparisons. */
    public MultiwayJoin comparing(List<VariableComparison> others) {
      return new MultiwayJoin(
          relations, keys, variables, others, outputs, counted, traversal, otherwise, types);
    }

    @Override
    public List<PhysicalPlan> inputs() {
      List<PhysicalPlan> inputs = new ArrayList<>(relations);
      inputs.add(otherwise);
      return inputs;
    }
  }

  /** The variable that a column of a relation stands for. */
  record VariableKey(int variable, int column) implements Serializable {}

  /** A column of a relation of a {@link MultiwayJoin}. */
  record RelationColumn(int relation, int column) implements Serializable {}

  /**
   * A condition on two variables of integers, dates or such.
   *
   * @param op LT, LE, GT, GE or NE
   */
  record VariableComparison(Op op, int left, int right) implements Serializable {}

  /**
   * Rows in order, and of these a part. Stable order of ties is not promised.
   *
   * @param keys the order; empty for a bare LIMIT, which keeps the order of an ordered input
   * @param offset rows to leave out, null for none: a literal or parameter
   * @param fetch rows to keep, null for all: a literal or parameter
   */
  record Sort(PhysicalPlan input, List<SortKey> keys, @Nullable Expr offset, @Nullable Expr fetch)
      implements PhysicalPlan {
    @Override
    public List<DataType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /** UNION, INTERSECT or EXCEPT of two or more inputs of the same types; nulls are equal. */
  record SetOperation(
      SetOperationKind kind, boolean all, List<PhysicalPlan> inputs, List<DataType> types)
      implements PhysicalPlan {
    @Override
    public boolean groupsRows() {
      return kind != SetOperationKind.UNION || !all;
    }

    /** Which. */
    public enum SetOperationKind {
      UNION,
      INTERSECT,
      EXCEPT
    }
  }

  /**
   * Rows that are made of themselves, as WITH RECURSIVE has them: those of the seed, then those of
   * the step over the seed's rows, then those of the step over the rows that it has made last, and
   * so on until it makes none.
   *
   * @param step reads the rows that were made last by {@link WorkingRows} of {@code table}
   * @param all false: a row comes out once, and one that has come before is not made again; nulls
   *     are equal
   * @param types the inputs have the same but for nullability and lengths of texts
   */
  record Recursion(
      PhysicalPlan seed, PhysicalPlan step, WorkingTable table, boolean all, List<DataType> types)
      implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(seed, step);
    }
  }

  /**
   * Rows that are made once and read several times: a query of WITH whose functions have another
   * value in each call. The node's rows are the query's.
   *
   * @param rows what {@link WorkingRows} of {@code table} are in {@code query}
   */
  record MaterializedCte(PhysicalPlan rows, PhysicalPlan query, WorkingTable table)
      implements PhysicalPlan {
    @Override
    public List<DataType> types() {
      return query.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(rows, query);
    }
  }

  /** The rows of a working table. */
  record WorkingRows(WorkingTable table, List<DataType> types) implements PhysicalPlan {
    @Override
    public List<PhysicalPlan> inputs() {
      return List.of();
    }
  }

  /** The input's columns, then a column a call. All calls share partition, order and frame. */
  record Window(
      PhysicalPlan input,
      List<Integer> partitionBy,
      List<SortKey> orderBy,
      WindowFrame frame,
      List<WindowCall> calls)
      implements PhysicalPlan {
    @Override
    public List<DataType> types() {
      List<DataType> types = new ArrayList<>(input.types());
      calls.forEach(call -> types.add(call.type()));
      return types;
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * Rows on their way between the devices that run a plan together ({@link
   * io.aragonite.exec.group.ExchangePlanner} puts it there). The same columns come out, in any
   * order.
   *
   * @param keys columns by whose values rows are spread; empty unless {@code kind} is HASH
   * @param placement exchanges that share one bring equal keys to the same device; null: so do all
   *     those without one
   * @param lies whether rows are where their keys' hash says already: they move only if their
   *     placement turns out to be another one
   */
  record Exchange(
      PhysicalPlan input,
      ExchangeKind kind,
      List<Integer> keys,
      @Nullable Placement placement,
      boolean lies)
      implements PhysicalPlan {
    /**
     * That a query decides when it has rows which device has which keys: for one key of integers
     * that are never null.
     */
    public static final class Placement {
      private boolean followed;

      /**
       * Somebody wants rows on the devices of their keys, beside the join that brings them there.
       */
      public void follow() {
        followed = true;
      }

      public boolean followed() {
        return followed;
      }
    }

    /** Where rows go. */
    public enum ExchangeKind {
      /** Rows with equal keys to the same device, which is any. */
      HASH,
      /** Every row to every device. */
      BROADCAST,
      /** All rows to the first device. */
      GATHER,
      /** Nowhere: of rows that every device has, those of the first stay. */
      FIRST
    }

    public Exchange {
      keys = List.copyOf(keys);
    }

    @Override
    public List<DataType> types() {
      return input.types();
    }

    @Override
    public List<PhysicalPlan> inputs() {
      return List.of(input);
    }
  }
}
