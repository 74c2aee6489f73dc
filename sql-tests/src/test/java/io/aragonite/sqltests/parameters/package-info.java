/** Parameters of prepared statements against literals, and getters of results. */
@NullMarked
package io.aragonite.sqltests.parameters;

import org.jspecify.annotations.NullMarked;
