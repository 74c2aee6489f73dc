package io.aragonite.rules.function;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.calcite.avatica.util.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bytes of values have the order of the values, and are decoded to them. */
class SortKeyCodecTest {
  private static void assertOrder(String type, Object... ascending) {
    SortKeyCodec codec = SortKeyCodec.of(type);
    for (int i = 0; i < ascending.length; i++) {
      byte[] key = codec.encode(ascending[i]);
      assertSame(ascending[i], codec.decode(key));
      for (int k = 0; k < ascending.length; k++) {
        int order = Arrays.compareUnsigned(key, codec.encode(ascending[k]));
        String both = ascending[i] + " and " + ascending[k];
        assertEquals(Integer.compare(i, k), Integer.signum(order), both);
        int compared = codec.compare(ascending[i], ascending[k]);
        assertEquals(Integer.compare(i, k), Integer.signum(compared), both);
        boolean equal = codec.commonOf(ascending[i]).equals(codec.commonOf(ascending[k]));
        assertEquals(i == k, equal, both);
      }
    }
  }

  private static void assertSame(Object expected, Object actual) {
    if (expected instanceof Object[] row) {
      assertArrayEquals(row, (Object[]) actual);
    } else {
      assertEquals(expected, actual);
      assertEquals(
          expected.getClass().isInstance(actual), expected.getClass() == actual.getClass());
    }
  }

  @Test
  void numbers() {
    assertOrder("1", Byte.MIN_VALUE, (byte) -1, (byte) 0, (byte) 1, Byte.MAX_VALUE);
    assertOrder("2", Short.MIN_VALUE, (short) -1, (short) 0, (short) 256, Short.MAX_VALUE);
    assertOrder("4", Integer.MIN_VALUE, -256, -1, 0, 255, 256, Integer.MAX_VALUE);
    assertOrder("8", Long.MIN_VALUE, -1L << 32, -1L, 0L, 1L << 32, Long.MAX_VALUE);
    assertOrder(
        "d",
        Double.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        -Double.MIN_VALUE,
        0.0,
        Double.MIN_VALUE,
        1.5,
        Double.POSITIVE_INFINITY,
        Double.NaN);
    assertOrder("f", -Float.MAX_VALUE, -1f, 0f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NaN);
    String digits = "9".repeat(38);
    assertOrder(
        "n2:",
        new BigDecimal("-" + digits).movePointLeft(2),
        new BigDecimal("-256.00"),
        new BigDecimal("-0.01"),
        new BigDecimal("0.00"),
        new BigDecimal("2.55"),
        new BigDecimal("2.56"),
        new BigDecimal(digits).movePointLeft(2));
  }

  @Test
  void oneValueHasOneKey() {
    assertArrayEquals(SortKeyCodec.of("d").encode(0.0), SortKeyCodec.of("d").encode(-0.0));
    double other = Double.longBitsToDouble(Double.doubleToRawLongBits(Double.NaN) | 7);
    assertArrayEquals(SortKeyCodec.of("d").encode(Double.NaN), SortKeyCodec.of("d").encode(other));
    assertArrayEquals(
        SortKeyCodec.of("n2:").encode(new BigDecimal("1.5")), SortKeyCodec.of("n2:").encode(1.50));
    assertArrayEquals(SortKeyCodec.of("8").encode(7), SortKeyCodec.of("8").encode(7L));
  }

  @Test
  void equalValuesHaveOneInCommon() {
    assertEqual("d", 0.0, -0.0);
    assertEqual("Ld", List.of(0.0, Double.NaN), List.of(-0.0, Float.NaN));
    assertEqual("n2:", new BigDecimal("1.5"), new BigDecimal("1.50"));
    assertEqual("n1:", BigDecimal.ZERO, new BigDecimal("0.0"));
    assertEqual("n0:", 7, 7L);
    assertEqual("8", (byte) 7, 7L);
    assertEqual("R2:4s", new Object[] {1, "b"}, Arrays.asList(1L, "b"));
    UUID uuid = UUID.fromString("80000000-0000-0000-0000-000000000000");
    assertEqual("u", uuid, uuid.toString());
  }

  private static void assertEqual(String type, Object one, Object other) {
    SortKeyCodec codec = SortKeyCodec.of(type);
    assertEquals(0, codec.compare(one, other));
    assertEquals(codec.commonOf(one), codec.commonOf(other));
    assertArrayEquals(codec.encode(one), codec.encode(other));
  }

  @Test
  void nullsAreTheGreatest() {
    SortKeyCodec codec = SortKeyCodec.of("4");
    assertEquals(0, codec.compareNullable(null, null));
    assertEquals(1, codec.compareNullable(null, Integer.MAX_VALUE));
    assertEquals(-1, codec.compareNullable(Integer.MAX_VALUE, null));
    assertNull(codec.common(null));
  }

  @Test
  void decimalsOfMoreDigitsThanKeysAreRefused() {
    SortKeyCodec codec = SortKeyCodec.of("n9:");
    BigDecimal large = new BigDecimal("9".repeat(38));
    AragoniteException e = assertThrows(AragoniteException.class, () -> codec.encode(large));
    assertEquals(ErrorCode.NUMERIC_OVERFLOW, e.code());
    assertEquals(1, codec.compare(large, BigDecimal.ONE));
  }

  @Test
  void textsAndBytes() {
    assertOrder("s", "", "\0", "\0\0", "\0a", "\1", "a", "a\0", "aa", "b", "ä", "\uffee", "😀");
    assertOrder(
        "x",
        ByteString.EMPTY,
        new ByteString(new byte[] {0}),
        new ByteString(new byte[] {0, 0}),
        new ByteString(new byte[] {0, -1}),
        new ByteString(new byte[] {1}),
        new ByteString(new byte[] {-1}));
    assertOrder("b", false, true);
    assertOrder(
        "u",
        UUID.fromString("00000000-0000-0000-0000-000000000001"),
        UUID.fromString("7fffffff-ffff-ffff-ffff-ffffffffffff"),
        UUID.fromString("80000000-0000-0000-0000-000000000000"));
  }

  @Test
  void listsRowsAndMaps() {
    assertOrder(
        "Ls",
        List.of(),
        List.of(""),
        List.of("", ""),
        List.of("a"),
        List.of("a", "b"),
        Arrays.asList("a", null),
        List.of("aa"),
        Arrays.asList((Object) null),
        Arrays.asList(null, "a"));
    assertOrder("LL4", List.of(), List.of(List.of()), List.of(List.of(1)), List.of(List.of(2)));
    assertOrder(
        "R2:4s",
        new Object[] {1, "b"},
        new @Nullable Object[] {1, null},
        new Object[] {2, "a"},
        new @Nullable Object[] {null, "a"});
    Map<Object, @Nullable Object> none = new LinkedHashMap<>();
    none.put("a", null);
    assertOrder("Ms4", Map.of(), Map.of("a", 1), Map.of("a", 2), none, Map.of("b", 0));
    assertOrder("L0", List.of(), Arrays.asList((Object) null), Arrays.asList(null, null));
  }

  @Test
  void randomListsOfTexts() {
    long seed = Long.getLong("aragonite.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    SortKeyCodec codec = SortKeyCodec.of("LLs");
    for (int i = 0; i < 20_000; i++) {
      List<?> left = list(random, 2);
      List<?> right = list(random, 2);
      assertEquals(left, codec.decode(codec.encode(left)));
      int order = Arrays.compareUnsigned(codec.encode(left), codec.encode(right));
      assertEquals(Integer.signum(compare(left, right)), Integer.signum(order), left + " " + right);
    }
    assertTrue(codec.encode(List.of()).length == 1);
  }

  @Test
  void comparisonsAreThoseOfKeys() {
    long seed = Long.getLong("aragonite.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    SortKeyCodec codec = SortKeyCodec.of("R6:bxuMs4LR1:dn2:");
    int equal = 0;
    for (int i = 0; i < 20_000; i++) {
      Object left = row(random);
      Object right = row(random);
      int order = Arrays.compareUnsigned(codec.encode(left), codec.encode(right));
      String both =
          Arrays.toString(codec.encode(left)) + " " + Arrays.toString(codec.encode(right));
      assertEquals(Integer.signum(order), Integer.signum(codec.compare(left, right)), both);
      assertEquals(0, codec.compare(left, codec.decode(codec.encode(left))), both);
      equal += order == 0 ? 1 : 0;
    }
    assertTrue(equal > 0);
  }

  private static Object row(Random random) {
    byte[] bytes = new byte[random.nextInt(2)];
    random.nextBytes(bytes);
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      map.put("ab".substring(random.nextInt(2)), random.nextBoolean() ? null : random.nextInt(2));
    }
    List<Object> list = new ArrayList<>();
    for (int i = random.nextInt(2); i > 0; i--) {
      list.add(new Object[] {random.nextBoolean() ? -0.0 : random.nextInt(2) / 0.0});
    }
    @Nullable Object[] row = {
      random.nextInt(4) > 0,
      random.nextInt(4) > 0 ? ByteString.EMPTY : new ByteString(bytes),
      new UUID(random.nextInt(4) > 0 ? 0 : random.nextLong(), random.nextInt(3) - 1),
      map,
      list,
      BigDecimal.valueOf(random.nextInt(3) - 1, 2)
    };
    if (random.nextInt(3) == 0) {
      row[random.nextInt(row.length)] = null;
    }
    return random.nextBoolean() ? row : Arrays.asList(row);
  }

  private static List<?> list(Random random, int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      String text = "\0ab".substring(random.nextInt(3)).substring(0, random.nextInt(2));
      list.add(random.nextInt(5) == 0 ? null : depth > 1 ? list(random, depth - 1) : text);
    }
    return list;
  }

  private static int compare(@Nullable Object left, @Nullable Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left == null, right == null);
    }
    if (left instanceof String text) {
      return text.compareTo((String) right);
    }
    List<?> lefts = (List<?>) left;
    List<?> rights = (List<?>) right;
    for (int i = 0; i < Math.min(lefts.size(), rights.size()); i++) {
      int order = compare(lefts.get(i), rights.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(lefts.size(), rights.size());
  }
}
