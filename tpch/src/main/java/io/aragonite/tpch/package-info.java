/**
 * TPC-H for any engine: data as Arrow files ({@link io.aragonite.tpch.TpchData}), the 22 queries
 * ({@link io.aragonite.tpch.TpchQuery}), their answers ({@link io.aragonite.dataset.Answer}) and a
 * runner over {@code java.sql} ({@link io.aragonite.tpch.TpchRunner}).
 */
@NullMarked
package io.aragonite.tpch;

import org.jspecify.annotations.NullMarked;
