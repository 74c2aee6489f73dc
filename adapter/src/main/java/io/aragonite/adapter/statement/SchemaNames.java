package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.BrokenTable;
import io.aragonite.adapter.error.KnownNames;
import io.aragonite.adapter.sql.function.CommonFunctions;
import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.adapter.sql.parse.TypeNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.lookup.LikePattern;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/** The names that a statement of a connection could have meant. */
record SchemaNames(CalciteConnection connection, String sql) implements KnownNames {
  @Override
  public String statement() {
    return sql;
  }

  @Override
  public Collection<String> functions() {
    Set<String> names = new LinkedHashSet<>();
    FunctionForms.names().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    CommonFunctions.after(SqlStdOperatorTable.instance()).getOperatorList().stream()
        .filter(SqlFunction.class::isInstance)
        .forEach(function -> names.add(function.getName().toLowerCase(Locale.ROOT)));
    return names;
  }

  @Override
  public Collection<String> types() {
    return TypeNames.all();
  }

  @Override
  public Collection<String> tables() {
    Set<String> names = new LinkedHashSet<>();
    for (SchemaPlus schema : schemas()) {
      names.addAll(schema.tables().getNames(LikePattern.any()));
    }
    names.addAll(connection.getRootSchema().subSchemas().getNames(LikePattern.any()));
    return names;
  }

  private List<SchemaPlus> schemas() {
    SchemaPlus root = connection.getRootSchema();
    List<SchemaPlus> schemas = new ArrayList<>();
    schemas.add(root);
    for (String name : root.subSchemas().getNames(LikePattern.any())) {
      SchemaPlus schema = root.subSchemas().get(name);
      if (schema != null && !name.equals("metadata")) {
        schemas.add(schema);
      }
    }
    return schemas;
  }

  @Override
  public Collection<String> columns() {
    Set<String> names = new LinkedHashSet<>();
    columnsOfTables().values().forEach(names::addAll);
    return names;
  }

  @Override
  public List<String> tablesOf(String name) {
    List<String> tables = new ArrayList<>();
    for (SchemaPlus schema : schemas()) {
      for (String table : schema.tables().getNames(LikePattern.any())) {
        if (table.equalsIgnoreCase(name)) {
          tables.add(qualified(schema, table));
        }
      }
    }
    return tables;
  }

  @Override
  public List<String> tablesWith(String column) {
    return columnsOfTables().entrySet().stream()
        .filter(table -> table.getValue().contains(column))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Columns of the tables whose names are in the text. */
  private Map<String, List<String>> columnsOfTables() {
    String lower = sql.toLowerCase(Locale.ROOT);
    Map<String, List<String>> columns = new LinkedHashMap<>();
    for (SchemaPlus schema : schemas()) {
      for (String name : schema.tables().getNames(LikePattern.any())) {
        Table table =
            lower.contains(name.toLowerCase(Locale.ROOT)) ? schema.tables().get(name) : null;
        if (table != null && !(table instanceof BrokenTable)) {
          columns.put(
              qualified(schema, name),
              table.getRowType(connection.getTypeFactory()).getFieldNames());
        }
      }
    }
    return columns;
  }

  private static String qualified(SchemaPlus schema, String table) {
    return schema.getName().isEmpty() ? table : schema.getName() + "." + table;
  }
}
