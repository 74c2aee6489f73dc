package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.prepare.CalciteCatalogReader;

/** Looks names of tables up in the connection's own schemas before all others. */
public final class SessionNames extends CalciteCatalogReader {
  /** The schema of the views that PostgreSQL's programs ask. */
  public static final String PG_CATALOG = "pg_catalog";

  private final List<List<String>> own;
  private final Predicate<String> made;

  private SessionNames(
      CalciteCatalogReader reader,
      List<List<String>> own,
      List<? extends List<String>> paths,
      Predicate<String> made) {
    super(
        reader.getRootSchema(),
        IndexedNameMatcher.of(reader.nameMatcher()),
        inOrder(own, paths, made),
        reader.getTypeFactory(),
        reader.getConfig());
    this.own = own;
    this.made = made;
  }

  /**
   * A schema that the connection has made comes first where it is in use, and its views are. Views
   * of pg_catalog need no name before theirs, as in PostgreSQL, and come last.
   */
  private static List<List<String>> inOrder(
      List<List<String>> own, List<? extends List<String>> paths, Predicate<String> made) {
    ImmutableList.Builder<List<String>> all = ImmutableList.builder();
    boolean first =
        !paths.isEmpty() && paths.getFirst().size() == 1 && made.test(paths.getFirst().getFirst());
    ImmutableList.Builder<List<String>> ordered =
        first
            ? all.add(paths.getFirst()).addAll(own).addAll(paths.subList(1, paths.size()))
            : all.addAll(own).addAll(paths);
    return ordered.add(List.of(PG_CATALOG)).build();
  }

  /**
   * @param schema the name of the connection's own schema, which is there once it has a table
   * @param made whether a schema is one that the connection has made
   */
  public static CalciteCatalogReader in(
      CalciteCatalogReader reader, String schema, Predicate<String> made) {
    if (reader instanceof SessionNames) {
      return reader;
    }
    boolean has = reader.getRootSchema().getSubSchema(schema, true) != null;
    return new SessionNames(
        reader, has ? List.of(List.of(schema)) : List.of(), reader.getSchemaPaths(), made);
  }

  @Override
  public CalciteCatalogReader withSchemaPath(List<String> schemaPath) {
    return new SessionNames(this, own, List.of(schemaPath, List.of()), made);
  }
}
