/** Rows that memory does not hold: spill files, spools, and work that goes part by part. */
@NullMarked
package io.aragonite.exec.spill;

import org.jspecify.annotations.NullMarked;
