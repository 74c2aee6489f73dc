/** The driver's jar in programs that have other versions of its libraries. */
package io.aragonite.jdbc;
