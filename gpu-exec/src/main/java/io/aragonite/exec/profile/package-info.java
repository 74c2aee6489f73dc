/** What devices were measured to do. Start with {@link MachineProfile}. */
@NullMarked
package io.aragonite.exec.profile;

import org.jspecify.annotations.NullMarked;
