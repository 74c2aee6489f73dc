package io.aragonite.sqltests.logic;

import io.aragonite.sqltests.logic.LogicScript.Change;
import io.aragonite.sqltests.logic.LogicScript.Query;
import io.aragonite.sqltests.logic.LogicScript.ScriptStep;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs scripts, each on a connection of its own; threads may share it. */
final class LogicRun {
  private static final Pattern CODE = Pattern.compile("AR-\\d{3}");
  private static final int MOST_FINDINGS = 40;

  private final String url;
  private final LogicAllowList allowed;
  private final int queriesOfScript;
  private final int changesOfScript;
  private final long seed;
  private final long deadline;
  private final AtomicLong whole = new AtomicLong();
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong right = new AtomicLong();
  private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();

  /**
   * @param queriesOfScript that are run, about, drawn by the seed
   * @param changesOfScript after which a script ends: queries are about what all before have made
   * @param seconds after which scripts end where they are
   */
  LogicRun(
      String url,
      LogicAllowList allowed,
      int queriesOfScript,
      int changesOfScript,
      long seed,
      long seconds) {
    this.url = url;
    this.allowed = allowed;
    this.queriesOfScript = queriesOfScript;
    this.changesOfScript = changesOfScript;
    this.seed = seed;
    this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  List<String> findings() {
    return List.copyOf(findings);
  }

  /** Whether each script ran to its end. */
  boolean isWhole(int scripts) {
    return whole.get() == scripts;
  }

  /** Queries with the right answer so far. */
  long right() {
    return right.get();
  }

  @Override
  public String toString() {
    return "%,d whole, %,d queries right, %,d changes done, %d findings"
        .formatted(whole.get(), right.get(), changes.get(), findings.size());
  }

  /** Runs a script of the class path. */
  void run(String name) throws IOException, SQLException {
    LogicScript script;
    try (InputStream stream = LogicRun.class.getResourceAsStream("/" + name)) {
      if (stream == null) {
        throw new IllegalStateException(name + " is not on the class path");
      }
      script = LogicScript.read(stream);
    }
    List<ScriptStep> steps = steps(script);
    long queries = steps.stream().filter(Query.class::isInstance).count();
    double share = (double) queriesOfScript / Math.max(1, queries);
    Random random = new Random(seed * 31 + name.hashCode());
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (ScriptStep step : steps) {
        if (findings.size() >= MOST_FINDINGS || System.nanoTime() - deadline > 0) {
          return;
        }
        if (step instanceof Change || random.nextDouble() < share) {
          String wrong = wrong(statement, step);
          if (wrong != null && !allowed.has(name + " " + wrong)) {
            findings.add("%s, line %d: %s".formatted(name, step.line(), wrong));
          }
        }
      }
      whole.incrementAndGet();
    }
  }

  private List<ScriptStep> steps(LogicScript script) {
    List<ScriptStep> steps = new ArrayList<>();
    int made = 0;
    for (ScriptStep step : script.steps()) {
      made += step instanceof Change ? 1 : 0;
      if (made > changesOfScript) {
        break;
      }
      steps.add(step);
    }
    return steps;
  }

  /** What is otherwise than the script says, or null. */
  private @Nullable String wrong(Statement statement, ScriptStep step) {
    try {
      switch (step) {
        case Change change -> {
          statement.execute(change.sql());
          if (change.refused()) {
            return "done " + change.sql();
          }
          changes.incrementAndGet();
        }
        case Query query -> {
          try (ResultSet result = statement.executeQuery(query.sql())) {
            String difference = LogicAnswer.of(result, query).difference(query);
            if (difference != null) {
              return "differs %s%n    %s".formatted(query.sql(), difference);
            }
          }
          right.incrementAndGet();
        }
      }
      return null;
    } catch (SQLException e) {
      if (step instanceof Change change && change.refused()) {
        changes.incrementAndGet();
        return null;
      }
      String message = String.valueOf(e.getMessage());
      Matcher code = CODE.matcher(message);
      return "%s %s%n    %s".formatted(code.find() ? code.group() : "error", step.sql(), message);
    }
  }
}
