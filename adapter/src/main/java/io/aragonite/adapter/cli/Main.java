package io.aragonite.adapter.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code aragonite} command. */
@Command(
    name = "aragonite",
    description = "SQL on GPUs and CPUs, through Apache Calcite.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main implements Runnable {
  /** Runs the command line and exits with its status. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  /** The version that the jar's manifest names. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"aragonite " + (version == null ? "(not packaged)" : version)};
    }
  }
}
