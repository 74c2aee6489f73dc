/**
 * What a query is run with and what comes out: options, metrics, results, and when what they use
 * may be freed.
 */
@NullMarked
package io.aragonite.exec.runtime;

import org.jspecify.annotations.NullMarked;
