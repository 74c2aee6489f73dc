package io.aragonite.exec.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyLayoutsTest {
  private static ColumnShape longs(boolean mayBeNull, @Nullable ValueRange range) {
    return new ColumnShape(
        DataType.INT64.withNullable(mayBeNull), Storage.LONG, mayBeNull, null, range);
  }

  private static ColumnShape codes(Dictionary dictionary) {
    return new ColumnShape(DataType.VARCHAR, Storage.CODE, false, dictionary, null);
  }

  @Test
  void packsWhatFits() {
    ColumnShape key = longs(false, new ValueRange(1, 6_000_000));
    assertEquals(
        List.of(new KeyLayout.KeyField(1, 23, false)), KeyLayouts.choose(List.of(key)).parts());
    assertEquals(
        List.of(new KeyLayout.KeyField(0, 64, false)),
        KeyLayouts.choose(List.of(longs(false, null))).parts());
    assertFalse(KeyLayouts.choose(List.of(longs(true, null))).exact());
    assertFalse(KeyLayouts.choose(List.of(longs(false, null), key)).exact());
    assertTrue(KeyLayouts.choose(List.of(key, key)).exact());
    assertFalse(KeyLayouts.choose(List.of(key, key, key)).exact());
    assertTrue(KeyLayouts.choose(List.of()).exact());
  }

  @Test
  void joinsTakeTheUnionOfRanges() {
    KeyLayout layout =
        KeyLayouts.choose(
            List.of(longs(false, new ValueRange(10, 20))),
            List.of(longs(true, new ValueRange(-5, 15))));
    assertEquals(List.of(new KeyLayout.KeyField(-5, 5, true)), layout.parts());
  }

  @Test
  void codesNeedOneDictionary() {
    Dictionary a = new Dictionary(new byte[][] {{1}, {2}, {3}});
    Dictionary b = new Dictionary(new byte[][] {{1}, {2}, {3}});
    assertEquals(
        List.of(new KeyLayout.KeyField(0, 2, false)),
        KeyLayouts.choose(List.of(codes(a)), List.of(codes(a))).parts());
    assertFalse(KeyLayouts.choose(List.of(codes(a)), List.of(codes(b))).exact());
  }

  @Test
  void hashesFloatsAndWideDecimals() {
    assertFalse(KeyLayouts.choose(List.of(ColumnShape.of(DataType.FLOAT64))).exact());
    assertFalse(KeyLayouts.choose(List.of(ColumnShape.of(DataType.decimal(30, 2, false)))).exact());
    assertTrue(KeyLayouts.choose(List.of(ColumnShape.of(DataType.decimal(15, 2, false)))).exact());
    assertFalse(KeyLayouts.choose(List.of(ColumnShape.of(DataType.VARCHAR))).exact());
  }

  @Test
  void equalWordsMeanEqualKeys() {
    Random random = TestSeed.random(getClass());
    List<ColumnShape> shapes =
        List.of(
            longs(true, new ValueRange(-3, 4)),
            ColumnShape.of(DataType.BOOLEAN.withNullable(true)),
            longs(false, new ValueRange(Long.MIN_VALUE, Long.MIN_VALUE + 5)));
    KeyLayout layout = KeyLayouts.choose(shapes);
    assertTrue(layout.exact());
    Expr.KeyWord word =
        new Expr.KeyWord(
            List.of(
                Expr.ref(0, shapes.get(0).type()),
                Expr.ref(1, shapes.get(1).type()),
                Expr.ref(2, shapes.get(2).type())),
            layout);
    Map<Object, List<Object>> keys = new HashMap<>();
    for (int i = 0; i < 2000; i++) {
      @Nullable Object[] row = {
        random.nextInt(5) == 0 ? null : (Long) random.nextLong(-3, 5),
        random.nextInt(3) == 0 ? null : (Boolean) random.nextBoolean(),
        Long.MIN_VALUE + random.nextInt(6)
      };
      Object value = Interpreter.evaluate(word, column -> row[column]);
      List<Object> key = List.of(row[0] + "", row[1] + "", row[2] + "");
      List<Object> before = keys.putIfAbsent(value, key);
      assertTrue(before == null || before.equals(key), key + " and " + before);
    }
    assertEquals(9 * 3 * 6, keys.size());
    assertNotEquals(0, layout.parts().getFirst().bits());
  }
}
