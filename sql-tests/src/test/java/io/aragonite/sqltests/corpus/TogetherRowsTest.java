package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.tpch.TpchQuery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** EXPLAIN ANALYZE says of each node as many rows on several devices as on one. */
class TogetherRowsTest {
  /** Memory that no other test asks for, since engines are shared by equal properties. */
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=1;fallback=off;memory=";

  private static final String DEVICE = "aragonite.test.device";
  private static final String DEVICES = "aragonite.test.devices";
  private static final String EVERYWHERE = "aragonite.exchange.replicate";

  /** Which joins leave filters is decided by the rows that devices have; here none does. */
  private static final String FILTERS = "aragonite.join.filter";

  private static final Pattern ROWS = Pattern.compile("actual: ([0-9,]+) rows");

  /** What TPC-H has none of: groupings by several sets, and small tables among themselves. */
  private static final List<String> OTHERS =
      List.of(
          "select l_returnflag, l_linestatus, count(*), grouping(l_returnflag) from lineitem"
              + " group by rollup(l_returnflag, l_linestatus)",
          "select l_linenumber, l_suppkey, count(*) from lineitem"
              + " group by cube(l_linenumber, l_suppkey)",
          "select count(*) from lineitem where l_suppkey in"
              + " (select s_suppkey from supplier join nation on s_nationkey = n_nationkey"
              + " where n_regionkey < (select avg(r_regionkey) from region))",
          "select * from supplier union all select * from supplier order by 1",
          "select /*+ SMJ */ o_orderkey, l_linenumber from orders join lineitem"
              + " on o_orderkey = l_orderkey order by o_orderkey");

  @AfterEach
  void clear() {
    List.of(DEVICE, DEVICES, EVERYWHERE, FILTERS).forEach(System::clearProperty);
  }

  @Test
  void everyNodeHasTheRowsOfOneDevice() throws SQLException {
    assumeTrue(System.getProperty(DEVICE, "").isEmpty());
    List<String> queries = new ArrayList<>(OTHERS);
    for (TpchQuery query : TpchQuery.all()) {
      // A device with no row to join others with does not read these: there must be some on each.
      queries.add(query.sql(0.01).replace("p_size = 15", "p_size <= 15").replace("> 300", "> 200"));
    }
    List<List<String>> expected = rows(1, 0, queries);
    for (int devices : new int[] {2, 4}) {
      // The tables of at most 25 rows, or of suppliers too, or those of parts too, or none.
      for (int whole : new int[] {25, 100, 2000, 0}) {
        List<List<String>> found = rows(devices, whole, queries);
        for (int i = 0; i < queries.size(); i++) {
          assertEquals(
              String.join("\n", expected.get(i)),
              String.join("\n", found.get(i)),
              devices + " devices, whole up to " + whole + " rows: " + queries.get(i));
        }
      }
    }
  }

  /** Nodes with what came out of them. */
  private static List<List<String>> rows(int devices, int whole, List<String> queries)
      throws SQLException {
    System.setProperty(DEVICE, "discrete");
    System.setProperty(DEVICES, String.valueOf(devices));
    System.setProperty(EVERYWHERE, String.valueOf(whole));
    System.setProperty(FILTERS, "off");
    List<List<String>> all = new ArrayList<>();
    String how = "on " + devices + " devices";
    try (Connection connection = DriverManager.getConnection(URL + (1020 + devices) + "MB");
        Statement statement = connection.createStatement()) {
      for (String query : queries) {
        List<String> nodes = new ArrayList<>();
        try (ResultSet lines = statement.executeQuery("explain analyze " + query)) {
          String node = "";
          boolean together = devices == 1;
          while (lines.next()) {
            String line = lines.getString(1);
            Matcher rows = ROWS.matcher(line);
            if (rows.find()) {
              nodes.add(operator(node) + ": " + number(rows));
            }
            together |= line.contains(how);
            node = line;
          }
          assertTrue(together || whole > 0, query);
        }
        all.add(nodes);
      }
    }
    return all;
  }

  /** The operator of a line of EXPLAIN; joins may run another way on several devices. */
  private static String operator(String line) {
    return line.split(" \\[")[0].replaceFirst("\\w+Join$", "Join");
  }

  private static long number(Matcher found) {
    return Long.parseLong(found.group(1).replace(",", ""));
  }
}
