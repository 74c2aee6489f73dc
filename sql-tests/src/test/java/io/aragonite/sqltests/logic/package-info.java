/** The stored scripts of sqllogictest, which SQLite's authors made with several engines. */
@NullMarked
package io.aragonite.sqltests.logic;

import org.jspecify.annotations.NullMarked;
