package io.aragonite.adapter.format.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Parses the objects of a run of text, and says where the values of their keys are. What it passes
 * is JSON, with {@code NaN} and {@code Infinity} as numbers.
 */
final class JsonRecords {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          // A parser of other encodings knows no places of bytes.
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  private final JsonForm form;
  private final JsonErrors errors;
  private final boolean lenient;
  private final Visitor visitor;

  /** What is told of the objects. */
  interface Visitor {
    /** A value that a key has; {@code at} is its first byte. */
    void value(int row, String key, JsonToken token, long at);

    /** An array or object that a key has, which has been told before, is JSON to its end. */
    default void nested(String key, long at, long end) {}

    /** The row is no object: its values, some of which may have been told, are null. */
    default void failed(int row) {}
  }

  JsonRecords(JsonForm form, JsonErrors errors, boolean lenient, Visitor visitor) {
    this.form = form;
    this.errors = errors;
    this.lenient = lenient;
    this.visitor = visitor;
  }

  /**
   * Reads objects that begin at {@code start} and end before {@code end}.
   *
   * @return how many there are
   * @throws AragoniteException FILE_BROKEN
   */
  int read(long start, long end, int most) {
    try {
      return form == JsonForm.LINES ? lines(start, end, most) : values(start, end, most);
    } catch (IOException e) {
      throw errors.notJson(start, "it is not JSON: " + e.getMessage(), e);
    }
  }

  private int values(long start, long end, int most) throws IOException {
    boolean array = form == JsonForm.ARRAY;
    StopCheck stop = StopCheck.current();
    long at = start;
    int row = 0;
    try (Source source = new Source(start, end, array)) {
      if (array) {
        source.next();
      }
      for (JsonToken token = source.next();
          token != null && token != JsonToken.END_ARRAY && row < most;
          token = source.next()) {
        try {
          object(source, token, row);
        } catch (NoObjectException e) {
          refuse(e, row);
          source.skip();
        }
        stop.work(source.behind() - at);
        at = source.behind();
        row++;
      }
    }
    return row;
  }

  /**
   * One parser reads all lines; where lines may be wrong each has its own, so that it ends with its
   * line.
   */
  private int lines(long start, long end, int most) throws IOException {
    int row = 0;
    long at = start;
    StopCheck stop = StopCheck.current();
    Source all = lenient ? null : new Source(start, end, false);
    while (at < end && row < most) {
      long lineEnd = JsonScanner.lineEnd(at, end);
      long first = JsonScanner.skipBlanks(at, lineEnd);
      if (first < lineEnd) {
        Source source = all != null ? all : new Source(first, lineEnd, false);
        try {
          line(source, lineEnd, row);
        } catch (NoObjectException e) {
          refuse(e, row);
        }
        row++;
      }
      stop.work(lineEnd - at);
      at = lineEnd + 1;
    }
    return row;
  }

  private void line(Source source, long lineEnd, int row) throws IOException {
    source.lineEnd = lineEnd;
    JsonToken token = source.next();
    object(source, token == null ? JsonToken.NOT_AVAILABLE : token, row);
    long behind = source.behind();
    if (behind > lineEnd) {
      throw new NoObjectException(openLine(lineEnd));
    }
    long more = JsonScanner.skipBlanks(behind, lineEnd);
    if (more < lineEnd) {
      throw new NoObjectException(
          errors.notJson(
              more,
              "there is text behind the object; read it with format => 'unstructured'",
              null));
    }
  }

  private AragoniteException openLine(long lineEnd) {
    return errors.notJson(
        lineEnd,
        "the object does not end in its line; read it with format => 'unstructured'",
        null);
  }

  private void object(Source source, JsonToken token, int row) throws IOException {
    if (token != JsonToken.START_OBJECT) {
      throw new NoObjectException(
          errors.notJson(source.at(), "an object is wanted here, {…}", null));
    }
    for (JsonToken next = source.next(); next != JsonToken.END_OBJECT; next = source.next()) {
      String key = source.parser.currentName();
      JsonToken value = source.next();
      if (value == null || key == null) {
        throw new NoObjectException(errors.notJson(source.at(), "the object does not end", null));
      }
      long at = source.valueAt();
      visitor.value(row, key, value, at);
      if (value.isStructStart()) {
        source.skip();
        visitor.nested(key, at, source.behind());
      }
    }
  }

  private void refuse(NoObjectException e, int row) {
    if (!lenient) {
      throw e.error;
    }
    visitor.failed(row);
  }

  private static String reason(JsonProcessingException e) {
    String message = e.getOriginalMessage();
    if (!(e instanceof StreamConstraintsException)) {
      return message;
    }
    StreamReadConstraints limits = FACTORY.streamReadConstraints();
    if (message.contains("nesting depth")) {
      return "its nesting depth is beyond %,d".formatted(limits.getMaxNestingDepth());
    }
    return message.contains("Number")
        ? "a number has more than %,d characters".formatted(limits.getMaxNumberLength())
        : "a key or a text has more characters than are read";
  }

  /** Something is no object. */
  private static final class NoObjectException extends IOException {
    private final transient AragoniteException error;

    NoObjectException(AragoniteException error) {
      super(error.getMessage(), error);
      this.error = error;
    }
  }

  /** A parser that knows where in memory it is. */
  private final class Source implements AutoCloseable {
    private final JsonParser parser;
    private final long base;
    private final long start;
    private final long end;

    /** Where the object's line ends, if it has one of its own. */
    private long lineEnd = Long.MAX_VALUE;

    Source(long start, long end, boolean array) throws IOException {
      this.parser = FACTORY.createParser(new JsonInput(start, end, array));
      this.base = array ? start - 1 : start;
      this.start = start;
      this.end = end;
    }

    @Nullable JsonToken next() throws IOException {
      try {
        return parser.nextToken();
      } catch (JsonProcessingException e) {
        throw wrong(e);
      }
    }

    void skip() throws IOException {
      try {
        parser.skipChildren();
      } catch (JsonProcessingException e) {
        throw wrong(e);
      }
    }

    private IOException wrong(JsonProcessingException e) {
      // Limits of the parser have no place.
      JsonLocation place = e.getLocation() == null ? parser.currentLocation() : e.getLocation();
      long at = within(place);
      AragoniteException error =
          at > lineEnd ? openLine(lineEnd) : errors.notJson(at, "it is not JSON: " + reason(e), e);
      if (!lenient || form != JsonForm.LINES) {
        throw error;
      }
      return new NoObjectException(error);
    }

    /** Where the token begins, for messages. */
    long at() {
      return within(parser.currentTokenLocation());
    }

    private long within(JsonLocation place) {
      return Math.clamp(base + Math.max(0, place.getByteOffset()), start, end);
    }

    /** The first byte of the token, which is there. */
    long valueAt() {
      long at = base + parser.currentTokenLocation().getByteOffset();
      if (at < start || at >= end) {
        throw errors.notJson(at(), "it is not JSON: a value is wanted here", null);
      }
      return at;
    }

    /** Behind the token. */
    long behind() {
      return base + parser.currentLocation().getByteOffset();
    }

    @Override
    public void close() throws IOException {
      parser.close();
    }
  }
}
