/**
 * TPC-DS: its tables as Arrow files that are made on demand ({@link io.aragonite.tpcds.TpcdsData}),
 * and its 99 queries ({@link io.aragonite.tpcds.TpcdsQuery}).
 */
@NullMarked
package io.aragonite.tpcds;

import org.jspecify.annotations.NullMarked;
