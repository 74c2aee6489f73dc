package io.aragonite.bench.cold;

import io.aragonite.dataset.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Holds the answers of all processes against the stored ones, or else against the first that came.
 * Where two differ and a LIMIT may have kept either of several rows, all rows that there are decide.
 */
final class ColdAnswers {
  /** Answers without LIMIT. */
  @FunctionalInterface
  interface AllRows {
    /** Null if nobody knows. */
    @Nullable Answer of(ColdQuery query) throws IOException, InterruptedException;
  }

  /**
   * @param who gave it
   * @param answer null where the statement divides by zero
   */
  private record Given(String who, @Nullable Answer answer) {}

  private final Map<String, ColdQuery> queries = new LinkedHashMap<>();
  private final Map<String, Given> first = new HashMap<>();
  private final Map<String, Optional<Answer>> all = new HashMap<>();
  private final AllRows allRows;

  ColdAnswers(List<ColdQuery> queries, AllRows allRows) {
    for (ColdQuery query : queries) {
      this.queries.put(query.name(), query);
      query.stored().get().ifPresent(
          answer -> first.put(query.name(), new Given("the stored answer", answer)));
    }
    this.allRows = allRows;
  }

  /**
   * Checks what a process answered.
   *
   * @param who ran it
   * @return what is wrong
   */
  List<String> check(String who, ColdProcess process) throws IOException, InterruptedException {
    List<String> complaints = new ArrayList<>();
    for (ColdQuery query : queries.values()) {
      Answer answer = process.answers().get(query.name());
      if (answer != null || process.divided().contains(query.name())) {
        check(query, new Given(who, answer)).ifPresent(complaints::add);
      }
    }
    return complaints;
  }

  private Optional<String> check(ColdQuery query, Given given)
      throws IOException, InterruptedException {
    Given known = first.putIfAbsent(query.name(), given);
    if (known == null) {
      return Optional.empty();
    }
    if (known.answer == null || given.answer == null) {
      boolean knownDivides = known.answer == null;
      return knownDivides == (given.answer == null)
          ? Optional.empty()
          : Optional.of(
              "%s, %s: for %s it divides by zero, not for %s"
                  .formatted(
                      given.who,
                      query.name(),
                      knownDivides ? known.who : given.who,
                      knownDivides ? given.who : known.who));
    }
    // by its labels a peer's statement is sorted, so its answer is the one that says the order
    boolean peerIsNew = given.who.startsWith(ColdEngine.DUCKDB.name());
    Answer wanted = peerIsNew ? given.answer : known.answer;
    Answer found = peerIsNew ? known.answer : given.answer;
    Optional<String> difference = query.compare(wanted, found);
    if (difference.isEmpty()) {
      return difference;
    }
    Answer rows = query.isLimited() ? all(query) : null;
    if (rows == null) {
      return Optional.of(
          "%s, %s: unlike %s: %s"
              .formatted(given.who, query.name(), known.who, difference.get()));
    }
    Optional<String> wrong = query.compareWithAll(rows, given.answer);
    if (wrong.isPresent()) {
      return Optional.of("%s, %s: %s".formatted(given.who, query.name(), wrong.get()));
    }
    return query
        .compareWithAll(rows, known.answer)
        .map(text -> "%s, %s: %s".formatted(known.who, query.name(), text));
  }

  private @Nullable Answer all(ColdQuery query) throws IOException, InterruptedException {
    Optional<Answer> rows = all.get(query.name());
    if (rows == null) {
      rows = Optional.ofNullable(allRows.of(query));
      all.put(query.name(), rows);
    }
    return rows.orElse(null);
  }
}
