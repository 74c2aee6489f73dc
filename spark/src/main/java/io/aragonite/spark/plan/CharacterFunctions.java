package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds the inputs' columns whose texts come to functions that look at them character by character:
 * of bytes that are no UTF-8 these differ from Spark's.
 */
final class CharacterFunctions {
  /** What Spark's patterns see in place of bytes that are no characters. */
  private static final char REPLACEMENT = '\uFFFD';

  private final Set<ColumnOrigin> looked = new HashSet<>();

  private CharacterFunctions() {}

  /** A column of an input. */
  private record ColumnOrigin(int input, int column) {}

  /**
   * For each input the columns that come to such a function, ascending.
   *
   * @param plan whose first parameters are its inputs
   */
  static List<List<Integer>> columns(PhysicalPlan plan, int inputs) {
    CharacterFunctions functions = new CharacterFunctions();
    functions.origins(plan);
    return IntStream.range(0, inputs)
        .mapToObj(
            input ->
                functions.looked.stream()
                    .filter(origin -> origin.input() == input)
                    .map(ColumnOrigin::column)
                    .sorted()
                    .toList())
        .toList();
  }

  /** For each column that comes out those of inputs whose bytes may be in its texts. */
  private List<Set<ColumnOrigin>> origins(PhysicalPlan plan) {
    return switch (plan) {
      case PhysicalPlan.BatchInput input ->
          IntStream.range(0, input.types().size())
              .mapToObj(column -> Set.of(new ColumnOrigin(input.source().index(), column)))
              .toList();
      case PhysicalPlan.Filter filter -> {
        List<Set<ColumnOrigin>> columns = origins(filter.input());
        of(filter.predicate(), columns);
        yield columns;
      }
      case PhysicalPlan.Project project -> {
        List<Set<ColumnOrigin>> columns = origins(project.input());
        yield project.expressions().stream().map(value -> of(value, columns)).toList();
      }
      case PhysicalPlan.Sort sort -> origins(sort.input());
      case PhysicalPlan.Join join -> join(join);
      case PhysicalPlan.Aggregate aggregate -> {
        List<Set<ColumnOrigin>> columns = origins(aggregate.input());
        List<Set<ColumnOrigin>> all = new ArrayList<>();
        aggregate.keys().forEach(key -> all.add(columns.get(key)));
        aggregate.calls().forEach(call -> all.add(of(call.args(), call.type(), columns)));
        if (aggregate.groupingIds()) {
          all.add(Set.of());
        }
        yield all;
      }
      case PhysicalPlan.Window window -> {
        List<Set<ColumnOrigin>> columns = origins(window.input());
        List<Set<ColumnOrigin>> all = new ArrayList<>(columns);
        window
            .calls()
            .forEach(
                call -> {
                  AggregateCall aggregate = call.aggregate();
                  List<Integer> args = aggregate == null ? call.args() : aggregate.args();
                  all.add(of(args, call.type(), columns));
                });
        yield all;
      }
      case PhysicalPlan other -> {
        List<List<Set<ColumnOrigin>>> inputs = other.inputs().stream().map(this::origins).toList();
        Set<ColumnOrigin> all = union(inputs.stream().flatMap(List::stream));
        yield Collections.nCopies(other.types().size(), all);
      }
    };
  }

  private List<Set<ColumnOrigin>> join(PhysicalPlan.Join join) {
    List<Set<ColumnOrigin>> left = origins(join.left());
    List<Set<ColumnOrigin>> both = new ArrayList<>(left);
    both.addAll(origins(join.right()));
    Expr residual = join.residual();
    if (residual != null) {
      of(residual, both);
    }
    return join.joinType().leftOnly() ? left : both;
  }

  private static Set<ColumnOrigin> of(
      List<Integer> args, DataType type, List<Set<ColumnOrigin>> columns) {
    return holdsBytes(type) ? union(args.stream().map(columns::get)) : Set.of();
  }

  /** Of an expression's texts; those that come to functions within it are kept. */
  private Set<ColumnOrigin> of(Expr expression, List<Set<ColumnOrigin>> columns) {
    Set<ColumnOrigin> all =
        switch (expression) {
          case Expr.InputRef ref -> columns.get(ref.index());
          case Expr.HostFunctionCall call -> looked(of(call.args(), columns));
          case Expr.Call call ->
              isOne(call) ? looked(of(call.args(), columns)) : of(call.args(), columns);
          case Expr.KeyWord word -> of(word.keys(), columns);
          case Expr.Literal literal -> Set.of();
          case Expr.Parameter parameter -> Set.of();
        };
    return holdsBytes(expression.type()) ? all : Set.of();
  }

  private Set<ColumnOrigin> of(List<Expr> expressions, List<Set<ColumnOrigin>> columns) {
    return union(expressions.stream().map(expression -> of(expression, columns)));
  }

  private Set<ColumnOrigin> looked(Set<ColumnOrigin> origins) {
    looked.addAll(origins);
    return origins;
  }

  private static Set<ColumnOrigin> union(Stream<Set<ColumnOrigin>> all) {
    return all.flatMap(Collection::stream).collect(Collectors.toUnmodifiableSet());
  }

  private static boolean holdsBytes(DataType type) {
    return switch (type.kind()) {
      case BOOLEAN, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, DECIMAL, DATE, TIMESTAMP -> false;
      default -> true;
    };
  }

  private static boolean isOne(Expr.Call call) {
    return switch (call.op()) {
      case CHAR_LENGTH, UPPER, LOWER, SUBSTRING, POSITION, LPAD, RPAD -> true;
      case TRIM_LEADING -> !isAscii(call.args().getFirst());
      case TRIM_BOTH, TRIM_TRAILING -> !call.args().getFirst().equals(TextTranslator.BLANK);
      case LIKE -> countsCharacters(call.args());
      default -> false;
    };
  }

  /** What begins with one of these bytes begins with that character for Spark, too. */
  private static boolean isAscii(Expr characters) {
    return characters instanceof Expr.Literal literal
        && literal.value() instanceof String text
        && text.chars().allMatch(c -> c < 128);
  }

  /** Whether a pattern asks for one character of any kind, or for what stands for other bytes. */
  private static boolean countsCharacters(List<Expr> args) {
    if (!(args.get(1) instanceof Expr.Literal pattern) || !(pattern.value() instanceof String text)) {
      return true;
    }
    boolean escapes = args.size() > 2;
    for (int i = 0; i < text.length(); i++) {
      boolean escaped = escapes && text.charAt(i) == TextTranslator.ESCAPE;
      i += escaped ? 1 : 0;
      char c = i < text.length() ? text.charAt(i) : REPLACEMENT;
      if (c == REPLACEMENT || c == '_' && !escaped) {
        return true;
      }
    }
    return false;
  }
}
