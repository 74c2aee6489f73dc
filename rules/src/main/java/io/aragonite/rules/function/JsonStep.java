package io.aragonite.rules.function;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A step of a path into JSON: to a member, to an element, or, in a pointer, to either.
 *
 * @param name the member's; null of an element
 * @param index the element's, the last of which is -1; {@link #NONE} of a member
 */
record JsonStep(@Nullable String name, long index) {
  private static final long NONE = Long.MIN_VALUE;

  /** {@code .name}, {@code ."name"}, {@code [1]} or {@code ["name"]}; a name ends at a dot or [. */
  private static final Pattern STEP =
      Pattern.compile(
          "\\.([^.\\[\"*]+)|\\.\"([^\"]*)\"|\\[(-?[0-9]{1,9})]|\\[\"([^\"]*)\"]|\\['([^']*)']");

  /**
   * The steps of a path, which begins with $, or of a pointer, which begins with /; all else is a
   * field's name.
   *
   * @throws AragoniteException INVALID_ARGUMENT if it is neither
   */
  static List<JsonStep> of(String path) {
    if (path.startsWith("/")) {
      return pointed(path);
    }
    if (!path.startsWith("$")) {
      return List.of(new JsonStep(path, NONE));
    }
    List<JsonStep> steps = new ArrayList<>();
    Matcher step = matcher(path);
    int at = 1;
    while (at < path.length()) {
      at = next(step, at, path);
      steps.add(of(step));
    }
    return steps;
  }

  private static List<JsonStep> pointed(String path) {
    List<JsonStep> steps = new ArrayList<>();
    try {
      for (JsonPointer at = JsonPointer.compile(path); !at.matches(); at = at.tail()) {
        int index = at.getMatchingIndex();
        steps.add(new JsonStep(at.getMatchingProperty(), index < 0 ? NONE : index));
      }
    } catch (IllegalArgumentException e) {
      throw noPath(path);
    }
    return steps;
  }

  /** Finds the steps of a path one by one with {@link #next}. */
  static Matcher matcher(String path) {
    return STEP.matcher(path);
  }

  /** Where the step at a place ends, which is found then. */
  static int next(Matcher step, int at, String path) {
    if (!step.find(at) || step.start() != at) {
      throw noPath(path);
    }
    return step.end();
  }

  /** The step that a matcher has found. */
  static JsonStep of(Matcher step) {
    if (step.group(3) != null) {
      return new JsonStep(null, Long.parseLong(step.group(3)));
    }
    for (int group : new int[] {1, 2, 4}) {
      if (step.group(group) != null) {
        return new JsonStep(step.group(group), NONE);
      }
    }
    return new JsonStep(step.group(5), NONE);
  }

  /** Which one of a value's members or elements the step leads to, from 0; -1 if to none. */
  int place(JsonNode node) {
    if (node.isArray()) {
      long at = index < 0 ? node.size() + index : index;
      return at >= 0 && at < node.size() ? (int) at : -1;
    }
    int found = -1;
    int place = 0;
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); place++) {
      found = names.next().equals(name) ? place : found; // of equal names the last one
    }
    return found;
  }

  /** Where the step leads to; null if to nothing. */
  @Nullable JsonNode from(JsonNode node) {
    if (node.isArray()) {
      int place = place(node);
      return place < 0 ? null : node.get(place);
    }
    return name == null ? null : node.get(name);
  }

  static AragoniteException noPath(String path) {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "'%s' is no path into JSON; write '$.name[0]', '/name/0', or the name of a field."
            .formatted(path));
  }
}
