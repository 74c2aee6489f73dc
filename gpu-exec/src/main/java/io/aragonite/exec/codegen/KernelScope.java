package io.aragonite.exec.codegen;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.vector.HostObjects;

/**
 * What a run of loops in the JVM takes from its query.
 *
 * @param scratch memory for computed texts
 * @param stopCheck looks whether the query is to end
 * @param hostObjects of the columns of HANDLE storage
 */
public record KernelScope(Allocator scratch, StopCheck stopCheck, HostObjects hostObjects) {}
