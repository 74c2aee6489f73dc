package io.aragonite.adapter.error;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Types;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.calcite.avatica.AvaticaParameter;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.jdbc.CalciteSchema;
import org.jspecify.annotations.Nullable;

/**
 * Says that the columns of a statement depend on the types of its parameters, which have no values
 * yet: {@code select abs(?)} say.
 */
public final class UndescribedStatementException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int parameters;

  public UndescribedStatementException(int parameters, Throwable cause) {
    super(cause);
    this.parameters = parameters;
  }

  /** Whether an error may come of types that are not known yet. */
  public static boolean isFor(Throwable error) {
    AragoniteException known = CalciteErrors.of(error, KnownNames.NONE);
    return switch (known.code()) {
      case SYNTAX, UNKNOWN_TABLE, UNKNOWN_COLUMN, CANCELLED, TIMED_OUT, MEMORY_EXCEEDED -> false;
      default -> true;
    };
  }

  /** A description without columns, whose parameters may have any type. */
  public <T> CalciteSignature<T> signature(String sql, @Nullable CalciteSchema schema) {
    AvaticaParameter any =
        new AvaticaParameter(false, 0, 0, Types.OTHER, "ANY", Object.class.getName(), "?");
    return new CalciteSignature<>(
        sql,
        Collections.nCopies(parameters, any),
        Map.of(),
        null,
        List.of(),
        Meta.CursorFactory.ARRAY,
        schema,
        List.of(),
        -1,
        context -> {
          throw new AragoniteException(
              ErrorCode.MISSING_PARAMETER, "Not all parameters of the statement have been set.");
        },
        Meta.StatementType.SELECT);
  }
}
