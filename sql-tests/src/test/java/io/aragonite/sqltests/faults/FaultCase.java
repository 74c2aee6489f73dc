package io.aragonite.sqltests.faults;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement that is run with faults.
 *
 * @param name of the operator that it is about
 * @param setup statements before the first run
 * @param sql a query, or a change
 * @param check of a change: a query whose rows tell whether it was made
 * @param undo of a change that was made
 */
record FaultCase(
    String name, List<String> setup, String sql, @Nullable String check, List<String> undo) {
  private static final String INTO = "$out";

  /** The statement with the folder that it may write to. */
  FaultCase in(String folder) {
    return new FaultCase(
        name,
        setup,
        sql.replace(INTO, folder),
        check == null ? null : check.replace(INTO, folder),
        undo);
  }

  private static FaultCase query(String name, String sql) {
    return new FaultCase(name, List.of(), sql, null, List.of());
  }

  /** Joins on equal keys, which each algorithm can run. */
  static List<FaultCase> joins() {
    return List.of(
        query("inner join", "select r.id, s.t, r.t from r join s on r.k = s.k"),
        query("left join", "select r.id, s.t from r left join s on r.k = s.k and s.id < 100"),
        query("right join", "select r.t, s.id from r right join s on r.t = s.t"),
        query("full join", "select r.t, s.t, r.v from r full join s on r.k = s.k"),
        query("semi-join", "select id, t from r where k in (select k from s where v > 20)"),
        query("anti-join", "select t from r where not exists (select 1 from s where s.k = r.k)"),
        query("residual", "select r.id, s.id from r join s on r.k = s.k and r.v < s.v"),
        query(
            "outer residual",
            "select r.id, s.id from r left join s on r.k = s.k and r.v + s.v < 40"),
        query(
            "several joins",
            "select count(*), max(a.t) from r a join s b on a.k = b.k join s c on b.id = c.id"
                + " left join e on e.x = a.k"));
  }

  private static List<FaultCase> otherJoins() {
    return List.of(
        query("nested loops", "select count(*), min(s.t) from r join s on r.v < s.v"),
        query("outer nested loops", "select r.id, s.id from r left join s on r.id * 20 < s.v - 10"),
        query("null-aware anti-join", "select id from r where k not in (select k from s)"),
        query("mark join", "select id, k in (select k from s where id < 50) from r"),
        query("cross join", "select count(*) from r cross join (select max(v) m from s) x"),
        query("as-of join", "select r.id, s.v from r asof join s on r.k = s.k and r.v >= s.v"),
        query(
            "multiway join",
            "select count(*) from e a join e b on a.y = b.x join e c on b.y = c.x and c.y = a.x"),
        query("scalar subquery", "select id, (select max(v) from s where s.k = r.k) from r"));
  }

  /** Joins of other shapes. */
  private static List<FaultCase> moreJoins() {
    return List.of(
        query("join on a key", "select r.id, a.t from r join rp a on r.id = a.id where a.v > 12"),
        query("join of texts", "select count(*), min(a.id) from r a join s b on a.t = b.t"),
        query(
            "join of two keys",
            "select a.id, b.id from r a join s b on a.k = b.k and a.v = b.v and a.id <> b.id"),
        query(
            "null-safe join",
            "select count(*), sum(a.id) from r a join s b on a.k is not distinct from b.k"),
        query(
            "outer as-of join",
            "select r.id, s.v from r asof left join s on r.k = s.k and r.v >= s.v"),
        query("range join", "select count(*) from r a join s b on b.v between a.v - 1 and a.v"),
        query(
            "cycle of four",
            "select count(*) from e a join e b on a.y = b.x join e c on b.y = c.x join e d on c.y ="
                + " d.x and d.y = a.x"),
        query(
            "triangles in order",
            "select count(*) from e a join e b on a.y = b.x join e c on b.y = c.y and c.x = a.x"
                + " where a.x < a.y and b.x < b.y"),
        query(
            "multiway join of texts",
            "select count(*), max(a.t) from r a join s b on a.t = b.t join r c on b.k = c.k and c.t"
                + " = a.t"),
        query(
            "multiway groups",
            "select a.x, count(*) from e a join e b on a.y = b.x join e c on b.y = c.x and c.y ="
                + " a.x group by a.x"),
        query(
            "sorted inputs",
            "select a.id, b.v from (select id, v from rp order by id) a join (select id, v from ra"
                + " order by id) b on a.id = b.id"),
        query(
            "full residual",
            "select a.id, b.id from r a full join s b on a.k = b.k and a.v + b.v < 40"),
        query(
            "semi-join with a residual",
            "select id from r where exists (select 1 from s where s.k = r.k and s.v < r.v)"),
        query(
            "lateral join",
            "select s.id, x.m from s cross join lateral (select max(v) as m from r where r.k = s.k)"
                + " x"),
        query(
            "used twice",
            "with w as materialized (select k, sum(v) as n from r group by k) select a.k, b.n from"
                + " w a join w b on a.k = b.k + 1"));
  }

  private static List<FaultCase> groups() {
    return List.of(
        query("hash aggregate", "select k, count(*), sum(v), min(t), avg(v) from r group by k"),
        query("groups of texts", "select t, sum(v), count(*) from r group by t"),
        query("one group", "select count(*), sum(v), max(t), stddev_pop(v) from r"),
        query("groups in order", "select id, sum(v), max(t) from rp group by id"),
        query(
            "distinct aggregates",
            "select k, count(distinct v), sum(distinct id) from r group by k"),
        query(
            "grouping sets",
            "select k, mod(id, 3), count(*) from r group by rollup(k, mod(id, 3))"),
        query(
            "aggregates of the host",
            "select k, listagg(t, ',') within group (order by id),"
                + " percentile_cont(0.5) within group (order by v) from r group by k"),
        query("lists", "select k, array_agg(t order by id) from r where id < 200 group by k"),
        query("distinct", "select distinct k, v from r"));
  }

  /** Groups of other shapes, which have means of their own. */
  private static List<FaultCase> moreGroups() {
    return List.of(
        query(
            "short groups in order",
            "select id / 4 as g, sum(v), min(t), avg(k), count(*) from rp group by id / 4"),
        query(
            "groups in order of two keys",
            "select id / 60, id / 3, sum(v), max(k) from rp group by id / 60, id / 3"),
        query(
            "groups of flags", "select v > 20, k is null, count(*), sum(id) from r group by 1, 2"),
        query(
            "groups of joined rows",
            "select s.k, sum(r.v), max(s.t) from r join s on r.k = s.k group by s.k"),
        query(
            "few groups of sums",
            "select mod(id, 3), sum(v), sum(v * 1.5), round(sum(v * 0.1e0), 6), avg(id), count(k)"
                + " from r group by mod(id, 3)"),
        query("groups of decimals", "select v * 1.25, min(id), sum(k * 0.01) from r group by 1"),
        query(
            "filtered aggregates",
            "select k, count(*) filter (where v > 20), sum(v) filter (where id < 90) from r group"
                + " by k"),
        query(
            "variances",
            "select k, round(var_samp(v), 6), round(stddev_pop(id), 6), round(covar_pop(id, v), 6),"
                + " round(corr(id, v), 6) from r group by k"),
        query(
            "distinct variances",
            "select mod(id, 5), round(var_pop(distinct v), 6), round(stddev_samp(distinct k), 6),"
                + " avg(distinct v),"
                + " count(distinct t) from r group by mod(id, 5)"),
        query(
            "sketches",
            "select k, approx_count_distinct(t), approx_count_distinct(v) from r group by k"),
        query(
            "quantiles", "select k, median(v), quantile_cont(id, 0.25), mode(v) from r group by k"),
        query(
            "values of an order",
            "select k, arg_max(t, v), arg_min(id, v), first(t order by id), bit_xor(id), bool_or(v"
                + " > 50) from r group by k"),
        query(
            "structs of groups",
            "select mod(id, 4), max({'v': v, 't': t}), array_agg(distinct k order by k) from r"
                + " group by mod(id, 4)"),
        query(
            "having, cube",
            "select k, v > 9, sum(id), grouping(k) from r where k < 20 group by cube(k, v > 9)"
                + " having count(*) > 1"),
        query("distinct on", "select distinct on (k) k, id, t from r order by k, v, id"),
        query(
            "pivot",
            "select * from (select mod(k, 3) as m, v, mod(id, 4) as q from r) pivot (sum(v),"
                + " count(*) as n for q in (0, 1, 2))"));
  }

  private static List<FaultCase> windows() {
    return List.of(
        query(
            "windows of several keys",
            "select id, rank() over (partition by k, mod(id, 2) order by v, id),"
                + " sum(v) over (partition by k, mod(id, 2)) from r"),
        query(
            "variances of frames",
            "select id, round(var_samp(v) over (order by id rows 4 preceding), 6),"
                + " round(covar_pop(v, id) over (partition by mod(id, 7) order by id), 6),"
                + " round(stddev_pop(v) over (partition by k), 6) from r"),
        query(
            "running variances",
            "select id, round(var_samp(v) over (order by id), 6), round(corr(v, k) over (partition"
                + " by mod(id, 3) order by id), 6) from r"),
        query(
            "first and last values",
            "select id, first_value(t) over w, last_value(v) over w, nth_value(id, 3) over w,"
                + " lead(t, 2, 'none') over (order by id) from r window w as (partition by k order"
                + " by id rows between 2 preceding and 2 following)"),
        query(
            "frames without rows",
            "select id, sum(v) over (partition by k order by id rows between unbounded preceding"
                + " and unbounded following exclude current row), max(t) over (order by v groups"
                + " between 1 preceding and 1 following) from r"),
        query(
            "shares of windows",
            "select id, percent_rank() over (order by v), cume_dist() over (partition by k order by"
                + " v), dense_rank() over (order by t) from r"),
        query(
            "windows of groups",
            "select k, sum(v), rank() over (order by sum(v) desc, k), sum(sum(v)) over (order by k)"
                + " from r group by k"),
        query(
            "windows of joined rows",
            "select r.id, count(*) over (partition by s.k), min(s.t) over (partition by s.k order"
                + " by r.id) from r join s on r.id = s.id"));
  }

  private static List<FaultCase> orders() {
    return List.of(
        query("sort", "select t, id from r order by t desc, id"),
        query("sort of numbers", "select id, v from r order by v, id desc"),
        query("top n", "select id, t from r order by v, id limit 10 offset 3"),
        query("limit", "select count(*) from (select id from r limit 50)"),
        query(
            "window",
            "select id, row_number() over (partition by k order by id), rank() over (order by v),"
                + " lag(t) over (order by id), sum(v) over (partition by k) from r"),
        query(
            "moving frame",
            "select id, min(t) over (order by id rows between 3 preceding and 2 following),"
                + " sum(v) over (order by v range between 2 preceding and current row) from r"),
        query(
            "running window",
            "select id, sum(v) over (order by id), ntile(7) over (order by id) from r"),
        query(
            "aggregates of partitions",
            "select id, string_agg(t, '-' order by id) over (partition by k),"
                + " first(v order by id desc) over (partition by k) from r where id < 200"),
        query("limit in percent", "select id, v from r order by v, id limit 7 % offset 3"),
        query(
            "qualify",
            "select id from r qualify row_number() over (partition by k order by v, id) = 1"));
  }

  private static List<FaultCase> rows() {
    return List.of(
        query(
            "filter and project",
            "select id + 1, upper(t), k * 2 from r where v > 10 and t like '%1%'"),
        query("scan of Parquet", "select * from rp where k < 50"),
        query("scan of Arrow", "select sum(v), min(t) from ra where k < 50"),
        query("values of queries", "select max(char_length(repeat(t, 50) || reverse(t))) from r"),
        query("constant rows", "select x + 1, y from (values (1, 'a'), (2, 'b')) as w(x, y)"),
        query("union all", "select id, t from r union all select k, t from s"),
        query("union", "select k, v from r union select k, v from s"),
        query("intersect", "select k from r intersect select k from s"),
        query("except", "select k, t from r except select k, t from s"),
        query("intersect all", "select k from r intersect all select k from s"),
        query("except all", "select k from r except all select k from s"),
        query(
            "recursion",
            "with recursive w(x) as (select 1 union select e.y from w join e on e.x = w.x)"
                + " select count(*), sum(x) from w"),
        query(
            "recursion with duplicates",
            "with recursive w(n, t) as (select 1, 'a' union all select n + 1, t || 'b' from w where"
                + " n < 9) select * from w"),
        query(
            "unnest",
            "select q.id, u.x from (select id, [id, k] as l from s) q cross join unnest(q.l) as"
                + " u(x)"),
        query(
            "unnest with joins",
            "select count(*) from (select id, [id, k] as l from s) q cross join unnest(q.l) as u(x)"
                + " join r on r.k = u.x"));
  }

  private static List<FaultCase> lists() {
    return List.of(
        query(
            "unnest with numbers",
            "select q.id, u.x, u.n from (select id, [id, k, v] as l from s) q cross join"
                + " unnest(q.l) with ordinality as u(x, n)"),
        query("unnest of a select list", "select id, unnest([t, 'b']) from s where id < 90"),
        query(
            "unnest of several lists",
            "select u.x, u.y from (select [id, v] as l, [t] as m from s) q cross join unnest(q.l,"
                + " q.m) as u(x, y)"),
        query(
            "unnest in groups",
            "select x, count(*) from (select unnest([k, v]) as x from r) q group by x"),
        query("structs", "select {'a': id, 'b': t} as x, [v, k] from r where id < 120"),
        query(
            "texts of rows",
            "select regexp_replace(t, '[0-9]', '#'), cast(v as varchar) || lpad(t, 9), substring(t,"
                + " 2, 3), date '2024-01-01' + id from r"),
        query("series", "select count(*), sum(g) from generate_series(1, 5000) as x(g)"),
        query("union of types", "select id, t from r union all by name select t, v as id from s"));
  }

  private static FaultCase change(
      String name, String setup, String sql, String table, String undo) {
    return new FaultCase(
        name,
        setup.isEmpty() ? List.of() : List.of(setup),
        sql,
        "select count(*), sum(id), min(t) from " + table,
        List.of(undo));
  }

  private static FaultCase copy(String name, String query, String to, String from) {
    return new FaultCase(
        name,
        List.of(),
        "copy (" + query + ") to '" + INTO + "/" + to,
        "select count(*), sum(id), min(t) from '" + INTO + "/" + from + "'",
        List.of());
  }

  /** Makes a table of the connection's own. */
  private static final String OWN =
      "create table own%1$d as select id, k, v, t from r where id < 100";

  private static List<FaultCase> tables() {
    List<FaultCase> changes = new ArrayList<>();
    changes.add(
        change(
            "create table as",
            "",
            "create table made as select id, t from r where v > 3",
            "made",
            "drop table made"));
    changes.add(
        change(
            "insert",
            OWN.formatted(1),
            "insert into own1 select id + 1000, k, v, t from r",
            "own1",
            "delete from own1 where id >= 1000"));
    changes.add(
        change(
            "insert of values",
            OWN.formatted(2),
            "insert into own2 values (1001, 1, 1, 'x'), (1002, 2, 2, 'y')",
            "own2",
            "delete from own2 where id >= 1000"));
    changes.add(
        change(
            "insert with keys",
            "create table own3 (id integer primary key, t varchar)",
            "insert into own3 select id, t from r",
            "own3",
            "delete from own3"));
    changes.add(
        change(
            "create table of long texts",
            "",
            "create table long_texts as select id, repeat(t, 600) as t from r",
            "long_texts",
            "drop table long_texts"));
    return changes;
  }

  private static List<FaultCase> changedRows() {
    List<FaultCase> changes = new ArrayList<>();
    changes.add(
        change(
            "update",
            OWN.formatted(4),
            "update own4 set id = id + 1000, t = t || 'z' where k > 5",
            "own4",
            "update own4 set id = id - 1000, t = substring(t, 1, char_length(t) - 1) where id >="
                + " 1000"));
    changes.add(
        change(
            "update from",
            OWN.formatted(6),
            "update own6 set id = own6.id + 1000 from s where s.id = own6.id and s.v > 20",
            "own6",
            "update own6 set id = id - 1000 where id >= 1000"));
    changes.add(
        change(
            "delete",
            OWN.formatted(5),
            "delete from own5 where id < 50",
            "own5",
            "insert into own5 select id, k, v, t from r where id < 50"));
    changes.add(
        change(
            "delete by a subquery",
            OWN.formatted(7),
            "delete from own7 where id < 50 and id in (select id from s order by id limit 60)",
            "own7",
            "insert into own7 select id, k, v, t from r where id < 50 and id in (select id from"
                + " s)"));
    changes.add(
        new FaultCase(
            "merge",
            List.of(OWN.formatted(8)),
            "merge into own8 using s on own8.id = s.id + 50 when matched and s.v > 20 then delete"
                + " when matched then update set id = own8.id + 1000 when not matched then insert"
                + " (id, t) values (s.id + 2000, s.t)",
            "select count(*), sum(id), min(t) from own8",
            List.of(
                "delete from own8", "insert into own8 select id, k, v, t from r where id < 100")));
    String filled = "insert into own9 select id, t from r where id < 50";
    changes.add(
        new FaultCase(
            "insert or update",
            List.of("create table own9 (id integer primary key, t varchar)", filled),
            "insert into own9 select id, t from r on conflict (id) do update set t = own9.t ||"
                + " excluded.t",
            "select count(*), sum(id), min(t) from own9",
            List.of("delete from own9", filled)));
    return changes;
  }

  private static List<FaultCase> copies() {
    List<FaultCase> changes = new ArrayList<>();
    String query = "select id, k, v, t from r";
    changes.add(copy("copy to Parquet", query, "c.parquet'", "c.parquet"));
    changes.add(copy("copy to CSV", query, "c.csv'", "c.csv"));
    changes.add(copy("copy to JSON", query, "c.json'", "c.json"));
    changes.add(copy("copy to Arrow", query, "c.arrow'", "c.arrow"));
    changes.add(
        copy(
            "copy to a folder",
            query + " where k < 4",
            "parts' (format parquet, partition_by (k))",
            "parts/**/*.parquet"));
    changes.add(
        copy(
            "copy to a folder of Arrow files",
            query + " where k < 4",
            "arrow' (format arrow, partition_by (k))",
            "arrow/**/*.arrow"));
    changes.add(
        copy(
            "copy to a folder of CSV files",
            query + " where k < 4",
            "csv' (format csv, partition_by (k))",
            "csv/**/*.csv"));
    return changes;
  }

  /** Statements that write. */
  static List<FaultCase> changes() {
    List<FaultCase> changes = new ArrayList<>(tables());
    changes.addAll(changedRows());
    changes.addAll(copies());
    return changes;
  }

  /** Those that write spill files where memory is short. */
  static List<FaultCase> spilled() {
    List<FaultCase> all = new ArrayList<>();
    all.add(joins().getFirst());
    all.add(groups().getFirst());
    all.add(orders().getFirst());
    return all;
  }

  /** All of them: each operator of the engine is in one. */
  static List<FaultCase> all() {
    List<FaultCase> all = new ArrayList<>();
    all.addAll(joins());
    all.addAll(otherJoins());
    all.addAll(moreJoins());
    all.addAll(groups());
    all.addAll(moreGroups());
    all.addAll(windows());
    all.addAll(orders());
    all.addAll(rows());
    all.addAll(lists());
    all.addAll(changes());
    return all;
  }

  @Override
  public String toString() {
    return name;
  }
}
