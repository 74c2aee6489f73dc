package io.aragonite.adapter.parameter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLType;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The values that a prepared statement's setters were given. Not safe for several threads. */
public final class Parameters {
  private final @Nullable ParameterValue[] values;
  private final Supplier<TimeZone> zone;

  /**
   * @param zone where moments and java.sql's dates are read; asked for these alone
   */
  public Parameters(int count, Supplier<TimeZone> zone) {
    values = new ParameterValue[count];
    this.zone = zone;
  }

  /** Forgets all values. */
  public void clear() {
    java.util.Arrays.fill(values, null);
  }

  /**
   * The values.
   *
   * @throws AragoniteException MISSING_PARAMETER if one was not set
   */
  public List<ParameterValue> values() {
    List<ParameterValue> all = new ArrayList<>(values.length);
    for (int i = 0; i < values.length; i++) {
      ParameterValue value = values[i];
      if (value == null) {
        throw new AragoniteException(
            ErrorCode.MISSING_PARAMETER,
            "Parameter %d of the statement's %d has no value; set it before the statement is run."
                .formatted(i + 1, values.length));
      }
      all.add(value);
    }
    return all;
  }

  /**
   * A call of one of {@link java.sql.PreparedStatement}'s setters.
   *
   * @param arguments those of the call, the first of which is the parameter's number from 1
   * @throws AragoniteException INVALID_CALL if there is no such parameter
   */
  public void set(String setter, @Nullable Object[] arguments) throws SQLException {
    int index = arguments[0] instanceof Integer number ? number : 0;
    if (index < 1 || index > values.length) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "The statement has no parameter %d; it has %d.".formatted(index, values.length));
    }
    values[index - 1] = value(setter, arguments);
  }

  private ParameterValue value(String setter, @Nullable Object[] arguments) throws SQLException {
    Object object = arguments[1];
    return switch (setter) {
      case "setNull" -> TargetTypes.ofNull(object instanceof Integer type ? type : 0);
      case "setObject" ->
          arguments.length == 2 ? JavaParameters.of(object, zone) : typed(arguments);
      case "setDate", "setTime", "setTimestamp" ->
          JavaParameters.of(
              object,
              arguments.length == 3 && arguments[2] instanceof Calendar calendar
                  ? calendar::getTimeZone
                  : zone);
      case "setAsciiStream" ->
          object instanceof InputStream stream
              ? JavaParameters.text(
                  new String(bytes(stream, length(arguments)), StandardCharsets.US_ASCII))
              : JavaParameters.of(object, zone);
      case "setUnicodeStream" ->
          object instanceof InputStream stream
              ? JavaParameters.text(
                  new String(bytes(stream, length(arguments)), StandardCharsets.UTF_8))
              : JavaParameters.of(object, zone);
      default -> JavaParameters.of(read(object, arguments), zone);
    };
  }

  private ParameterValue typed(@Nullable Object[] arguments) throws SQLException {
    Integer type =
        switch (arguments[2]) {
          case SQLType named -> named.getVendorTypeNumber();
          case Integer number -> number;
          case null, default -> null;
        };
    if (type == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "Parameter %s has a type that is none of java.sql.Types'.".formatted(arguments[0]));
    }
    Integer scale = arguments.length > 3 && arguments[3] instanceof Integer number ? number : null;
    return TargetTypes.of(read(arguments[1], new Object[0]), type, scale, zone);
  }

  /** What a stream holds, or the object itself. */
  private static @Nullable Object read(@Nullable Object object, @Nullable Object[] arguments)
      throws SQLException {
    return switch (object) {
      case Reader reader -> text(reader, length(arguments));
      case InputStream stream -> bytes(stream, length(arguments));
      case null, default -> object;
    };
  }

  /** How much of a stream is to be read: negative for all. */
  private static long length(@Nullable Object[] arguments) {
    return arguments.length == 3 && arguments[2] instanceof Number number ? number.longValue() : -1;
  }

  private static String text(Reader reader, long length) {
    try {
      StringWriter text = new StringWriter();
      char[] buffer = new char[4096];
      for (long left = length < 0 ? Long.MAX_VALUE : length; left > 0; ) {
        int count = reader.read(buffer, 0, (int) Math.min(left, buffer.length));
        if (count < 0) {
          break;
        }
        text.write(buffer, 0, count);
        left -= count;
      }
      return text.toString();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static byte[] bytes(InputStream stream, long length) {
    try {
      return stream.readNBytes(length < 0 ? Integer.MAX_VALUE : Math.toIntExact(length));
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static AragoniteException unreadable(IOException e) {
    return new AragoniteException(
        ErrorCode.INVALID_CALL,
        "The stream of a parameter cannot be read: " + AragoniteException.reason(e) + ".",
        e);
  }
}
