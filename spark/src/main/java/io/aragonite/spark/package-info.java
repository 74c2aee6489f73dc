/** What Spark loads: the plugin, its settings, the check of versions. */
@NullMarked
package io.aragonite.spark;

import org.jspecify.annotations.NullMarked;
