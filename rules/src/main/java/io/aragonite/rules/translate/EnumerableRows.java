package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.table.RowSource;
import io.aragonite.rules.function.CheckedCalls;
import io.aragonite.rules.function.CodePointFunctions;
import io.aragonite.rules.function.PushedTexts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableInterpretable;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.runtime.Bindable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** The rows of a tree of Calcite's Enumerable convention, in the engine's form. */
final class EnumerableRows {
  private final EnumerableRel rel;
  private final List<RelDataType> types;

  /** Which columns are a table's CHARs, that other adapters may hand over with padding. */
  private final boolean[] padded;

  private final Map<String, Object> stashed = new HashMap<>();
  private volatile @Nullable Bindable<?> code;

  EnumerableRows(EnumerableRel rel) {
    this.rel = rel;
    this.types = rel.getRowType().getFieldList().stream().map(RelDataTypeField::getType).toList();
    this.padded = new boolean[types.size()];
    for (int i = 0; i < padded.length; i++) {
      if (types.get(i).getSqlTypeName() == SqlTypeName.CHAR) {
        RelColumnOrigin origin = rel.getCluster().getMetadataQuery().getColumnOrigin(rel, i);
        padded[i] = origin != null && !origin.isDerived();
      }
    }
  }

  /** Generates the code. */
  Bindable<?> prepare() {
    Bindable<?> present = code;
    if (present == null) {
      synchronized (stashed) {
        present = code;
        if (present == null) {
          present =
              EnumerableInterpretable.toBindable(
                  stashed,
                  null,
                  new ArrayRows((EnumerableRel) PushedTexts.of(CheckedCalls.of(rel))),
                  EnumerableRel.Prefer.ANY);
          code = present;
        }
      }
    }
    return present;
  }

  /** The rows of one execution. */
  RowSource in(DataContext context) {
    return columns -> {
      try {
        Bindable<?> bindable = prepare();
        Enumerator<?> rows = bindable.bind(new StashedContext(context, stashed)).enumerator();
        return new Rows(rows, columns);
      } catch (RuntimeException | ExceptionInInitializerError e) {
        throw failure(e);
      }
    };
  }

  /**
   * Calcite's code computes constants as its classes are initialised; what fails there is an error
   * of the statement, too.
   */
  private AragoniteException failure(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null && !(root instanceof AragoniteException)) {
      root = root.getCause();
    }
    if (root instanceof AragoniteException ours) {
      return ours;
    }
    if (root instanceof ArithmeticException) {
      return arithmetic(String.valueOf(root.getMessage()), e);
    }
    return new AragoniteException(
        ErrorCode.SOURCE_FAILED,
        "Rows of %s, which another adapter hands over, could not be read: %s."
            .formatted(ForeignTables.of(rel), root.getMessage() == null ? root : root.getMessage()),
        e);
  }

  private static AragoniteException arithmetic(String message, Throwable e) {
    return message.equals("/ by zero")
        ? new AragoniteException(
            ErrorCode.DIVISION_BY_ZERO, "Division by zero; guard it with NULLIF or CASE.", e)
        : new AragoniteException(
            ErrorCode.NUMERIC_OVERFLOW,
            "A value does not fit its type (%s); cast the operands to a wider type."
                .formatted(message),
            e);
  }

  /** A CHAR without the blanks at its end, which no value of the engine has. */
  private static @Nullable Object unpadded(@Nullable Object text) {
    return text instanceof String given ? CodePointFunctions.unpadded(given) : text;
  }

  private final class Rows implements RowSource.RowReader {
    private final Enumerator<?> rows;
    private final List<Integer> columns;

    Rows(Enumerator<?> rows, List<Integer> columns) {
      this.rows = rows;
      this.columns = columns;
    }

    @Override
    public @Nullable Object @Nullable [] next() {
      try {
        if (!rows.moveNext()) {
          return null;
        }
        @Nullable Object[] row = (Object[]) rows.current();
        @Nullable Object[] values = new @Nullable Object[columns.size()];
        for (int i = 0; i < values.length; i++) {
          int column = columns.get(i);
          Object value = padded[column] ? unpadded(row[column]) : row[column];
          values[i] = CalciteValues.toEngine(value, types.get(column));
        }
        return values;
      } catch (RuntimeException | ExceptionInInitializerError e) {
        throw failure(e);
      }
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
