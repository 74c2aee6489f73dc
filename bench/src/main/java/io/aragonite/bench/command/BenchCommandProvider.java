package io.aragonite.bench.command;

import io.aragonite.adapter.cli.CommandProvider;

/** Adds {@code aragonite bench} where this module is on the class path. */
public final class BenchCommandProvider implements CommandProvider {
  @Override
  public Object command() {
    return new BenchCommand();
  }
}
