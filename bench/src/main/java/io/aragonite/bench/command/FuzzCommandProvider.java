package io.aragonite.bench.command;

import io.aragonite.adapter.cli.CommandProvider;

/** Adds {@code aragonite fuzz} where this module is on the class path. */
public final class FuzzCommandProvider implements CommandProvider {
  @Override
  public Object command() {
    return new FuzzCommand();
  }
}
