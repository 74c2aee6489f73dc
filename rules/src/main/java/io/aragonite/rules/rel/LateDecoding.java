package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.NestedDecoder;
import io.aragonite.rules.translate.StructField;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps nested columns as the bytes that are stored, behind filters and orders, up to the
 * expressions that want their values: what is decoded lives on the host until its query ends.
 */
final class LateDecoding {
  private LateDecoding() {}

  /**
   * A plan as one that does no more than to hand on columns and decode some of them; null if it
   * decodes none.
   */
  static PhysicalPlan.@Nullable Project of(PhysicalPlan plan) {
    if (!(plan instanceof PhysicalPlan.Project project)
        || project.expressions().stream().noneMatch(LateDecoding::decodes)) {
      return null;
    }
    if (project.expressions().stream().allMatch(e -> e instanceof Expr.InputRef || decodes(e))) {
      return project;
    }
    List<Expr> stored = new ArrayList<>();
    List<Expr> values = new ArrayList<>();
    for (Expr expr : project.expressions()) {
      Expr bytes = decodes(expr) ? ((Expr.HostFunctionCall) expr).args().getFirst() : expr;
      Expr ref = Expr.ref(stored.size(), bytes.type());
      stored.add(bytes);
      values.add(decodes(expr) ? decoded(ref, (Expr.HostFunctionCall) expr) : ref);
    }
    return new PhysicalPlan.Project(new PhysicalPlan.Project(project.input(), stored), values);
  }

  private static Expr decoded(Expr bytes, Expr.HostFunctionCall call) {
    return new Expr.HostFunctionCall(
        call.name(), call.function(), List.of(bytes), call.deterministic(), call.type());
  }

  /** Decoded scalars are columns like others. */
  private static boolean decodes(Expr expr) {
    return expr.type().kind() == TypeKind.OPAQUE
        && decoder(expr) != null
        && ((Expr.HostFunctionCall) expr).args().get(0) instanceof Expr.InputRef;
  }

  private static @Nullable NestedDecoder decoder(Expr expr) {
    return expr instanceof Expr.HostFunctionCall call
            && call.function() instanceof NestedDecoder found
        ? found
        : null;
  }

  /** Expressions over the input of a plan, where they were over its columns. */
  static List<Expr> below(List<Expr> exprs, PhysicalPlan.Project plan) {
    return exprs.stream().map(expr -> below(expr, plan)).toList();
  }

  static Expr below(Expr expr, PhysicalPlan.Project plan) {
    return over(expr, plan.expressions());
  }

  /** An expression over columns that are expressions themselves. */
  static Expr over(Expr expr, List<Expr> columns) {
    return switch (expr) {
      case Expr.InputRef ref -> columns.get(ref.index());
      case Expr.Literal literal -> literal;
      case Expr.Parameter parameter -> parameter;
      case Expr.Call call -> new Expr.Call(call.op(), over(call.args(), columns), call.type());
      case Expr.HostFunctionCall call -> field(call, over(call.args(), columns));
      case Expr.KeyWord word -> new Expr.KeyWord(over(word.keys(), columns), word.layout());
    };
  }

  private static List<Expr> over(List<Expr> exprs, List<Expr> columns) {
    return exprs.stream().map(expr -> over(expr, columns)).toList();
  }

  /** An order by columns of a plan's input, where it was by those of the plan: none is decoded. */
  static List<SortKey> keysBelow(List<SortKey> keys, PhysicalPlan.Project plan) {
    return keys.stream()
        .map(key ->
            new SortKey(
                ((Expr.InputRef) plan.expressions().get(key.column())).index(),
                key.descending(),
                key.nullsFirst()))
        .toList();
  }

  /** Of a row that is decoded for one field, the others are not. */
  private static Expr field(Expr.HostFunctionCall call, List<Expr> args) {
    NestedDecoder decoder = args.size() == 1 ? decoder(args.get(0)) : null;
    if (decoder != null && call.function() instanceof StructField field) {
      return new Expr.HostFunctionCall(
          call.name(),
          field.of(decoder),
          ((Expr.HostFunctionCall) args.get(0)).args(),
          call.deterministic(),
          call.type());
    }
    return new Expr.HostFunctionCall(
        call.name(), call.function(), args, call.deterministic(), call.type());
  }
}
