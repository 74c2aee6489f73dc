package io.aragonite.adapter;

import io.aragonite.adapter.options.ConnectionOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans statements of all usual shapes, over tables of a few rows on a connection of its own, while
 * the first connection of the process opens its device: the planner's classes are loaded then, its
 * metadata handlers are compiled, and the JVM knows what is called often. Once a process, and only
 * where processors are idle meanwhile.
 */
final class PlanningWarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(PlanningWarmUp.class);

  /** Processors that the opening of a device and the JVM's compilers leave some of. */
  private static final int ENOUGH_PROCESSORS = 8;

  private static final int ROUNDS = 4;

  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

  private static final String URL = "jdbc:aragonite:device=cpu;threads=1;memory=64MB";

  private static final List<String> TABLES =
      List.of(
          "create temp table warm_items as select * from (values"
              + " (1, 1, 10.50, 0.05, 'R', date '1995-01-02', date '1995-02-02', 'fast'),"
              + " (1, 2, 11.25, 0.01, 'N', date '1996-01-02', date '1996-01-12', 'slow'),"
              + " (2, 1, 12.75, 0.00, 'A', date '1997-01-02', date '1997-03-02', 'fast'))"
              + " t(order_key, part_key, price, discount, flag, shipped, received, how)",
          "create temp table warm_orders as select * from (values"
              + " (1, 1, 'F', 21.75, date '1995-01-01', 'one'),"
              + " (2, 2, 'O', 12.75, date '1997-01-01', 'two'))"
              + " t(order_key, customer_key, state, total, ordered, note)",
          "create temp table warm_customers as select * from (values"
              + " (1, 'Ann', 'EUROPE', '11-22', 5.50), (2, 'Bob', 'ASIA', '33-44', -7.25))"
              + " t(customer_key, name, region, phone, balance)");

  private static final List<String> QUERIES =
      List.of(
          "select flag, how, sum(price) as p, sum(price * (1 - discount)) as d, avg(discount) as a,"
              + " count(*) as n from warm_items where shipped <= date '1998-12-01' - interval '90'"
              + " day group by flag, how order by flag, how",
          "select o.order_key, sum(price * (1 - discount)) as revenue, ordered from warm_customers"
              + " c, warm_orders o, warm_items i where region = 'ASIA' and c.customer_key ="
              + " o.customer_key and i.order_key = o.order_key and ordered < date '1998-03-15'"
              + " group by o.order_key, ordered order by revenue desc, ordered limit 10",
          "select state, count(*) as n from warm_orders o where ordered >= date '1993-07-01' and"
              + " exists (select * from warm_items i where i.order_key = o.order_key and shipped <"
              + " received) group by state order by state",
          "select part_key, price from warm_items i, warm_orders o where i.order_key = o.order_key"
              + " and price = (select min(price) from warm_items j, warm_orders p where j.part_key"
              + " = i.part_key and j.order_key = p.order_key) order by price desc limit 100",
          "select extract(year from ordered) as y, sum(case when region = 'ASIA' then price else 0"
              + " end) / sum(price) as share from warm_items i join warm_orders o on i.order_key ="
              + " o.order_key join warm_customers c on c.customer_key = o.customer_key where note"
              + " like '%o%' and how in ('fast', 'slow') group by extract(year from ordered)",
          "select n, count(*) as m from (select c.customer_key, count(o.order_key) as n from"
              + " warm_customers c left outer join warm_orders o on c.customer_key ="
              + " o.customer_key and note not like '%x%y%' group by c.customer_key) t group by n"
              + " order by m desc",
          "with v as (select order_key, sum(price) as s from warm_items group by order_key) select"
              + " o.order_key, s from warm_orders o, v where o.order_key = v.order_key and s ="
              + " (select max(s) from v) and o.customer_key not in (select customer_key from"
              + " warm_customers where name like '%q%')",
          "select part_key, count(distinct order_key) as n from warm_items where part_key in"
              + " (select part_key from warm_items group by part_key having sum(price) > 3) and"
              + " (flag = 'R' and price between 1 and 50 or flag = 'N' and price > 7) group by"
              + " part_key",
          "select substring(phone from 1 for 2) as code, sum(balance) as b, rank() over (order by"
              + " sum(balance)) as r from warm_customers where balance > (select avg(balance) from"
              + " warm_customers where balance > 0) group by substring(phone from 1 for 2)");

  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private PlanningWarmUp() {}

  /** Begins on another thread, unless a connection has before; for who is going to query files. */
  static void begin(ConnectionOptions options) {
    if (options.directory() != null
        && Runtime.getRuntime().availableProcessors() >= ENOUGH_PROCESSORS
        && BEGUN.compareAndSet(false, true)) {
      Thread thread = new Thread(PlanningWarmUp::runQuietly, "aragonite-planning-warm-up");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private static void runQuietly() {
    try {
      run(LONGEST_NANOS);
    } catch (Throwable e) {
      // What fails here fails with its reason where somebody asks for it.
      LOG.debug("Planning is not warmed up: {}", e.getMessage());
    }
  }

  /**
   * Plans all statements some times, and runs each once.
   *
   * @return statements planned
   */
  static int run(long longestNanos) throws SQLException {
    long start = System.nanoTime();
    int planned = 0;
    try (Connection connection =
            Objects.requireNonNull(new AragoniteDriver().connect(URL, new Properties()));
        Statement tables = connection.createStatement()) {
      for (String table : TABLES) {
        tables.execute(table);
      }
      for (int round = 0; round < ROUNDS; round++) {
        for (String query : QUERIES) {
          if (System.nanoTime() - start > longestNanos) {
            return planned;
          }
          // Another text each time, since a connection keeps the plans of those that it has seen.
          try (PreparedStatement statement =
              connection.prepareStatement(query + " /* " + round + " */")) {
            planned++;
            if (round == 0) {
              statement.executeQuery().close();
            }
          }
        }
      }
    }
    return planned;
  }
}
