package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.ReflectiveSchema;
import org.apache.calcite.adapter.jdbc.JdbcSchema;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.ScannableTable;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of other Calcite adapters beside ours: their rows become columns of our operators. */
class OtherAdaptersTest {
  @TempDir private Path folder;

  /** What the reflective adapter makes tables of. */
  public static final class Shop {
    public final Customer[] customers = {
      new Customer(1, "Ann", 1.5, Date.valueOf("2024-02-29"), true),
      new Customer(2, null, null, null, false),
      new Customer(4, "Zoë", -0.25, Date.valueOf("1969-12-31"), true),
    };
    public final Bill[] bills = {new Bill(1, new BigDecimal("1.50")), new Bill(9, BigDecimal.TEN)};
    public final Town[] towns = {new Town("Rome"), new Town("Kiel")};
  }

  /** A row with most Java types. */
  public static final class Customer {
    public final int id;
    public final @Nullable String name;
    public final @Nullable Double score;
    public final @Nullable Date born;
    public final boolean active;

    Customer(
        int id,
        @Nullable String name,
        @Nullable Double score,
        @Nullable Date born,
        boolean active) {
      this.id = id;
      this.name = name;
      this.score = score;
      this.born = born;
      this.active = active;
    }
  }

  /** A row with a decimal of no declared scale. */
  public static final class Bill {
    public final int id;
    public final BigDecimal amount;

    Bill(int id, BigDecimal amount) {
      this.id = id;
      this.amount = amount;
    }
  }

  /** A row of one column. */
  public static final class Town {
    public final String name;

    Town(String name) {
      this.name = name;
    }
  }

  /** A table of arrays: (i, price, moment); every seventh price is null. */
  private static final class Prices extends AbstractTable implements ScannableTable {
    private final int rows;
    private final boolean broken;

    Prices(int rows, boolean broken) {
      this.rows = rows;
      this.broken = broken;
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory factory) {
      return factory
          .builder()
          .add("i", SqlTypeName.INTEGER)
          .add("price", SqlTypeName.DECIMAL, 12, 2)
          .nullable(true)
          .add("moment", SqlTypeName.TIMESTAMP)
          .build();
    }

    @Override
    public Enumerable<@Nullable Object[]> scan(DataContext root) {
      List<@Nullable Object[]> all = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        BigDecimal price = i % 7 == 0 ? null : BigDecimal.valueOf(i * 25L, 2);
        all.add(new @Nullable Object[] {i, price, i * 1000L});
      }
      return Linq4j.asEnumerable(all)
          .where(row -> {
            if (broken && Objects.equals(row[0], rows - 1)) {
              throw new IllegalStateException("the shelf fell down");
            }
            return true;
          });
    }
  }

  @BeforeEach
  void files() throws IOException {
    Files.writeString(
        folder.resolve("orders.csv"), "id,customer,amount\n1,1,2.50\n2,1,3.50\n3,2,\n4,9,7.00\n");
  }

  private Connection open(String more) throws SQLException {
    Connection connection = TestConnections.open("directory=" + folder + ";threads=2;" + more);
    SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
    root.add("shop", new ReflectiveSchema(new Shop()));
    SchemaPlus shelf = root.add("shelf", new AbstractSchema());
    shelf.add("prices", new Prices(200_000, false));
    shelf.add("nothing", new Prices(0, false));
    shelf.add("broken", new Prices(3, true));
    return connection;
  }

  @Test
  void theyAreJoinedOnTheDevice() throws Exception {
    String sql =
        "select c.id, c.name, count(o.id), sum(o.amount) from shop.customers c"
            + " left join orders o on o.customer = c.id group by c.id, c.name order by c.id";
    try (Connection connection = open("memory=256MB;fallback=off")) {
      assertEquals(
          List.of("1|Ann|2|6.00", "2|null|1|null", "4|Zoë|0|null"), query(connection, sql));
      String plan = String.join("\n", query(connection, "explain plan for " + sql));
      assertTrue(plan.contains("HashJoin [cpu]"), plan);
      assertTrue(plan.contains("EnumerableToGpuConverter [cpu]"), plan);
      assertTrue(plan.contains("EnumerableTableScan [calcite], table=[shop.customers]"), plan);
      assertFalse(plan.contains("left to Calcite"), plan);
      assertEquals(
          0, connection.unwrap(AragoniteConnection.class).metrics().fallbackReasons().size());
    }
  }

  @Test
  void valuesOfAllTypesArriveWithTheirNulls() throws Exception {
    try (Connection connection = open("memory=256MB;fallback=off")) {
      assertEquals(
          List.of(
              "1|Ann|1.5|2024-02-29|true", "2|null|null|null|false", "4|Zoë|-0.25|1969-12-31|true"),
          query(
              connection,
              "select id, name, score, born, active from shop.customers where id < 9 order by id"));
      assertEquals(
          List.of("Rome|3"),
          query(
              connection,
              "select t.name, o.id from shop.towns t join orders o on char_length(t.name) = 4"
                  + " where o.id = 3 and t.name > 'Kiel'"));
    }
  }

  @Test
  void manyRowsComeInChunks() throws Exception {
    try (Connection connection = open("memory=256MB;fallback=off")) {
      assertEquals(
          List.of("200000|171428|4285685714.50|1970-01-03 07:33:19"),
          query(
              connection,
              "select count(*), count(price), sum(price), max(moment)" + " from shelf.prices"));
      assertEquals(
          List.of("0|null"), query(connection, "select count(*), max(i) from shelf.nothing"));
      assertEquals(
          List.of("3|0.75", "4|1.00"),
          query(
              connection,
              "select o.id, p.price from orders o join shelf.prices p on p.i = o.id"
                  + " where o.id > 2 order by 1"));
    }
  }

  @Test
  void preparedStatementsReadTheRowsAnew() throws Exception {
    try (Connection connection = open("memory=256MB;fallback=off");
        PreparedStatement statement =
            connection.prepareStatement("select sum(i) from shelf.prices where i < ?")) {
      for (int limit : new int[] {10, 0, 1000}) {
        statement.setInt(1, limit);
        try (ResultSet rows = statement.executeQuery()) {
          assertTrue(rows.next());
          assertEquals(limit * (limit - 1L) / 2, rows.getLong(1));
        }
      }
    }
  }

  @Test
  void anErrorOfTheOtherAdapterNamesItsTable() throws Exception {
    try (Connection connection = open("memory=256MB;fallback=on")) {
      assertError(
          ErrorCode.SOURCE_FAILED,
          () -> query(connection, "select sum(i) from shelf.broken"),
          "shelf.broken",
          "the shelf fell down");
      assertEquals(List.of("4"), query(connection, "select count(*) from orders"));
    }
  }

  @Test
  void whatAJdbcTableCanDoItselfIsPushedToIt() throws Exception {
    String url = "jdbc:duckdb:" + folder.resolve("parts.duckdb");
    try (Connection duck = DriverManager.getConnection(url);
        Statement statement = duck.createStatement()) {
      statement.execute(
          "create table parts as select i::integer as k, 'p' || i as name,"
              + " (i * 1.25)::decimal(10, 2) as price from range(10) t(i)");
    }
    String sql =
        "select o.id, p.name, p.price from orders o join duck.parts p on p.k = o.customer"
            + " where p.price > 2 order by o.id";
    try (Connection connection = open("memory=256MB;fallback=off")) {
      SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
      DataSource source = JdbcSchema.dataSource(url, "org.duckdb.DuckDBDriver", null, null);
      root.add("duck", JdbcSchema.create(root, "duck", source, "parts", "main"));
      assertEquals(List.of("3|p2|2.50", "4|p9|11.25"), query(connection, sql));
      String plan = String.join("\n", query(connection, "explain plan for " + sql));
      assertTrue(plan.contains("HashJoin [cpu]") && plan.contains("JdbcFilter"), plan);
    }
  }

  /** Of any character set: what is sent to the database names none. */
  @Test
  void textsArePushedToAJdbcTable() throws Exception {
    String url = "jdbc:duckdb:" + folder.resolve("texts.duckdb");
    try (Connection duck = DriverManager.getConnection(url);
        Statement statement = duck.createStatement()) {
      statement.execute("create table parts as select 1 as k, 'p1' as name");
      statement.execute("insert into parts values (2, 'p\u4e2d'), (3, 'it''s')");
    }
    try (Connection connection = open("memory=256MB;fallback=on")) {
      SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
      DataSource source = JdbcSchema.dataSource(url, "org.duckdb.DuckDBDriver", null, null);
      root.add("duck", JdbcSchema.create(root, "duck", source, "texts", "main"));
      assertPushed(connection, "name = 'p1'", "1");
      assertPushed(connection, "name = N'p\u4e2d'", "2");
      assertPushed(connection, "name in ('p1', 'it''s', 'x')", "1", "3");
      assertPushed(connection, "name like '%\u4e2d' and name <> 'p1'", "2");
      assertEquals(
          List.of("1|_UTF-8'x' CHARACTER SET \"UTF-8\""),
          query(
              connection,
              "select k, '_UTF-8''x'' CHARACTER SET \"UTF-8\"' from duck.parts where k = 1"));
    }
  }

  private static void assertPushed(Connection connection, String condition, String... keys)
      throws SQLException {
    String sql = "select k from duck.parts where " + condition;
    assertEquals(List.of(keys), query(connection, sql + " order by k"));
    String plan = String.join("\n", query(connection, "explain plan for " + sql));
    assertTrue(plan.contains("JdbcFilter") && !plan.contains("UTF-8"), plan);
  }

  @Test
  void whatColumnsCannotHoldStaysWithCalcite() throws Exception {
    String sql = "select sum(b.amount) from shop.bills b join orders o on o.id = b.id";
    try (Connection connection = open("memory=256MB;fallback=on")) {
      assertEquals(List.of("1.50"), query(connection, sql));
      String plan = String.join("\n", query(connection, "explain plan for " + sql));
      assertTrue(plan.contains("left to Calcite"), plan);
    }
  }

  @Test
  void underCalcitesOwnDriver() throws Exception {
    String url =
        "jdbc:calcite:schemaFactory=io.aragonite.adapter.GpuSchemaFactory;schema=files;schema.threads=2;schema.directory="
            + folder;
    try (Connection connection = DriverManager.getConnection(url)) {
      SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
      root.add("shop", new ReflectiveSchema(new Shop()));
      String sql =
          "select c.\"name\", sum(o.\"amount\") from \"shop\".\"customers\" c join"
              + " \"files\".\"orders\" o on o.\"customer\" = c.\"id\" group by c.\"name\" order by"
              + " 1";
      // Calcite's own cost decides there which of both runs the join.
      assertEquals(List.of("Ann|6.00", "null|null"), query(connection, sql));
    }
  }

  @Test
  void rowsThatDoNotFitLeaveMemory() throws Exception {
    String sql = "select max(price), max(moment) from shelf.prices";
    List<String> expected;
    try (Connection connection = open("memory=256MB;fallback=off")) {
      expected = query(connection, sql);
    }
    try (Connection connection = open("memory=2MB;fallback=off")) {
      assertEquals(expected, query(connection, sql));
      assertEquals(List.of("4"), query(connection, "select count(*) from orders"));
    }
  }
}
