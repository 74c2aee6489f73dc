package io.aragonite.sqltests.tools;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** Libraries of real programs over the driver, which hold it to more of JDBC than our own calls. */
class LibrariesTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;device=cpu;threads=2";

  private static HikariDataSource pool;

  @BeforeAll
  static void open() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(URL);
    config.setMaximumPoolSize(2);
    config.setSchema("tpch");
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setConnectionInitSql("select 1");
    config.setKeepaliveTime(30_000);
    pool = new HikariDataSource(config);
  }

  @AfterAll
  static void close() {
    pool.close();
  }

  @Test
  void aPoolGivesConnectionsBackAsTheyWere() throws SQLException {
    Connection before;
    try (Connection connection = pool.getConnection()) {
      before = connection.unwrap(org.apache.calcite.jdbc.CalciteConnection.class);
      connection.setSchema("metadata");
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        assertThrows(SQLException.class, () -> statement.executeQuery("select * from nosuch"));
        assertThrows(
            SQLException.class, () -> statement.executeQuery("select cast('x' as integer)"));
      }
      connection.rollback();
    }
    try (Connection connection = pool.getConnection()) {
      assertEquals("tpch", connection.getSchema());
      assertFalse(connection.isReadOnly());
      assertTrue(connection.getAutoCommit());
      assertTrue(connection.isValid(1));
      Connection same = connection.unwrap(org.apache.calcite.jdbc.CalciteConnection.class);
      assertEquals(before, same, "the errors of statements threw the connection away");
    }
  }

  @Test
  void aPoolServesManyThreads() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      List<Future<Long>> counts =
          java.util.stream.IntStream.range(0, 12)
              .mapToObj(i -> threads.submit(() -> nations(i % 5)))
              .toList();
      for (Future<Long> count : counts) {
        assertEquals(5L, count.get());
      }
    }
    assertEquals(0, pool.getHikariPoolMXBean().getActiveConnections());
    assertTrue(pool.getHikariPoolMXBean().getTotalConnections() <= 2);
  }

  private static long nations(int region) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("select count(*) from nation where n_regionkey = ?")) {
      statement.setInt(1, region);
      try (ResultSet rows = statement.executeQuery()) {
        assertTrue(rows.next());
        return rows.getLong(1);
      }
    }
  }

  /** A row as Spring maps it. */
  record NationRow(long nationkey, String name, int regionkey) {}

  @Test
  void springTemplates() {
    JdbcTemplate template = new JdbcTemplate(pool);
    template.setFetchSize(100);
    template.setMaxRows(1000);
    template.setQueryTimeout(30);
    assertEquals(25, template.queryForObject("select count(*) from nation", Integer.class));
    assertEquals(
        LocalDate.of(1992, 1, 1),
        template.queryForObject("select min(o_orderdate) from orders", LocalDate.class));
    assertEquals(
        new BigDecimal("145.00"),
        template.queryForObject(
            "select sum(l_quantity) from lineitem where l_orderkey = 1", BigDecimal.class));
    List<NationRow> nations =
        template.query(
            "select n_nationkey as nationkey, n_name as name, n_regionkey as regionkey"
                + " from nation where n_regionkey = ? order by 1",
            new DataClassRowMapper<>(NationRow.class),
            3);
    assertEquals(new NationRow(6, "FRANCE", 3), nations.getFirst());
    Map<String, Object> row =
        template.queryForMap("select r_name, r_regionkey from region where r_regionkey = ?", 2);
    assertEquals("ASIA", row.get("R_NAME"));
    assertEquals(
        List.of("ASIA", "EUROPE"),
        new NamedParameterJdbcTemplate(template)
            .queryForList(
                "select r_name from region where r_regionkey in (:keys) order by 1",
                Map.of("keys", List.of(2, 3)),
                String.class));
    assertEquals(
        List.of("CHINA"),
        JdbcClient.create(template)
            .sql("select n_name from nation where n_name like :pattern")
            .param("pattern", "CH%")
            .query(String.class)
            .list());
    assertThrows(
        EmptyResultDataAccessException.class,
        () -> template.queryForMap("select 1 from region where r_name = ?", "none"));
    assertThrows(BadSqlGrammarException.class, () -> template.queryForList("select * from nosuch"));
    assertThrows(
        DataIntegrityViolationException.class,
        () -> template.queryForList("select cast('x' as integer)"));
  }

  /** The tables of a connection are its own, so that there is one. */
  @Test
  void springWritesAndTransactions() {
    SingleConnectionDataSource single = new SingleConnectionDataSource(URL, true);
    JdbcTemplate template = new JdbcTemplate(single);
    template.execute("create table shop (id integer not null, name varchar(20), day date)");
    int[][] counts =
        template.batchUpdate(
            "insert into shop values (?, ?, ?)",
            List.of(1, 2, 3),
            2,
            (statement, id) -> {
              statement.setInt(1, id);
              statement.setString(2, "shop " + id);
              statement.setObject(3, LocalDate.of(2024, 2, id));
            });
    assertEquals(2, counts.length);
    GeneratedKeyHolder keys = new GeneratedKeyHolder();
    template.update(
        connection -> {
          PreparedStatement statement =
              connection.prepareStatement(
                  "insert into shop values (?, null, null)", Statement.RETURN_GENERATED_KEYS);
          statement.setInt(1, 4);
          return statement;
        },
        keys);
    assertTrue(keys.getKeyList().isEmpty());
    assertEquals(
        1,
        new SimpleJdbcInsert(template)
            .withTableName("shop")
            .execute(Map.of("id", 5, "name", "five", "day", java.sql.Date.valueOf("2024-02-05"))));
    assertEquals(5, template.queryForObject("select count(*) from shop", Integer.class));

    TransactionTemplate transaction =
        new TransactionTemplate(new DataSourceTransactionManager(single));
    Integer sum =
        transaction.execute(
            status -> template.queryForObject("select sum(id) from shop", Integer.class));
    assertEquals(15, sum);
    transaction.executeWithoutResult(status -> {
      template.queryForList("select * from shop");
      status.setRollbackOnly();
    });
    assertThrows(
        TransactionSystemException.class,
        () ->
            transaction.executeWithoutResult(status -> {
              template.update("insert into shop values (6, 'six', null)");
              status.setRollbackOnly();
            }),
        "what cannot be undone");
    template.execute("drop table shop");
    single.destroy();
  }

  @Test
  void jooqQueries() {
    DSLContext jooq = DSL.using(pool, SQLDialect.DEFAULT);
    Field<String> name = field(name("r_name"), String.class);
    Field<Long> key = field(name("r_regionkey"), Long.class);
    Result<Record2<String, Integer>> counts =
        jooq.select(name, count())
            .from(table(name("nation")))
            .join(table(name("region")))
            .on(field(name("n_regionkey"), Long.class).eq(key))
            .where(name.like("A%"))
            .groupBy(name)
            .having(count().gt(1))
            .orderBy(name)
            .limit(2)
            .offset(1)
            .fetch();
    assertEquals(List.of("AMERICA", "ASIA"), counts.getValues(name));
    assertEquals(List.of(5, 5), counts.getValues(1));
    Field<LocalDate> date = field(name("o_orderdate"), LocalDate.class);
    Field<BigDecimal> price = field(name("o_totalprice"), BigDecimal.class);
    var total =
        jooq.select(DSL.min(date), sum(price))
            .from(table(name("orders")))
            .where(date.between(LocalDate.of(1992, 1, 1), LocalDate.of(1992, 1, 3)))
            .fetchOne();
    assertEquals(LocalDate.of(1992, 1, 1), total.value1());
    assertEquals(2, total.value2().scale());
    assertEquals(
        8, jooq.meta().getSchemas("tpch").getFirst().getTables().size(), "jOOQ's own metadata");
    assertEquals(
        "n_nationkey",
        jooq.meta()
            .getTables("nation")
            .getFirst()
            .getPrimaryKey()
            .getFields()
            .getFirst()
            .getName());
    DataAccessException error =
        assertThrows(DataAccessException.class, () -> jooq.fetch("select * from nosuch"));
    assertEquals("42P01", error.sqlState());
    assertInstanceOf(SQLException.class, error.getCause());
  }
}
