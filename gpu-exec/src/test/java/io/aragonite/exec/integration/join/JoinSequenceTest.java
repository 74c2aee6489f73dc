package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Sequences of joins against a nested loop: a table with foreign keys joined with one table after
 * the other, each time by another algorithm, type and build side. Row ids travel through joins that
 * leave payload in place, and are composed where ones that move it stand between; columns of all
 * storages, nulls among them, are fetched through as many of these as there are joins above them.
 */
class JoinSequenceTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 40);
  private static final int KEYS = 60;
  private static final List<JoinType> TYPES =
      List.of(
          JoinType.INNER,
          JoinType.LEFT,
          JoinType.RIGHT,
          JoinType.FULL,
          JoinType.SEMI,
          JoinType.ANTI);
  private static final List<JoinAlgorithm> ALGORITHMS =
      Arrays.stream(JoinAlgorithm.values()).filter(a -> a != JoinAlgorithm.NESTED_LOOP).toList();

  private static final List<DataType> PAYLOAD =
      List.of(
          DataType.INT64.withNullable(true),
          DataType.VARCHAR.withNullable(true),
          DataType.decimal(30, 2, true),
          DataType.INT32.withNullable(true));

  @Test
  void agreeWithNestedLoop() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      check(random, 1 + random.nextInt(4), seed);
    }
  }

  /** Single joins of keys that are the least and the greatest of their type, and all null. */
  @Test
  void keysAtTheExtremesAndAllNull() {
    for (DataType type : List.of(DataType.INT64, DataType.INT32)) {
      boolean wide = type.equals(DataType.INT64);
      long least = wide ? Long.MIN_VALUE : Integer.MIN_VALUE;
      long most = wide ? Long.MAX_VALUE : Integer.MAX_VALUE;
      List<DataType> types = List.of(type.withNullable(true), DataType.INT64);
      List<List<@Nullable Object>> some =
          keyed(least, least + 1, -1L, 0L, 1L, most - 1, most, null, least, most);
      List<List<@Nullable Object>> others = keyed(most, least, null, 0L, most, 2L, least + 1);
      List<List<@Nullable Object>> none = keyed(new Object[] {null, null, null});
      for (List<List<@Nullable Object>> left : List.of(some, none)) {
        for (List<List<@Nullable Object>> right : List.of(others, none)) {
          oneJoin(types, left, right);
        }
      }
    }
  }

  private static List<List<@Nullable Object>> keyed(@Nullable Object... keys) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      rows.add(Arrays.asList(keys[i], (long) i));
    }
    return rows;
  }

  private static void oneJoin(
      List<DataType> types, List<List<@Nullable Object>> left, List<List<@Nullable Object>> right) {
    try (TestEngine engine = new TestEngine(1, 64)) {
      for (JoinType type : TYPES) {
        List<DataType> out = new ArrayList<>();
        types.forEach(t -> out.add(t.withNullable(t.nullable() || type.padsLeft())));
        if (!type.leftOnly()) {
          types.forEach(t -> out.add(t.withNullable(t.nullable() || type.padsRight())));
        }
        List<List<@Nullable Object>> expected = nestedLoop(type, 0, left, right, 2, 2);
        for (JoinAlgorithm algorithm : ALGORITHMS) {
          for (boolean buildLeft : new boolean[] {false, true}) {
            List<JoinKey> keys = List.of(new JoinKey(0, 0, false));
            Join join =
                new Join(
                    scan(types, left),
                    scan(types, right),
                    type,
                    keys,
                    null,
                    algorithm,
                    buildLeft,
                    out);
            assertEquals(
                TestEngine.counts(expected),
                TestEngine.counts(engine.run(join)),
                () -> type + " " + algorithm + (buildLeft ? " left " : " right ") + left);
          }
        }
      }
    }
  }

  private static void check(Random random, int joins, long seed) {
    List<DataType> types = new ArrayList<>(Collections.nCopies(joins, DataType.INT64));
    types.replaceAll(type -> type.withNullable(true));
    types.addAll(PAYLOAD);
    List<List<@Nullable Object>> rows = rows(random, types, joins, random.nextInt(200));
    PhysicalPlan plan = scan(types, rows);
    StringBuilder what = new StringBuilder();
    for (int j = 0; j < joins; j++) {
      List<DataType> others = new ArrayList<>(PAYLOAD);
      others.addFirst(DataType.INT64.withNullable(true));
      List<List<@Nullable Object>> right = rows(random, others, 1, random.nextInt(90));
      JoinType type = TYPES.get(random.nextInt(TYPES.size()));
      JoinAlgorithm algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
      boolean buildLeft = random.nextBoolean();
      what.append(type).append(' ').append(algorithm).append(buildLeft ? " left; " : " right; ");
      rows = nestedLoop(type, j, rows, right, types.size(), others.size());
      if (!type.leftOnly()) {
        types.addAll(others);
      }
      List<JoinKey> keys = List.of(new JoinKey(j, 0, false));
      plan =
          new Join(
              plan,
              scan(others, right),
              type,
              keys,
              null,
              algorithm,
              buildLeft,
              List.copyOf(types));
    }
    try (TestEngine engine =
        new TestEngine(1 + random.nextInt(2), random.nextBoolean() ? 64 : 1024)) {
      assertEquals(
          TestEngine.counts(rows),
          TestEngine.counts(engine.run(plan)),
          () -> what + "reproduce with -Daragonite.seed=" + seed);
    }
  }

  private static PhysicalPlan scan(List<DataType> types, List<List<@Nullable Object>> rows) {
    return new TestTable(types.stream().map(ColumnShape::of).toList(), rows, 64).scan();
  }

  /** Rows with some nulls; the first {@code keys} columns are keys. */
  private static List<List<@Nullable Object>> rows(
      Random random, List<DataType> types, int keys, int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      for (int c = 0; c < types.size(); c++) {
        long number = random.nextInt(c < keys ? KEYS : 1000);
        boolean isNull = random.nextInt(8) == 0;
        Object value =
            switch (types.get(c).kind()) {
              case VARCHAR -> "text " + number;
              case DECIMAL -> BigDecimal.valueOf(number, 2);
              default -> number;
            };
        row.add(isNull ? null : value);
      }
      rows.add(row);
    }
    return rows;
  }

  private static List<List<@Nullable Object>> nestedLoop(
      JoinType type,
      int key,
      List<List<@Nullable Object>> left,
      List<List<@Nullable Object>> right,
      int leftColumns,
      int rightColumns) {
    List<List<@Nullable Object>> out = new ArrayList<>();
    boolean[] matched = new boolean[right.size()];
    for (List<@Nullable Object> row : left) {
      boolean found = false;
      for (int j = 0; j < right.size(); j++) {
        Object mine = row.get(key);
        if (mine != null && mine.equals(right.get(j).getFirst())) {
          found = true;
          matched[j] = true;
          if (!type.leftOnly()) {
            out.add(concat(row, right.get(j)));
          }
        }
      }
      if (type.leftOnly() ? found == (type == JoinType.SEMI) : !found && type.padsRight()) {
        out.add(type.leftOnly() ? row : concat(row, nulls(rightColumns)));
      }
    }
    for (int j = 0; j < right.size() && type.padsLeft(); j++) {
      if (!matched[j]) {
        out.add(concat(nulls(leftColumns), right.get(j)));
      }
    }
    return out;
  }

  private static List<@Nullable Object> nulls(int count) {
    return Arrays.asList(new @Nullable Object[count]);
  }

  private static List<@Nullable Object> concat(List<@Nullable Object> a, List<@Nullable Object> b) {
    List<@Nullable Object> all = new ArrayList<>(a);
    all.addAll(b);
    return all;
  }
}
