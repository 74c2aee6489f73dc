package io.aragonite.bench.command;

import io.aragonite.adapter.cli.CommandProvider;

/** Adds {@code aragonite tpcds} where this module is on the class path. */
public final class TpcdsCommandProvider implements CommandProvider {
  @Override
  public Object command() {
    return new TpcdsCommand();
  }
}
