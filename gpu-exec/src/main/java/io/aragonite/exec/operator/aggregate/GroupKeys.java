package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The compiled part of grouping by some columns. Batches given to it have the key columns only.
 *
 * @param shapes the keys'
 * @param layout of words
 * @param words the word of each row, packed if the keys allow it, else hashed
 * @param differ for hashed words: over the keys of rows, then as many keys of their groups, the
 *     rows whose keys are not those of the group; null if words are packed, so that they tell all
 */
record GroupKeys(
    List<ColumnShape> shapes,
    KeyLayout layout,
    CompiledProjection words,
    @Nullable CompiledPredicate differ) {

  static GroupKeys of(ExpressionCompiler expressions, List<ColumnShape> shapes) {
    KeyLayout layout = KeyLayouts.choose(shapes);
    CompiledProjection words =
        expressions.projection(List.of(new Expr.KeyWord(refs(shapes, 0), layout)), shapes);
    return new GroupKeys(
        List.copyOf(shapes), layout, words, layout.exact() ? null : differ(expressions, shapes));
  }

  /** Whether a key's values are integers of 32 bits as they are stored, in the order of words. */
  static boolean ordersAsWords(Column key) {
    Storage storage = key.shape().storage();
    return (storage == Storage.INT || storage == Storage.CODE)
        && key.rowIds() == null
        && key.validity() == null;
  }

  /** Bits of words that may differ. */
  int bits() {
    return layout.exact()
        ? layout.parts().stream().mapToInt(KeyLayout.KeyField::bits).sum()
        : Long.SIZE;
  }

  /** Hashed words, whose bits are evenly spread. */
  static CompiledProjection hashes(ExpressionCompiler expressions, List<ColumnShape> shapes) {
    Expr word = new Expr.KeyWord(refs(shapes, 0), KeyLayout.HASHED);
    return expressions.projection(List.of(word), shapes);
  }

  private static CompiledPredicate differ(
      ExpressionCompiler expressions, List<ColumnShape> shapes) {
    int count = shapes.size();
    List<ColumnShape> both = new ArrayList<>(shapes);
    both.addAll(shapes);
    List<Expr> rows = refs(shapes, 0);
    List<Expr> groups = refs(shapes, count);
    List<Expr> tests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tests.add(Expr.call(Op.IS_DISTINCT_FROM, DataType.BOOLEAN, rows.get(i), groups.get(i)));
    }
    Expr any = count == 1 ? tests.getFirst() : new Expr.Call(Op.OR, tests, DataType.BOOLEAN);
    return expressions.predicate(any, both);
  }

  private static List<Expr> refs(List<ColumnShape> shapes, int first) {
    List<Expr> refs = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      refs.add(Expr.ref(first + i, shapes.get(i).type()));
    }
    return refs;
  }
}
