/**
 * The shell: {@link io.aragonite.adapter.shell.ShellSession} runs statements and commands and
 * prints what they give, from a command line, a script or a terminal. Nothing here needs JLine but
 * {@link io.aragonite.adapter.shell.DisplayText}, for texts that are not ASCII; lines are read and
 * completed in {@code shell.terminal}.
 */
@NullMarked
package io.aragonite.adapter.shell;

import org.jspecify.annotations.NullMarked;
