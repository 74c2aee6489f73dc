package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.value;

import java.util.List;
import java.util.Random;

/** Makes random casts: between numbers, which round, and from and to texts, truth values and moments. */
final class FuzzCasts {
  private static final List<String> INTEGERS = List.of("tinyint", "smallint", "integer", "bigint");
  private static final List<String> DECIMALS = List.of("decimal(4, 1)", "decimal(9, 0)", "decimal(18, 2)", "decimal(30, 1)");

  private final Random random;
  private final FuzzChoice choice;
  private final FuzzExpressions expressions;

  FuzzCasts(Random random, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
  }

  /** A cast to a kind. */
  SqlTree call(FuzzType type, FuzzScope scope, int depth) {
    return switch (type) {
      case BOOLEAN -> choice.chance(60) ? cast(type, "boolean", FuzzType.INTEGER, scope, depth) : tried(type, "boolean", scope, depth);
      case INTEGER -> integer(scope, depth);
      case DECIMAL -> decimal(scope, depth);
      case DOUBLE -> floating(scope, depth);
      case VARCHAR -> text(scope, depth);
      case DATE -> choice.chance(70) ? through(type, "date", scope, depth) : tried(type, "date", scope, depth);
      case TIMESTAMP, TIME, INSTANT, UUID -> {
        String sqlType = type.parameterType();
        // Of a text with a date DuckDB takes the time.
        yield type == FuzzType.TIME || choice.chance(70) ? through(type, sqlType, scope, depth) : tried(type, sqlType, scope, depth);
      }
    };
  }

  /** Values that do not fit are errors, or null. */
  private SqlTree cast(FuzzType type, String sqlType, FuzzType of, FuzzScope scope, int depth) {
    return value(type, choice.chance(50) ? "cast(" : "try_cast(", expressions.of(of, scope, depth), " as " + sqlType + ")");
  }

  /** A text that may be none of the kind. */
  private SqlTree tried(FuzzType type, String sqlType, FuzzScope scope, int depth) {
    return value(type, "try_cast(", expressions.of(FuzzType.VARCHAR, scope, depth), " as " + sqlType + ")");
  }

  /** There and back. */
  private SqlTree through(FuzzType type, String sqlType, FuzzScope scope, int depth) {
    return value(type, "cast(cast(", expressions.of(type, scope, depth), " as varchar) as " + sqlType + ")");
  }

  private SqlTree integer(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.INTEGER;
    String sqlType = choice.any(INTEGERS);
    return switch (random.nextInt(6)) {
      case 0, 1 -> cast(type, sqlType, FuzzType.DOUBLE, scope, depth);
      case 2, 3 -> cast(type, sqlType, FuzzType.DECIMAL, scope, depth);
      case 4 -> cast(type, sqlType, FuzzType.BOOLEAN, scope, depth);
      default -> cast(type, sqlType, type, scope, depth);
    };
  }

  private SqlTree decimal(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.DECIMAL;
    String sqlType = choice.any(DECIMALS);
    return switch (random.nextInt(6)) {
      case 0, 1 -> cast(type, sqlType, FuzzType.DOUBLE, scope, depth);
      case 2 -> tried(type, sqlType, scope, depth);
      case 3 -> value(type, "cast(cast(", expressions.of(type, scope, depth), " as varchar) as " + sqlType + ")");
      default -> cast(type, sqlType, type, scope, depth);
    };
  }

  private SqlTree floating(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.DOUBLE;
    return switch (random.nextInt(4)) {
      case 0 -> value(type, "cast(cast(", expressions.of(type, scope, depth), " as varchar) as double)");
      case 1 -> cast(type, "real", type, scope, depth);
      case 2 -> cast(type, "real", choice.chance(50) ? FuzzType.DECIMAL : FuzzType.INTEGER, scope, depth);
      default -> cast(type, "double", FuzzType.BOOLEAN, scope, depth);
    };
  }

  private SqlTree text(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.VARCHAR;
    // Texts of truth values, and of decimals and floats below one, are the standard's here.
    return switch (random.nextInt(3)) {
      case 0 -> value(type, "lower(", cast(type, "varchar", FuzzType.BOOLEAN, scope, depth), ")");
      case 1 -> value(type, "ltrim(", "cast(cast(abs(", expressions.of(FuzzType.DECIMAL, scope, depth), ") as decimal(20, 3)) as varchar), '0')");
      default -> cast(type, "varchar", FuzzType.TIMESTAMP, scope, depth);
    };
  }
}
