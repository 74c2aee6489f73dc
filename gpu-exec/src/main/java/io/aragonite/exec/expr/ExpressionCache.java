package io.aragonite.exec.expr;

import io.aragonite.exec.vector.ColumnShape;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a device has compiled, for as long as the heap has room for it. Even where all code is known
 * it takes 0.1 to 1 ms to write its text again, by which it is found: longer than most operators of
 * a query that runs again take on a GPU. Safe for several threads.
 */
public final class ExpressionCache {
  private static final int MOST = 4_000;

  private static final int DEEPEST = 150;
  private static final int MOST_VISITS = 50_000;

  /**
   * @param inputs have dictionaries, which belong to tables: what refers to them must go before the
   *     heap is full
   */
  private record ExpressionKey(List<Expr> expressions, List<ColumnShape> inputs) {}

  private record CachedExpression(ExpressionKey wanted, Object compiled) {}

  /** By the hash of what was wanted; of two with the same hash the later one stays. */
  private final ConcurrentHashMap<Integer, SoftReference<CachedExpression>> all =
      new ConcurrentHashMap<>();

  /**
   * Whether expressions that are equal to others are worth as much: none of them calls the host,
   * whose functions may give something else each time, and none is nested so deeply, or uses its
   * arguments so often, that it cannot be compared quickly by the stack that there is.
   */
  public static boolean comparable(List<Expr> expressions) {
    List<Expr> level = expressions;
    int visits = 0;
    for (int depth = 0; !level.isEmpty(); depth++) {
      visits += level.size();
      if (depth == DEEPEST || visits > MOST_VISITS) {
        return false;
      }
      List<Expr> next = new ArrayList<>();
      for (Expr expression : level) {
        switch (expression) {
          case Expr.HostFunctionCall _ -> {
            return false;
          }
          case Expr.Call call -> next.addAll(call.args());
          case Expr.KeyWord word -> next.addAll(word.keys());
          default -> {}
        }
      }
      level = next;
    }
    return true;
  }

  /**
   * What is known of expressions, or is made now.
   *
   * @param expressions that are {@link #comparable}
   * @param type of what is made; expressions of one type are told apart from those of another
   */
  public <T> T get(
      Class<T> type, List<Expr> expressions, List<ColumnShape> inputs, Supplier<T> make) {
    ExpressionKey wanted = new ExpressionKey(List.copyOf(expressions), List.copyOf(inputs));
    int hash = 31 * wanted.hashCode() + type.hashCode();
    T found = find(type, wanted, hash);
    if (found == null) {
      found = make.get();
      if (all.size() >= MOST) {
        all.clear();
      }
      all.put(
          hash, new SoftReference<>(new CachedExpression(wanted, Objects.requireNonNull(found))));
    }
    return found;
  }

  private <T> @Nullable T find(Class<T> type, ExpressionKey wanted, int hash) {
    SoftReference<CachedExpression> reference = all.get(hash);
    CachedExpression known = reference == null ? null : reference.get();
    return known != null && known.wanted.equals(wanted) && type.isInstance(known.compiled)
        ? type.cast(known.compiled)
        : null;
  }
}
