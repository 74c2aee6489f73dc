package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.util.List;
import org.junit.jupiter.api.Test;

/** materialize. */
class GatherContractTest extends Contract {
  GatherContractTest(Device device) {
    super(device);
  }

  @Test
  void materialize() {
    for (int size : SMALL_SIZES) {
      for (ColumnShape shape : shapes()) {
        for (Nulls nulls : Nulls.values()) {
          for (int form = 0; form < 4; form++) {
            List<Object> values = values(shape, nulls, size);
            Column column = context.disguise(shape, values, form, random);
            check(values, context.gather().materialize(context, column, context.memory()));
            check(values, context.gather().materialize(context, column, context.scratch()));
            context.scratch().reset();
          }
        }
      }
    }
  }

  private void check(List<Object> values, Column result) {
    assertNull(result.rowIds());
    assertEquals(values.size(), result.rows());
    for (int i = 0; i < values.size(); i++) {
      assertEquals(Columns.comparable(values.get(i)), Columns.comparable(context.value(result, i)));
    }
  }

  @Test
  void repeatedRows() {
    for (ColumnShape shape : shapes()) {
      List<Object> values = values(shape, Nulls.SOME, 10);
      Column column = context.column(shape, values);
      int[] ids = random.ints(1000, -1, 10).toArray();
      Column result =
          context
              .gather()
              .materialize(context, column.withRowIds(context.rowIds(true, ids)), context.memory());
      for (int i = 0; i < ids.length; i++) {
        assertEquals(
            Columns.comparable(ids[i] < 0 ? null : values.get(ids[i])),
            Columns.comparable(context.value(result, i)));
      }
    }
  }

  @Test
  void rowsOfNullsOverNoData() {
    for (ColumnShape shape : shapes()) {
      Column column = context.column(shape, List.of());
      Column result =
          context
              .gather()
              .materialize(
                  context, column.withRowIds(context.rowIds(true, -1, -1, -1)), context.memory());
      assertEquals(3, result.rows());
      for (int i = 0; i < 3; i++) {
        assertNull(context.value(result, i));
      }
    }
  }
}
