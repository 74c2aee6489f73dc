package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An Aggregate node made ready: what to compute once, and from what. */
final class AggregateSpec {
  /**
   * An accumulator that several calls may share.
   *
   * @param arg input column, -1 for COUNT of rows
   * @param mask which rows count, -1 for all
   * @param distinct which distinct set feeds it, -1 if rows do
   * @param type of the result; nullable if a group of one worker may be without a value
   */
  record AccumulatorSlot(
      AggregateFunction function, int arg, int mask, int distinct, DataType type) {
    /** The type of a part's result. */
    DataType partial() {
      return function.partial(type);
    }
  }

  /**
   * Rows that count: the filter is true and some columns are not null.
   *
   * @param filter input column, -1 for none
   */
  record Mask(int filter, List<Integer> notNull) {}

  /** Columns whose distinct values, in each group, some slots take in. */
  record Distinct(List<Integer> args, int mask) {}

  /**
   * A host aggregate.
   *
   * @param columns input columns to keep: arguments, then those to order by
   */
  record Host(AggregateCall call, List<Integer> columns, int mask) {}

  /** Where a call's result comes from: one of slots and hosts. */
  record CallResult(int slot, int host) {}

  final PhysicalPlan.Aggregate node;
  final List<ColumnShape> inputs;
  final List<AccumulatorSlot> slots = new ArrayList<>();
  final List<Distinct> distincts = new ArrayList<>();
  final List<Host> hosts = new ArrayList<>();
  final List<CallResult> results = new ArrayList<>();
  private final List<Mask> masks = new ArrayList<>();
  final List<CompiledPredicate> maskPredicates = new ArrayList<>();

  /** For each grouping set its keys, null if it has none. */
  final List<@Nullable GroupKeys> keys = new ArrayList<>();

  /** For each distinct set and grouping set: group number (if it has keys), then the arguments. */
  final List<List<GroupKeys>> distinctKeys = new ArrayList<>();

  private final int[] finest;

  /** Decimal digits of which 64 bits hold any number. */
  private static final int MOST_DIGITS_OF_64_BITS = 18;

  static final ColumnShape GROUP_SHAPE = ColumnShape.of(DataType.INT32);

  AggregateSpec(
      PhysicalPlan.Aggregate node, List<ColumnShape> inputs, ExpressionCompiler expressions) {
    this.node = node;
    this.inputs = inputs;
    for (AggregateCall call : node.calls()) {
      results.add(result(call));
    }
    for (Mask mask : masks) {
      maskPredicates.add(expressions.predicate(predicate(mask), inputs));
    }
    for (List<Integer> set : node.groupingSets()) {
      List<ColumnShape> shapes = new ArrayList<>();
      for (int place : set) {
        shapes.add(keyShape(place));
      }
      keys.add(shapes.isEmpty() ? null : GroupKeys.of(expressions, shapes));
    }
    for (Distinct distinct : distincts) {
      List<GroupKeys> perSet = new ArrayList<>();
      for (List<Integer> set : node.groupingSets()) {
        List<ColumnShape> shapes = new ArrayList<>();
        if (!set.isEmpty()) {
          shapes.add(GROUP_SHAPE);
        }
        distinct.args().forEach(arg -> shapes.add(inputs.get(arg)));
        perSet.add(GroupKeys.of(expressions, shapes));
      }
      distinctKeys.add(perSet);
    }
    finest = new int[node.groupingSets().size()];
    boolean mergeable = onlySlots() && !serial();
    Arrays.setAll(finest, set -> mergeable ? node.finest(set) : set);
  }

  /** The shape of key {@code place} of the node. */
  ColumnShape keyShape(int place) {
    return inputs.get(node.keys().get(place));
  }

  /** Whether all integers of 64 bits are values of each slot's type. */
  boolean resultsHold64Bits() {
    return slots.stream().allMatch(slot -> holds64Bits(slot.type()));
  }

  private static boolean holds64Bits(DataType type) {
    return type.kind() == TypeKind.INT64
        || type.kind() == TypeKind.DECIMAL && type.precision() > MOST_DIGITS_OF_64_BITS;
  }

  /** Input columns of a grouping set's keys. */
  List<Integer> keyColumns(int set) {
    List<Integer> columns = new ArrayList<>();
    for (int place : node.groupingSets().get(set)) {
      columns.add(node.keys().get(place));
    }
    return columns;
  }

  /**
   * The grouping set that has all keys of this one, and of which no other has all, so that its
   * groups' partial results make this one's; the set itself if there is none, or partial results do
   * not tell enough.
   */
  int finest(int set) {
    return finest[set];
  }

  /** Whether partial results of parts of the input can be merged by accumulators alone. */
  boolean onlySlots() {
    return distincts.isEmpty() && hosts.isEmpty();
  }

  /** Whether one worker has to see all rows, since partial results do not tell enough. */
  boolean serial() {
    for (AccumulatorSlot slot : slots) {
      if (slot.function() == AggregateFunction.SINGLE_VALUE) {
        return true;
      }
    }
    return false;
  }

  private CallResult result(AggregateCall call) {
    AggregateFunction function = call.function();
    if (function == null) {
      List<Integer> columns = new ArrayList<>(call.args());
      call.orderBy().forEach(key -> columns.add(key.column()));
      hosts.add(new Host(call, columns, mask(call.filter(), List.of())));
      return new CallResult(-1, hosts.size() - 1);
    }
    boolean distinct =
        call.distinct()
            && (function == AggregateFunction.COUNT
                || function == AggregateFunction.SUM
                || function == AggregateFunction.SUM0
                || function == AggregateFunction.BIT_XOR);
    List<Integer> nullable = new ArrayList<>();
    for (Integer column : call.args()) {
      if (inputs.get(column).mayBeNull()) {
        nullable.add(column);
      }
    }
    int arg = call.args().isEmpty() ? -1 : call.args().getFirst();
    boolean countsRows =
        function == AggregateFunction.COUNT && (nullable.isEmpty() || call.args().size() > 1);
    // COUNT of several columns, or of distinct ones, skips rows with a null in any of them.
    boolean skipsNulls = distinct || call.args().size() > 1;
    int mask = mask(call.filter(), skipsNulls ? nullable : List.of());
    int set = -1;
    if (distinct) {
      Distinct wanted = new Distinct(call.args().stream().sorted().distinct().toList(), mask);
      set = indexOf(distincts, wanted);
      countsRows = function == AggregateFunction.COUNT;
      mask = -1;
    }
    DataType type = call.filter() >= 0 ? nullable(call) : call.type();
    AccumulatorSlot slot = new AccumulatorSlot(function, countsRows ? -1 : arg, mask, set, type);
    return new CallResult(indexOf(slots, slot), -1);
  }

  private static DataType nullable(AggregateCall call) {
    boolean never =
        call.function() == AggregateFunction.COUNT || call.function() == AggregateFunction.SUM0;
    return never ? call.type() : call.type().withNullable(true);
  }

  private int mask(int filter, List<Integer> notNull) {
    return filter < 0 && notNull.isEmpty() ? -1 : indexOf(masks, new Mask(filter, notNull));
  }

  private static <T> int indexOf(List<T> list, T wanted) {
    int index = list.indexOf(wanted);
    if (index < 0) {
      list.add(wanted);
      return list.size() - 1;
    }
    return index;
  }

  private Expr predicate(Mask mask) {
    List<Expr> all = new ArrayList<>();
    if (mask.filter() >= 0) {
      all.add(Expr.ref(mask.filter(), inputs.get(mask.filter()).type()));
    }
    for (int column : mask.notNull()) {
      Expr ref = Expr.ref(column, inputs.get(column).type());
      all.add(Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, ref));
    }
    boolean nullable = all.stream().anyMatch(test -> test.type().nullable());
    return all.size() == 1
        ? all.getFirst()
        : new Expr.Call(Op.AND, all, DataType.BOOLEAN.withNullable(nullable));
  }

  /** Rows of a batch that a mask lets through; null positions: all of them. */
  record Selected(@Nullable Buffer positions, int count) {}
}
