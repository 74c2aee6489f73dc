/** Who may read what: the access file of a server, and what it comes to for a user. */
@NullMarked
package io.aragonite.adapter.access;

import org.jspecify.annotations.NullMarked;
