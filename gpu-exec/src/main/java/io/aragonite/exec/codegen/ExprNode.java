package io.aragonite.exec.codegen;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Dictionary;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expression as code will compute it: how its value is held in local variables, whether it can
 * be null, between which bounds it lies, and the Java text of its operation. Nodes are shared:
 * equal subexpressions are one node, by identity.
 */
final class ExprNode {
  /** How a value is held in local variables. */
  enum Rep {
    BOOL("boolean", "false"),
    /** Integers, dates, and decimals of 64 bits. */
    LONG("long", "0L"),
    /** Decimals of 128 bits: low word, and high word in the second variable. */
    WIDE("long", "0L"),
    /** Floats of both widths. */
    DOUBLE("double", "0.0"),
    /** Text and bytes: address, and length in the second variable. */
    TEXT("long", "0L"),
    /** A code of {@link ExprNode#dictionary}. */
    CODE("long", "0L"),
    /** A boxed value that only host functions know. */
    OBJECT("Object", "null");

    final String javaType;
    final String zero;

    Rep(String javaType, String zero) {
      this.javaType = javaType;
      this.zero = zero;
    }

    /** The Java type of the second variable, or null if there is none. */
    @Nullable String secondType() {
      return this == WIDE ? "long" : this == TEXT ? "int" : null;
    }
  }

  /** What the writer of code does with a node. */
  enum NodeKind {
    COLUMN,
    /** A constant; {@link ExprNode#code} is its variable or Java literal. */
    CONSTANT,
    NULL,
    /** Strict in nulls; code from templates. */
    STRICT,
    AND,
    OR,
    NOT,
    CASE,
    COALESCE,
    IS_NULL,
    /** Whether the argument is definitely true, or definitely false. */
    IS_TRUE,
    IS_FALSE,
    /** IS NOT DISTINCT FROM; the template is the equality of values that are not null. */
    SAME,
    /** A look-up by code in a table of results, whose last entry is for null. */
    TABLE,
    /** A call of the interpreter over boxed arguments. */
    BOXED,
    /** The interpreter over the row, without arguments. */
    INTERPRETED,
    KEY_WORD
  }

  private static final int MAX_WEIGHT = 1_000_000;

  final NodeKind kind;
  final DataType type;
  final Rep rep;
  final List<ExprNode> args;
  final boolean nullable;

  /** Java text with #0 for an argument's variable and ~0 for its second one. */
  final String code;

  /** As {@link #code}, for the second variable of WIDE and TEXT. */
  final String second;

  /**
   * As {@link #code}, of a comparison: a long of 0 or 1 without branches; null if there is none.
   */
  @Nullable String bit;

  /** Whether code must not run over values that lie under nulls. */
  boolean guarded;

  /** Whether evaluation can raise an error. */
  boolean fails;

  /** Rough nanoseconds of evaluation. */
  int cost;

  /** Nodes of the tree. */
  final int weight;

  /** Bounds of LONG, WIDE and CODE values; null for others. */
  @Nullable BigInteger min;

  @Nullable BigInteger max;
  @Nullable Dictionary dictionary;

  /** The bytes of a text constant; null for any other node. */
  byte @Nullable [] literal;

  /** The column of COLUMN; parts of KEY_WORD; whatever else a kind needs. */
  int index = -1;

  /** What a call of the interpreter computes, for reports. */
  String name = "";

  /** Names of constants that {@link #code} mentions, in the form of {@link CodeConstants}. */
  List<String> constants = List.of();

  /** Whether a method of its own computes it. */
  boolean outlined;

  ExprNode(
      NodeKind kind,
      DataType type,
      Rep rep,
      List<ExprNode> args,
      boolean nullable,
      String code,
      String second) {
    this.kind = kind;
    this.type = type;
    this.rep = rep;
    this.args = args;
    this.nullable = nullable;
    this.code = code;
    this.second = second;
    int total = 1;
    int time = kind == NodeKind.CONSTANT || kind == NodeKind.NULL ? 0 : 1;
    boolean failing = false;
    for (ExprNode arg : args) {
      total = Math.min(MAX_WEIGHT, total + arg.weight);
      time = Math.min(MAX_WEIGHT, time + arg.cost);
      failing |= arg.fails;
    }
    this.weight = total;
    this.cost = time;
    this.fails = failing;
  }

  /** A node with the same value and another SQL type. */
  ExprNode withType(DataType newType) {
    if (newType.equals(type)) {
      return this;
    }
    ExprNode node = new ExprNode(kind, newType, rep, args, nullable, code, second);
    node.guarded = guarded;
    node.fails = fails;
    node.cost = cost;
    node.min = min;
    node.max = max;
    node.dictionary = dictionary;
    node.index = index;
    node.constants = constants;
    node.bit = bit;
    node.literal = literal;
    node.name = name;
    return node;
  }

  ExprNode bounds(@Nullable BigInteger newMin, @Nullable BigInteger newMax) {
    min = newMin;
    max = newMax;
    return this;
  }

  ExprNode cost(int own) {
    cost = Math.min(MAX_WEIGHT, cost + own);
    return this;
  }

  /** Marks code that can raise an error; it is not run over values under nulls. */
  ExprNode failing() {
    fails = true;
    guarded = true;
    return this;
  }

  ExprNode guarded() {
    guarded = true;
    return this;
  }

  ExprNode constants(String... names) {
    constants = List.of(names);
    return this;
  }

  boolean isConstantNull() {
    return kind == NodeKind.NULL;
  }
}
