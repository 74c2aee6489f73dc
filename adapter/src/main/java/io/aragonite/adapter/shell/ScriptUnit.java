package io.aragonite.adapter.shell;

/**
 * A statement or a command of the shell.
 *
 * @param text without the semicolon at its end
 * @param line where it begins in what it was read from, counted from 1
 * @param command whether it is a command
 */
public record ScriptUnit(String text, int line, boolean command) {}
