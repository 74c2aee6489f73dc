package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A SIMILAR TO pattern as a nondeterministic automaton (Thompson's construction, Pike's
 * simulation): time is proportional to text times pattern, whatever the pattern.
 */
final class SimilarPattern {
  private static final int MAX_PROGRAM = 50_000;
  private static final int MAX_DEPTH = 200;
  private static final IntPredicate NOTHING = point -> false;

  /** In the place of the next state: the pattern has matched. */
  private static final int MATCHED = -2;

  private final String pattern;
  private final int[] points;
  private final int escape;
  private int at;
  private int depth;
  private long repeats;

  /** The program: what to test, and where to go on; a second way makes it a split. */
  private final List<IntPredicate> tests = new ArrayList<>();

  private int[] next = new int[16];
  private int[] other = new int[16];
  private final int start;

  SimilarPattern(String pattern, @Nullable String escape) {
    this.pattern = pattern;
    this.points = pattern.codePoints().toArray();
    this.escape = LikePattern.escapePoint(escape);
    Node tree = alternation();
    if (at != points.length) {
      throw refused();
    }
    this.start = tree.emit(add(NOTHING, MATCHED, -1));
  }

  /** A part of the pattern that can emit itself in front of a continuation. */
  private interface Node {
    int emit(int continuation);
  }

  private int add(IntPredicate test, int to, int orTo) {
    int index = tests.size();
    if (index >= MAX_PROGRAM) {
      throw repeatsTooMuch();
    }
    tests.add(test);
    if (index == next.length) {
      next = Arrays.copyOf(next, 2 * index);
      other = Arrays.copyOf(other, 2 * index);
    }
    next[index] = to;
    other[index] = orTo;
    return index;
  }

  private EvalException repeatsTooMuch() {
    return new EvalException(
        ErrorCode.INVALID_REGEX, "the pattern '" + pattern + "' repeats too much");
  }

  private EvalException refused() {
    return new EvalException(
        ErrorCode.INVALID_REGEX,
        "'" + pattern + "' is not a pattern for SIMILAR TO (position " + (at + 1) + ")");
  }

  private Node alternation() {
    Node left = sequence();
    while (at < points.length && points[at] == '|') {
      at++;
      Node first = left;
      Node second = sequence();
      left = continuation -> add(NOTHING, first.emit(continuation), second.emit(continuation));
    }
    return left;
  }

  private Node sequence() {
    List<Node> parts = new ArrayList<>();
    while (at < points.length && points[at] != '|' && points[at] != ')') {
      parts.add(repeated(primary()));
    }
    return continuation -> {
      int to = continuation;
      for (int i = parts.size() - 1; i >= 0; i--) {
        to = parts.get(i).emit(to);
      }
      return to;
    };
  }

  /** A part with its quantifier; a reluctant (?) or possessive (+) sign behind one is left out. */
  private Node repeated(Node node) {
    Node result = node;
    boolean quantified = false;
    while (at < points.length) {
      if (quantified) {
        switch (points[at]) {
          case '?', '+' -> at++;
          case '*', '{' -> throw refused();
          default -> {}
        }
        return result;
      }
      switch (points[at]) {
        case '*' -> result = repeat(result, 0, -1);
        case '+' -> result = repeat(result, 1, -1);
        case '?' -> result = repeat(result, 0, 1);
        case '{' -> {
          at++;
          int low = number();
          int high = low;
          if (at < points.length && points[at] == ',') {
            at++;
            high = at < points.length && points[at] == '}' ? -1 : number();
          }
          if (at >= points.length || points[at] != '}' || (high >= 0 && high < low)) {
            throw refused();
          }
          result = repeat(result, low, high);
        }
        default -> {
          return result;
        }
      }
      quantified = true;
      at++;
    }
    return result;
  }

  private int number() {
    int value = 0;
    int begin = at;
    while (at < points.length && points[at] >= '0' && points[at] <= '9' && at - begin < 5) {
      value = value * 10 + points[at++] - '0';
    }
    if (at == begin) {
      throw refused();
    }
    return value;
  }

  private Node repeat(Node node, int low, int high) {
    return continuation -> {
      int to = continuation;
      // Parts that are empty add nothing to the program, however often they are repeated.
      repeats += Math.max(low, high);
      if (repeats > MAX_PROGRAM) {
        throw repeatsTooMuch();
      }
      if (high < 0) {
        int loop = add(NOTHING, -1, continuation);
        // Emitting may replace the array.
        int body = node.emit(loop);
        next[loop] = body;
        to = loop;
      } else {
        for (int i = low; i < high; i++) {
          to = add(NOTHING, node.emit(to), continuation);
        }
      }
      for (int i = 0; i < low; i++) {
        to = node.emit(to);
      }
      return to;
    };
  }

  private Node primary() {
    int point = points[at++];
    if (point == escape) {
      if (at == points.length) {
        throw new EvalException(
            ErrorCode.INVALID_ESCAPE, "the pattern '" + pattern + "' ends with its escape");
      }
      return one(literal(points[at++]));
    }
    switch (point) {
      case '%' -> {
        return repeat(one(any -> true), 0, -1);
      }
      case '_' -> {
        return one(any -> true);
      }
      case '(' -> {
        if (++depth > MAX_DEPTH) {
          throw refused();
        }
        Node inner = alternation();
        depth--;
        if (at >= points.length || points[at] != ')') {
          throw refused();
        }
        at++;
        return inner;
      }
      case '[' -> {
        return one(enumeration());
      }
      case '*', '+', '?', '{', '}', ']' -> {
        at--;
        throw refused();
      }
      default -> {
        return one(literal(point));
      }
    }
  }

  private Node one(IntPredicate test) {
    return continuation -> add(test, continuation, -1);
  }

  private static IntPredicate literal(int wanted) {
    return point -> point == wanted;
  }

  /** {@code [abc-x]}, {@code [^...]}, {@code [a-z^b]} and {@code [:CLASS:]}. */
  private IntPredicate enumeration() {
    IntPredicate included = point -> false;
    IntPredicate excluded = point -> false;
    boolean excluding = false;
    boolean any = false;
    while (true) {
      if (at >= points.length) {
        throw refused();
      }
      int point = points[at++];
      IntPredicate item;
      if (point == ']') {
        break;
      } else if (point == '^' && !excluding) {
        excluding = true;
        continue;
      } else if (point == '[') {
        item = characterClass();
      } else {
        int low = point == escape && at < points.length ? points[at++] : point;
        int high = low;
        if (at + 1 < points.length && points[at] == '-' && points[at + 1] != ']') {
          at++;
          high = points[at++];
          if (high == escape && at < points.length) {
            high = points[at++];
          }
        }
        if (high < low || ((point == '(' || point == ')') && point != escape)) {
          throw refused();
        }
        int to = high;
        item = p -> p >= low && p <= to;
      }
      if (excluding) {
        excluded = excluded.or(item);
      } else {
        included = included.or(item);
        any = true;
      }
    }
    if (!any && !excluding) {
      throw refused();
    }
    IntPredicate base = any ? included : point -> true;
    return base.and(excluded.negate());
  }

  private IntPredicate characterClass() {
    int begin = at;
    while (at < points.length && points[at] != ']') {
      at++;
    }
    if (at + 1 >= points.length) {
      throw refused();
    }
    String name = new String(points, begin, at - begin);
    at++;
    return switch (name.toUpperCase(Locale.ROOT)) {
      case ":ALPHA:" -> Character::isLetter;
      case ":UPPER:" -> Character::isUpperCase;
      case ":LOWER:" -> Character::isLowerCase;
      case ":DIGIT:" -> Character::isDigit;
      case ":ALNUM:" -> Character::isLetterOrDigit;
      case ":SPACE:" -> point -> point == ' ';
      case ":WHITESPACE:" -> Character::isWhitespace;
      default -> throw refused();
    };
  }

  boolean matches(String text) {
    int size = tests.size();
    int[] current = new int[size];
    int[] following = new int[size];
    int[] mark = new int[size];
    int[] stack = new int[2 * size + 1];
    StopCheck stopCheck = StopCheck.current();
    int generation = 1;
    int count = follow(start, current, 0, mark, generation, stack);
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      generation++;
      stopCheck.work(size);
      int reached = 0;
      for (int j = 0; j < count; j++) {
        int state = current[j];
        if (tests.get(state).test(point)) {
          reached = follow(next[state], following, reached, mark, generation, stack);
        }
      }
      if (reached == 0) {
        return false;
      }
      int[] swap = current;
      current = following;
      following = swap;
      count = reached;
    }
    for (int j = 0; j < count; j++) {
      if (next[current[j]] == MATCHED) {
        return true;
      }
    }
    return false;
  }

  /** Adds a state and all that splits lead to; the others wait for a code point. */
  private int follow(int from, int[] states, int count, int[] mark, int generation, int[] stack) {
    int depth = 0;
    stack[depth++] = from;
    int total = count;
    while (depth > 0) {
      int state = stack[--depth];
      if (mark[state] == generation) {
        continue;
      }
      mark[state] = generation;
      if (other[state] >= 0) {
        stack[depth++] = other[state];
        stack[depth++] = next[state];
      } else {
        states[total++] = state;
      }
    }
    return total;
  }
}
