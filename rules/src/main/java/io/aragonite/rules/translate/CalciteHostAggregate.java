package io.aragonite.rules.translate;

import com.google.common.collect.Lists;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.HostAggregate;
import io.aragonite.rules.function.SortKeyCodec;
import io.aragonite.rules.function.SortKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.calcite.adapter.enumerable.EnumerableAggregate;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableInterpretable;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.InvalidRelException;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.runtime.Bindable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate function of Calcite, computed by an Enumerable aggregate that is compiled once and
 * run over the rows of one group at a time. DISTINCT is done here, since Enumerable has none.
 */
final class CalciteHostAggregate implements HostAggregate {
  private final RelOptCluster cluster;
  private final AggregateCall call;
  private final List<RelDataType> types;
  private final RelCollation collation;
  private final Map<String, Object> stashed = new HashMap<>();
  private volatile @Nullable Bindable<?> code;

  /**
   * @param types of the columns of a row: arguments, then what is ordered by
   * @param collation over these columns
   */
  CalciteHostAggregate(
      RelOptCluster cluster, AggregateCall call, List<RelDataType> types, RelCollation collation) {
    this.cluster = cluster;
    this.call = call;
    this.types = types;
    this.collation = collation;
  }

  private Bindable<?> code() {
    Bindable<?> present = code;
    if (present == null) {
      synchronized (stashed) {
        present = code;
        if (present == null) {
          present = compile();
          code = present;
        }
      }
    }
    return present;
  }

  private Bindable<?> compile() {
    RelDataTypeFactory.Builder row = cluster.getTypeFactory().builder();
    for (int i = 0; i < types.size(); i++) {
      row.add("a" + i, types.get(i));
    }
    RowsRel rows = new RowsRel(cluster, row.build());
    AggregateCall plain =
        AggregateCall.create(
            call.getParserPosition(),
            call.getAggregation(),
            false,
            call.isApproximate(),
            call.ignoreNulls(),
            call.rexList,
            IntStream.range(0, call.getArgList().size()).boxed().toList(),
            -1,
            null,
            collation,
            true,
            rows,
            null,
            "a");
    try {
      EnumerableRel aggregate =
          new EnumerableAggregate(
              cluster,
              cluster.traitSetOf(EnumerableConvention.INSTANCE),
              rows,
              ImmutableBitSet.of(),
              null,
              List.of(plain));
      return EnumerableInterpretable.toBindable(
          stashed, null, aggregate, EnumerableRel.Prefer.ARRAY);
    } catch (InvalidRelException e) {
      throw new AragoniteException(
          ErrorCode.NOT_ON_DEVICE,
          "Aggregate function " + call.getAggregation().getName() + " cannot be computed.",
          e);
    }
  }

  @Override
  public @Nullable Object aggregate(List<@Nullable Object[]> rows) {
    // a view: who reads the rows meets the end of the query in them
    List<@Nullable Object[]> view = Lists.transform(rows, this::converted);
    List<@Nullable Object[]> converted = call.isDistinct() ? distinct(view) : view;
    Bindable<?> bindable = code();
    try (Enumerator<?> result =
        bindable.bind(new RowsRel.EvaluationContext(stashed, converted)).enumerator()) {
      return result.moveNext() ? CalciteValues.toEngine(result.current(), call.getType()) : null;
    }
  }

  private @Nullable Object[] converted(@Nullable Object[] row) {
    @Nullable Object[] values = new @Nullable Object[types.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = CalciteValues.fromEngine(row[i], types.get(i));
    }
    return values;
  }

  private List<@Nullable Object[]> distinct(List<@Nullable Object[]> rows) {
    Map<List<@Nullable Object>, @Nullable Object[]> first = new LinkedHashMap<>();
    List<@Nullable SortKeyCodec> codecs = new ArrayList<>();
    types.subList(0, call.getArgList().size()).forEach(type -> codecs.add(SortKeys.codec(type)));
    for (@Nullable Object[] row : rows) {
      List<@Nullable Object> key = new ArrayList<>();
      for (int i = 0; i < codecs.size(); i++) {
        SortKeyCodec codec = codecs.get(i);
        key.add(codec == null ? row[i] : codec.common(row[i]));
      }
      first.putIfAbsent(key, row);
    }
    return new ArrayList<>(first.values());
  }
}
