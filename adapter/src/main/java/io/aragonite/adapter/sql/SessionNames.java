package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.prepare.CalciteCatalogReader;

/** Looks names of tables up in the connection's own schema before all others. */
public final class SessionNames extends CalciteCatalogReader {
  private final List<String> own;

  private SessionNames(
      CalciteCatalogReader reader, List<String> own, List<? extends List<String>> paths) {
    super(
        reader.getRootSchema(),
        reader.nameMatcher(),
        ImmutableList.copyOf(paths),
        reader.getTypeFactory(),
        reader.getConfig());
    this.own = own;
  }

  /**
   * @param schema the name of the connection's own schema
   */
  public static CalciteCatalogReader in(CalciteCatalogReader reader, String schema) {
    if (reader instanceof SessionNames
        || reader.getRootSchema().getSubSchema(schema, true) == null) {
      return reader;
    }
    List<String> own = List.of(schema);
    return new SessionNames(reader, own, with(own, reader.getSchemaPaths()));
  }

  private static List<List<String>> with(
      List<String> own, List<? extends List<String>> otherPaths) {
    List<List<String>> paths = new ArrayList<>();
    paths.add(own);
    paths.addAll(otherPaths);
    return paths;
  }

  @Override
  public CalciteCatalogReader withSchemaPath(List<String> schemaPath) {
    return new SessionNames(this, own, with(own, List.of(schemaPath, List.of())));
  }
}
