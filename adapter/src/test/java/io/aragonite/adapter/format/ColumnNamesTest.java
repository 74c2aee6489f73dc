package io.aragonite.adapter.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnNamesTest {
  @Test
  void repeatedNamesGetANumber() {
    assertEquals(List.of("id", "ID_2", "Id_3"), ColumnNames.distinct(List.of("id", "ID", "Id")));
    assertEquals(List.of("a", "b"), ColumnNames.distinct(List.of("a", "b")));
    assertEquals(List.of(), ColumnNames.distinct(List.of()));
  }

  @Test
  void noColumnLosesItsOwnName() {
    assertEquals(
        List.of("a", "A_3", "a_2", "a_4"), ColumnNames.distinct(List.of("a", "A", "a_2", "a")));
    assertEquals(List.of("column1_2", "column1"), ColumnNames.distinct(List.of(" ", "column1")));
  }

  @Test
  void blankNamesAreNumbered() {
    assertEquals(List.of("x", "column2", "column3"), ColumnNames.distinct(List.of("x", "", " ")));
  }
}
