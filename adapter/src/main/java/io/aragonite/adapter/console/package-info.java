/** The web console of a server: what runs, what ran, its plans, and the devices. */
@NullMarked
package io.aragonite.adapter.console;

import org.jspecify.annotations.NullMarked;
