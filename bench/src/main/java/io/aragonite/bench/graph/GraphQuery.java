package io.aragonite.bench.graph;

/** Patterns that are counted in a table {@code e} of edges in both directions. */
public enum GraphQuery {
  /** Three nodes that are all joined, once each. */
  TRIANGLES(
      """
      select count(*) from e a, e b, e c
      where a.dst = b.src and b.dst = c.dst and a.src = c.src
        and a.src < a.dst and b.src < b.dst\
      """),
  /** Closed paths of four edges, from each of their nodes and in both directions. */
  CYCLES4(
      """
      select count(*) from e a, e b, e c, e d
      where a.dst = b.src and b.dst = c.src and c.dst = d.src and d.dst = a.src
        and a.src < c.src and b.src < d.src\
      """),
  /** Two triangles with one edge in common. */
  DIAMONDS(
      """
      select count(*) from e a, e b, e c, e d, e f
      where a.dst = b.src and b.dst = c.dst and a.src = c.src
        and a.dst = d.src and d.dst = f.dst and a.src = f.src
        and a.src < a.dst and b.dst < d.dst\
      """),
  /** Four nodes that are all joined, once each. */
  CLIQUES4(
      """
      select count(*) from e a, e b, e c, e d, e f, e g
      where a.src = b.src and b.src = c.src and a.dst = d.src and d.src = f.src
        and b.dst = d.dst and b.dst = g.src and c.dst = f.dst and c.dst = g.dst
        and a.src < a.dst and d.src < d.dst and g.src < g.dst\
      """),
  /** Five nodes that are all joined, once each. */
  CLIQUES5(
      """
      select count(*) from e a, e b, e c, e d, e f, e g, e h, e i, e j, e k
      where a.src = b.src and a.src = c.src and a.src = d.src
        and a.dst = f.src and a.dst = g.src and a.dst = h.src
        and b.dst = f.dst and b.dst = i.src and b.dst = j.src
        and c.dst = g.dst and c.dst = i.dst and c.dst = k.src
        and d.dst = h.dst and d.dst = j.dst and d.dst = k.dst
        and a.src < a.dst and f.src < f.dst and i.src < i.dst and k.src < k.dst\
      """);

  private final String sql;

  GraphQuery(String sql) {
    this.sql = sql;
  }

  public String sql() {
    return sql;
  }
}
