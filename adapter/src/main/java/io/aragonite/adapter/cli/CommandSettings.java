package io.aragonite.adapter.cli;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.aragonite.adapter.AragoniteDriver;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * What a command's options are where the command line does not say: first what the environment
 * says, in {@code ARAGONITE_MAX_QUERIES} for {@code --max-queries}, then a file of YAML (or JSON)
 * with a line {@code max-queries: 8}, then the default.
 */
final class CommandSettings {
  private static final String PREFIX = "ARAGONITE_";

  /** The key of connection properties that have no option, a key and value each below it. */
  private static final String PROPERTY = "property";

  /** A secret: it has no option, since command lines are seen by others. */
  static final String KEYSTORE_PASSWORD = "keystore-password";

  private static final Pattern PLACE = Pattern.compile("in 'reader', line (\\d+), column");

  /** What is about settings itself. */
  private static final Set<String> OWN = Set.of("config", "print-config", "help", "version");

  /** What is set somewhere. */
  private record Setting(String value, String from) {}

  private final CommandSpec command;

  /** The options that may be set, by their long names without dashes. */
  private final Map<String, OptionSpec> options = new TreeMap<>();

  private final Map<String, Setting> settings = new TreeMap<>();

  /** Connection properties of the file. */
  private final Map<String, Setting> properties = new LinkedHashMap<>();

  private CommandSettings(CommandSpec command) {
    this.command = command;
    for (OptionSpec option : command.options()) {
      String name = option.longestName().substring(2);
      if (!OWN.contains(name)) {
        options.put(name, option);
      }
    }
  }

  /**
   * Gives options their values that the command line has not.
   *
   * @param command has been parsed
   * @param file null for none
   * @param environment of the process
   * @throws AragoniteException WRONG_USAGE, with the line, for what is not known or not right
   */
  static CommandSettings apply(
      CommandSpec command, @Nullable Path file, Map<String, String> environment) {
    CommandSettings all = new CommandSettings(command);
    if (file != null) {
      all.read(file);
    }
    all.read(environment);
    all.set();
    return all;
  }

  private void read(Map<String, String> environment) {
    Map<String, String> names = new TreeMap<>();
    options.keySet().forEach(name -> names.put(variable(name), name));
    names.remove(variable(PROPERTY)); // of several values
    names.put(variable(KEYSTORE_PASSWORD), KEYSTORE_PASSWORD);
    environment.forEach((variable, value) -> {
      String name = names.get(variable);
      // Kubernetes tells so of a service that is called aragonite.
      if (name != null && !value.matches("(tcp|udp|sctp)://.*")) {
        settings.put(name, new Setting(value, variable));
      } else if (name == null && variable.startsWith(PREFIX)) {
        warn(variable, names);
      }
    });
  }

  /** Others may have names with our prefix, but none that is nearly ours. */
  private void warn(String variable, Map<String, String> names) {
    String nearest =
        names.keySet().stream()
            .filter(known -> Math.abs(known.length() - variable.length()) <= 2)
            .filter(known ->
                NearestName.of(
                        variable.substring(PREFIX.length()),
                        List.of(known.substring(PREFIX.length())))
                    != null)
            .findFirst()
            .orElse(null);
    if (nearest != null) {
      PrintWriter err = command.commandLine().getErr();
      err.printf("aragonite: %s is not read; did you mean %s?%n", variable, nearest);
      err.flush();
    }
  }

  private static String variable(String name) {
    return PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private void read(Path file) {
    try (JsonParser parser =
        new YAMLFactory()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .createParser(Files.readAllBytes(file))) {
      JsonToken begin = parser.nextToken();
      if (begin == null) {
        return; // nothing but comments
      }
      if (begin != JsonToken.START_OBJECT) {
        throw refused(file, parser, "there are lines 'option: value' here, and nothing else");
      }
      read(file, parser);
      if (parser.nextToken() != null) {
        throw refused(file, parser, "there is one document in the file");
      }
    } catch (JsonProcessingException e) {
      throw malformed(file, e);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "The configuration file %s cannot be read: %s.".formatted(file, FileErrors.reason(e)),
          e);
    }
  }

  private void read(Path file, JsonParser parser) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      if (!options.containsKey(name) && !name.equals(KEYSTORE_PASSWORD)) {
        throw refused(file, parser, unknown(name));
      }
      JsonToken token = parser.nextToken();
      if (!name.equals(PROPERTY)) {
        settings.put(name, scalar(file, parser, name));
        continue;
      }
      if (token != JsonToken.START_OBJECT) {
        throw refused(file, parser, "'property' has lines 'name: value' below it");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String property = parser.currentName();
        parser.nextToken();
        properties.put(property, scalar(file, parser, property));
      }
    }
  }

  private String unknown(String name) {
    List<String> known = new ArrayList<>(options.keySet());
    known.add(KEYSTORE_PASSWORD);
    String nearest = NearestName.of(name, known);
    return "there is no setting '%s'%s"
        .formatted(
            name,
            nearest == null
                ? "; they are the options of " + command.name() + " without dashes"
                : "; did you mean '" + nearest + "'?");
  }

  private Setting scalar(Path file, JsonParser parser, String name) throws IOException {
    JsonToken token = parser.currentToken();
    if (!token.isScalarValue()) {
      throw refused(file, parser, "'%s' has one value".formatted(name));
    }
    if (token == JsonToken.VALUE_NULL && !mayBeAlone(name)) {
      throw refused(file, parser, "'%s' has no value".formatted(name));
    }
    return new Setting(
        token == JsonToken.VALUE_NULL ? "" : parser.getText(),
        "%s:%d".formatted(file, parser.currentTokenLocation().getLineNr()));
  }

  private boolean mayBeAlone(String name) {
    OptionSpec option = options.get(name);
    return option != null && option.arity().min() == 0;
  }

  /** Of YAML's errors the sentence that says what is wrong, and its line, are the last ones. */
  private static AragoniteException malformed(Path file, JsonProcessingException error) {
    String message = error.getOriginalMessage();
    int line = error.getLocation() == null ? 1 : error.getLocation().getLineNr();
    Matcher places = PLACE.matcher(message);
    while (places.find()) {
      line = Integer.parseInt(places.group(1));
    }
    String sentence =
        message.lines().filter(text -> !text.startsWith(" ")).reduce(message, (_, last) -> last);
    return refused(file, line, sentence);
  }

  private static AragoniteException refused(Path file, JsonParser parser, String sentence) {
    return refused(file, parser.currentTokenLocation().getLineNr(), sentence);
  }

  private static AragoniteException refused(Path file, int line, String sentence) {
    String one = sentence.strip().replaceAll("\\s*\\R\\s*", " ");
    return new AragoniteException(
        ErrorCode.WRONG_USAGE,
        "Line %d of the configuration file %s: %s%s"
            .formatted(line, file, one, one.matches(".*[.?!]") ? "" : "."));
  }

  private boolean given(OptionSpec option) {
    return command.commandLine().getParseResult().hasMatchedOption(option);
  }

  private void set() {
    settings.forEach((name, setting) -> {
      OptionSpec option = options.get(name);
      if (option != null && !given(option)) {
        set(name, option, setting);
      }
    });
    OptionSpec property = options.get(PROPERTY);
    if (property != null && !properties.isEmpty()) {
      Map<String, String> all = new LinkedHashMap<>();
      properties.forEach((name, setting) -> all.put(name, setting.value));
      Map<String, String> flags = property.getValue();
      if (flags != null) {
        all.putAll(flags);
      }
      property.setValue(all);
    }
  }

  /** Has picocli read the value, as it does those of the command line. */
  private void set(String name, OptionSpec option, Setting setting) {
    CommandSpec alone = CommandSpec.create();
    alone.addOption(OptionSpec.builder(option).required(false).build());
    CommandLine line = new CommandLine(alone).setCaseInsensitiveEnumValuesAllowed(true);
    boolean fallback = setting.value.isEmpty() && mayBeAlone(name);
    try {
      line.parseArgs(fallback ? option.longestName() : option.longestName() + "=" + setting.value);
    } catch (ParameterException e) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "%s (from %s): %s".formatted(name, setting.from, String.valueOf(e.getMessage()).strip()),
          e);
    }
  }

  /** The keystore's password; null if there is none. */
  @Nullable String keystorePassword() {
    Setting setting = settings.get(KEYSTORE_PASSWORD);
    return setting == null ? null : setting.value;
  }

  /** Prints each setting, its value without secrets, and where that is from. */
  void print(PrintWriter out) {
    Map<String, Setting> all = new TreeMap<>();
    options.forEach((name, option) -> {
      if (!name.equals(PROPERTY)) {
        all.put(name, current(name, option));
      }
    });
    Setting password = settings.get(KEYSTORE_PASSWORD);
    all.put(
        KEYSTORE_PASSWORD,
        password == null ? new Setting("", "default") : new Setting("***", password.from));
    OptionSpec property = options.get(PROPERTY);
    Map<String, String> values = property == null ? null : property.getValue();
    if (values != null) {
      values.forEach((name, value) -> {
        Setting file = properties.get(name);
        String from = file != null && file.value.equals(value) ? file.from : "command line";
        all.put(PROPERTY + "." + name, new Setting(value, from));
      });
    }
    all.forEach((name, setting) ->
        out.printf("%s: %s  # %s%n", name, redacted(name, setting.value), setting.from));
    out.flush();
  }

  private Setting current(String name, OptionSpec option) {
    if (given(option)) {
      List<String> values =
          command
              .commandLine()
              .getParseResult()
              .matchedOption(option.longestName())
              .originalStringValues();
      return new Setting(String.join(",", values), "command line");
    }
    Setting set = settings.get(name);
    if (set != null) {
      return set;
    }
    String value = option.defaultValueString();
    return new Setting(value == null || value.equals("null") ? "" : value, "default");
  }

  private static String redacted(String name, String value) {
    if (name.startsWith(PROPERTY + ".")) {
      String pair = AragoniteDriver.PREFIX + name.substring(PROPERTY.length() + 1) + "=";
      String told = UrlRedaction.redact(pair + value);
      return told.startsWith(pair) ? told.substring(pair.length()) : "***";
    }
    return UrlRedaction.redact(value);
  }
}
