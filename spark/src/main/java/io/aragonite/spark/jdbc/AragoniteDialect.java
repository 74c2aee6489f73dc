package io.aragonite.spark.jdbc;

import java.sql.Types;
import java.util.Locale;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.jdbc.JdbcDialect;
import org.apache.spark.sql.jdbc.JdbcType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import scala.Option;
import scala.Some;

/**
 * Aragonite as Spark's JDBC source sees it: filters, joins, aggregates, the first rows of an order
 * and limits go into the statement that Aragonite runs. Spark finds the class by its service file.
 */
public final class AragoniteDialect extends JdbcDialect {
  private static final long serialVersionUID = 1;

  @Override
  public boolean canHandle(String url) {
    return url.toLowerCase(Locale.ROOT).startsWith("jdbc:aragonite:");
  }

  /** A time without a zone is one in Spark, too; its default would be an instant. */
  @Override
  public Option<DataType> getCatalystType(
      int type, String name, int size, MetadataBuilder metadata) {
    return switch (type) {
      case Types.REAL -> new Some<>(DataTypes.FloatType);
      case Types.TIMESTAMP -> new Some<>(DataTypes.TimestampNTZType);
      case Types.TIMESTAMP_WITH_TIMEZONE -> new Some<>(DataTypes.TimestampType);
      default -> super.getCatalystType(type, name, size, metadata);
    };
  }

  @Override
  public Option<JdbcType> getJDBCType(DataType type) {
    return switch (type) {
      case BooleanType t -> column("BOOLEAN", Types.BOOLEAN);
      case ByteType t -> column("TINYINT", Types.TINYINT);
      case ShortType t -> column("SMALLINT", Types.SMALLINT);
      case IntegerType t -> column("INTEGER", Types.INTEGER);
      case LongType t -> column("BIGINT", Types.BIGINT);
      case FloatType t -> column("REAL", Types.REAL);
      case DoubleType t -> column("DOUBLE", Types.DOUBLE);
      case DecimalType t ->
          column("DECIMAL(" + t.precision() + "," + t.scale() + ")", Types.DECIMAL);
      case StringType t -> column("VARCHAR", Types.VARCHAR);
      case BinaryType t -> column("VARBINARY", Types.VARBINARY);
      case DateType t -> column("DATE", Types.DATE);
      case TimestampNTZType t -> column("TIMESTAMP(6)", Types.TIMESTAMP);
      default -> super.getJDBCType(type);
    };
  }

  private static Option<JdbcType> column(String definition, int type) {
    return new Some<>(new JdbcType(definition, type));
  }

  /** Of a column in Aragonite. */
  String typeName(DataType type) {
    Option<JdbcType> found = getJDBCType(type);
    if (found.isEmpty()) {
      throw PushedSql.refused(type.sql());
    }
    return found.get().databaseTypeDefinition();
  }

  @Override
  public String quoteIdentifier(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  @Override
  public boolean isSupportedFunction(String name) {
    return PushedSql.FUNCTIONS.contains(name);
  }

  @Override
  public Option<String> compileExpression(Expression expression) {
    try {
      return new Some<>(new PushedSql(this).build(typed(expression)));
    } catch (UnsupportedOperationException | IllegalArgumentException refused) {
      log().info(refused.getMessage());
      return Option.empty();
    }
  }

  /** What is no condition, aggregate or order is a key of groups. */
  private static Expression typed(Expression expression) {
    return switch (expression) {
      case TypedScanBuilder.GroupKey typed -> typed.key();
      case Predicate condition -> condition;
      case AggregateFunc function -> function;
      case SortOrder order -> order;
      default ->
          throw PushedSql.refused(
              "GROUP BY "
                  + expression.describe()
                  + ", which may be a float (-0.0) or of a type that only AragoniteCatalog knows,");
    };
  }

  @Override
  public boolean supportsLimit() {
    return true;
  }

  @Override
  public boolean supportsOffset() {
    return true;
  }

  @Override
  public boolean supportsJoin() {
    return true;
  }
}
