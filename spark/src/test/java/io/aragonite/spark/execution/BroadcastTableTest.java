package io.aragonite.spark.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.column.SliceBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory of a broadcast that tasks share: made once, given up when it is short, made again. */
class BroadcastTableTest {
  private static final int ROWS = 100_001;
  private static final List<org.apache.spark.sql.types.DataType> SPARK =
      List.of(DataTypes.LongType, DataTypes.StringType);
  private static final List<DataType> TYPES =
      List.of(DataType.INT64, DataType.of(TypeKind.VARCHAR, true));

  @BeforeEach
  void open() {
    ExecutorEngine.open(64 << 20, 1, OptionalInt.empty());
  }

  @AfterEach
  void close() {
    ExecutorEngine.close();
  }

  private static BroadcastTable table() {
    List<UnsafeRow> slices = new ArrayList<>();
    SliceBuilder builder = new SliceBuilder(TYPES);
    for (int i = 0; i < ROWS; i++) {
      Object text = i % 3 == 0 ? null : UTF8String.fromString("t" + i);
      builder.add(new GenericInternalRow(new Object[] {Long.MAX_VALUE - i, text}));
      if (builder.rows() == 16_001 || i == ROWS - 1) {
        slices.add(builder.finish());
      }
    }
    BroadcastTable table = BroadcastTable.of(slices, SPARK, TYPES);
    assertEquals(ROWS, table.rows());
    return table;
  }

  private static void check(Table.Pin pin) {
    var rows = pin.chunks().getFirst();
    assertEquals(ROWS, rows.rows());
    var numbers = rows.columns().getLast();
    var texts = rows.columns().getFirst();
    for (int i : new int[] {0, 1, 16_000, 16_001, ROWS - 1}) {
      assertEquals(Long.MAX_VALUE - i, Mem.getLong(numbers.values().address() + 8L * i));
      assertEquals(i % 3 != 0, Mem.getBit(texts.validity().address(), i));
    }
  }

  @Test
  void columnsAreMadeOnceAndAgainWhenTheyWereGivenUp() {
    BroadcastTable table = table();
    assertEquals(0, table.bytes());
    try (Table.Pin first = table.pin(List.of(1, 0));
        Table.Pin second = table.pin(List.of(1, 0))) {
      check(first);
      assertEquals(
          first.chunks().getFirst().column(0).values().address(),
          second.chunks().getFirst().column(0).values().address());
      assertEquals(0, table.reclaim(), "in use");
    }
    long bytes = table.bytes();
    // Eight bytes of a number, four of where a text ends, its text, and a bit: nothing beside.
    assertTrue(bytes > ROWS * 12L && bytes < ROWS * 18L, bytes + " bytes");
    assertEquals(bytes, table.reclaim());
    assertEquals(0, table.bytes());
    try (Table.Pin again = table.pin(List.of(1, 0))) {
      check(again);
    }
    table.close();
  }

  @Test
  void closedItStaysUntilNobodyUsesIt() {
    BroadcastTable table = table();
    try (Table.Pin pin = table.pin(List.of(1, 0))) {
      table.close();
      assertTrue(table.closed());
      check(pin);
      assertThrows(AragoniteException.class, () -> table.pin(List.of(0)));
    }
    assertEquals(0, table.bytes());
  }

  /** What tasks use together is in no task's share. */
  @Test
  void whatIsPinnedIsNotSharedOut() {
    Object relation = new Object();
    BroadcastTable table =
        RelationColumns.shared(
                relation,
                TYPES,
                () -> false,
                () -> new RelationColumns.SharedColumns(List.of(), table()))
            .table();
    MemoryBudget budget = ExecutorEngine.get().device().memory();
    long all = budget.shareable();
    try (Table.Pin first = table.pin(List.of(0))) {
      assertEquals(ROWS, first.chunks().getFirst().rows());
      table.pin(List.of(1)).close();
      assertEquals(all - table.bytes(), budget.shareable());
    }
    assertTrue(table.bytes() > 0);
    assertEquals(all, budget.shareable());
    java.lang.ref.Reference.reachabilityFence(relation);
  }

  /** Tasks that want memory get that of broadcasts which nobody uses now. */
  @Test
  void givesWayToTasks() {
    Object relation = new Object();
    BroadcastTable table =
        RelationColumns.shared(
                relation,
                TYPES,
                () -> false,
                () -> new RelationColumns.SharedColumns(List.of(), table()))
            .table();
    table.pin(List.of(0)).close();
    assertEquals(table.bytes(), RelationColumns.bytes());
    try (var memory = ExecutorEngine.memory()) {
      memory.allocate(63 << 20);
      assertEquals(0, table.bytes());
    }
    assertThrows(
        AragoniteException.class,
        () -> {
          try (Table.Pin pin = table.pin(List.of(0));
              var memory = ExecutorEngine.memory()) {
            memory.allocate(63 << 20);
          }
        });
    java.lang.ref.Reference.reachabilityFence(relation);
  }

  @Test
  void withoutRowsThereIsNone() {
    assertNull(BroadcastTable.of(List.of(), SPARK, TYPES));
  }
}
