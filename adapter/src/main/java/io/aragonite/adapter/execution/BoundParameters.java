package io.aragonite.adapter.execution;

import io.aragonite.adapter.parameter.ParameterType;
import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.parameter.TypedMarker;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values that a run's parameter markers have. */
public final class BoundParameters {
  private final boolean maySet;
  private volatile @Nullable List<ParameterValue> values;

  /**
   * @param maySet whether somebody could have given values
   */
  BoundParameters(boolean maySet) {
    this.maySet = maySet;
  }

  /**
   * Gives the statement's parameters values.
   *
   * @param values in the order of the markers
   */
  public void set(List<ParameterValue> values) {
    this.values = values;
  }

  /** The types of the parameters, null if none has a value. */
  @Nullable
  public List<ParameterType> types() {
    List<ParameterValue> set = values;
    return set == null ? null : set.stream().map(ParameterValue::type).toList();
  }

  /** Whether a name is that of a parameter, and parameters have values. */
  boolean has(String name) {
    return values != null && name.startsWith("?");
  }

  /**
   * The value of a parameter.
   *
   * @param name a question mark and the number that the plan has, as in Calcite's data contexts
   */
  @Nullable Object value(String name) {
    return TypedMarker.value(
        Objects.requireNonNull(values), Integer.parseInt(name, 1, name.length(), 10));
  }

  /**
   * Looks whether markers have values.
   *
   * @throws AragoniteException MISSING_PARAMETER if a plain statement has markers
   */
  public void check(int count) {
    if (count > 0 && !maySet && values == null) {
      throw new AragoniteException(
          ErrorCode.MISSING_PARAMETER,
          "The statement has %d parameter marker%s without a value; prepare it and set %s."
              .formatted(count, count == 1 ? "" : "s", count == 1 ? "it" : "them"));
    }
  }
}
