package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.value;

import java.util.List;
import java.util.Random;

/** Makes random dates, times of day, timestamps and instants. The connection's time zone is UTC. */
final class FuzzMoments {
  private static final List<String> ZONES = List.of("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");

  private final Random random;
  private final FuzzChoice choice;
  private final FuzzExpressions expressions;

  FuzzMoments(Random random, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.expressions = expressions;
  }

  SqlTree date(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.DATE;
    SqlTree one = expressions.of(type, scope, depth);
    return switch (random.nextInt(6)) {
      case 0 -> value(type, "cast(", expressions.of(FuzzType.TIMESTAMP, scope, depth), " as date)");
      case 1 -> value(type, "cast(", one, shift("day", "month", "year"), " as date)");
      case 2 -> value(type, "greatest(", one, ", ", expressions.literal(type), ")");
      case 3 -> value(type, "last_day(", one, ")");
      case 4 -> value(type, "cast(", expressions.of(FuzzType.INSTANT, scope, depth), " as date)");
      default -> value(type, "(", one, " + ", String.valueOf(random.nextInt(30)), ")");
    };
  }

  SqlTree timestamp(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.TIMESTAMP;
    return switch (random.nextInt(6)) {
      case 0 -> value(type, "cast(", expressions.of(FuzzType.DATE, scope, depth), " as timestamp)");
      case 1, 2 -> value(type, "(", expressions.of(type, scope, depth), shift("day", "hour", "second", "month"), ")");
      case 3 -> value(type, "(", expressions.of(FuzzType.INSTANT, scope, depth), zone(), ")");
      case 4 -> value(type, "cast(", expressions.of(FuzzType.INSTANT, scope, depth), " as timestamp)");
      default -> value(type, truncated(expressions.of(type, scope, depth)));
    };
  }

  SqlTree time(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.TIME;
    SqlTree one = expressions.of(type, scope, depth);
    return switch (random.nextInt(4)) {
      case 0 -> value(type, "cast(", expressions.of(FuzzType.TIMESTAMP, scope, depth), " as time)");
      case 1 -> value(type, "(", one, shift("hour", "minute", "second"), ")");
      case 2 -> value(type, "cast(cast(", one, " as varchar) as time)");
      default -> value(type, choice.any(List.of("greatest(", "least(")), one, ", ", expressions.of(type, scope, 0), ")");
    };
  }

  SqlTree instant(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.INSTANT;
    SqlTree one = expressions.of(type, scope, depth);
    return switch (random.nextInt(6)) {
      case 0 -> value(type, "(", expressions.of(FuzzType.TIMESTAMP, scope, depth), zone(), ")");
      case 1 -> value(type, "cast(", expressions.of(choice.chance(50) ? FuzzType.DATE : FuzzType.TIMESTAMP, scope, depth), " as timestamptz)");
      case 2 -> value(type, "(", one, shift("day", "hour", "second", "month"), ")");
      case 3 -> value(type, "cast(cast(", one, " as varchar) as timestamptz)");
      case 4 -> value(type, choice.any(List.of("greatest(", "least(")), one, ", ", expressions.of(type, scope, 0), ")");
      default -> value(type, truncated(one));
    };
  }

  /** Parts and distances of times of day and instants. */
  SqlTree integer(FuzzScope scope, int depth) {
    FuzzType type = FuzzType.INTEGER;
    SqlTree instant = expressions.of(FuzzType.INSTANT, scope, depth);
    return switch (random.nextInt(3)) {
      case 0 -> value(type, "extract(", choice.any(List.of("hour", "minute")), " from ", expressions.of(FuzzType.TIME, scope, depth), ")");
      case 1 -> value(type, "extract(", choice.any(List.of("year", "doy", "hour", "minute")), " from ", instant, ")");
      default ->
          value(type, "date_diff('", choice.any(List.of("month", "day", "hour", "second")), "', ", instant, ", ", expressions.of(FuzzType.INSTANT, scope, 0), ")");
    };
  }

  private SqlTree shift(String... units) {
    return SqlTree.fixed(choice.any(List.of(" + ", " - ")), "interval '", String.valueOf(random.nextInt(40)), "' ", choice.any(List.of(units)));
  }

  private SqlTree zone() {
    return SqlTree.fixed(" at time zone '" + choice.any(ZONES) + "'");
  }

  private SqlTree truncated(SqlTree moment) {
    return SqlTree.fixed("date_trunc('", choice.any(List.of("day", "hour", "month", "year")), "', ", moment, ")");
  }
}
