package io.aragonite.adapter.console;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who looks at the console.
 *
 * @param user null on a server without users
 * @param all whether the user sees what others do, and may cancel it
 */
record ConsoleViewer(@Nullable String user, boolean all) {
  /** Whether a query is the viewer's to see and to cancel. */
  boolean sees(LoggedQuery query) {
    return all || Objects.equals(user, query.client().user());
  }
}
