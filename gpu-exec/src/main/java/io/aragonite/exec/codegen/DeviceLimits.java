package io.aragonite.exec.codegen;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What keeps an expression from running as code for single rows without the JVM. */
final class DeviceLimits {
  /** Nodes of one output or term; larger code takes too long to assemble. */
  private static final int MAX_WEIGHT = 2_500;

  /** Columns of a key word; each takes up to three of a kernel's arguments. */
  private static final int MAX_KEYS = 120;

  /** Java's own functions whose last bits no other code reproduces. */
  private static final List<String> MATH =
      List.of("cbrt", "exp", "sin", "cos", "tan", "atan", "asin", "acos", "atan2");

  private final Map<ExprNode, String> known = new IdentityHashMap<>();

  /** Why the node needs the host; null if it does not. */
  @Nullable String reason(ExprNode node) {
    if (node.weight > MAX_WEIGHT) {
      return "an expression of more than " + MAX_WEIGHT + " parts";
    }
    String reason = known.computeIfAbsent(node, this::find);
    return reason.isEmpty() ? null : reason;
  }

  /** Empty if there is none. */
  private String find(ExprNode node) {
    String own = own(node);
    if (!own.isEmpty()) {
      return own;
    }
    for (ExprNode arg : node.args) {
      String reason = known.get(arg);
      if (reason == null) {
        reason = find(arg);
        known.put(arg, reason);
      }
      if (!reason.isEmpty()) {
        return reason;
      }
    }
    return "";
  }

  private static String own(ExprNode node) {
    if (node.kind == ExprNode.NodeKind.KEY_WORD && node.args.size() > MAX_KEYS) {
      return "a key of more than " + MAX_KEYS + " columns";
    }
    return switch (node.kind) {
      case BOXED, INTERPRETED -> "interpreted: " + node.name;
      case COLUMN -> node.rep == ExprNode.Rep.OBJECT ? "values that are objects" : "";
      case STRICT, KEY_WORD -> {
        if (node.code.contains("Floats.power(")) {
          yield "the function power";
        }
        for (String function : MATH) {
          if (node.code.contains("Math." + function + "(")) {
            yield "the function " + function;
          }
        }
        yield "";
      }
      default -> node.rep == ExprNode.Rep.OBJECT ? "values that are objects" : "";
    };
  }
}
