package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.vector.Dictionary;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A boolean expression of one dictionary column, evaluated once a distinct value when it is first
 * met. Entries are bytes, so that threads that meet a value at once do no harm.
 */
final class TruthTable {
  static final byte FALSE = 0;
  static final byte TRUE = 1;
  static final byte NULL = 2;
  static final byte UNKNOWN = 3;

  private final Expr expr;
  private final Dictionary dictionary;
  private final boolean binary;

  /** One entry a code, and a last one for null. */
  final byte[] entries;

  /** The place of null. */
  final int last;

  TruthTable(Expr expr, Dictionary dictionary, boolean binary) {
    this.expr = expr;
    this.dictionary = dictionary;
    this.binary = binary;
    this.entries = new byte[dictionary.size() + 1];
    this.last = dictionary.size();
    Arrays.fill(entries, UNKNOWN);
  }

  /** The entry of a code; the dictionary's size stands for null. */
  int get(int code) {
    byte entry = entries[code];
    return entry == UNKNOWN ? evaluate(code) : entry;
  }

  /** Evaluates all entries; those that fail stay unknown. */
  void fill() {
    for (int code = 0; code < entries.length; code++) {
      if (entries[code] == UNKNOWN) {
        try {
          evaluate(code);
        } catch (AragoniteException e) {
          StopCheck.passOn(e);
          // The error belongs to the rows that have this value.
          continue;
        }
      }
    }
  }

  private int evaluate(int code) {
    Object result =
        RowInterpreter.evaluate(expr, row(dictionary, code, binary), StopCheck.current());
    byte entry = result == null ? NULL : (Boolean) result ? TRUE : FALSE;
    entries[code] = entry;
    return entry;
  }

  /** A row in which every column has the value of a code. */
  static Interpreter.Row row(Dictionary dictionary, int code, boolean binary) {
    return new Interpreter.Row() {
      @Override
      public @Nullable Object get(int column) {
        return code == dictionary.size()
            ? null
            : binary ? dictionary.bytes(code) : (Object) dictionary.text(code);
      }

      @Override
      public int code(int column) {
        return code;
      }
    };
  }
}
