package io.aragonite.adapter.server;

import org.jspecify.annotations.Nullable;

/**
 * Which bearer tokens a server takes.
 *
 * @param issuer their {@code iss}, exactly
 * @param audience what their {@code aud} is, or has among others
 * @param keys the issuer's keys as a JWK set: a file, or a URL of https (http on this machine)
 * @param userClaim the claim with the user's name
 * @param rolesClaim the claim with the user's roles; null: tokens give no roles. A claim within
 *     others is named by its path, {@code realm_access.roles}
 */
public record TokenOptions(
    String issuer, String audience, String keys, String userClaim, @Nullable String rolesClaim) {}
