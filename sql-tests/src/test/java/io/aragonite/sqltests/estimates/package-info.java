/** What the planner expects, against the truth. */
@NullMarked
package io.aragonite.sqltests.estimates;

import org.jspecify.annotations.NullMarked;
