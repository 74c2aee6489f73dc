package io.aragonite.bench.command;

import io.aragonite.adapter.cli.CommandProvider;

/** Adds {@code aragonite soak} where this module is on the class path. */
public final class SoakCommandProvider implements CommandProvider {
  @Override
  public Object command() {
    return new SoakCommand();
  }
}
