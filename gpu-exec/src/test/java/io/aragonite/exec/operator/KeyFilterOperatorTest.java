package io.aragonite.exec.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyColumns;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.operator.KeyFilterOperator.KeyTest;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several filters of the same rows. */
class KeyFilterOperatorTest {
  private static final int ROWS = 10_000;
  private static final int BATCHES = 10;
  private static final List<ColumnShape> SHAPES =
      List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.INT64));

  private final Random random = TestSeed.random(getClass());
  private final CpuExpressionCompiler expressions = new CpuExpressionCompiler();
  private final CpuDevice device =
      new CpuDevice(1, new MemoryBudget("memory", 1 << 28), expressions);
  private final TestContext context = new TestContext(device);
  private final List<CountedFilter> filters = new ArrayList<>();

  @AfterEach
  void close() {
    filters.forEach(KeyFilter::close);
    context.close();
    device.close();
  }

  /** A filter that counts the words that it is asked for. */
  private static final class CountedFilter implements KeyFilter {
    private final KeyFilter filter;
    private long asked;

    CountedFilter(KeyFilter filter) {
      this.filter = filter;
    }

    @Override
    public long bytes() {
      return filter.bytes();
    }

    @Override
    public boolean exact() {
      return filter.exact();
    }

    @Override
    public int select(ExecContext on, KeyColumns words, Buffer out) {
      asked += words.count();
      return filter.select(on, words, out);
    }

    @Override
    public void close() {
      filter.close();
    }
  }

  /** A filter of a column's values below a bound. */
  private KeyTest below(int column, long bound) {
    long[] values = LongStream.range(0, bound).toArray();
    Buffer words = context.longs(values);
    CountedFilter filter =
        new CountedFilter(
            context
                .hash()
                .buildFilter(context, words, values.length, values.length, context.memory()));
    context.memory().free(words);
    filters.add(filter);
    List<ColumnShape> key = List.of(SHAPES.get(column));
    KeyLayout layout = KeyLayouts.choose(key, key);
    CompiledProjection projection =
        expressions.projection(
            List.of(new Expr.KeyWord(List.of(Expr.ref(column, DataType.INT64)), layout)), SHAPES);
    return new KeyTest(
        projection, KeyFilterOperator.plainKeys(SHAPES, List.of(column), layout, false), filter);
  }

  /** The rows that come out, as pairs. */
  private List<List<Object>> run(KeyFilterOperator operator, Set<List<Object>> expected) {
    List<List<Object>> passed = new ArrayList<>();
    BatchConsumer worker =
        operator.newWorker(
            context,
            batch -> {
              List<Object> first = context.values(batch.column(0));
              List<Object> second = context.values(batch.column(1));
              for (int i = 0; i < batch.rows(); i++) {
                passed.add(List.of(first.get(i), second.get(i)));
              }
            });
    for (int batch = 0; batch < BATCHES; batch++) {
      List<Long> first = new ArrayList<>();
      List<Long> second = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        first.add((long) random.nextInt(1000));
        second.add((long) random.nextInt(1000));
        if (first.getLast() < 800 && second.getLast() < 50) {
          expected.add(List.of(first.getLast(), second.getLast()));
        }
      }
      List<Column> columns =
          List.of(context.column(SHAPES.get(0), first), context.column(SHAPES.get(1), second));
      worker.accept(new ColumnBatch(columns, ROWS));
    }
    worker.finish();
    return passed;
  }

  /** Whatever joins left first: the filter that drops most is asked first, but for one batch. */
  @Test
  void whatDropsMostIsAskedFirst() {
    for (boolean few : new boolean[] {true, false}) {
      filters.forEach(KeyFilter::close);
      filters.clear();
      KeyTest many = below(0, 800);
      KeyTest some = below(1, 50);
      KeyFilterOperator operator =
          few
              ? new KeyFilterOperator(some, SHAPES).and(many)
              : new KeyFilterOperator(many, SHAPES).and(some);
      Set<List<Object>> expected = new HashSet<>();
      List<List<Object>> passed = run(operator, expected);
      assertEquals(expected, new HashSet<>(passed));
      assertTrue(passed.size() > 0.02 * ROWS * BATCHES, "each as often as it came");
      long most = filters.get(0).asked;
      assertTrue(most < 0.2 * ROWS * BATCHES, most + " rows came to the one that drops few");
      assertTrue(filters.get(1).asked > 0.95 * ROWS * BATCHES, "the other one is asked first");
    }
  }
}
