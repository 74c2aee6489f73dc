package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/** Looks names of tables up in the connection's own schemas before all others. */
public final class SessionNames extends CalciteCatalogReader {
  /** The schema of the views that PostgreSQL's programs ask. */
  public static final String PG_CATALOG = "pg_catalog";

  private final List<List<String>> own;
  private final Predicate<String> made;

  /** Names of the functions of the schemas that are looked into; null until one is looked for. */
  private @Nullable Set<String> functions;

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

  /**
   * Functions of the connection. The validator asks for each column's name, and nearly none is that
   * of a function: names are listed once for a statement, instead of looking into all schemas.
   */
  @Override
  public void lookupOperatorOverloads(
      SqlIdentifier name,
      @Nullable SqlFunctionCategory category,
      SqlSyntax syntax,
      List<SqlOperator> operators,
      SqlNameMatcher matcher) {
    if (syntax == SqlSyntax.FUNCTION
        && (!name.isSimple() || functions().contains(name.getSimple()))) {
      super.lookupOperatorOverloads(name, category, syntax, operators, matcher);
    }
  }

  private Set<String> functions() {
    Set<String> known = functions;
    if (known == null) {
      known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
      for (List<String> path : getSchemaPaths()) {
        CalciteSchema schema = SqlValidatorUtil.getSchema(getRootSchema(), path, nameMatcher());
        if (schema != null) {
          known.addAll(schema.getFunctionNames());
        }
      }
      functions = known;
    }
    return known;
  }
}
