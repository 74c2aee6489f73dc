package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.apache.calcite.prepare.CalciteCatalogReader;

/** Looks names of tables up in the connection's own schema before all others. */
public final class SessionNames extends CalciteCatalogReader {
  private final List<List<String>> own;

  private SessionNames(
      CalciteCatalogReader reader, List<List<String>> own, List<? extends List<String>> paths) {
    super(
        reader.getRootSchema(),
        IndexedNameMatcher.of(reader.nameMatcher()),
        ImmutableList.<List<String>>builder().addAll(own).addAll(paths).build(),
        reader.getTypeFactory(),
        reader.getConfig());
    this.own = own;
  }

  /**
   * @param schema the name of the connection's own schema, which is there once it has a table
   */
  public static CalciteCatalogReader in(CalciteCatalogReader reader, String schema) {
    if (reader instanceof SessionNames) {
      return reader;
    }
    boolean has = reader.getRootSchema().getSubSchema(schema, true) != null;
    return new SessionNames(
        reader, has ? List.of(List.of(schema)) : List.of(), reader.getSchemaPaths());
  }

  @Override
  public CalciteCatalogReader withSchemaPath(List<String> schemaPath) {
    return new SessionNames(this, own, List.of(schemaPath, List.of()));
  }
}
