package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Filters that joins push down: what EXPLAIN says of them, and that they drop rows. */
class JoinFilterTest {
  private static final String SOME = " and c_custkey < 20";

  private static final String COUNT =
      "select count(*), sum(l_quantity) from lineitem join orders on l_orderkey = o_orderkey"
          + " join customer on o_custkey = c_custkey where c_nationkey >= 0";

  private static final Pattern LEFT_OUT =
      Pattern.compile("rows in blocks without a join's keys ([0-9,]+)");

  private static String query(Connection connection, String sql) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        for (int c = 1; c <= rows.getMetaData().getColumnCount(); c++) {
          text.append(rows.getString(c)).append('\n');
        }
      }
    }
    return text.toString();
  }

  /**
   * The dear grouping filters last, so that few keys are left to filter the rows that it groups.
   */
  @Test
  void dearGroupsFilterLast() throws SQLException {
    String parts =
        "(select l_partkey from lineitem group by l_partkey, l_shipdate having count(*) > 3)";
    String orders =
        "(select o_orderkey from orders group by o_orderkey having sum(o_totalprice) > 100000)";
    String lines =
        "select count(*), sum(l_extendedprice) from lineitem l where l_shipdate between date"
            + " '1995-03-01' and date '1995-03-31' and ";
    String ofParts = "l_partkey in " + parts;
    String ofOrders = "l_orderkey in " + orders;
    String joined =
        "select count(*), sum(l_extendedprice) from lineitem l join (select distinct l_partkey k"
            + " from %s) p on l.l_partkey = p.k join %s o on l.l_orderkey = o.o_orderkey where"
            + " l_shipdate between date '1995-03-01' and date '1995-03-31'";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.1;device=cpu;threads=2")) {
      String expected = query(connection, joined.formatted(parts, orders));
      for (String sql :
          List.of(lines + ofParts + " and " + ofOrders, lines + ofOrders + " and " + ofParts)) {
        String plan = query(connection, "explain " + sql);
        int last = plan.indexOf("joinType=[semi]");
        assertTrue(last > plan.indexOf("condition=[=(l_partkey, l_partkey)]"), plan);
        assertTrue(last < plan.indexOf("condition=[=(l_orderkey, o_orderkey)]"), plan);
        assertEquals(expected, query(connection, sql));
      }
    }
  }

  @Test
  void aSelectiveBuildFiltersTheScanOfAPartitionedJoin() throws SQLException {
    // A GPU has joined so few rows before it has made a filter.
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    try (Connection plain =
            DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1061MB");
        Connection forced =
            DriverManager.getConnection(
                "jdbc:aragonite:tpch=0.01;threads=2;memory=1062MB;join=phj")) {
      String plan = query(forced, "explain plan for " + COUNT + SOME);
      assertTrue(plan.contains("filter=[keys filter the probe side's scan below"), plan);
      String ran = query(forced, "explain analyze " + COUNT + SOME);
      assertTrue(ran.contains("rows dropped by a join's filter"), ran);
      assertTrue(ran.contains("filter bytes"), ran);
      assertEquals(query(plain, COUNT + SOME), query(forced, COUNT + SOME));
      // All rows have a partner: nothing to filter.
      String all = query(forced, "explain analyze " + COUNT);
      assertFalse(all.contains("filter=["), all);
      assertFalse(all.contains("rows dropped by a join's filter"), all);
    }
  }

  /** Rows of lineitem come by their orders. */
  @Test
  void blocksWithoutAnyOfTheKeysAreNotRead() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.filter";
    String sql =
        "select count(*), sum(l_quantity), min(l_orderkey) from lineitem join orders"
            + " on l_orderkey = o_orderkey where o_orderkey + 0 between 30000 and 30100";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1064MB")) {
      String ran = query(connection, "explain analyze " + sql);
      assertTrue(ran.contains("rows in blocks without a join's keys"), ran);
      String with = query(connection, sql);
      System.setProperty(property, "off");
      assertEquals(query(connection, sql), with);
      String all = query(connection, "explain analyze " + sql);
      assertFalse(all.contains("rows in blocks without a join's keys"), all);
    } finally {
      System.clearProperty(property);
    }
  }

  /** A few orders from the first to the last: of each block of lineitem only those of a key. */
  @Test
  void blocksBetweenKeysAreNotRead() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.filter";
    String sql =
        "select count(*), sum(l_quantity), min(l_orderkey), max(l_orderkey), sum(l_linenumber),"
            + " min(l_comment) from lineitem join orders on l_orderkey = o_orderkey"
            + " where mod(o_orderkey, 20000) < 3";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1069MB")) {
      String ran = query(connection, "explain analyze " + sql);
      String scan = ran.substring(ran.indexOf("table=[tpch.lineitem]"));
      String figures = scan.lines().skip(1).findFirst().orElse("");
      Matcher left = LEFT_OUT.matcher(figures);
      assertTrue(left.find(), ran);
      // Orders 1 and 2 are in the first block, and their like in three more.
      assertTrue(Long.parseLong(left.group(1).replace(",", "")) > 50_000, ran);
      String with = query(connection, sql);
      System.setProperty(property, "off");
      assertEquals(query(connection, sql), with);
    } finally {
      System.clearProperty(property);
    }
  }

  /** Each input of a union is filtered where its table is read, NULLs too. */
  @Test
  void filtersGoIntoTheInputsOfUnions() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.filter";
    String sql =
        "select count(*), sum(u.x), min(u.k), max(u.k) from (select l_orderkey k, l_quantity x from"
            + " lineitem union all select o_orderkey, o_totalprice from orders where o_custkey > 5"
            + " union all select nullif(o_orderkey, 30001), 1 from orders) u"
            + " join orders o on u.k = o.o_orderkey where mod(o.o_orderkey, 20000) < 3";
    String tables =
        "select count(*), sum(u.x), min(u.k), max(u.k) from (select l_orderkey k, l_quantity x from"
            + " lineitem union all select o_orderkey, o_totalprice from orders where o_custkey > 5"
            + " union all (select o_orderkey, 1 from orders union all select l_orderkey, l_tax from"
            + " lineitem)) u join orders o on u.k = o.o_orderkey"
            + " where mod(o.o_orderkey, 20000) < 3";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1072MB")) {
      for (String one : new String[] {sql, tables}) {
        System.setProperty(property, "off");
        String without = query(connection, one);
        for (String set : new String[] {"auto", "on"}) {
          System.setProperty(property, set);
          assertEquals(without, query(connection, one), set);
        }
      }
      System.setProperty(property, "auto");
      String ran = query(connection, "explain analyze " + tables);
      assertTrue(LEFT_OUT.matcher(ran).results().count() >= 3, ran);
      // The union has the rows that are left, and drops none itself.
      String union = ran.substring(ran.indexOf("Union [cpu]"));
      String figures = union.lines().skip(1).findFirst().orElse("");
      assertTrue(figures.contains("actual: 70 rows"), ran);
      assertFalse(figures.contains("rows dropped"), ran);
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  void filtersPassAggregates() throws SQLException {
    String property = "aragonite.join.filter";
    String sql =
        "select c_name, n from customer join (select o_custkey, count(*) n from orders group by"
            + " o_custkey) o on c_custkey = o_custkey where c_custkey < 10 order by 1";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1063MB")) {
      System.setProperty(property, "off");
      String without = query(connection, sql);
      System.setProperty(property, "on");
      String ran = query(connection, "explain analyze " + sql);
      assertTrue(ran.contains("1 aggregates"), ran);
      assertTrue(ran.contains("rows dropped by a join's filter"), ran);
      assertEquals(without, query(connection, sql));
    } finally {
      System.clearProperty(property);
    }
  }

  /** A filter is priced by the rows of a grouping: 100 groups are not worth it, 60,000 rows are. */
  @Test
  void rowsBelowAggregatesAreCounted() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    sparesGroups(
        "select count(*), sum(q) from (select l_suppkey k, sum(l_quantity) q from lineitem"
            + " group by l_suppkey) g join supplier on k = s_suppkey"
            + " join nation on s_nationkey = n_nationkey where n_name = 'CHINA'",
        "condition=[=(l_suppkey, s_suppkey)]");
  }

  /**
   * Of two sides of about as many rows the one is built whose keys leave less to group: the groups
   * alone would be built sooner than the rows of partsupp, which have each part several times.
   */
  @Test
  void theSideIsBuiltWhoseKeysSpareGroups() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    sparesGroups(
        "select count(*), sum(q), sum(e), min(t), max(d) from (select l_partkey k,"
            + " sum(l_quantity) q, min(l_tax) t, max(l_discount) d, sum(l_extendedprice) e"
            + " from lineitem group by l_partkey) g join partsupp on k = ps_partkey"
            + " where ps_availqty < 1000 and q > ps_supplycost",
        "condition=[AND(=(k, ps_partkey)");
  }

  /**
   * A filter that comes from above a grouping leaves few orders. They are the probe side below, and
   * filter the items before these are built.
   */
  @Test
  void whatAFilterLeavesOfARelationFiltersTheOthers() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String sql =
        "select count(*), sum(g.q) from (select o_comment n, o_clerk c, o_orderpriority p,"
            + " o_orderstatus s, sum(l_quantity) q from lineitem join orders on l_orderkey ="
            + " o_orderkey where l_shipmode <> 'AIR' group by o_comment, o_clerk, o_orderpriority,"
            + " o_orderstatus) g join (select o_comment n, sum(l_quantity) q from lineitem join"
            + " orders on l_orderkey = o_orderkey where l_shipmode = 'AIR' group by o_comment"
            + " having sum(l_quantity) > 150) f on g.n = f.n";
    String property = "aragonite.join.transfer";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.1;threads=2;memory=1075MB")) {
      String ran = query(connection, "explain analyze " + sql);
      String join = ran.substring(ran.indexOf("left side built, condition=[=(l_orderkey"));
      Matcher built = Pattern.compile("build rows ([0-9,]+)").matcher(join);
      assertTrue(built.find(), ran);
      // Of 515,000 that the plan expects.
      assertTrue(Long.parseLong(built.group(1).replace(",", "")) < 50_000, ran);
      assertTrue(join.contains("filters relations before the joins"), ran);
      String with = query(connection, sql);
      System.setProperty(property, "off");
      assertEquals(query(connection, sql), with);
    } finally {
      System.clearProperty(property);
    }
  }

  /** The right side is built, and its keys filter lineitem before it is grouped. */
  private static void sparesGroups(String sql, String condition) throws SQLException {
    String property = "aragonite.join.filter";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1074MB")) {
      String plan = query(connection, "explain plan for " + sql);
      String join = plan.lines().filter(line -> line.contains(condition)).findFirst().orElse(plan);
      assertTrue(join.contains("right side built"), plan);
      assertTrue(join.contains("keys filter the probe side's scan below 0 joins and 1 agg"), plan);
      String ran = query(connection, "explain analyze " + sql);
      String scan = ran.substring(ran.indexOf("table=[tpch.lineitem]"));
      String figures = scan.lines().skip(1).findFirst().orElse("");
      assertTrue(figures.contains("actual: ") && !figures.contains("actual: 60,175 rows"), ran);
      String with = query(connection, sql);
      System.setProperty(property, "off");
      assertEquals(query(connection, sql), with);
    } finally {
      System.clearProperty(property);
    }
  }

  /** The plan builds some lines, and green parts have left fewer rows of partsupp before. */
  @Test
  void aRelationThatOthersHaveMadeSmallIsBuilt() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.transfer";
    String sql =
        "select count(*), sum(l_quantity * ps_supplycost), min(l_orderkey), max(l_comment) from"
            + " part, lineitem, partsupp, orders where p_partkey = l_partkey and ps_partkey ="
            + " l_partkey and ps_suppkey = l_suppkey and o_orderkey = l_orderkey and p_name like"
            + " '%green%' and o_orderpriority < '2'";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.1;threads=2;memory=1078MB")) {
      System.setProperty(property, "on");
      String ran = query(connection, "explain analyze " + sql);
      assertTrue(ran.contains("rows of the other side are there"), ran);
      String with = query(connection, sql);
      System.setProperty(property, "off");
      assertEquals(query(connection, sql), with);
    } finally {
      System.clearProperty(property);
    }
  }

  /** Of orders and of lineitem alike those of few groups are left, and NULLs are none of them. */
  @Test
  void groupsThatHavingLeavesFilterAllThatIsJoinedByTheirKey() throws SQLException {
    String property = "aragonite.join.transfer";
    String in = "select %s from lineitem group by %s having sum(l_quantity) > 250";
    String sql =
        "select count(*), sum(l_quantity), sum(o_totalprice), min(o_orderkey) from lineitem join"
            + " orders on l_orderkey = o_orderkey where o_orderkey in ("
            + in
            + ")";
    String key = "case when mod(l_orderkey, 3) = 0 then null else l_orderkey end";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1071MB")) {
      for (String group : new String[] {"l_orderkey", key}) {
        String one = sql.formatted(group, group);
        System.setProperty(property, "off");
        String without = query(connection, one);
        System.setProperty(property, "on");
        assertEquals(without, query(connection, one), group);
        String ran = query(connection, "explain analyze " + one);
        String groups = ran.substring(ran.indexOf("Filter [cpu], condition=[>("));
        String figures = groups.lines().skip(2).findFirst().orElse("");
        assertTrue(figures.contains("filters relations before the joins"), ran);
      }
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  void equalGroupingsAreMadeOnceThoughRelationsFilterEachOther() throws SQLException {
    String property = "aragonite.join.transfer";
    String sql =
        "with o as (select o_custkey k, o_orderstatus s, count(*) n from orders group by 1, 2)"
            + " select count(*), sum(a.n), sum(b.n) from customer join o a on c_custkey = a.k"
            + " join o b on c_custkey = b.k and a.s = b.s where c_nationkey = 3";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1066MB")) {
      System.setProperty(property, "off");
      String without = query(connection, sql);
      System.setProperty(property, "on");
      String ran = query(connection, "explain analyze " + sql);
      assertTrue(ran.contains("the groups of an equal grouping of the query"), ran);
      assertEquals(without, query(connection, sql));
    } finally {
      System.clearProperty(property);
    }
  }

  /** INTERSECT and EXCEPT leave groups out behind their grouping; UNION ALL groups nothing. */
  @Test
  void equalSetOperationsAreMadeOnce() throws SQLException {
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1068MB")) {
      for (String kind : List.of("intersect", "except", "union", "union all")) {
        String keys =
            "select c_nationkey n from customer where c_acctbal > 9000 %s select s_nationkey from"
                    .formatted(kind)
                + " supplier where s_acctbal < 0";
        String ran =
            query(
                connection,
                "explain analyze with k as (%s) select count(*) from k a join k b on a.n = b.n"
                    .formatted(keys));
        boolean made = ran.contains("the groups of an equal grouping of the query");
        assertEquals(!kind.equals("union all"), made, ran);
        String count =
            "with k as (%s) select (select count(*) from k), (select sum(n) from k), a.n from k a"
                    .formatted(keys)
                + " join k b on a.n = b.n order by a.n";
        String apart =
            "select (select count(*) from (%1$s)), (select sum(n) from (%1$s)), a.n from (%1$s) a"
                    .formatted(keys)
                + " join (%s) b on a.n = b.n order by a.n"
                    .formatted(keys.replace("> 9000", "> 9000 and c_custkey > 0"));
        assertEquals(query(connection, apart), query(connection, count), kind);
      }
    }
  }

  /** The parts filter partsupp by way of lineitem, wherever the two are built. */
  @Test
  void relationsFilterEachOtherBeforeTheJoins() throws SQLException {
    String property = "aragonite.join.transfer";
    String sql =
        "select count(*), sum(l_quantity) from lineitem join partsupp on l_partkey = ps_partkey"
            + " and l_suppkey = ps_suppkey join part on l_partkey = p_partkey"
            + " where p_size = 7";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1065MB")) {
      System.setProperty(property, "off");
      String without = query(connection, sql);
      String none = query(connection, "explain analyze " + sql);
      assertFalse(none.contains("filters relations before the joins"), none);
      System.setProperty(property, "on");
      String ran = query(connection, "explain analyze " + sql);
      assertTrue(ran.contains("filters relations before the joins"), ran);
      assertEquals(without, query(connection, sql));
      // Of partsupp no row is left but those of the chosen parts, of lineitem neither.
      for (String table : new String[] {"partsupp", "lineitem"}) {
        String scan = ran.substring(ran.indexOf("table=[tpch." + table + "]"));
        String figures = scan.lines().skip(1).findFirst().orElse("");
        assertTrue(figures.contains("rows dropped by a join's filter"), ran);
      }
    } finally {
      System.clearProperty(property);
    }
  }

  /**
   * The key of lists is computed above the join of r and one: what that yields filters others
   * first, and r is not read again with filters of a join that has run.
   */
  @Test
  void relationsBelowOthersAreNotMadeAfterThem() throws SQLException {
    Map<String, String> properties =
        Map.of(
            "aragonite.join.transfer", "on",
            "aragonite.join.filter", "on",
            "aragonite.test.device", "discrete");
    properties.forEach(System::setProperty);
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:threads=2;memory=1067MB");
        Statement statement = connection.createStatement()) {
      statement.execute("create table none (c varchar)");
      statement.execute(
          "create table one as select 0 as id, map {'a': 1.5e0} as m from (values 1)");
      statement.execute("create table r (id integer, l varchar[])");
      statement.execute("insert into r values (1, null), (2, []), (3, ['a', 'b'])");
      assertEquals(
          "",
          query(
              connection,
              "select r.id, one.m['a'] from r join one on array_length(r.l) = one.id"
                  + " join none on list_min(r.l) = none.c"));
      statement.execute("insert into none values ('a'), (null)");
      assertEquals(
          "3\n",
          query(
              connection,
              "select r.id from r join one on array_length(r.l) = one.id + 2"
                  + " join none on list_min(r.l) = none.c"));
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }

  /** Suppliers of few parts: a part alone says of most rows that they have no partner. */
  @Test
  void oneColumnOfAKeyOfSeveralFiltersTheScan() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.filter";
    String few =
        "lineitem %s join (select ps_partkey p, ps_suppkey s from partsupp where ps_availqty < 60)"
            + " x on l_partkey = p and l_suppkey %s s";
    String sql = "select count(*), sum(l_quantity), count(p), sum(s) from " + few;
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1067MB")) {
      String ran = query(connection, "explain analyze " + sql.formatted("", "="));
      String scan = ran.substring(ran.indexOf("table=[tpch.lineitem]"));
      String figures = scan.lines().skip(1).findFirst().orElse("");
      assertTrue(figures.contains("rows dropped by a join's filter"), ran);
      assertTrue(ran.contains("exact filter bytes"), ran);
      for (String kind : new String[] {"", "left", "right", "full"}) {
        for (String equal : new String[] {"=", "is not distinct from"}) {
          String one = sql.formatted(kind, equal);
          System.clearProperty(property);
          String with = query(connection, one);
          System.setProperty(property, "off");
          assertEquals(query(connection, one), with, one);
        }
      }
      String none = query(connection, "explain analyze " + sql.formatted("", "="));
      assertFalse(none.contains("rows dropped by a join's filter"), none);
    } finally {
      System.clearProperty(property);
    }
  }

  /** A key of one column, of which few values have a partner, over nulls and without. */
  @Test
  void oneColumnOfFewValuesFiltersTheScan() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.filter";
    String sql =
        "select count(*), sum(l_quantity), sum(p_size) from %s %s join part on l_partkey ="
            + " p_partkey and p_size = 7 and p_retailprice < 1200";
    String nulls = "(select nullif(mod(l_partkey, 1900), 5) l_partkey, l_quantity from lineitem) l";
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1070MB")) {
      String ran = query(connection, "explain analyze " + sql.formatted("lineitem", ""));
      assertTrue(ran.contains("rows dropped by a join's filter"), ran);
      for (String from : new String[] {"lineitem", nulls}) {
        for (String kind : new String[] {"", "left", "right", "full"}) {
          String one = sql.formatted(from, kind);
          System.clearProperty(property);
          String with = query(connection, one);
          System.setProperty(property, "off");
          assertEquals(query(connection, one), with, one);
        }
      }
    } finally {
      System.clearProperty(property);
    }
  }

  /** A bit for each number would be too many: few of them are known by a Bloom filter. */
  @Test
  void keysThatLieFarApartFilterTheScan() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    String property = "aragonite.join.filter";
    String sql =
        "select count(*), sum(f.q), sum(g.n), min(f.k), max(f.k) from f %s join g on f.k = g.k";
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1073MB");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table f as select nullif(l_orderkey, 7) * 123456789 k,"
              + " cast(l_quantity as integer) q from lineitem");
      statement.execute(
          "create table g as select k, count(*) n from f where mod(q, 50) = 7 and mod(k, 13) = 5"
              + " group by k");
      String ran = query(connection, "explain analyze " + sql.formatted(""));
      assertTrue(ran.contains("Bloom filter bytes"), ran);
      assertTrue(ran.contains("rows dropped by a join's filter"), ran);
      for (String kind : new String[] {"", "left", "right", "full"}) {
        String one = sql.formatted(kind);
        System.clearProperty(property);
        String with = query(connection, one);
        System.setProperty(property, "off");
        assertEquals(query(connection, one), with, one);
      }
    } finally {
      System.clearProperty(property);
    }
  }

  /** Nulls on both sides, which are equal for one of the keys alone, and texts. */
  @Test
  void nullsPassTheFilterOfOneColumnWhereTheyAreEqual() throws SQLException {
    String property = "aragonite.join.filter";
    String rows =
        "(select case when mod(l_partkey, 7) = 0 then null else l_partkey end a,"
            + " case when mod(l_suppkey, 5) = 0 then null else l_suppkey end b,"
            + " l_shipmode c, l_quantity q from lineitem%s) %s";
    String sql =
        "select count(*), sum(x.q), sum(y.q), count(x.a), count(x.b) from "
            + rows.formatted("", "x")
            + " join "
            + rows.formatted(" where l_orderkey < 100", "y")
            + " on %s and x.c = y.c";
    String[] conditions = {
      "x.a = y.a and x.b = y.b",
      "x.a is not distinct from y.a and x.b = y.b",
      "x.a = y.a and x.b is not distinct from y.b",
      "x.a is not distinct from y.a and x.b is not distinct from y.b"
    };
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1068MB")) {
      for (String condition : conditions) {
        String one = sql.formatted(condition);
        for (String how : new String[] {"auto", "on"}) {
          System.setProperty(property, how);
          String with = query(connection, one);
          System.setProperty(property, "off");
          assertEquals(query(connection, one), with, one);
        }
      }
    } finally {
      System.clearProperty(property);
    }
  }
}
