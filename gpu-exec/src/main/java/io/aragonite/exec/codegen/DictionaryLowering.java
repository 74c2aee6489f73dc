package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.DictionaryCache;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Expressions of one dictionary column: comparisons with constants compare codes, anything else is
 * looked up in a table that is filled once a distinct value. Tables are kept with the dictionary.
 */
final class DictionaryLowering {
  /** Truth tables of more entries are filled as values are met. */
  private static final int MAX_EAGER = 2_000;

  private static final int MAX_TRUTHS = 1_000_000;
  private static final int MAX_VALUES = 20_000;
  private static final int MAX_TEXTS = 5_000;
  private static final int MAX_RANKS = 100_000;
  private static final int MAX_TABLES = 64;

  /** Texts of a dictionary that is kept for expressions to come. */
  private static final int MAX_CACHED_SIZE = 100;

  private static final DictionaryCache CONSTANT_DICTIONARIES = new DictionaryCache(MAX_CACHED_SIZE);

  private final Lowering lowering;

  DictionaryLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  /** Null if it is better computed row by row. */
  @Nullable ExprNode lower(Expr expr, int column) {
    ColumnShape shape = lowering.shape(column);
    Dictionary dictionary = shape.dictionary();
    if (!shape.storage().isCode() || dictionary == null) {
      return null;
    }
    ExprNode codes = lowering.column(column);
    if (expr instanceof Expr.Call call) {
      if (call.op() == Op.IS_NULL || call.op() == Op.IS_NOT_NULL) {
        return null;
      }
      ExprNode compared = compareWithConstant(call, codes, dictionary);
      if (compared != null) {
        return compared;
      }
    }
    boolean binary = shape.type().kind() == TypeKind.BINARY;
    TypeKind kind = expr.type().kind();
    if (kind == TypeKind.BOOLEAN) {
      return dictionary.size() <= MAX_TRUTHS ? truths(expr, codes, dictionary, binary) : null;
    }
    Rep rep = Lowering.rep(expr.type());
    boolean tabled = rep == Rep.TEXT || rep == Rep.LONG || rep == Rep.DOUBLE;
    int limit = rep == Rep.TEXT ? MAX_TEXTS : MAX_VALUES;
    return tabled && dictionary.size() <= limit
        ? values(expr, codes, dictionary, binary, rep)
        : null;
  }

  private @Nullable ExprNode compareWithConstant(
      Expr.Call call, ExprNode codes, Dictionary dictionary) {
    List<Expr> args = call.args();
    if (args.size() != 2) {
      return null;
    }
    Op op = call.op();
    Expr.Literal literal = Lowering.literal(args.get(1));
    Expr column = args.get(0);
    if (literal == null) {
      literal = Lowering.literal(args.get(0));
      column = args.get(1);
      op = op.flippedComparison();
    }
    if (literal == null || !(column instanceof Expr.InputRef)) {
      return null;
    }
    byte[] value =
        literal.value() instanceof byte[] bytes
            ? bytes
            : String.valueOf(literal.value()).getBytes(StandardCharsets.UTF_8);
    return compareWithText(op, codes, value);
  }

  /** Null if the operation is no comparison. */
  @Nullable ExprNode compareWithText(Op op, ExprNode codes, byte[] value) {
    Dictionary dictionary = java.util.Objects.requireNonNull(codes.dictionary);
    int found = dictionary.find(value);
    int below = found >= 0 ? found : -found - 1;
    int upTo = found >= 0 ? found + 1 : below;
    return switch (op) {
      case EQ -> compare(codes, "==", Math.max(found, -1));
      case NE -> compare(codes, "!=", Math.max(found, -1));
      case LT -> compare(codes, "<", below);
      case LE -> compare(codes, "<", upTo);
      case GT -> compare(codes, ">=", upTo);
      case GE -> compare(codes, ">=", below);
      default -> null;
    };
  }

  /**
   * Brings texts among which an expression chooses to codes of one dictionary, if they are
   * constants and codes, so that the result can be grouped and compared as such.
   */
  void encode(List<ExprNode> values) {
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    Dictionary only = null;
    boolean several = false;
    boolean constants = false;
    long size = 0;
    for (ExprNode value : values) {
      Dictionary dictionary = value.dictionary;
      if (value.isConstantNull()) {
        continue;
      }
      if (value.literal != null) {
        constants = true;
        distinct.add(value.literal);
      } else if (dictionary != null && value.rep == Rep.CODE) {
        several |= only != null && only != dictionary;
        only = dictionary;
        size += dictionary.size();
      } else {
        return;
      }
    }
    if (size > MAX_TEXTS || (!several && !constants)) {
      return;
    }
    for (ExprNode value : values) {
      Dictionary dictionary = value.dictionary;
      if (dictionary != null && value.rep == Rep.CODE) {
        for (int i = 0; i < dictionary.size(); i++) {
          distinct.add(dictionary.bytes(i));
        }
      }
    }
    Dictionary merged =
        only != null && !several && distinct.size() == only.size()
            ? only
            : CONSTANT_DICTIONARIES.of(distinct.toArray(new byte[0][]));
    for (int i = 0; i < values.size(); i++) {
      ExprNode value = values.get(i);
      if (value.literal != null) {
        ExprNode code = lowering.integer(merged.find(value.literal), DataType.INT32);
        ExprNode coded =
            new ExprNode(NodeKind.CONSTANT, value.type, Rep.CODE, List.of(), false, code.code, "");
        coded.constants = code.constants;
        coded.dictionary = merged;
        values.set(i, coded);
      } else if (value.rep == Rep.CODE && value.dictionary != merged) {
        values.set(i, recode(value, merged));
      }
    }
  }

  private ExprNode recode(ExprNode value, Dictionary target) {
    Dictionary source = java.util.Objects.requireNonNull(value.dictionary);
    if (value.isConstantNull()) {
      return value;
    }
    long[] codes = new long[source.size()];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = target.find(source.bytes(i));
    }
    String name = lowering.constants.add(codes, "long[]");
    ExprNode node =
        new ExprNode(
                NodeKind.STRICT,
                value.type,
                Rep.CODE,
                List.of(value),
                value.nullable,
                CodeConstants.variable(name) + "[(int) #0]",
                "")
            .guarded()
            .cost(1)
            .constants(name);
    node.dictionary = target;
    return node;
  }

  private ExprNode compare(ExprNode codes, String sign, long code) {
    String name = lowering.constants.add(code);
    ExprNode node = Lowering.truth("#0 " + sign + " " + name, codes).constants(name);
    // Codes and their bounds are far from where a difference overflows.
    node.bit =
        switch (sign) {
          case "<" -> "(#0 - " + name + " >>> 63)";
          case ">=" -> "(#0 - " + name + " >>> 63 ^ 1L)";
          case "==" -> "((#0 - " + name + " | " + name + " - #0) >>> 63 ^ 1L)";
          default -> "((#0 - " + name + " | " + name + " - #0) >>> 63)";
        };
    return node;
  }

  /** The tables of a dictionary by what fills them; it keeps them, and they refer to it. */
  private static final class Tables {
    private final Map<Expr, Object> known = new HashMap<>();

    static Tables of(Dictionary dictionary) {
      return dictionary.derived(Tables.class, d -> new Tables());
    }

    synchronized @Nullable Object get(Expr expr) {
      return known.get(expr);
    }

    synchronized void put(Expr expr, Object table) {
      if (known.size() >= MAX_TABLES) {
        known.clear();
      }
      known.put(expr, table);
    }
  }

  private ExprNode truths(Expr expr, ExprNode codes, Dictionary dictionary, boolean binary) {
    TruthTable table;
    Tables tables = Tables.of(dictionary);
    if (tables.get(expr) instanceof TruthTable kept) {
      table = kept;
    } else {
      table = new TruthTable(expr, dictionary, binary);
      tables.put(expr, table);
    }
    boolean eager = dictionary.size() <= MAX_EAGER;
    boolean nullable = !eager;
    boolean fails = !eager;
    if (eager) {
      try {
        for (int i = 0; i < dictionary.size(); i++) {
          nullable |= table.get(i) == TruthTable.NULL;
        }
        nullable |= codes.nullable && table.get(dictionary.size()) == TruthTable.NULL;
      } catch (AragoniteException e) {
        StopCheck.passOn(e);
        // The error is raised for the rows that have the value.
        eager = false;
        nullable = true;
        fails = true;
      }
    }
    String name = lowering.constants.add(table, "TruthTable");
    ExprNode node =
        new ExprNode(
                NodeKind.TABLE,
                DataType.BOOLEAN.withNullable(nullable),
                Rep.BOOL,
                List.of(codes),
                nullable,
                CodeConstants.variable(name),
                eager ? "eager" : "lazy")
            .constants(name)
            .cost(2);
    node.fails = fails && mayFail(expr);
    return node;
  }

  /** Whether some operation of an expression can raise an error. */
  private static boolean mayFail(Expr expr) {
    return switch (expr) {
      case Expr.InputRef ref -> false;
      case Expr.Literal literal -> false;
      case Expr.Call call ->
          switch (call.op()) {
            case EQ,
                NE,
                LT,
                LE,
                GT,
                GE,
                IS_DISTINCT_FROM,
                IS_NOT_DISTINCT_FROM,
                IN_LIST,
                AND,
                OR,
                NOT,
                IS_NULL,
                IS_NOT_NULL,
                IS_TRUE,
                IS_NOT_TRUE,
                IS_FALSE,
                IS_NOT_FALSE,
                CASE,
                COALESCE,
                LIKE,
                ILIKE,
                UPPER,
                LOWER ->
                call.args().stream().anyMatch(DictionaryLowering::mayFail);
            default -> true;
          };
      default -> true;
    };
  }

  private @Nullable ExprNode values(
      Expr expr, ExprNode codes, Dictionary dictionary, boolean binary, Rep rep) {
    ValueTable table;
    Tables tables = Tables.of(dictionary);
    if (tables.get(expr) instanceof ValueTable kept) {
      table = kept;
    } else {
      try {
        table = ValueTable.of(expr, dictionary, binary);
      } catch (AragoniteException e) {
        StopCheck.passOn(e);
        return null;
      }
      tables.put(expr, table);
    }
    boolean nullable = table.makesNulls() || (codes.nullable && table.nulls[table.last]);
    DataType type = expr.type().withNullable(nullable);
    if (table.dictionary == dictionary) {
      return codes.withType(expr.type().withNullable(codes.nullable));
    }
    String name = lowering.constants.add(table, "ValueTable");
    ExprNode node =
        new ExprNode(
                NodeKind.TABLE,
                type,
                rep == Rep.TEXT ? Rep.CODE : rep,
                List.of(codes),
                nullable,
                CodeConstants.variable(name),
                rep == Rep.DOUBLE ? "doubles" : "longs")
            .constants(name)
            .cost(2);
    node.dictionary = table.dictionary;
    if (rep == Rep.LONG) {
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      for (int i = 0; i < table.longs.length; i++) {
        if (!table.nulls[i]) {
          min = Math.min(min, table.longs[i]);
          max = Math.max(max, table.longs[i]);
        }
      }
      if (min <= max) {
        return node.bounds(BigInteger.valueOf(min), BigInteger.valueOf(max));
      }
      return Bounds.ofType(node);
    }
    return node;
  }

  /** Compares the codes of two columns, of one dictionary or of two. */
  @Nullable ExprNode compare(Op op, ExprNode a, ExprNode b) {
    Dictionary left = a.dictionary;
    Dictionary right = b.dictionary;
    String sign = Lowering.sign(op);
    if (left == right) {
      return Lowering.truth("#0 " + sign + " #1", a, b);
    }
    if (left == null || right == null || right.size() > MAX_RANKS) {
      return lowering.comparisons.compare(op, lowering.decode(a), lowering.decode(b));
    }
    // Where each right value stands among the left ones: at 2c + 1 if it is code c, between
    // its neighbours otherwise.
    long[] ranks = new long[right.size()];
    for (int i = 0; i < ranks.length; i++) {
      int found = left.find(right.bytes(i));
      ranks[i] = found >= 0 ? 2L * found + 1 : 2L * (-found - 1);
    }
    String name = lowering.constants.add(ranks, "long[]");
    String code = "2L * #0 + 1L " + sign + " " + CodeConstants.variable(name) + "[(int) #1]";
    return Lowering.truth(code, a, b).guarded().cost(2).constants(name);
  }
}
