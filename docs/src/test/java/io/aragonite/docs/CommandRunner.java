package io.aragonite.docs;

import io.aragonite.adapter.cli.Main;
import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.ServerOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import sqlline.SqlLine;

/**
 * Runs the commands of the pages within this process, on the CPU: {@code ./aragonite}, the examples
 * in Java, and sqlline. A server stays open until the runner is closed; clients find it.
 */
final class CommandRunner implements AutoCloseable {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern EXAMPLE = Pattern.compile("docs/examples/(\\w+)\\.java$");
  private static final Pattern STATEMENT = Pattern.compile("(?m)^aragonite> (.*;)$");
  private static final String SHOWN_PORT = ":8765";

  private final Path folder;
  private final Map<String, String> known = new HashMap<>();
  private @Nullable QueryServer server;

  /**
   * @param folder for compiled examples
   */
  CommandRunner(Path folder) {
    this.folder = folder;
  }

  /** What the command prints. Pages may show one twice; it runs once. */
  String run(ShownCommand shown) throws Exception {
    String output = known.get(shown.command());
    if (output == null) {
      output = captured(shown);
      known.put(shown.command(), output);
    }
    return output;
  }

  private String captured(ShownCommand shown) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    PrintStream before = System.out;
    System.setOut(out);
    try {
      dispatch(shown, out);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
  }

  private void dispatch(ShownCommand shown, PrintStream out) throws Exception {
    String command = shown.command().replace("\\\n", " ").strip();
    String[] words = PagesTest.words(command);
    Matcher example = EXAMPLE.matcher(command);
    if (command.equals("./aragonite")) {
      interactive(shown.output(), out);
    } else if (command.startsWith("./aragonite serve ")) {
      serve(words[words.length - 1], out);
    } else if (command.startsWith("./aragonite ")) {
      aragonite(Arrays.copyOfRange(words, 1, words.length), out);
    } else if (command.startsWith("java ") && example.find()) {
      example(example.group(1));
    } else if (command.startsWith("java ") && command.contains(" sqlline.SqlLine ")) {
      int main = Arrays.asList(words).indexOf("sqlline.SqlLine");
      sqlline(Arrays.copyOfRange(words, main + 1, words.length), out);
    } else {
      throw new AssertionError("no way to run: " + command);
    }
  }

  private static void aragonite(String[] words, PrintStream out) {
    List<String> arguments = new ArrayList<>(List.of(words));
    if (!arguments.contains("--device")) {
      arguments.addAll(1, List.of("--device", "cpu"));
    }
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(out, true));
    line.execute(arguments.toArray(String[]::new));
  }

  /** What the shell says to its one statement; what it says before is told by a terminal only. */
  private static void interactive(String output, PrintStream out) {
    Matcher statement = STATEMENT.matcher(output);
    if (!statement.find()) {
      throw new AssertionError("a shell without a statement: " + output);
    }
    out.print(output.substring(0, statement.end()) + "\n");
    aragonite(new String[] {"shell", "--time", "-e", statement.group(1)}, out);
  }

  private void serve(String scale, PrintStream out) throws SQLException {
    String url = "jdbc:aragonite:tpch=" + scale;
    QueryServer started = QueryServer.start(ServerOptions.local(url + ";device=cpu"));
    server = started;
    out.println("Serving " + url);
    out.println("Connect with " + started.clientUrl().replaceAll(":\\d+", SHOWN_PORT));
    out.println("See what runs at " + started.consoleUrl().replaceAll(":\\d+", SHOWN_PORT));
    out.println("Stop with Ctrl-C.");
  }

  /** The text with the port of the server that runs, in place of the one that pages show. */
  private String atServer(String text) {
    if (server == null || !text.contains(SHOWN_PORT)) {
      return text;
    }
    return text.replace(SHOWN_PORT, ":" + server.port());
  }

  private void sqlline(String[] words, PrintStream out) throws IOException {
    String[] arguments = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      arguments[i] =
          atServer(words[i]).replace("=docs/examples/", "=" + ROOT.resolve("docs/examples") + "/");
    }
    System.setProperty("org.jline.terminal.dumb", "true");
    SqlLine line = new SqlLine();
    line.setOutputStream(out);
    line.setErrorStream(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
    line.begin(arguments, null, false);
  }

  private void example(String name) throws Exception {
    Path source = folder.resolve(name + ".java");
    String text = Files.readString(ROOT.resolve("docs/examples/" + name + ".java"));
    Files.writeString(source, atServer(text));
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                source.toString());
    if (status != 0) {
      throw new AssertionError(name + ".java does not compile");
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } catch (InvocationTargetException e) {
      throw new AssertionError(name + ".java failed", e.getCause());
    }
  }

  @Override
  public void close() throws SQLException {
    if (server != null) {
      server.close();
    }
  }
}
