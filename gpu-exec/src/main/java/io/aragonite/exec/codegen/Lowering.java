package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprText;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns expressions over columns of known shapes into {@link ExprNode}s. What has no code of its
 * own becomes a call of the interpreter, so that everything compiles.
 */
final class Lowering {
  private static final Logger LOG = LoggerFactory.getLogger(Lowering.class);

  /** Arguments of AND, OR and the like in one node; more are nested. */
  static final int MAX_ARGS = 16;

  /** Expressions of at most this size are looked up among those met before. */
  private static final int MAX_SHARED = 64;

  private static final int MAX_BOXED_ARGS = 100;

  final CodeConstants constants = new CodeConstants();
  final ExprInfo info = new ExprInfo();
  private final List<ColumnShape> inputs;
  private final Map<Expr, ExprNode> shared = new HashMap<>();
  private final Map<Integer, ExprNode> columns = new HashMap<>();
  private final Map<ExprNode, ExprNode> decoded = new IdentityHashMap<>();
  final NumericLowering numeric = new NumericLowering(this);
  private final TextLowering text = new TextLowering(this);
  private final TimeLowering time = new TimeLowering(this);
  final DictionaryLowering dictionaries = new DictionaryLowering(this);
  final ComparisonLowering comparisons = new ComparisonLowering(this);
  private final ChoiceLowering choices = new ChoiceLowering(this);
  private final KeyWordLowering keyWords = new KeyWordLowering(this);

  Lowering(List<ColumnShape> inputs) {
    this.inputs = inputs;
  }

  ColumnShape shape(int column) {
    return inputs.get(column);
  }

  ExprNode lower(Expr expr) {
    ExprInfo.ExprProperties facts = info.of(expr);
    boolean share = facts.deterministic() && facts.size() <= MAX_SHARED;
    ExprNode known = share ? shared.get(expr) : null;
    if (known != null) {
      return known;
    }
    ExprNode node =
        switch (expr) {
          case Expr.InputRef ref -> column(ref);
          case Expr.Literal literal -> constant(literal.value(), literal.type());
          case Expr.Parameter parameter ->
              throw new AragoniteException(
                  ErrorCode.MISSING_PARAMETER,
                  "Parameter "
                      + (parameter.index() + 1)
                      + " has no value; set it before executing.");
          case Expr.Call call -> call(call, facts);
          case Expr.HostFunctionCall call -> hostCall(call, facts);
          case Expr.KeyWord word -> keyWords.lower(word);
        };
    if (share) {
      shared.put(expr, node);
    }
    return node;
  }

  static Rep rep(DataType type) {
    return switch (type.kind()) {
      case BOOLEAN -> Rep.BOOL;
      case INT8,
          INT16,
          INT32,
          INT64,
          DATE,
          TIME,
          TIMESTAMP,
          INSTANT,
          INTERVAL_MONTH,
          INTERVAL_DAY ->
          Rep.LONG;
      case FLOAT32, FLOAT64 -> Rep.DOUBLE;
      case DECIMAL -> type.precision() <= DataType.MAX_LONG_PRECISION ? Rep.LONG : Rep.WIDE;
      case CHAR, VARCHAR, BINARY -> Rep.TEXT;
      case NULL, OPAQUE -> Rep.OBJECT;
    };
  }

  private ExprNode column(Expr.InputRef ref) {
    return columns.computeIfAbsent(ref.index(), this::column);
  }

  ExprNode column(int index) {
    ColumnShape shape = inputs.get(index);
    Rep rep =
        switch (shape.storage()) {
          case NONE -> rep(shape.type());
          case BYTE -> shape.type().kind() == TypeKind.BOOLEAN ? Rep.BOOL : Rep.LONG;
          case SHORT, INT, LONG -> Rep.LONG;
          case LONG128 -> Rep.WIDE;
          case FLOAT, DOUBLE -> Rep.DOUBLE;
          case BYTES -> Rep.TEXT;
          case CODE, CODE8, CODE16 -> Rep.CODE;
          case HANDLE -> Rep.OBJECT;
        };
    if (shape.storage() == Storage.NONE) {
      return nothing(shape.type(), rep);
    }
    ExprNode node =
        new ExprNode(NodeKind.COLUMN, shape.type(), rep, List.of(), shape.mayBeNull(), "", "");
    node.index = index;
    node.dictionary = shape.dictionary();
    if (rep == Rep.LONG || rep == Rep.WIDE) {
      ValueRange range = shape.range();
      if (range != null) {
        node.bounds(BigInteger.valueOf(range.min()), BigInteger.valueOf(range.max()));
      } else {
        Bounds.ofType(node);
      }
    } else if (node.dictionary != null) {
      node.bounds(BigInteger.ZERO, BigInteger.valueOf(Math.max(0, node.dictionary.size() - 1)));
    }
    return node;
  }

  /** A null of a type. */
  ExprNode nothing(DataType type, Rep rep) {
    ExprNode node = new ExprNode(NodeKind.NULL, type, rep, List.of(), true, rep.zero, "0");
    if (rep == Rep.LONG || rep == Rep.WIDE) {
      node.bounds(BigInteger.ZERO, BigInteger.ZERO);
    }
    return node;
  }

  ExprNode constant(@Nullable Object value, DataType type) {
    return switch (value) {
      case null -> nothing(type, rep(type));
      case Boolean truth ->
          new ExprNode(NodeKind.CONSTANT, type, Rep.BOOL, List.of(), false, truth.toString(), "");
      case Long number -> integer(number, type);
      case Double number -> {
        String name = constants.add(number.doubleValue());
        yield leaf(type, Rep.DOUBLE, name, "").constants(name);
      }
      case BigDecimal decimal -> {
        BigInteger unscaled = decimal.setScale(type.scale()).unscaledValue();
        if (unscaled.bitLength() <= 63) {
          yield integer(unscaled.longValue(), type);
        }
        String low = constants.add(unscaled.longValue());
        String high = constants.add(unscaled.shiftRight(64).longValue());
        yield leaf(type, Rep.WIDE, low, high).constants(low, high).bounds(unscaled, unscaled);
      }
      case String string -> bytes(string.getBytes(StandardCharsets.UTF_8), type);
      case byte[] bytes -> bytes(bytes, type);
      default -> {
        String name = constants.add(value, "Object");
        yield leaf(type, Rep.OBJECT, CodeConstants.variable(name), "").constants(name);
      }
    };
  }

  private static ExprNode leaf(DataType type, Rep rep, String code, String second) {
    return new ExprNode(NodeKind.CONSTANT, type, rep, List.of(), false, code, second);
  }

  ExprNode integer(long value, DataType type) {
    String name = constants.add(value);
    BigInteger bound = BigInteger.valueOf(value);
    return leaf(type, Rep.LONG, name, "").constants(name).bounds(bound, bound);
  }

  private ExprNode bytes(byte[] value, DataType type) {
    String[] names = constants.add(value);
    ExprNode node = leaf(type, Rep.TEXT, names[0], "(int) " + names[1]).constants(names);
    node.literal = value;
    return node;
  }

  /** The value of a literal, or null if the expression is none. */
  static Expr.@Nullable Literal literal(Expr expr) {
    return expr instanceof Expr.Literal literal && literal.value() != null ? literal : null;
  }

  private ExprNode call(Expr.Call call, ExprInfo.ExprProperties facts) {
    if (facts.deterministic() && facts.column() == ExprInfo.NO_COLUMN) {
      ExprNode folded = fold(call);
      if (folded != null) {
        return folded;
      }
    }
    if (facts.deterministic() && facts.column() >= 0) {
      ExprNode looked = dictionaries.lower(call, facts.column());
      if (looked != null) {
        return looked;
      }
    }
    ExprNode node = native0(call);
    return node == null ? boxed(call, call.args()) : node;
  }

  /** A constant expression's value, unless it fails: that is for the rows to find out. */
  private @Nullable ExprNode fold(Expr expr) {
    try {
      return constant(Interpreter.evaluate(expr, column -> null), expr.type());
    } catch (AragoniteException e) {
      return null;
    }
  }

  private @Nullable ExprNode native0(Expr.Call call) {
    List<Expr> args = call.args();
    return switch (call.op()) {
      case AND, OR -> logic(call.op(), args);
      case NOT -> simple(NodeKind.NOT, call.type(), lower(args.getFirst()));
      case IS_NULL -> isNull(lower(args.getFirst()));
      case IS_NOT_NULL -> not(isNull(lower(args.getFirst())));
      case IS_TRUE -> is(NodeKind.IS_TRUE, args.getFirst());
      case IS_NOT_TRUE -> not(is(NodeKind.IS_TRUE, args.getFirst()));
      case IS_FALSE -> is(NodeKind.IS_FALSE, args.getFirst());
      case IS_NOT_FALSE -> not(is(NodeKind.IS_FALSE, args.getFirst()));
      case CASE -> choices.caseOf(args, 0, call.type());
      case COALESCE -> choices.coalesce(args, call.type());
      case EQ, NE, LT, LE, GT, GE -> comparisons.compare(call.op(), args.get(0), args.get(1));
      case IS_NOT_DISTINCT_FROM -> comparisons.same(args);
      case IS_DISTINCT_FROM -> {
        ExprNode same = comparisons.same(args);
        yield same == null ? null : not(same);
      }
      case IN_LIST -> comparisons.inList(call);
      case CAST, TRY_CAST -> cast(call);
      case EXTRACT,
          FLOOR_TIME,
          CEIL_TIME,
          DATETIME_PLUS,
          DATETIME_MINUS,
          LOCAL_TIME,
          LOCAL_TO_INSTANT,
          INSTANT_FLOOR,
          INSTANT_CEIL ->
          time.lower(call);
      case LIKE,
          UPPER,
          LOWER,
          CHAR_LENGTH,
          OCTET_LENGTH,
          SUBSTRING,
          CONCAT,
          TRIM_BOTH,
          TRIM_LEADING,
          TRIM_TRAILING,
          LEFT ->
          text.lower(call);
      default -> numeric.lower(call);
    };
  }

  static ExprNode simple(NodeKind kind, DataType type, ExprNode arg) {
    return new ExprNode(kind, type, Rep.BOOL, List.of(arg), arg.nullable, "", "");
  }

  static ExprNode not(ExprNode arg) {
    return simple(NodeKind.NOT, arg.type, arg);
  }

  static ExprNode isNull(ExprNode arg) {
    return new ExprNode(NodeKind.IS_NULL, DataType.BOOLEAN, Rep.BOOL, List.of(arg), false, "", "");
  }

  private ExprNode is(NodeKind kind, Expr arg) {
    return new ExprNode(kind, DataType.BOOLEAN, Rep.BOOL, List.of(lower(arg)), false, "", "");
  }

  private ExprNode logic(Op op, List<Expr> args) {
    List<ExprNode> nodes = new ArrayList<>();
    for (Expr arg : args) {
      nodes.add(coerce(lower(arg), DataType.BOOLEAN));
    }
    return logic(op == Op.AND ? NodeKind.AND : NodeKind.OR, nodes);
  }

  ExprNode logic(NodeKind kind, List<ExprNode> nodes) {
    List<ExprNode> level = nodes;
    while (level.size() > MAX_ARGS) {
      List<ExprNode> next = new ArrayList<>();
      for (int i = 0; i < level.size(); i += MAX_ARGS) {
        List<ExprNode> part = level.subList(i, Math.min(level.size(), i + MAX_ARGS));
        next.add(part.size() == 1 ? part.getFirst() : logicNode(kind, part));
      }
      level = next;
    }
    return level.size() == 1 ? level.getFirst() : logicNode(kind, level);
  }

  private static ExprNode logicNode(NodeKind kind, List<ExprNode> nodes) {
    boolean nullable = nodes.stream().anyMatch(node -> node.nullable);
    return new ExprNode(
        kind,
        DataType.BOOLEAN.withNullable(nullable),
        Rep.BOOL,
        List.copyOf(nodes),
        nullable,
        "",
        "");
  }

  /** Checks a value against the type of the expression that it is. */
  @Nullable ExprNode fit(Expr expr, ExprNode value) {
    return numeric.fit(expr, value);
  }

  /** A value in the representation of a type: text decoded, nulls and decimals fitted. */
  ExprNode coerce(ExprNode value, DataType type) {
    if (value.isConstantNull()) {
      return value.rep == rep(type) ? value : nothing(type, rep(type));
    }
    if (value.rep == Rep.CODE) {
      return decode(value);
    }
    return numeric.toScale(value, type);
  }

  /** The text of a dictionary code. */
  ExprNode decode(ExprNode value) {
    Dictionary dictionary = value.dictionary;
    if (value.rep != Rep.CODE || dictionary == null) {
      return value;
    }
    return decoded.computeIfAbsent(
        value,
        codes -> {
          String name = constants.add(NativeDictionary.of(dictionary), "NativeDictionary");
          String variable = CodeConstants.variable(name);
          return new ExprNode(
                  NodeKind.STRICT,
                  codes.type,
                  Rep.TEXT,
                  List.of(codes),
                  codes.nullable,
                  variable + ".starts[(int) #0]",
                  variable + ".length(#0)")
              .guarded()
              .cost(2)
              .constants(name);
        });
  }

  static String sign(Op op) {
    return switch (op) {
      case EQ -> "==";
      case NE -> "!=";
      case LT -> "<";
      case LE -> "<=";
      case GT -> ">";
      case GE -> ">=";
      default -> throw new IllegalArgumentException(op.name());
    };
  }

  /** A strict boolean operation. */
  static ExprNode truth(String code, ExprNode... args) {
    boolean nullable = false;
    for (ExprNode arg : args) {
      nullable |= arg.nullable;
    }
    return new ExprNode(
        NodeKind.STRICT,
        DataType.BOOLEAN.withNullable(nullable),
        Rep.BOOL,
        List.of(args),
        nullable,
        code,
        "");
  }

  private @Nullable ExprNode cast(Expr.Call call) {
    Expr arg = call.args().getFirst();
    ExprNode value = lower(arg);
    DataType type = call.type();
    if (value.isConstantNull()) {
      return nothing(type, rep(type));
    }
    TypeKind from = arg.type().kind();
    if (type.kind().isVariable()) {
      return text.cast(call, value, arg.type(), type);
    }
    if (from.isText()) {
      return call.op() == Op.CAST ? text.read(call, decode(value), type) : null;
    }
    if (from == type.kind() && (from == TypeKind.BOOLEAN || from == TypeKind.OPAQUE)) {
      return value.withType(type.withNullable(value.nullable));
    }
    ExprNode node =
        time.isTime(from) || time.isTime(type.kind())
            ? time.cast(call, value, arg.type(), type)
            : numeric.cast(call, value, type);
    // Where the cast is an operation of its own, an error may be its own, which TRY_CAST does not
    // raise.
    boolean mayRaise = node != null && node.fails && !node.args.equals(value.args);
    return mayRaise && call.op() == Op.TRY_CAST ? null : node;
  }

  // Calls of the interpreter

  private ExprNode hostCall(Expr.HostFunctionCall call, ExprInfo.ExprProperties facts) {
    if (facts.deterministic() && facts.column() == ExprInfo.NO_COLUMN) {
      ExprNode folded = fold(call);
      if (folded != null) {
        return folded;
      }
    }
    if (facts.deterministic() && facts.column() >= 0) {
      ExprNode looked = dictionaries.lower(call, facts.column());
      if (looked != null) {
        return looked;
      }
    }
    return boxed(call, call.args());
  }

  ExprNode boxed(Expr expr, List<Expr> args) {
    if (LOG.isDebugEnabled()) {
      LOG.debug("interpreted row by row: {}", ExprText.of(expr));
    }
    String name = constants.add(expr, "Object");
    List<ExprNode> nodes = new ArrayList<>();
    boolean flat = args.size() <= MAX_BOXED_ARGS;
    if (flat) {
      for (Expr arg : args) {
        nodes.add(boxedText(lower(arg)));
      }
    }
    boolean nullable = expr.type().nullable();
    if (flat && expr instanceof Expr.Call call) {
      nullable =
          switch (call.op()) {
            case IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM -> false;
            default -> call.op().isTried() || nodes.stream().anyMatch(node -> node.nullable);
          };
    }
    ExprNode node =
        new ExprNode(
                flat ? NodeKind.BOXED : NodeKind.INTERPRETED,
                expr.type(),
                rep(expr.type()),
                nodes,
                nullable,
                CodeConstants.variable(name),
                "")
            .cost(150)
            .constants(name);
    node.name = name(expr);
    node.fails = true;
    return Bounds.ofType(node);
  }

  /** The operation of an expression, with the types of a cast, for reports. */
  private static String name(Expr expr) {
    return switch (expr) {
      case Expr.Call call when call.op() == Op.CAST || call.op() == Op.TRY_CAST ->
          call.op() + " of " + call.args().getFirst().type().kind() + " to " + call.type().kind();
      case Expr.Call call -> call.op() + " of " + call.type().kind();
      case Expr.HostFunctionCall call -> "host function " + call.name();
      default -> expr.getClass().getSimpleName();
    };
  }

  /** The value of a dictionary code as a String, which is made once a distinct value. */
  private ExprNode boxedText(ExprNode value) {
    Dictionary dictionary = value.dictionary;
    if (value.rep != Rep.CODE || dictionary == null || value.isConstantNull()) {
      return value.isConstantNull() ? nothing(value.type, rep(value.type)) : value;
    }
    if (value.type.kind() == TypeKind.BINARY) {
      return decode(value);
    }
    String name = constants.add(NativeDictionary.of(dictionary), "NativeDictionary");
    String code = CodeConstants.variable(name) + ".text(#0)";
    return new ExprNode(
            NodeKind.STRICT, value.type, Rep.OBJECT, List.of(value), value.nullable, code, "")
        .guarded()
        .cost(2)
        .constants(name);
  }

  ExprNode interpreted(Expr expr) {
    String name = constants.add(expr, "Object");
    ExprNode node =
        new ExprNode(
                NodeKind.INTERPRETED,
                expr.type(),
                rep(expr.type()),
                List.of(),
                expr.type().nullable(),
                CodeConstants.variable(name),
                "")
            .cost(300)
            .constants(name);
    node.name = name(expr);
    node.fails = true;
    return Bounds.ofType(node);
  }
}
