package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Compilation is recursive; expressions nested deeply are compiled on a thread with room for it.
 */
public final class DeepStack {
  private static final int DEEP = 150;
  private static final long STACK_BYTES = 512L << 20;

  private record Visit(Expr expr, int depth) {}

  private DeepStack() {}

  /** Whether some expression is nested too deeply for an ordinary stack. */
  public static boolean isDeep(List<Expr> exprs) {
    Deque<Visit> pending = new ArrayDeque<>();
    Set<Expr> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    exprs.forEach(expr -> pending.push(new Visit(expr, 1)));
    while (!pending.isEmpty()) {
      Visit visit = pending.pop();
      if (visit.depth > DEEP) {
        return true;
      }
      List<Expr> args =
          switch (visit.expr) {
            case Expr.Call call -> call.args();
            case Expr.HostFunctionCall call -> call.args();
            case Expr.KeyWord word -> word.keys();
            default -> List.of();
          };
      if (!args.isEmpty() && seen.add(visit.expr)) {
        // The code of a CASE's branch is within that of the branch before it.
        int depth = visit.depth;
        for (Expr arg : args) {
          pending.push(new Visit(arg, ++depth));
        }
      }
    }
    return false;
  }

  /** Does work, with a large stack if it is {@code deep}. */
  public static <T> T call(boolean deep, Supplier<T> work) {
    if (!deep) {
      return work.get();
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                result.complete(work.get());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            },
            "aragonite-compile",
            STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof AragoniteException known) {
        throw known;
      }
      throw new AragoniteException(
          ErrorCode.INTERNAL, "An expression could not be compiled: " + e.getCause() + ".", e);
    }
  }
}
