package io.aragonite.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.ProtocolStringList;
import io.aragonite.adapter.result.ArrowFields;
import io.aragonite.adapter.result.ResultBatches;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.sql.FlightSqlColumnMetadata;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetXdbcTypeInfo;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.jspecify.annotations.Nullable;

/** What there is, as Flight SQL's tables of metadata: what JDBC's metadata says. */
final class FlightMetadata {
  private final Connection connection;
  private final DatabaseMetaData metaData;

  FlightMetadata(Connection connection) throws SQLException {
    this.connection = connection;
    this.metaData = connection.getMetaData();
  }

  /** Rows of a table of metadata. */
  record Rows(Schema schema, List<@Nullable Object[]> rows) {}

  Rows catalogs() throws SQLException {
    return read(Schemas.GET_CATALOGS_SCHEMA, metaData.getCatalogs(), 1);
  }

  Rows schemas(CommandGetDbSchemas command) throws SQLException {
    // JDBC's result has the schema first.
    return read(
        Schemas.GET_SCHEMAS_SCHEMA,
        metaData.getSchemas(
            command.hasCatalog() ? command.getCatalog() : null,
            command.hasDbSchemaFilterPattern() ? command.getDbSchemaFilterPattern() : null),
        2,
        1);
  }

  Rows tableTypes() throws SQLException {
    return read(Schemas.GET_TABLE_TYPES_SCHEMA, metaData.getTableTypes(), 1);
  }

  Rows tables(CommandGetTables command) throws SQLException, IOException {
    ProtocolStringList types = command.getTableTypesList();
    Rows tables =
        read(
            Schemas.GET_TABLES_SCHEMA_NO_SCHEMA,
            metaData.getTables(
                command.hasCatalog() ? command.getCatalog() : null,
                command.hasDbSchemaFilterPattern() ? command.getDbSchemaFilterPattern() : null,
                command.hasTableNameFilterPattern() ? command.getTableNameFilterPattern() : null,
                types.isEmpty() ? null : types.toArray(new String[0])),
            1,
            2,
            3,
            4);
    if (!command.getIncludeSchema()) {
      return tables;
    }
    List<@Nullable Object[]> rows = new ArrayList<>();
    for (@Nullable Object[] table : tables.rows()) {
      rows.add(
          new @Nullable Object[] {
            table[0], table[1], table[2], table[3], bytes(columns(table)).toByteArray()
          });
    }
    return new Rows(Schemas.GET_TABLES_SCHEMA, rows);
  }

  /** A schema as a message of Arrow's. */
  static ByteString bytes(Schema schema) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    MessageSerializer.serialize(new WriteChannel(Channels.newChannel(out)), schema);
    return ByteString.copyFrom(out.toByteArray());
  }

  /** The columns of a table; none of one that cannot be read. */
  private Schema columns(@Nullable Object[] table) throws SQLException {
    String schemaName = (String) table[1];
    CalciteConnection calcite = connection.unwrap(CalciteConnection.class);
    SchemaPlus schema = calcite.getRootSchema();
    if (schemaName != null && !schemaName.isEmpty()) {
      schema = schema.getSubSchema(schemaName);
    }
    Table known = schema == null ? null : schema.getTable(String.valueOf(table[2]));
    if (known == null) {
      return ofQuery(table); // a table or view of the session, for one
    }
    List<Field> fields = new ArrayList<>();
    for (RelDataTypeField column : known.getRowType(calcite.getTypeFactory()).getFieldList()) {
      Field field = ArrowFields.of(column.getName(), column.getType());
      fields.add(
          new Field(
              field.getName(),
              new FieldType(
                  field.isNullable(), field.getType(), null, described(table, column.getType())),
              field.getChildren()));
    }
    return new Schema(fields);
  }

  /** The columns of a table as a query has them. */
  private Schema ofQuery(@Nullable Object[] table) throws SQLException {
    String quote = metaData.getIdentifierQuoteString();
    String end = quote.equals("[") ? "]" : quote;
    StringBuilder name = new StringBuilder();
    for (int i = 1; i <= 2; i++) {
      String part = String.valueOf(table[i]);
      if (!part.isEmpty()) {
        name.append(name.isEmpty() ? "" : ".")
            .append(quote)
            .append(part.replace(end, end + end))
            .append(end);
      }
    }
    try (PreparedStatement query = connection.prepareStatement("select * from " + name)) {
      Schema schema = ResultBatches.schema(query);
      return schema == null ? FlightStatement.NONE : schema;
    }
  }

  /** What Arrow's types do not say. */
  private static Map<String, String> described(@Nullable Object[] table, RelDataType type) {
    FlightSqlColumnMetadata.Builder metadata =
        new FlightSqlColumnMetadata.Builder()
            .schemaName(String.valueOf(table[1]))
            .tableName(String.valueOf(table[2]))
            .typeName(type.getSqlTypeName().getName())
            .isAutoIncrement(false)
            .isReadOnly(true)
            .isSearchable(true);
    if (table[0] != null) {
      metadata.catalogName(String.valueOf(table[0]));
    }
    if (type.getPrecision() != RelDataType.PRECISION_NOT_SPECIFIED) {
      metadata.precision(type.getPrecision());
    }
    if (type.getScale() != RelDataType.SCALE_NOT_SPECIFIED) {
      metadata.scale(type.getScale());
    }
    return metadata.build().getMetadataMap();
  }

  Rows typeInfo(CommandGetXdbcTypeInfo command) throws SQLException {
    List<@Nullable Object[]> rows = new ArrayList<>();
    try (ResultSet types = metaData.getTypeInfo()) {
      while (types.next()) {
        int code = types.getInt("DATA_TYPE");
        if (command.hasDataType() && command.getDataType() != code) {
          continue;
        }
        rows.add(
            new @Nullable Object[] {
              types.getString("TYPE_NAME"),
              code,
              number(types, "PRECISION"),
              types.getString("LITERAL_PREFIX"),
              types.getString("LITERAL_SUFFIX"),
              parameters(types.getString("CREATE_PARAMS")),
              (int) types.getShort("NULLABLE"),
              types.getBoolean("CASE_SENSITIVE"),
              (int) types.getShort("SEARCHABLE"),
              types.getBoolean("UNSIGNED_ATTRIBUTE"),
              types.getBoolean("FIXED_PREC_SCALE"),
              types.getBoolean("AUTO_INCREMENT"),
              types.getString("LOCAL_TYPE_NAME"),
              number(types, "MINIMUM_SCALE"),
              number(types, "MAXIMUM_SCALE"),
              code,
              null,
              number(types, "NUM_PREC_RADIX"),
              null
            });
      }
    }
    return new Rows(Schemas.GET_TYPE_INFO_SCHEMA, rows);
  }

  private static @Nullable List<String> parameters(@Nullable String text) {
    return text == null || text.isBlank() ? null : List.of(text.split(",\\s*"));
  }

  private static @Nullable Integer number(ResultSet rows, String column) throws SQLException {
    int number = rows.getInt(column);
    return rows.wasNull() ? null : number;
  }

  /** Texts of some columns of a result, from 1, in an order. */
  private static Rows read(Schema schema, ResultSet result, int... columns) throws SQLException {
    List<@Nullable Object[]> rows = new ArrayList<>();
    try (result) {
      while (result.next()) {
        @Nullable Object[] row = new @Nullable Object[columns.length];
        for (int i = 0; i < columns.length; i++) {
          String text = result.getString(columns[i]);
          row[i] = text == null && !schema.getFields().get(i).isNullable() ? "" : text;
        }
        rows.add(row);
      }
    }
    return new Rows(schema, rows);
  }
}
