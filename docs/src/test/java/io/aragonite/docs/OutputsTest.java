package io.aragonite.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The outputs that pages show are those of the commands above them. Times, sizes and facts of the
 * machine may be others. With {@code -Daragonite.docs.write=true} the outputs that differ are
 * written anew.
 */
class OutputsTest {
  private static final List<Path> PAGES =
      List.of(
          Path.of("..", "README.md"),
          Path.of("tutorial.md"),
          Path.of("how-to.md"),
          Path.of("shell.md"));

  @Test
  void commandsPrintWhatPagesShow(@TempDir Path folder) throws Exception {
    int seen = 0;
    try (CommandRunner runner = new CommandRunner(folder)) {
      for (Path page : PAGES) {
        String text = Files.readString(page);
        StringBuilder fresh = new StringBuilder();
        int from = 0;
        for (ShownCommand shown : ShownCommand.of(text)) {
          if (shown.output().isBlank()) {
            continue; // a command on the reader's own data
          }
          seen++;
          String output = runner.run(shown);
          boolean same = masked(shown, shown.output()).equals(masked(shown, output));
          fresh.append(text, from, shown.from());
          fresh.append(same ? shown.output() : stripped(output));
          from = shown.to();
        }
        check(page, text, fresh.append(text.substring(from)).toString());
      }
    }
    assertTrue(seen > 12, "only " + seen + " outputs found");
  }

  private static void check(Path page, String text, String fresh) throws Exception {
    if (Boolean.getBoolean("aragonite.docs.write")) {
      Files.writeString(page, fresh);
    } else {
      assertEquals(fresh, text, page + " shows what its commands do not print");
    }
  }

  /** Without what differs from run to run, or from machine to machine. */
  private static String masked(ShownCommand shown, String output) {
    String text =
        output
            .replaceAll("\\b[\\d.,]+ (ns|us|ms|s)\\b", "TIME")
            .replaceAll("\\b[\\d.,]+ (B|KB|MB|GB)\\b", "SIZE")
            .replaceAll("(?m)prices: .*$", "prices");
    if (shown.command().contains("aragonite tpch")) {
      text = text.replaceAll("(?m)^ *(Q\\d+) +[\\d.]+ ", "$1 TIME ");
    }
    if (shown.command().contains("aragonite doctor")) {
      text = // all that stands behind the first words are facts of a machine
          text.replaceAll("(?m)^(Driver|GPU|Links|Kernels)\\b.*\\n", "")
              .replaceAll("(?m)(?<=^\\w{2,12}) .*$", "");
    }
    return text.lines()
        .map(line -> line.stripTrailing().replaceAll("(?<=\\S) +", " "))
        .collect(Collectors.joining("\n"));
  }

  private static String stripped(String output) {
    return output.lines().map(line -> line.stripTrailing() + "\n").collect(Collectors.joining());
  }
}
