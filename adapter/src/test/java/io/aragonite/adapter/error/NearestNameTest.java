package io.aragonite.adapter.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNameTest {
  private static final List<String> NAMES = List.of("lineitem", "orders", "customer", "part");

  @Test
  void findsTyposInAnyCase() {
    assertEquals("lineitem", NearestName.of("LINEITM", NAMES));
    assertEquals("orders", NearestName.of("order", NAMES));
    assertEquals("customer", NearestName.of("cust", NAMES));
    assertEquals("part", NearestName.of("prat", NAMES));
  }

  @Test
  void farNamesAreNotSuggested() {
    assertNull(NearestName.of("zebra", NAMES));
    assertNull(NearestName.of("x", List.of()));
    assertNull(NearestName.of("x", List.of("y", "z")));
    assertEquals("x", NearestName.of("X", List.of("x")));
  }

  @Test
  void endsOfFilesAreNoPartsOfTheirNames() {
    List<String> files =
        List.of("i.csv", "ab.parquet", "orders.csv", "orders.csv.gz", "sales.parquet", ".hidden");
    assertNull(NearestName.ofFile("u.csv", files));
    assertNull(NearestName.ofFile("xy.parquet", files));
    assertNull(NearestName.ofFile("nothing.parquet", files));
    assertNull(NearestName.ofFile("", files));
    assertEquals("orders.csv", NearestName.ofFile("order.csv", files));
    assertEquals("orders.csv.gz", NearestName.ofFile("order.csv.gz", files));
    assertEquals("sales.parquet", NearestName.ofFile("sales.csv", files));
    assertEquals("sales.parquet", NearestName.ofFile("SALES", files));
  }

  @Test
  void aSwapIsOneEdit() {
    assertEquals(1, NearestName.distance("prat", "part"));
    assertEquals(3, NearestName.distance("kitten", "sitting"));
    assertEquals(4, NearestName.distance("", "part"));
  }
}
