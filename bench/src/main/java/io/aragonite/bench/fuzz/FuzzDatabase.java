package io.aragonite.bench.fuzz;

import io.aragonite.adapter.AragoniteConnection;
import io.aragonite.adapter.statement.ConnectionMetrics;
import io.aragonite.bench.fuzz.FuzzConfiguration.FuzzAnswer;
import io.aragonite.bench.fuzz.FuzzConfiguration.FuzzVariation;
import io.aragonite.bench.fuzz.FuzzOutcome.OutcomeKind;
import io.aragonite.bench.fuzz.FuzzStatement.FuzzCheck;
import io.aragonite.bench.fuzz.FuzzTimes.PhaseSpan;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.error.ErrorKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A connection of ours in a configuration, whose answers are compared with those of a peer over the same tables. */
final class FuzzDatabase implements AutoCloseable {
  private static final int MOST_ROWS = 100_000;
  private static final int MOST_LIMITED = 40;
  private static final int WAYS_OF_VALUE = 2;
  private static final int WAYS_OF_TEXT = 4;

  /** How often all values, and all texts, are gone through, each time in other ways: their plans and DuckDB's answers are there. */
  private static final int ROUNDS_OF_VALUES = 3;
  private static final int ROUNDS_OF_TEXTS = 2;

  /** Answers of DuckDB's of more rows are not kept for other ways. */
  private static final int MOST_KEPT = 2_000;

  /** A deviation that sums may leave where nothing varies: the root of what rounding leaves of their squares. */
  private static final double LEFT_OF_SUMS = 1e-6;

  private static final int TIMEOUT_SECONDS = 20;

  /** Processor time after which a statement has no other answers. */
  private static final long LIMIT_NANOS = 700_000_000;

  private static final List<ErrorCode> CONSTRAINTS = List.of(ErrorCode.DUPLICATE_KEY, ErrorCode.CHECK_VIOLATED, ErrorCode.NULL_NOT_ALLOWED);

  private static final Pattern LEAVES_OUT = Pattern.compile("(?i)\\bon conflict\\b|\\binsert or \\w+\\b");

  private final FuzzConfiguration configuration;
  private final FuzzPeer duckDb;
  private final Connection ours;
  private final String file;
  private final List<FuzzVariation> ways;
  private final @Nullable FuzzFaults faults;
  private final FuzzTimes times;
  private long limitNanos = LIMIT_NANOS;

  /** DuckDB's answers to the texts of one statement, which changes no table; null where one may. */
  private @Nullable Map<String, FuzzRows> known;

  /** Whether the statement that runs now has answered before. */
  private boolean again;

  /** Processor time at which it is to have no more answers than it has. */
  private long end = Long.MAX_VALUE;

  FuzzDatabase(FuzzPeer peer, FuzzConfiguration configuration, boolean faulty) throws SQLException, IOException {
    this(peer, configuration, faulty, new FuzzTimes());
  }

  /**
   * Opens a connection.
   *
   * @param faulty whether statements are run again with faults
   * @param times where it counts what takes how long
   */
  FuzzDatabase(FuzzPeer peer, FuzzConfiguration configuration, boolean faulty, FuzzTimes times) throws SQLException, IOException {
    this.times = times;
    this.configuration = configuration;
    duckDb = peer;
    file = "'" + peer.files().resolve(FuzzStatement.FILE.replace("'", "")) + "'";
    Path spill = Files.createDirectories(peer.directory().resolveSibling(peer.directory().getFileName() + "-spill"));
    configuration.enter();
    ours = open(peer, spill);
    ways = faulty ? configuration.variations().subList(0, 1) : configuration.variations();
    faults = faulty ? new FuzzFaults(spill) : null;
  }

  private Connection open(FuzzPeer peer, Path spill) throws SQLException {
    Connection connection = null;
    boolean opened = false;
    try (PhaseSpan _ = times.in(FuzzPhase.CONNECTIONS)) {
      connection = configuration.open(peer.directory().toString(), spill, TIMEOUT_SECONDS);
      peer.open(connection);
      opened = true;
      return connection;
    } finally {
      if (!opened) {
        configuration.leave();
        if (connection != null) {
          connection.close();
        }
      }
    }
  }

  /** Runs a statement and compares what it gives; a right one again with faults, if that is asked for. */
  FuzzOutcome run(FuzzStatement statement) {
    if (faults == null) {
      return checked(statement);
    }
    FuzzStatement whole = statement.unprepared();
    FuzzOutcome first = statement.check() == FuzzCheck.CHANGES ? new FuzzOutcome(OutcomeKind.NOT_COMPARED, "it changes tables") : checked(whole);
    return first.kind() == OutcomeKind.AGREED ? first.and(faults.run(() -> answer(ours, whole.sql()))) : first;
  }

  /** Gives each statement its time, whatever that is: one that is run again alone. */
  void unlimited() {
    limitNanos = Long.MAX_VALUE / 2;
  }

  /** Whether others could have many answers in the time that a statement takes for its next one. */
  private boolean isLong() {
    return FuzzTimes.processorNanos() > end;
  }

  private FuzzOutcome checked(FuzzStatement statement) {
    again = false;
    known = statement.check() == FuzzCheck.PREPARED || statement.check() == FuzzCheck.LITERALS ? new HashMap<>() : null;
    end = times.isReducing() ? Long.MAX_VALUE : FuzzTimes.processorNanos() + limitNanos;
    return switch (statement.check()) {
      case PEER -> besideDuckDb(statement.sql());
      case PREPARED -> prepared(statement);
      case LITERALS -> repeated(statement);
      case PARTITION -> partitioned(statement);
      case PIVOT -> pivoted(statement);
      case CHANGES -> changed(statement);
    };
  }

  /** Each statement with both, until one cannot do it. */
  private FuzzOutcome changed(FuzzStatement statement) {
    FuzzOutcome all = FuzzOutcome.agreed(0);
    try {
      for (String sql : statement.sql().replace(FuzzStatement.FILE, file).split(FuzzStatement.NEXT)) {
        boolean asks = sql.startsWith("select") || sql.startsWith("(") || sql.startsWith("with") || sql.startsWith("values");
        FuzzOutcome one = asks ? besideDuckDb(sql) : changedBeside(sql);
        if (one.kind() != OutcomeKind.AGREED) {
          return all.checks() > 0 && !one.isFinding() ? all : one;
        }
        all = all.and(one);
      }
      return all;
    } finally {
      drop();
    }
  }

  private FuzzOutcome changedBeside(String sql) {
    if (sql.contains(FuzzChanges.RETURNING)) {
      return returnedBeside(sql);
    }
    int found;
    try (Statement change = ours.createStatement()) {
      found = change.executeUpdate(sql);
    } catch (SQLException e) {
      return isConstraint(e) ? alsoRefused(sql, e) : ofOurs(e);
    }
    if (sql.startsWith("copy")) {
      return FuzzOutcome.agreed(0); // DuckDB reads what we have written
    }
    try {
      int expected = duckDb.update(sql);
      boolean counts = !sql.startsWith("create") && !sql.startsWith("alter");
      return !counts || found == expected
          ? FuzzOutcome.agreed(0)
          : new FuzzOutcome(OutcomeKind.WRONG, "%d rows changed instead of %d: %s".formatted(found, expected, sql));
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage());
      return message.startsWith("Constraint Error")
          ? new FuzzOutcome(OutcomeKind.WRONG, "done against a constraint: %s: %s".formatted(sql, message))
          : ofDuckDb(e);
    }
  }

  /** A change whose answer is rows: it is made once. */
  private FuzzOutcome returnedBeside(String sql) {
    FuzzRows found;
    try {
      found = answer(ours, sql);
    } catch (SQLException e) {
      return isConstraint(e) ? alsoRefused(sql, e) : ofOurs(e);
    }
    try {
      FuzzRows expected = duckDb.answer(sql);
      String difference = found == null || expected == null ? null : found.difference(expected);
      return difference == null
          ? FuzzOutcome.agreed(1)
          : new FuzzOutcome(OutcomeKind.WRONG, sql + "\n" + difference);
    } catch (SQLException e) {
      return ofDuckDb(e);
    }
  }

  private static boolean isConstraint(SQLException error) {
    return CONSTRAINTS.stream().anyMatch(code -> code.number() == error.getErrorCode());
  }

  /**
   * What a constraint forbids us it forbids DuckDB, but for rows that it leaves out before it checks
   * them; PostgreSQL does so after that.
   */
  private FuzzOutcome alsoRefused(String sql, SQLException ours) {
    try {
      duckDb.update(sql);
      if (ours.getErrorCode() == ErrorCode.CHECK_VIOLATED.number() && LEAVES_OUT.matcher(sql).find()) {
        return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "a CHECK of rows that DuckDB leaves out");
      }
      return new FuzzOutcome(OutcomeKind.WRONG, "refused by a constraint: %s: %s".formatted(sql, ours.getMessage()));
    } catch (LostPeerException e) {
      return ofDuckDb(e);
    } catch (SQLException e) {
      return FuzzOutcome.agreed(1);
    }
  }

  /** The table that a statement has made and changed. */
  private void drop() {
    String sql = "drop table if exists changed";
    try (Statement statement = ours.createStatement()) {
      statement.execute(sql);
      duckDb.update(sql);
    } catch (SQLException e) {
      requireLost(e);
    }
  }

  /** Each of several texts: the second makes a plan that those behind it share, where that can be. */
  private FuzzOutcome repeated(FuzzStatement statement) {
    FuzzOutcome all = FuzzOutcome.agreed(0);
    List<String> texts = statement.texts();
    for (int i = 0; i < ROUNDS_OF_TEXTS * texts.size(); i++) {
      if (i > 1 && isLong()) {
        return all;
      }
      String sql = texts.get(i % texts.size());
      FuzzOutcome one = besideDuckDb(sql, () -> answer(ours, sql), some(i % texts.size(), i / texts.size(), WAYS_OF_TEXT));
      if (one.isFinding()) {
        return new FuzzOutcome(one.kind(), sql + "\n" + one.message(), all.checks());
      }
      all = all.and(one);
    }
    return all;
  }

  /** Values take variations by turns, and in each round those of the next. */
  private List<FuzzVariation> some(int number, int round, int most) {
    return IntStream.range(0, Math.min(most, ways.size())).mapToObj(i -> ways.get(((number + round) * most + i) % ways.size())).toList();
  }

  ConnectionMetrics metrics() throws SQLException {
    return ours.unwrap(AragoniteConnection.class).metrics();
  }

  /** One plan for all, which knows no value. */
  private FuzzOutcome prepared(FuzzStatement statement) {
    FuzzOutcome all = null;
    List<SqlTree> variants = statement.variants();
    int rounds = variants.size() == 1 ? 1 : ROUNDS_OF_VALUES;
    try (PreparedStatement ready = ready(statement)) {
      ready.setQueryTimeout(TIMEOUT_SECONDS);
      for (int i = 0; i < rounds * variants.size(); i++) {
        if (all != null && isLong()) {
          return all;
        }
        int number = i % variants.size();
        SqlTree variant = variants.get(number);
        // One value alone takes all variations.
        List<FuzzVariation> some = rounds == 1 ? ways : some(number, i / variants.size(), WAYS_OF_VALUE);
        FuzzOutcome one = besideDuckDb(variant.text(), () -> answer(ready, variant), some);
        if (one.isFinding()) {
          String message = number == 0 ? one.message() : "%s\nwith the values of\n%s".formatted(one.message(), variant.text());
          return new FuzzOutcome(one.kind(), message, all == null ? 0 : all.checks());
        }
        all = all == null ? one : all.and(one);
      }
    } catch (SQLException e) {
      return ofOurs(e);
    }
    return all == null ? FuzzOutcome.agreed(0) : all;
  }

  private PreparedStatement ready(FuzzStatement statement) throws SQLException {
    try (PhaseSpan _ = times.in(FuzzPhase.FIRST)) {
      return ours.prepareStatement(statement.prepared());
    }
  }

  /** Our rows; null if there are more than so many. */
  @Nullable FuzzRows ours(String sql, int most) throws SQLException {
    try (Statement statement = ours.createStatement()) {
      return FuzzRows.read(statement.executeQuery(sql), most);
    }
  }

  /** The rows of a prepared statement with the literals of another tree like its own; null if there are very many. */
  static @Nullable FuzzRows answer(PreparedStatement ready, SqlTree values) throws SQLException {
    int number = 1;
    for (SqlTree literal : values.literals()) {
      FuzzType type = Objects.requireNonNull(literal.type());
      Object value = type.javaValue(literal.text());
      if (value == null) {
        ready.setNull(number++, Types.NULL);
      } else {
        ready.setObject(number++, value);
      }
    }
    return FuzzRows.read(ready.executeQuery(), MOST_ROWS);
  }

  /** What is made true for a row must have that row in its answer. */
  private FuzzOutcome pivoted(FuzzStatement statement) {
    FuzzPivot pivot = Objects.requireNonNull(statement.pivot());
    try {
      FuzzRows constant = answer(ours, "select " + pivot.of(statement.condition()));
      if (constant == null || constant.rows().size() != 1) {
        return new FuzzOutcome(OutcomeKind.WRONG, "a constant has not one value");
      }
      String value = constant.rows().get(0).get(0).toString();
      String test = value.equals("true") || value.equals("false") ? "is " + value : "is null";
      List<Object> wanted = pivot.ids().stream().<Object>map(id -> FuzzRows.plain(new BigDecimal(id))).toList();
      FuzzRows found = answer(ours, statement.where(test));
      if (found == null) {
        return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "more rows than are looked at");
      }
      if (found.rows().contains(wanted)) {
        return FuzzOutcome.agreed(1);
      }
      FuzzRows whole = answer(ours, statement.whole());
      return whole == null || !whole.rows().contains(wanted)
          ? new FuzzOutcome(OutcomeKind.NOT_COMPARED, "the row is not there")
          : new FuzzOutcome(OutcomeKind.WRONG, "WHERE (...) %s lacks the row %s, where: select %s%n".formatted(test, pivot.ids(), pivot.of(statement.condition())));
    } catch (SQLException e) {
      return ofOurs(e);
    }
  }

  private FuzzOutcome besideDuckDb(String sql) {
    return besideDuckDb(sql, () -> answer(ours, sql), ways);
  }

  /** Ours first: what we refuse DuckDB need not compute. Its answer serves for all variations of one plan. */
  private FuzzOutcome besideDuckDb(String sql, FuzzAnswer answer, List<FuzzVariation> variations) {
    FuzzRows expected = null;
    FuzzOutcome all = FuzzOutcome.agreed(0);
    for (FuzzVariation variation : variations) {
      if (all.checks() > 0 && isLong()) {
        return all;
      }
      FuzzRows found;
      try {
        found = found(answer, variation);
      } catch (SQLException e) {
        FuzzOutcome failed = ofOurs(e);
        return all.checks() > 0 && !failed.isFinding() ? all : failed.in(variation);
      }
      try {
        expected = expected == null ? expected(sql) : expected;
      } catch (SQLException e) {
        return ofDuckDb(e);
      }
      FuzzOutcome one = compared(sql, found, expected);
      if (one.kind() != OutcomeKind.AGREED) {
        return one.in(variation);
      }
      all = all.and(one);
    }
    return all;
  }

  private @Nullable FuzzRows found(FuzzAnswer answer, FuzzVariation variation) throws SQLException {
    try (PhaseSpan _ = times.in(again ? FuzzPhase.AGAIN : FuzzPhase.FIRST)) {
      return configuration.in(variation, answer);
    } finally {
      again = true;
    }
  }

  private @Nullable FuzzRows expected(String sql) throws SQLException {
    FuzzRows before = known == null ? null : known.get(sql);
    if (before != null) {
      return before;
    }
    try (PhaseSpan _ = times.in(FuzzPhase.PEER)) {
      FuzzRows answer = duckDb.answer(sql);
      if (known != null && answer != null && answer.rows().size() <= MOST_KEPT) {
        known.put(sql, answer);
      }
      return answer;
    }
  }

  private @Nullable String difference(FuzzRows found, FuzzRows expected) {
    try (PhaseSpan _ = times.in(FuzzPhase.COMPARING)) {
      return found.difference(expected);
    }
  }

  FuzzOutcome compared(String sql, @Nullable FuzzRows found, @Nullable FuzzRows expected) {
    if (expected == null || found == null) {
      return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "more rows than are looked at");
    }
    String difference = difference(found, expected);
    if (difference == null) {
      return FuzzOutcome.agreed(1);
    }
    if (found.differsInLastDigits(expected) && (sumsAreOpen(sql, expected) || areVariancesOfSums(sql, found, expected))) {
      return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "floating-point sums that depend on the order of rows, and variances composed of sums");
    }
    return found.hasLargeDoubles()
        ? new FuzzOutcome(OutcomeKind.NOT_COMPARED, "floating-point numbers too large to be compared")
        : besideUnoptimized(sql, found, difference);
  }

  /** Whether DuckDB still differs when it does what the statement says, step by step: its optimizer has defects too. */
  private FuzzOutcome besideUnoptimized(String sql, FuzzRows found, String difference) {
    try {
      duckDb.update("pragma disable_optimizer");
      FuzzRows expected = duckDb.answer(sql);
      return expected != null && found.difference(expected) == null
          ? new FuzzOutcome(OutcomeKind.NOT_COMPARED, "DuckDB differs with and without its optimizer")
          : new FuzzOutcome(OutcomeKind.WRONG, difference);
    } catch (LostPeerException e) {
      return ofDuckDb(e);
    } catch (SQLException e) {
      return new FuzzOutcome(OutcomeKind.WRONG, difference);
    } finally {
      try {
        duckDb.update("pragma enable_optimizer");
      } catch (SQLException e) {
        requireLost(e);
      }
    }
  }

  /** After a defect of its own DuckDB does nothing more. */
  private static void requireLost(SQLException error) {
    if (!(error instanceof LostPeerException)) {
      throw new IllegalStateException(error);
    }
  }

  /** Whether DuckDB's own answer is another when it adds up more exactly. */
  private boolean sumsAreOpen(String sql, FuzzRows expected) {
    try {
      FuzzRows exact = duckDb.answer(sql.replace("sum(", "fsum(").replace("avg(", "favg("));
      return exact != null && exact.difference(expected) != null;
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * Whether DuckDB finds the same when it composes variances of sums, as we do in places, and sums of squares of distances from the mean:
   * its own lose digits of great numbers that are near to each other. Little is left of variances near 0
   * (docs/reference.md). What is left differs where sums are of distances from the mean of all groups.
   */
  private boolean areVariancesOfSums(String sql, FuzzRows found, FuzzRows expected) {
    String composed = sql.replaceAll("\\b(var_pop|var_samp|stddev_pop|stddev_samp|covar_pop|covar_samp|corr|regr_sxx|regr_syy)\\(", "$1_of_sums(");
    if (composed.equals(sql)) {
      return false;
    }
    if (found.without(LEFT_OF_SUMS).difference(expected.without(LEFT_OF_SUMS)) == null) {
      return true;
    }
    try {
      FuzzRows same = duckDb.answer(composed);
      return same != null && found.difference(same) == null;
    } catch (SQLException e) {
      return false;
    }
  }

  private FuzzOutcome partitioned(FuzzStatement statement) {
    try {
      FuzzRows whole = answer(ours, statement.whole());
      FuzzRows parts = configuration.in(ways.getLast(), () -> answer(ours, statement.parts()));
      FuzzRows counted = configuration.in(ways.get(ways.size() / 2), () -> answer(ours, statement.countWhere()));
      FuzzRows summed = answer(ours, statement.sumOfCases());
      if (whole == null || parts == null || counted == null || summed == null) {
        return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "more rows than are looked at");
      }
      if (counted.number().compareTo(summed.number()) != 0) {
        return outcome("counted in WHERE: %s, in SELECT: %s".formatted(counted.number(), summed.number()));
      }
      String difference = parts.difference(whole);
      return difference == null ? limited(statement, counted.number().longValueExact()) : outcome(difference);
    } catch (SQLException e) {
      return ofOurs(e);
    }
  }

  /** Some rows are as many as there are, and of them. */
  private FuzzOutcome limited(FuzzStatement statement, long count) throws SQLException {
    int most = (int) Math.abs(statement.sql().hashCode() % MOST_LIMITED);
    int behind = most % 3;
    FuzzRows some = answer(ours, statement.some(most, behind));
    FuzzRows all = answer(ours, statement.where("is true"));
    long wanted = Math.clamp(count - behind, 0, most);
    if (some == null || all == null || some.rows().size() != wanted) {
      return outcome("LIMIT %d OFFSET %d of %d rows has not %d rows: %s".formatted(most, behind, count, wanted, some));
    }
    return all.contains(some) ? FuzzOutcome.agreed(3) : outcome("LIMIT %d OFFSET %d has rows that are not there:%n%s".formatted(most, behind, some));
  }

  static @Nullable FuzzRows answer(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      return FuzzRows.read(statement.executeQuery(sql), MOST_ROWS);
    }
  }

  private static FuzzOutcome outcome(@Nullable String difference) {
    return difference == null ? FuzzOutcome.agreed(2) : new FuzzOutcome(OutcomeKind.WRONG, difference);
  }

  private static FuzzOutcome ofDuckDb(SQLException error) {
    String message = String.valueOf(error.getMessage());
    boolean data =
        message.startsWith("Out of Range Error") || message.startsWith("Conversion Error") || message.contains("Overflow");
    return new FuzzOutcome(data ? OutcomeKind.DATA_ERROR : OutcomeKind.NOT_COMPARED, "DuckDB: " + message);
  }

  private FuzzOutcome ofOurs(SQLException error) {
    String message = String.valueOf(error.getMessage());
    String assertion = FuzzAssertions.place(error);
    if (assertion != null) {
      return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "an assertion of Calcite's that says nothing of answers, " + assertion + "; run it without -ea");
    }
    if (error instanceof SQLTimeoutException) {
      return new FuzzOutcome(OutcomeKind.NO_RESOURCES, message);
    }
    Optional<ErrorCode> code =
        Arrays.stream(ErrorCode.values()).filter(each -> each.number() == error.getErrorCode()).findFirst();
    if (code.isEmpty() || code.get().kind() == ErrorKind.INTERNAL) {
      return new FuzzOutcome(OutcomeKind.BROKEN, message);
    }
    ErrorKind kind = code.get().kind();
    if (kind == ErrorKind.RESOURCES) {
      return new FuzzOutcome(OutcomeKind.NO_RESOURCES, message);
    }
    boolean data = code.get().name().matches("NUMERIC_OVERFLOW|INVALID_CAST|INVALID_DATETIME|DIVISION_BY_ZERO|INVALID_ARGUMENT|SCALAR_SUBQUERY_ROWS");
    return new FuzzOutcome(data ? OutcomeKind.DATA_ERROR : OutcomeKind.REFUSED, message);
  }

  @Override
  public void close() {
    try {
      ours.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      configuration.leave();
    }
  }
}
