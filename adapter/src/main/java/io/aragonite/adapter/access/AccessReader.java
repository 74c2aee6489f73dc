package io.aragonite.adapter.access;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.aragonite.adapter.access.AccessFile.Grant;
import io.aragonite.adapter.access.AccessFile.UserEntry;
import io.aragonite.adapter.access.AccessFile.UserRole;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.options.Units;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Reads an access file: JSON in which every key is known and stands once. */
final class AccessReader {
  private final Path file;
  private final JsonParser json;

  private AccessReader(Path file, JsonParser json) {
    this.file = file;
    this.json = json;
  }

  /** Reads the value of a key, at which the parser is. */
  private interface Value {
    void read() throws IOException;
  }

  /**
   * Reads a file.
   *
   * @throws AragoniteException SERVER_REFUSED, with the line
   */
  static AccessFile read(Path file) {
    try (JsonParser json =
        new JsonFactory()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .createParser(Files.readAllBytes(file))) {
      return new AccessReader(file, json).file();
    } catch (JsonProcessingException e) {
      throw refused(file, e.getLocation().getLineNr(), e.getOriginalMessage());
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.SERVER_REFUSED,
          "The access file %s cannot be read: %s.".formatted(file, FileErrors.reason(e)),
          e);
    }
  }

  static AragoniteException refused(Path file, int line, String sentence) {
    return new AragoniteException(
        ErrorCode.SERVER_REFUSED,
        "Line %d of the access file %s: %s%s"
            .formatted(line, file, sentence, sentence.endsWith(".") ? "" : "."));
  }

  private AragoniteException refused(String sentence) {
    return refused(file, line(), sentence);
  }

  private int line() {
    return json.currentTokenLocation().getLineNr();
  }

  private AccessFile file() throws IOException {
    Map<String, UserRole> roles = new LinkedHashMap<>();
    Map<String, UserEntry> users = new LinkedHashMap<>();
    UserLimits[] limits = {UserLimits.NONE};
    json.nextToken();
    object(
        "the file",
        Map.of(
            "roles", () -> named("a role", name -> roles.put(name, role(name))),
            "users", () -> named("a user", name -> users.put(name, user())),
            "limits", () -> limits[0] = limits()));
    if (json.nextToken() != null) {
      throw refused("Something stands behind the end.");
    }
    return new AccessFile(roles, users, limits[0]);
  }

  /** Reads what a name stands for. */
  private interface Entry {
    void read(String name) throws IOException;
  }

  /** An object whose keys are names of the operator's. */
  private void named(String what, Entry entry) throws IOException {
    require(JsonToken.START_OBJECT, "An object with a key for each is wanted here");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      if (name.isBlank()) {
        throw refused("The name of %s is empty".formatted(what));
      }
      json.nextToken();
      entry.read(name);
    }
  }

  /** An object whose keys are ours. */
  private void object(String what, Map<String, Value> keys) throws IOException {
    require(JsonToken.START_OBJECT, "An object { } is wanted for %s".formatted(what));
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      Value value = keys.get(key);
      if (value == null) {
        String nearest = NearestName.of(key, keys.keySet());
        throw refused(
            "There is no key '%s' in %s; %s"
                .formatted(
                    key,
                    what,
                    nearest == null
                        ? "there are " + String.join(", ", keys.keySet().stream().sorted().toList())
                        : "did you mean '" + nearest + "'?"));
      }
      json.nextToken();
      value.read();
    }
  }

  private void require(JsonToken token, String sentence) {
    if (json.currentToken() != token) {
      throw refused(sentence);
    }
  }

  private String text() throws IOException {
    require(JsonToken.VALUE_STRING, "A text in quotes is wanted here");
    return json.getText();
  }

  private boolean truth() throws IOException {
    if (json.currentToken() == null || !json.currentToken().isBoolean()) {
      throw refused("true or false is wanted here");
    }
    return json.getBooleanValue();
  }

  private List<String> texts() throws IOException {
    require(JsonToken.START_ARRAY, "A list [ ] of texts is wanted here");
    List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      String text = text();
      if (texts.contains(text)) {
        throw refused("'%s' stands twice in the list".formatted(text));
      }
      texts.add(text);
    }
    return texts;
  }

  private UserRole role(String name) throws IOException {
    int line = line();
    boolean[] flags = new boolean[2];
    List<Grant> grants = new ArrayList<>();
    object(
        "role '%s'".formatted(name),
        Map.of(
            "everything", () -> flags[0] = truth(),
            "ownTables", () -> flags[1] = truth(),
            "grants",
                () -> {
                  require(JsonToken.START_ARRAY, "A list [ ] of grants is wanted here");
                  while (json.nextToken() != JsonToken.END_ARRAY) {
                    grants.add(grant(name));
                  }
                }));
    if (flags[0] && (flags[1] || !grants.isEmpty())) {
      throw refused(file, line, "Role '%s' grants everything, so nothing else".formatted(name));
    }
    return new UserRole(name, line, flags[0], flags[1], grants);
  }

  private Grant grant(String role) throws IOException {
    int line = line();
    Map<String, String> texts = new HashMap<>();
    List<List<String>> columns = new ArrayList<>();
    object(
        "a grant of role '%s'".formatted(role),
        Map.of(
            "schema", () -> texts.put("schema", text()),
            "table", () -> texts.put("table", text()),
            "rows", () -> texts.put("rows", text()),
            "columns", () -> columns.add(texts())));
    String schema = texts.get("schema");
    if (schema == null) {
      throw refused(file, line, "A grant of role '%s' names no schema".formatted(role));
    }
    if (texts.get("table") == null && (!columns.isEmpty() || texts.get("rows") != null)) {
      throw refused(
          file,
          line,
          "A grant of role '%s' has columns or rows and names no table".formatted(role));
    }
    if (!columns.isEmpty() && columns.getFirst().isEmpty()) {
      throw refused(file, line, "A grant of role '%s' names no columns".formatted(role));
    }
    return new Grant(
        line,
        schema,
        texts.get("table"),
        columns.isEmpty() ? null : columns.getFirst(),
        texts.get("rows"));
  }

  private UserEntry user() throws IOException {
    int line = line();
    List<String> roles = new ArrayList<>();
    UserLimits[] limits = {UserLimits.NONE};
    object(
        "a user",
        Map.of(
            "roles", () -> roles.addAll(texts()),
            "limits", () -> limits[0] = limits()));
    return new UserEntry(line, roles, limits[0]);
  }

  private UserLimits limits() throws IOException {
    Map<String, Object> values = new HashMap<>();
    object(
        "limits",
        Map.of(
            "queries", () -> values.put("queries", (int) Math.min(1_000_000, count())),
            "rows", () -> values.put("rows", count()),
            "time", () -> values.put("time", measure(Units::duration, "a time such as 30s")),
            "memory", () -> values.put("memory", size("a size such as 1GB")),
            "bytes", () -> values.put("bytes", size("a size such as 100MB"))));
    return new UserLimits(
        (Integer) values.get("queries"),
        (Duration) values.get("time"),
        (Long) values.get("memory"),
        (Long) values.get("rows"),
        (Long) values.get("bytes"));
  }

  private long count() throws IOException {
    require(JsonToken.VALUE_NUMBER_INT, "A whole number is wanted here");
    long count = json.getLongValue();
    if (count < 1) {
      throw refused("A number over 0 is wanted here");
    }
    return count;
  }

  private long size(String wanted) throws IOException {
    long bytes = measure(Units::bytes, wanted);
    if (bytes < 1) {
      throw refused("A size over 0 is wanted here, " + wanted);
    }
    return bytes;
  }

  private <T> T measure(Function<String, T> read, String wanted) throws IOException {
    String text = text();
    try {
      return read.apply(text);
    } catch (NumberFormatException e) {
      throw refused("'%s' is not %s".formatted(text, wanted));
    }
  }
}
