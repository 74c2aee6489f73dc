package io.aragonite.rules.translate;

import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;

/** Says why an expression or a node cannot run on a device; rules turn it into a fallback. */
public final class Untranslatable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason what users read, for instance {@code a correlated variable}
   */
  public Untranslatable(String reason) {
    super(reason, null, false, false);
  }

  static Untranslatable window(RexNode over) {
    return new Untranslatable(
        "the window function %s is inside an expression; compute it in a subquery first"
            .formatted(over));
  }

  static Untranslatable subQuery(RexNode subQuery) {
    return new Untranslatable(
        "the %s subquery is not in a place where it becomes a join; move it to WHERE or FROM"
            .formatted(subQuery.getKind()));
  }

  static Untranslatable outer(RexFieldAccess access, RexCorrelVariable variable) {
    return new Untranslatable(
        "it uses column %s of an outer query (%s)"
            .formatted(access.getField().getName(), variable.getName()));
  }

  static Untranslatable expression(RexNode node) {
    return new Untranslatable(
        "the device has no expression %s of type %s"
            .formatted(node, node.getType().getFullTypeString()));
  }

  static Untranslatable literal(RexNode literal) {
    return new Untranslatable(
        "the literal %s is of type %s, of which the device has no columns; cast it to another"
            .formatted(literal, literal.getType().getFullTypeString()));
  }

  /** The reason. */
  public String reason() {
    String message = getMessage();
    return message == null ? "unknown" : message;
  }
}
