/** What has to see the inside of Calcite's decorrelator. */
@NullMarked
package org.apache.calcite.sql2rel;

import org.jspecify.annotations.NullMarked;
