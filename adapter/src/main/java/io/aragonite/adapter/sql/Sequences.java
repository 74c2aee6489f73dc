package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.NumberSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sequences of a connection. Statements name them in texts, {@code nextval('s')}; what is
 * planned has their ids there.
 */
public final class Sequences {
  private static final int MOST_SEQUENCES = 1000;
  private static final String SETVAL = "SETVAL";
  private static final Set<String> FUNCTIONS = Set.of("NEXTVAL", "CURRVAL", SETVAL);

  /** What CREATE makes that keeps its text, with names; a view's is planned as it is kept. */
  private static final Set<String> KEEPING = Set.of("TABLE", "MACRO", "FUNCTION");

  /** Words between CREATE and what it makes, at most. */
  private static final int WORDS_BEFORE = 5;

  private final long owner = NumberSequence.owner();
  private final Map<String, NumberSequence> sequences = new ConcurrentHashMap<>();

  /** Whether there is a sequence of a name. */
  public boolean has(String name) {
    return sequences.containsKey(key(name));
  }

  /**
   * Makes a sequence, in the place of one of its name.
   *
   * @throws AragoniteException INVALID_STATEMENT if there are too many
   */
  public void put(String name, NumberSequence.Definition definition) {
    if (sequences.size() >= MOST_SEQUENCES && !has(name)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The connection has %d sequences, and can have no more; DROP SEQUENCE takes one away."
              .formatted(MOST_SEQUENCES));
    }
    NumberSequence before =
        sequences.put(key(name), NumberSequence.create(name, definition, owner));
    if (before != null) {
      before.drop();
    }
  }

  /** Takes a sequence away; returns whether there was one. */
  public boolean remove(String name) {
    NumberSequence sequence = sequences.remove(key(name));
    if (sequence != null) {
      sequence.drop();
    }
    return sequence != null;
  }

  /** Takes all away. */
  public void clear() {
    List.copyOf(sequences.keySet()).forEach(this::remove);
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** A statement with ids in the place of names; names that are none of a sequence stay. */
  public String resolve(String sql) {
    if (sequences.isEmpty()) {
      return sql;
    }
    List<String> tokens = new ArrayList<>(SqlTokens.list(sql));
    List<Integer> words = SqlTokens.words(tokens);
    if (keepsNames(words.stream().limit(WORDS_BEFORE).map(tokens::get).toList())) {
      return sql;
    }
    boolean changed = false;
    for (int i = 0; i + 3 < words.size(); i++) {
      String function = tokens.get(words.get(i)).toUpperCase(Locale.ROOT);
      String behind = function.equals(SETVAL) ? "," : ")";
      int close = FUNCTIONS.contains(function) ? close(tokens, words, i + 1, behind) : -1;
      NumberSequence sequence = close < 0 ? null : named(tokens.get(words.get(i + 2)));
      if (sequence != null) {
        for (int j = i + 2; j < close; j++) {
          tokens.set(words.get(j), j == i + 2 ? Long.toString(sequence.id()) : "");
        }
        changed = true;
      }
    }
    for (int i = 0; i + 2 < words.size(); i++) {
      if (tokens.get(words.get(i)).equalsIgnoreCase("LASTVAL")
          && tokens.get(words.get(i + 1)).equals("(")
          && tokens.get(words.get(i + 2)).equals(")")) {
        tokens.set(words.get(i + 1), "(" + owner);
        changed = true;
      }
    }
    return changed ? String.join("", tokens) : sql;
  }

  /** Whether a statement that begins so keeps its text, which is planned as parts of others. */
  private static boolean keepsNames(List<String> words) {
    for (String word : words) {
      String upper = word.toUpperCase(Locale.ROOT);
      if (upper.equals("VIEW")) {
        return false;
      } else if (KEEPING.contains(upper)) {
        return List.of("CREATE", "ALTER").contains(words.getFirst().toUpperCase(Locale.ROOT));
      }
    }
    return false;
  }

  /** Where {@code ('s')} and {@code ('s'::regclass)} close; -1 if nothing of this is there. */
  private static int close(List<String> tokens, List<Integer> words, int open, String closing) {
    if (!tokens.get(words.get(open)).equals("(")) {
      return -1;
    }
    StringBuilder behind = new StringBuilder();
    for (int i = open + 2; i < words.size() && i < open + 6; i++) {
      String word = tokens.get(words.get(i));
      if (word.equals(closing)) {
        String cast = behind.toString();
        return cast.isEmpty() || cast.equalsIgnoreCase("::regclass") ? i : -1;
      }
      behind.append(word);
    }
    return -1;
  }

  private @Nullable NumberSequence named(String text) {
    if (text.length() < 3 || text.charAt(0) != '\'') {
      return null;
    }
    String name = text.substring(1, text.length() - 1);
    String last = name.substring(name.lastIndexOf('.') + 1);
    return sequences.get(key(SqlTokens.unquoted(last)));
  }
}
