package io.aragonite.adapter.sql.parse;

import io.aragonite.adapter.sql.function.JsonCast;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Types;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCollectionTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlMapTypeNameSpec;
import org.apache.calcite.sql.SqlRowTypeNameSpec;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.SqlUserDefinedTypeNameSpec;
import org.apache.calcite.sql.type.SqlTypeName;

/** Names of types that other systems have, and what they are here. */
public final class TypeNames {
  private static final Map<String, SqlTypeName> NAMES =
      Map.ofEntries(
          Map.entry("BOOL", SqlTypeName.BOOLEAN),
          Map.entry("LOGICAL", SqlTypeName.BOOLEAN),
          Map.entry("INT1", SqlTypeName.TINYINT),
          Map.entry("BYTE", SqlTypeName.TINYINT),
          Map.entry("INT2", SqlTypeName.SMALLINT),
          Map.entry("SHORT", SqlTypeName.SMALLINT),
          Map.entry("INT4", SqlTypeName.INTEGER),
          Map.entry("INT8", SqlTypeName.BIGINT),
          Map.entry("LONG", SqlTypeName.BIGINT),
          Map.entry("OID", SqlTypeName.BIGINT),
          Map.entry("FLOAT4", SqlTypeName.REAL),
          Map.entry("FLOAT8", SqlTypeName.DOUBLE),
          Map.entry("TEXT", SqlTypeName.VARCHAR),
          Map.entry("STRING", SqlTypeName.VARCHAR),
          Map.entry("JSON", SqlTypeName.VARCHAR),
          Map.entry("JSONB", SqlTypeName.VARCHAR),
          Map.entry("BPCHAR", SqlTypeName.VARCHAR),
          Map.entry("BLOB", SqlTypeName.VARBINARY),
          Map.entry("BYTEA", SqlTypeName.VARBINARY),
          Map.entry("BYTES", SqlTypeName.VARBINARY),
          Map.entry("DATETIME", SqlTypeName.TIMESTAMP),
          Map.entry("UTINYINT", SqlTypeName.SMALLINT),
          Map.entry("USMALLINT", SqlTypeName.INTEGER),
          Map.entry("UINTEGER", SqlTypeName.BIGINT));

  /** Names of JSON's texts. */
  private static final Set<String> JSON = Set.of("JSON", "JSONB");

  /** Whole numbers that no type of their own holds, and how many digits they have. */
  private static final Map<String, Integer> LONG_NUMBERS =
      Map.of("UBIGINT", 20, "HUGEINT", 38, "INT16", 38, "INT128", 38);

  /** Timestamps by the digits of their fractions. */
  private static final Map<String, Integer> TIMESTAMPS =
      Map.of("TIMESTAMP_S", 0, "TIMESTAMP_MS", 3, "TIMESTAMP_US", 6, "TIMESTAMP_NS", 9);

  /** Strings of bits, which there are none of. */
  private static final Set<String> BITS = Set.of("BIT", "BITSTRING", "VARBIT");

  private static final int MICROS = 6;
  private static final Set<String> INSTANTS = Set.of("TIMESTAMPTZ", "TIMESTAMP_TZ");
  private static final Set<String> ZONED =
      Set.of(
          SqlTypeName.TIMESTAMP_TZ.getName(), SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE.getName());

  private TypeNames() {}

  static SqlDataTypeSpec known(SqlDataTypeSpec type) {
    SqlTypeNameSpec nested = nested(type.getTypeNameSpec());
    if (!nested.equals(type.getTypeNameSpec())) {
      return new SqlDataTypeSpec(nested, type.getParserPosition());
    }
    if (type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec basic
        && ZONED.contains(basic.getTypeName().getSimple())) {
      return zoned(basic.getPrecision(), type);
    }
    if (!(type.getTypeNameSpec() instanceof SqlUserDefinedTypeNameSpec named)) {
      return type;
    }
    SqlIdentifier name = named.getTypeName();
    if (name.isSimple() && BITS.contains(name.getSimple().toUpperCase(Locale.ROOT))) {
      throw new AragoniteException(
          ErrorCode.TYPE_UNSUPPORTED,
          "There is no type %s (line %d, column %d): keep up to 63 bits in a BIGINT, which &, |, <<, >>, ~ and bit_count take, truth values in a BOOLEAN, and others in a VARBINARY or in a VARCHAR of 0 and 1."
              .formatted(
                  name.getSimple().toUpperCase(Locale.ROOT),
                  name.getParserPosition().getLineNum(),
                  name.getParserPosition().getColumnNum()));
    }
    Integer digits =
        name.isSimple() ? LONG_NUMBERS.get(name.getSimple().toUpperCase(Locale.ROOT)) : null;
    if (digits != null) {
      return new SqlDataTypeSpec(
          new SqlBasicTypeNameSpec(SqlTypeName.DECIMAL, digits, 0, name.getParserPosition()),
          type.getParserPosition());
    }
    if (name.isSimple() && INSTANTS.contains(name.getSimple().toUpperCase(Locale.ROOT))) {
      return zoned(-1, type);
    }
    Integer fraction =
        name.isSimple() ? TIMESTAMPS.get(name.getSimple().toUpperCase(Locale.ROOT)) : null;
    if (fraction != null) {
      return new SqlDataTypeSpec(
          new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, fraction, name.getParserPosition()),
          type.getParserPosition());
    }
    SqlTypeName known =
        name.isSimple() ? NAMES.get(name.getSimple().toUpperCase(Locale.ROOT)) : null;
    if (known == null) {
      return type;
    }
    boolean json = JSON.contains(name.getSimple().toUpperCase(Locale.ROOT));
    return new SqlDataTypeSpec(
        json
            ? JsonCast.type(name.getParserPosition())
            : new SqlBasicTypeNameSpec(known, name.getParserPosition()),
        type.getParserPosition());
  }

  /**
   * Lists, maps and structs of known types. Fields of structs may be null, as columns may: Calcite
   * has them NOT NULL unless it is told.
   */
  private static SqlTypeNameSpec nested(SqlTypeNameSpec type) {
    return switch (type) {
      case SqlRowTypeNameSpec row ->
          new SqlRowTypeNameSpec(
              row.getParserPos(),
              row.getFieldNames(),
              row.getFieldTypes().stream().map(field -> known(field).withNullable(true)).toList());
      case SqlCollectionTypeNameSpec list -> {
        SqlTypeNameSpec element = list.getElementTypeName();
        SqlTypeNameSpec known =
            known(new SqlDataTypeSpec(element, list.getParserPos())).getTypeNameSpec();
        yield known.equals(element)
            ? list
            : new SqlCollectionTypeNameSpec(
                known, SqlTypeName.valueOf(list.getTypeName().getSimple()), list.getParserPos());
      }
      case SqlMapTypeNameSpec map ->
          new SqlMapTypeNameSpec(
              known(map.getKeyType()), known(map.getValType()), map.getParserPos());
      default -> type;
    };
  }

  /** An instant, with six digits unless others are asked for, as TIMESTAMP has. */
  private static SqlDataTypeSpec zoned(int digits, SqlDataTypeSpec type) {
    return new SqlDataTypeSpec(
        new SqlBasicTypeNameSpec(
            SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE,
            digits < 0 ? MICROS : digits,
            type.getParserPosition()),
        type.getParserPosition());
  }

  /**
   * The type of {@link Types} that a name means, OTHER of a UUID.
   *
   * @throws AragoniteException INVALID_CALL if there is no such type
   */
  public static int jdbcType(String name) {
    String known = name.strip().toUpperCase(Locale.ROOT).replaceFirst("\\s*\\(.*", "");
    SqlTypeName type = NAMES.get(known);
    type = type != null ? type : SqlTypeName.get(known);
    if (known.equals(SqlTypeName.UUID.getName())) {
      return Types.OTHER; // its text
    } else if (INSTANTS.contains(known) || TIMESTAMPS.containsKey(known)) {
      return Types.TIMESTAMP;
    } else if (LONG_NUMBERS.containsKey(known) || known.equals("NUMERIC")) {
      return Types.DECIMAL;
    } else if (known.equals("INT")) {
      return Types.INTEGER;
    } else if (type == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "There is no type '%s' that an array could be of; name one such as 'integer', 'varchar' or 'timestamp'."
              .formatted(name));
    }
    return type.getJdbcOrdinal();
  }

  /** All names that a type may have, for messages. */
  public static Collection<String> all() {
    TreeSet<String> names = new TreeSet<>();
    names.add("timestamptz");
    TIMESTAMPS.keySet().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    LONG_NUMBERS.keySet().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    NAMES.keySet().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    for (SqlTypeName type : SqlTypeName.values()) {
      if (SqlTypeName.ALL_TYPES.contains(type)) {
        names.add(type.getName().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }
}
