package io.aragonite.adapter.cli;

import io.aragonite.adapter.options.Units;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Options with units. */
public final class Quantities {
  private Quantities() {}

  /** Bytes, for instance {@code 8GB}. */
  public static final class Bytes implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      try {
        return Units.bytes(value);
      } catch (NumberFormatException e) {
        throw new TypeConversionException(
            "'" + value + "' is not a size; give bytes, or with a unit: 512MB, 8GB");
      }
    }
  }

  /** A time, for instance {@code 5min}. */
  static final class Time implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String value) {
      try {
        return Units.duration(value);
      } catch (NumberFormatException e) {
        throw new TypeConversionException(
            "'" + value + "' is not a time; give seconds, or with a unit: 30s, 5min");
      }
    }
  }
}
