package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.apache.calcite.config.CalciteSystemProperty;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.util.Util;
import org.junit.jupiter.api.Test;

/** Our texts are UTF-8, and those of other Calcite connections of the process what they were. */
class ProcessCharsetTest {
  @Test
  void calcitesDefaultsAreItsOwn() throws Exception {
    assertNotNull(Class.forName("io.aragonite.adapter.AragoniteDriver"));
    ClassLoader loader = AragoniteDriver.class.getClassLoader();
    assertNull(loader.getResource("saffron.properties"));
    assertEquals(StandardCharsets.ISO_8859_1, Util.getDefaultCharset());
    assertEquals("ISO-8859-1", CalciteSystemProperty.DEFAULT_CHARSET.value());
    assertEquals("ISO-8859-1", CalciteSystemProperty.DEFAULT_NATIONAL_CHARSET.value());
    assertEquals("ISO-8859-1$en_US", CalciteSystemProperty.DEFAULT_COLLATION.value());
    assertEquals(StandardCharsets.ISO_8859_1, SqlCollation.IMPLICIT.getCharset());
  }

  @Test
  void aConnectionOfCalciteIsAsWithoutUs() throws SQLException {
    try (Connection ours = DriverManager.getConnection("jdbc:aragonite:");
        Connection calcite = DriverManager.getConnection("jdbc:calcite:")) {
      assertEquals(List.of("中"), query(ours, "values '中'"));
      assertThrows(SQLException.class, () -> query(calcite, "values '中'"));
      assertThrows(SQLException.class, () -> query(calcite, "values N'中'"));
    }
  }

  @Test
  void nationalTextsAreUtf8() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:")) {
      assertEquals(List.of("中|x|it's"), query(connection, "values (N'中', n'x', N'it''s')"));
      assertEquals(List.of("中é"), query(connection, "select N'中' || x from (values 'é') t(x)"));
      assertEquals(List.of("ab"), query(connection, "values N'a'\n  'b'"));
      assertEquals(List.of("é"), query(connection, "values _latin1'é'"));
      assertEquals(List.of("中"), query(connection, "values _utf8'中'"));
      assertEquals(
          List.of("1"), query(connection, "select 1 from (values '中') n(n) where n = N'中'"));
      assertThrows(SQLException.class, () -> query(connection, "values _latin1'中'"));
    }
  }

  @Test
  void viewsHaveTextsOfAllCharacters() throws SQLException {
    String model =
        "inline:{version: '1.0', schemas: [{name: 'S', tables: [{name: 'V', type: 'view',"
            + " sql: \"select '中' as C from (values 1) t(x)\"}]}]}";
    Properties properties = new Properties();
    properties.setProperty("model", model);
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:", properties)) {
      assertEquals(List.of("中"), query(connection, "select c from s.v where c = N'中'"));
    }
  }

  @Test
  void errorsNameThePlacesOfTheStatement() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:")) {
      SQLException e =
          assertThrows(SQLException.class, () -> query(connection, "select\tN'中', nothing"));
      assertTrue(e.getMessage().contains("column 14"), e.getMessage());
    }
  }

  @Test
  void explanationsNameNoCharacterSet() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:")) {
      String sql =
          "select cast(x as varchar(9)) || N'中' from (values ('é', 1), ('a', 2)) t(x, y)"
              + " where x <> 'b' or y > 1";
      for (String how :
          List.of(
              "explain ",
              "explain analyze ",
              "explain plan for ",
              "explain plan as json for ",
              "explain plan with type for ",
              "explain plan without implementation for ",
              "explain plan including all attributes without implementation for ")) {
        String plan = String.join("\n", query(connection, how + sql));
        assertFalse(plan.contains("UTF-8") || plan.contains("ISO-8859"), how + "\n" + plan);
      }
    }
  }
}
