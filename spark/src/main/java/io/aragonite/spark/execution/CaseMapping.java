package io.aragonite.spark.execution;

import io.aragonite.exec.expr.HostFunction;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.util.CollationSupport;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Upper and lower case of texts by Spark's own library, which knows letters that the JDK does not. */
public enum CaseMapping implements HostFunction {
  UPPER(CollationSupport.Upper::execBinaryICU),
  LOWER(CollationSupport.Lower::execBinaryICU);

  private final UnaryOperator<UTF8String> mapping;

  CaseMapping(UnaryOperator<UTF8String> mapping) {
    this.mapping = mapping;
  }

  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    return arguments[0] == null
        ? null
        : mapping.apply(UTF8String.fromString((String) arguments[0])).toString();
  }
}
