package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.JoinedRelations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.IntFunction;
import org.apache.calcite.rel.RelNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Joins by a column of few values are not made where both sides are joined by keys, too. */
class MultiplyingJoinsTest {
  private static final String CYCLE =
      "select count(*), sum(f.v) from f join a on f.a = a.ka join b on f.b = b.kb and a.g = b.g";

  @TempDir Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws IOException, SQLException {
    write("a", "ka,g", 1000, i -> "%d,%d".formatted(i, i % 2));
    write("b", "kb,g", 1000, i -> "%d,%d".formatted(i, i % 2));
    write("d", "kd,w", 50, i -> "%d,%d".formatted(i, i % 7));
    write("f", "a,b,c,v", 5000, i -> "%d,%d,%d,%d".formatted(i % 1000, i * 7 % 1000, i % 50, i));
    connection = TestConnections.open("directory=" + folder + ";threads=2;multiway=off");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void write(String name, String head, int rows, IntFunction<String> row)
      throws IOException {
    StringBuilder text = new StringBuilder(head).append('\n');
    for (int i = 0; i < rows; i++) {
      text.append(row.apply(i)).append('\n');
    }
    Files.writeString(folder.resolve(name + ".csv"), text);
  }

  /** Says that a with b is one row, and everything else many. */
  private record Misled() implements CardinalityProvider {
    @Override
    public @Nullable Double rows(RelNode relation) {
      return null;
    }

    @Override
    public Double rows(JoinedRelations relations) {
      return relations.joined().stream()
              .allMatch(joined -> joined.relation().getRowType().getFieldCount() == 2)
          ? 1.0
          : 1e12;
    }
  }

  private String misled(String sql) throws SQLException {
    AragoniteConnection own = connection.unwrap(AragoniteConnection.class);
    own.setCardinalities(new Misled());
    try {
      return String.join("\n", query(connection, sql));
    } finally {
      own.setCardinalities(null);
    }
  }

  @Test
  void anEstimateThatIsTooLowDoesNotLeadToThem() throws SQLException {
    String plan = misled("explain plan for " + CYCLE);
    assertFalse(plan.matches("(?s).*condition=\\[=\\(g, g0?\\)\\].*"), plan);
    assertTrue(plan.contains("(g, g"), plan);
    assertEquals(String.join("\n", query(connection, CYCLE)), misled(CYCLE));
  }

  /** So many relations are joined step by step. */
  @Test
  void norDoesItInJoinsOfManyRelations() throws SQLException {
    StringBuilder many = new StringBuilder(CYCLE);
    for (int i = 0; i < 9; i++) {
      many.append(" join (select kd, w, 0 z from d) d%1$d on f.c = d%1$d.kd".formatted(i));
    }
    many.append(" where d0.w < 6");
    String plan = misled("explain plan for " + many);
    assertFalse(plan.matches("(?s).*condition=\\[=\\(g, g0?\\)\\].*"), plan);
    assertEquals(String.join("\n", query(connection, many.toString())), misled(many.toString()));
  }

  @Test
  void theyAreMadeWhereThereIsNoOtherWay() throws SQLException {
    String sql = "select count(*) from a join b on a.g = b.g join d on b.g = d.w";
    assertEquals("3750000", misled(sql).replaceAll("\\s.*", ""), sql);
  }
}
