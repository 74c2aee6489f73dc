/**
 * Statements: from text to a prepared plan, and the session that they belong to. Start with {@link
 * AragonitePrepare} and {@link StatementGuard}.
 */
@NullMarked
package io.aragonite.adapter.statement;

import org.jspecify.annotations.NullMarked;
