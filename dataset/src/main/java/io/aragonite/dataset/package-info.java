/**
 * Generated tables as Arrow files that are made on demand, and queries over them whose answers are
 * checked: what TPC-H and TPC-DS share.
 */
@NullMarked
package io.aragonite.dataset;

import org.jspecify.annotations.NullMarked;
