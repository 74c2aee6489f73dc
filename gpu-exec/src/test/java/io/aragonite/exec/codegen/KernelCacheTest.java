package io.aragonite.exec.codegen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.HostObjects;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KernelCacheTest {
  @Test
  void constantsAreNoPartOfTheCode() {
    try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("memory", 1 << 20), 0);
        QueryMemory.Arena scratch = memory.newArena()) {
      Column column = Columns.ofLongs(scratch, 1L, 2L, 3L);
      ColumnBatch batch = new ColumnBatch(List.of(column), 3);
      KernelScope scope = new KernelScope(scratch, StopCheck.NONE, new HostObjects());
      int before = -1;
      for (long i = 1; i < 20; i++) {
        Expr expr =
            Expr.call(
                Op.TIMES,
                DataType.INT64,
                Expr.ref(0, column.shape().type()),
                Expr.literal(i * 31, DataType.INT64));
        LoopProjection projection = new LoopProjection(List.of(expr), batch.shapes());
        Buffer out = scratch.allocate(24);
        Buffer validity = scratch.allocate(8);
        projection.run(
            scope,
            batch,
            new long[] {out.address()},
            new long[] {validity.address()},
            new @Nullable TextWriter[1]);
        assertEquals(3 * 31 * i, Mem.getLong(out.address() + 16));
        int after = KernelCache.size();
        assertTrue(before < 0 || after == before, "a class for each constant");
        before = after;
      }
    }
  }

  /** What names are no types of is remembered, and hides no other type. */
  @Test
  void namesThatAreNoTypesStayNone() {
    String wrong = "static long f(long a) { return Missing.g(a) + Mem.getLong(a); }";
    for (int i = 0; i < 2; i++) {
      AragoniteException error =
          assertThrows(AragoniteException.class, () -> KernelCache.classFile(wrong));
      assertTrue(error.getMessage().contains("Missing"), error.getMessage());
      assertTrue(
          KernelCache.classFile("static long f(long a) { return Mem.getLong(a); }").length > 0);
    }
  }
}
