package io.aragonite.exec.device.cpu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.Test;

class DictionaryLoweringTest {
  @Test
  void dictionariesAreFreedWithTheirTables() throws InterruptedException {
    WeakReference<Dictionary> dictionary = compileOverDictionary();
    for (int i = 0; i < 50 && dictionary.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(dictionary.get(), "tables of truths and values keep their dictionary");
  }

  /**
   * Compiles, in a frame of its own, what keeps tables of truths, of values and of native bytes.
   */
  private static WeakReference<Dictionary> compileOverDictionary() {
    ExpressionCompiler compiler = new CpuExpressionCompiler();
    Dictionary dictionary = new Dictionary(new byte[][] {"A".getBytes(UTF_8), "B".getBytes(UTF_8)});
    DataType text = DataType.VARCHAR;
    List<ColumnShape> inputs =
        List.of(new ColumnShape(text, Storage.CODE, false, dictionary, null));
    Expr column = Expr.ref(0, text);
    Expr like = Expr.call(Op.LIKE, DataType.BOOLEAN, column, Expr.literal("A%", text));
    compiler.predicate(like, inputs);
    // All letters are large, so that the table of values has the same dictionary.
    Expr upper = Expr.call(Op.UPPER, text, column);
    Expr joined = Expr.call(Op.CONCAT, DataType.VARCHAR, column, column);
    compiler.projection(List.of(upper, joined), inputs);
    return new WeakReference<>(dictionary);
  }
}
