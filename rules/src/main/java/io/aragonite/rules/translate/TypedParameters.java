package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.schema.SchemaPlus;
import org.jspecify.annotations.Nullable;

/**
 * A data context whose parameters have the types that the statement asks for: JDBC lets a text be
 * set where a number or a date is wanted.
 */
record TypedParameters(DataContext context, Map<String, RelDataType> types) implements DataContext {
  @Override
  public @Nullable SchemaPlus getRootSchema() {
    return context.getRootSchema();
  }

  @Override
  public JavaTypeFactory getTypeFactory() {
    return context.getTypeFactory();
  }

  @Override
  public QueryProvider getQueryProvider() {
    return context.getQueryProvider();
  }

  @Override
  public @Nullable Object get(String name) {
    Object value = context.get(name);
    RelDataType type = types.get(name);
    if (type == null || !(value instanceof String text)) {
      return value;
    }
    try {
      return parse(text.strip(), text, type);
    } catch (IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CAST,
          "Parameter %s is '%s', which is not a value of %s."
              .formatted(name, text, type.getSqlTypeName()),
          e);
    }
  }

  private static Object parse(String stripped, String text, RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case TINYINT -> Byte.valueOf(stripped);
      case SMALLINT -> Short.valueOf(stripped);
      case INTEGER -> Integer.valueOf(stripped);
      case BIGINT -> Long.valueOf(stripped);
      case DECIMAL -> new BigDecimal(stripped);
      case REAL -> Float.valueOf(stripped);
      case FLOAT, DOUBLE -> Double.valueOf(stripped);
      case DATE -> DateTimeUtils.dateStringToUnixDate(stripped);
      case TIME -> DateTimeUtils.timeStringToUnixDate(stripped);
      case TIMESTAMP -> DateTimeUtils.timestampStringToUnixDate(stripped);
      case BOOLEAN -> {
        if (!stripped.equalsIgnoreCase("true") && !stripped.equalsIgnoreCase("false")) {
          throw new IllegalArgumentException(stripped);
        }
        yield Boolean.valueOf(stripped);
      }
      default -> text;
    };
  }
}
