package io.aragonite.adapter.metadata;

import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableRules.KeyRule;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.RelReferentialConstraint;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.lookup.LikePattern;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.IntPair;
import org.jspecify.annotations.Nullable;

/** Primary, unique and foreign keys in the shape of {@link DatabaseMetaData}. */
public final class KeyMetadata {
  private static final List<String> PRIMARY_KEY_COLUMNS =
      List.of("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ", "PK_NAME");
  private static final List<MetaRows.MetaColumn> INDEX_COLUMNS =
      List.of(
          new MetaRows.MetaColumn("TABLE_CAT", String.class),
          new MetaRows.MetaColumn("TABLE_SCHEM", String.class),
          new MetaRows.MetaColumn("TABLE_NAME", String.class),
          new MetaRows.MetaColumn("NON_UNIQUE", Boolean.class),
          new MetaRows.MetaColumn("INDEX_QUALIFIER", String.class),
          new MetaRows.MetaColumn("INDEX_NAME", String.class),
          new MetaRows.MetaColumn("TYPE", Short.class),
          new MetaRows.MetaColumn("ORDINAL_POSITION", Short.class),
          new MetaRows.MetaColumn("COLUMN_NAME", String.class),
          new MetaRows.MetaColumn("ASC_OR_DESC", String.class),
          new MetaRows.MetaColumn("CARDINALITY", Long.class),
          new MetaRows.MetaColumn("PAGES", Long.class),
          new MetaRows.MetaColumn("FILTER_CONDITION", String.class));

  private static final List<String> FOREIGN_KEY_COLUMNS =
      List.of(
          "PKTABLE_CAT",
          "PKTABLE_SCHEM",
          "PKTABLE_NAME",
          "PKCOLUMN_NAME",
          "FKTABLE_CAT",
          "FKTABLE_SCHEM",
          "FKTABLE_NAME",
          "FKCOLUMN_NAME",
          "KEY_SEQ",
          "UPDATE_RULE",
          "DELETE_RULE",
          "FK_NAME",
          "PK_NAME",
          "DEFERRABILITY");

  private final SchemaPlus root;
  private final JavaTypeFactoryImpl types = new JavaTypeFactoryImpl(RelDataTypeSystem.DEFAULT);

  public KeyMetadata(SchemaPlus root) {
    this.root = root;
  }

  private record Named(String schema, String name, Table table) {}

  /** All tables; none if they are looked for in a catalog, of which there are none. */
  private List<Named> tables(@Nullable String catalog) {
    List<Named> tables = new ArrayList<>();
    if (catalog != null && !catalog.isEmpty()) {
      return tables;
    }
    for (String schemaName : new TreeSet<>(root.subSchemas().getNames(LikePattern.any()))) {
      SchemaPlus schema = root.subSchemas().get(schemaName);
      if (schema == null) {
        continue;
      }
      for (String name : new TreeSet<>(schema.tables().getNames(LikePattern.any()))) {
        Table table = schema.tables().get(name);
        if (table != null) {
          tables.add(new Named(schemaName, name, table));
        }
      }
    }
    return tables;
  }

  /** The default of a column of a connection's own table, an expression in SQL; null for none. */
  public @Nullable String defaultOf(String schema, String table, String column) {
    SchemaPlus found = root.subSchemas().get(schema);
    if (found == null
        || !(found.tables().get(table) instanceof CatalogTable own)
        || own.rules().equals(TableRules.NONE)) {
      return null;
    }
    int place = columns(own).indexOf(column);
    return place < 0 ? null : own.rules().defaultOf(place);
  }

  private static boolean matches(@Nullable String wanted, String name) {
    return wanted == null || wanted.equalsIgnoreCase(name);
  }

  /** The columns of a table's primary key in the order of their names, as JDBC wants them. */
  public ResultSet primaryKeys(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    MetaRows rows = rows(PRIMARY_KEY_COLUMNS);
    for (Named named : tables(catalog)) {
      if (!matches(schema, named.schema) || !matches(table, named.name)) {
        continue;
      }
      KeyRule key = primaryKey(named);
      List<String> columns = key == null ? List.of() : columns(named.table);
      int sequence = 1;
      for (int column : key == null ? List.<Integer>of() : key.columns()) {
        rows.add(
            null,
            named.schema,
            named.name,
            columns.get(column),
            (short) sequence++,
            key == null ? null : key.name());
      }
    }
    return rows.sort("TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME").resultSet();
  }

  private static @Nullable KeyRule primaryKey(Named named) {
    if (named.table instanceof CatalogTable own && !own.rules().equals(TableRules.NONE)) {
      return own.rules().primaryKey();
    }
    List<ImmutableBitSet> keys = named.table.getStatistic().getKeys();
    return keys == null || keys.isEmpty()
        ? null
        : new KeyRule(named.name + "_pk", true, keys.get(0).asList());
  }

  /** The keys that are looked after, as unique indexes. */
  public ResultSet indexes(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    MetaRows rows = new MetaRows(INDEX_COLUMNS);
    for (Named named : tables(catalog)) {
      if (!matches(schema, named.schema)
          || !matches(table, named.name)
          || !(named.table instanceof CatalogTable own)) {
        continue;
      }
      List<String> columns = columns(own);
      for (KeyRule key : own.rules().keys()) {
        short sequence = 1;
        for (int column : key.columns()) {
          rows.add(
              null,
              named.schema,
              named.name,
              false,
              null,
              key.name(),
              DatabaseMetaData.tableIndexHashed,
              sequence++,
              columns.get(column),
              null,
              own.data().rows(),
              0L,
              null);
        }
      }
    }
    return rows.sort("INDEX_NAME", "ORDINAL_POSITION").resultSet();
  }

  public ResultSet importedKeys(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    return references(catalog, null, null, schema, table)
        .sort("PKTABLE_SCHEM", "PKTABLE_NAME", "FK_NAME", "KEY_SEQ")
        .resultSet();
  }

  public ResultSet exportedKeys(
      @Nullable String catalog, @Nullable String schema, @Nullable String table)
      throws SQLException {
    return crossReference(catalog, schema, table, null, null);
  }

  public ResultSet crossReference(
      @Nullable String catalog,
      @Nullable String parentSchema,
      @Nullable String parentTable,
      @Nullable String foreignSchema,
      @Nullable String foreignTable)
      throws SQLException {
    return references(catalog, parentSchema, parentTable, foreignSchema, foreignTable)
        .sort("FKTABLE_SCHEM", "FKTABLE_NAME", "FK_NAME", "KEY_SEQ")
        .resultSet();
  }

  private MetaRows references(
      @Nullable String catalog,
      @Nullable String parentSchema,
      @Nullable String parentTable,
      @Nullable String foreignSchema,
      @Nullable String foreignTable) {
    MetaRows rows = rows(FOREIGN_KEY_COLUMNS);
    List<Named> tables = tables(catalog);
    for (Named foreign : tables) {
      List<RelReferentialConstraint> constraints =
          foreign.table.getStatistic().getReferentialConstraints();
      if (constraints == null
          || !matches(foreignSchema, foreign.schema)
          || !matches(foreignTable, foreign.name)) {
        continue;
      }
      int number = 1;
      for (RelReferentialConstraint constraint : constraints) {
        String parentName = last(constraint.getTargetQualifiedName());
        Named parent =
            tables.stream()
                .filter(t -> t.schema.equals(foreign.schema) && t.name.equalsIgnoreCase(parentName))
                .findFirst()
                .orElse(null);
        String name = foreign.name + "_fk" + number++;
        if (parent != null
            && matches(parentSchema, parent.schema)
            && matches(parentTable, parent.name)) {
          addReference(rows, parent, foreign, constraint, name);
        }
      }
    }
    return rows;
  }

  private void addReference(
      MetaRows rows,
      Named parent,
      Named foreign,
      RelReferentialConstraint constraint,
      String name) {
    int sequence = 1;
    for (IntPair pair : constraint.getColumnPairs()) {
      rows.add(
          null,
          parent.schema,
          parent.name,
          columns(parent.table).get(pair.target),
          null,
          foreign.schema,
          foreign.name,
          columns(foreign.table).get(pair.source),
          (short) sequence++,
          (short) DatabaseMetaData.importedKeyNoAction,
          (short) DatabaseMetaData.importedKeyNoAction,
          name,
          parent.name + "_pk",
          (short) DatabaseMetaData.importedKeyNotDeferrable);
    }
  }

  private List<String> columns(Table table) {
    RelDataType type = table.getRowType(types);
    return type.getFieldNames();
  }

  private static String last(List<String> path) {
    return path.get(path.size() - 1);
  }

  private static MetaRows rows(List<String> names) {
    return new MetaRows(
        names.stream()
            .map(name ->
                new MetaRows.MetaColumn(
                    name,
                    name.equals("KEY_SEQ") || name.endsWith("_RULE") || name.equals("DEFERRABILITY")
                        ? Short.class
                        : String.class))
            .toList());
  }
}
