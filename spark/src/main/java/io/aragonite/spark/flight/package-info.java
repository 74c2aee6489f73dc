/** Results of Aragonite's Flight SQL server as columns of Spark's. */
@NullMarked
package io.aragonite.spark.flight;

import org.jspecify.annotations.NullMarked;
