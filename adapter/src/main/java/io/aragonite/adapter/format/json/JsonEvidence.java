package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.csv.TypeEvidence;
import io.aragonite.adapter.format.csv.ValueParser;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a key in a sample can be taken for: texts, numbers and their like, arrays or
 * objects. Not safe for several threads.
 */
final class JsonEvidence {
  /** Keys that an object has as fields; those of one with more are the keys of a map. */
  static final int MOST_FIELDS = 200;

  /** Arrays and objects in each other that are looked into; what is deeper is a text. */
  private static final int MOST_LEVELS = 32;

  /** Stands for all keys beyond those; it is no name of a field, so that all are keys of a map. */
  private static final String OTHERS = "";

  private final LookedInto sample;
  private final int levels;
  private final TypeEvidence scalars;
  private @Nullable Map<String, JsonEvidence> members;
  private @Nullable JsonEvidence elements;

  /** What is known of all keys of a sample together. */
  static final class LookedInto {
    private final ValueParser parser = new ValueParser();

    /** Places in objects and arrays that may still be looked into. */
    private int left;

    /**
     * @param most places in objects and arrays that are looked into
     */
    LookedInto(int most) {
      this.left = most;
    }
  }

  JsonEvidence(LookedInto sample) {
    this(sample, MOST_LEVELS);
  }

  private JsonEvidence(LookedInto sample, int levels) {
    this.sample = sample;
    this.levels = levels;
    this.scalars = new TypeEvidence(sample.parser);
  }

  /**
   * Takes a value, which is JSON.
   *
   * @param end behind it
   */
  void add(long at, long end) {
    switch (Mem.getByte(at)) {
      case '"' -> scalars.addText(at + 1, end - 1);
      case '{' -> object(at, end);
      case '[' -> array(at, end);
      case 'n' -> {}
      case 't', 'f' -> scalars.add(at, end);
      default -> number(at, end);
    }
  }

  private void object(long at, long end) {
    if (members == null) {
      members = new LinkedHashMap<>();
    }
    Map<String, JsonEvidence> known = members;
    JsonScanner.members(
        at,
        end,
        (keyFrom, keyTo, from, to) -> {
          String key = JsonStrings.text(keyFrom, keyTo);
          String name = known.size() < MOST_FIELDS || known.containsKey(key) ? key : OTHERS;
          JsonEvidence member = known.computeIfAbsent(name, _ -> part());
          if (member != null) {
            member.add(from, to);
          }
        });
  }

  private void array(long at, long end) {
    JsonEvidence known = elements == null ? part() : elements;
    elements = known;
    if (known != null) {
      JsonScanner.elements(at, end, known::add);
    }
  }

  /** Of a part; null if it is not looked into, and all is a text. */
  private @Nullable JsonEvidence part() {
    if (levels == 0 || sample.left == 0) {
      scalars.addOther();
      return null;
    }
    sample.left--;
    return new JsonEvidence(sample, levels - 1);
  }

  private void number(long at, long end) {
    for (long place = at; place < end; place++) {
      byte c = Mem.getByte(place);
      if (c != '-' && (c < '0' || c > '9')) {
        scalars.addFloating(at, end);
        return;
      }
    }
    scalars.add(at, end);
  }

  /** The narrowest type that holds all values; UNKNOWN if all are null. */
  NestedType type() {
    int kinds =
        (scalars.isEmpty() ? 0 : 1) + (members == null ? 0 : 1) + (elements == null ? 0 : 1);
    if (kinds > 1) {
      return JsonTypes.TEXT;
    }
    if (elements != null) {
      return new Listed(elements.local(), true);
    }
    if (members != null) {
      Map<String, NestedType> types = new LinkedHashMap<>();
      members.forEach((key, evidence) -> types.put(key, evidence.local()));
      return types.isEmpty() ? JsonTypes.UNKNOWN : JsonTypes.ofKeys(types);
    }
    return scalars.isEmpty() ? JsonTypes.UNKNOWN : new Scalar(scalars.type());
  }

  /** The type of a part, where there are no instants. */
  private NestedType local() {
    NestedType type = type();
    return type instanceof Scalar(DataType scalar) ? new Scalar(NestedType.local(scalar)) : type;
  }
}
