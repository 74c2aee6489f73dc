package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.OctetSequenceKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BearerTokensTest {
  @TempDir private static Path folder;
  private static TokenIssuer issuer;
  private static TokenIssuer other;
  private static BearerTokens tokens;

  @BeforeAll
  static void makeKeys() throws Exception {
    issuer = new TokenIssuer("one");
    other = new TokenIssuer("two");
    Path file = Files.writeString(folder.resolve("keys.json"), issuer.keys());
    tokens = new BearerTokens(issuer.options(file.toString()));
  }

  private static JWSHeader.Builder header(JWSAlgorithm algorithm, JWK key) {
    return new JWSHeader.Builder(algorithm).keyID(key.getKeyID());
  }

  private static String reason(String token) {
    return assertThrows(RefusedTokenException.class, () -> tokens.verify(token)).reason();
  }

  @Test
  void goodTokensNameTheirUsers() throws Exception {
    JWTClaimsSet claims = TokenIssuer.claims("ann").build();
    for (JWSAlgorithm algorithm :
        List.of(JWSAlgorithm.RS256, JWSAlgorithm.RS512, JWSAlgorithm.PS384)) {
      String token = TokenIssuer.sign(issuer.rsa, header(algorithm, issuer.rsa).build(), claims);
      assertTrue(BearerTokens.isToken(token));
      assertEquals(new TokenUser("ann", Set.of()), tokens.verify(token));
    }
    JWSHeader access =
        header(JWSAlgorithm.ES256, issuer.ec).type(new JOSEObjectType("at+jwt")).build();
    assertEquals("ann", tokens.verify(TokenIssuer.sign(issuer.ec, access, claims)).name());
    JWSHeader withoutKey = new JWSHeader(JWSAlgorithm.ES256);
    assertEquals("ann", tokens.verify(TokenIssuer.sign(issuer.ec, withoutKey, claims)).name());
    String several =
        issuer.token("ann", more -> more.audience(List.of("web", TokenIssuer.AUDIENCE)));
    assertEquals("ann", tokens.verify(several).name());
    assertEquals("ann", tokens.verify(several, "token").name());
    assertEquals("ann", tokens.verify(several, "ann").name());
    assertThrows(RefusedTokenException.class, () -> tokens.verify(several, "bob"));
    String skewed =
        issuer.token("ann", more -> more.expirationTime(Date.from(Instant.now().minusSeconds(30))));
    assertEquals("ann", tokens.verify(skewed).name());
  }

  @Test
  void claimsMayBeWithinOthers() throws Exception {
    String token =
        issuer.token(
            "7",
            claims ->
                claims
                    .claim("realm_access", Map.of("roles", List.of("clerk", "root", 5, "a\nb")))
                    .claim("scope", "read clerk")
                    .claim("https://x.example/who", "zoe")
                    .claim("who", Map.of("name", "ann")));
    assertEquals(new TokenUser("7", Set.of("clerk", "root")), tokens.verify(token));
    String keys = folder.resolve("keys.json").toString();
    Map<String, TokenUser> wanted = new LinkedHashMap<>();
    wanted.put("who.name scope", new TokenUser("ann", Set.of("read", "clerk")));
    wanted.put("https://x.example/who none", new TokenUser("zoe", Set.of()));
    for (Map.Entry<String, TokenUser> each : wanted.entrySet()) {
      String[] names = each.getKey().split(" ", -1);
      BearerTokens read =
          new BearerTokens(
              new TokenOptions(TokenIssuer.ISSUER, TokenIssuer.AUDIENCE, keys, names[0], names[1]));
      assertEquals(each.getValue(), read.verify(token));
    }
  }

  @Test
  void tokensThatAreNotGoodAreRefused() throws Exception {
    Date past = Date.from(Instant.now().minusSeconds(90));
    Date later = Date.from(Instant.now().plusSeconds(90));
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put(issuer.token("ann", claims -> claims.expirationTime(past)), "expired");
    wrong.put(issuer.token("ann", claims -> claims.expirationTime(null)), "when it expires");
    wrong.put(issuer.token("ann", claims -> claims.notBeforeTime(later)), "not valid yet");
    wrong.put(issuer.token("ann", claims -> claims.issuer("https://else")), "another issuer");
    wrong.put(issuer.token("ann", claims -> claims.issuer(null)), "another issuer");
    wrong.put(issuer.token("ann", claims -> claims.audience("web")), "another audience");
    wrong.put(issuer.token("ann", claims -> claims.audience((String) null)), "another audience");
    wrong.put(issuer.token(""), "no name");
    wrong.put(issuer.token("a\nb"), "no name");
    wrong.put(issuer.token("a".repeat(300)), "no name");
    wrong.put(other.token("ann"), "(kid)");
    JWTClaimsSet claims = TokenIssuer.claims("ann").build();
    JWSHeader stolen = header(JWSAlgorithm.ES256, issuer.ec).build();
    wrong.put(TokenIssuer.sign(other.ec, stolen, claims), "signature");
    JWSHeader typed =
        header(JWSAlgorithm.ES256, issuer.ec).type(new JOSEObjectType("logout+jwt")).build();
    wrong.put(TokenIssuer.sign(issuer.ec, typed, claims), "another type");
    for (JWSHeader.Builder own :
        List.of(
            header(JWSAlgorithm.ES256, issuer.ec).jwk(other.ec.toPublicJWK()),
            header(JWSAlgorithm.ES256, issuer.ec).jwkURL(URI.create(elsewhere())),
            header(JWSAlgorithm.ES256, issuer.ec).x509CertURL(URI.create(elsewhere())))) {
      wrong.put(TokenIssuer.sign(other.ec, own.build(), claims), "signature");
    }
    String good = issuer.token("ann");
    String[] parts = good.split("[.]", -1);
    String forged = issuer.token("root").split("[.]", -1)[1];
    wrong.put(parts[0] + "." + forged + "." + parts[2], "signature");
    wrong.put(parts[0] + "." + parts[1] + ".", "no signed");
    wrong.put(new PlainJWT(claims).serialize(), "no signed");
    wrong.put("ey" + "A".repeat(BearerTokens.MAX_CHARACTERS), "too long");
    wrong.put("eyJ.e.x", "no signed");
    wrong.put("", "no signed");
    wrong.forEach((token, part) -> {
      String reason = reason(token);
      assertTrue(reason.contains(part), () -> part + ": " + reason);
    });
    RefusedTokenException expired =
        assertThrows(
            RefusedTokenException.class,
            () -> tokens.verify(issuer.token("ann", more -> more.expirationTime(past))));
    assertEquals("ann", expired.user());
    assertNull(
        assertThrows(RefusedTokenException.class, () -> tokens.verify(other.token("ann"))).user());
  }

  /** An address that nobody asks: no one answers there. */
  private static String elsewhere() {
    return "http://127.0.0.1:9/keys";
  }

  @Test
  void keysThatCheckAndSignAreRefused() throws Exception {
    JWTClaimsSet claims = TokenIssuer.claims("root").build();
    // What everybody may read of the issuer's key, as a secret.
    for (byte[] secret :
        List.of(
            ((RSAKey) issuer.rsa).toRSAPublicKey().getEncoded(),
            issuer.rsa.toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8))) {
      for (JWSHeader header :
          List.of(
              header(JWSAlgorithm.HS256, issuer.rsa).build(), new JWSHeader(JWSAlgorithm.HS256))) {
        SignedJWT jwt = new SignedJWT(header, claims);
        jwt.sign(new MACSigner(secret));
        assertTrue(reason(jwt.serialize()).contains("RSA or ECDSA"));
      }
    }
    OctetSequenceKey shared = new OctetSequenceKeyGenerator(256).keyID("shared").generate();
    Path mixed = folder.resolve("mixed.json");
    Files.writeString(mixed, new JWKSet(List.of(issuer.rsa, shared)).toString(false));
    BearerTokens both = new BearerTokens(issuer.options(mixed.toString()));
    SignedJWT jwt = new SignedJWT(header(JWSAlgorithm.HS256, shared).build(), claims);
    jwt.sign(new MACSigner(shared));
    assertThrows(RefusedTokenException.class, () -> both.verify(jwt.serialize()));
  }

  @Test
  void tokensWithoutAKeysNameAreTriedWithFewKeys() throws Exception {
    JWTClaimsSet claims = TokenIssuer.claims("ann").build();
    List<JWK> keys = new ArrayList<>(List.of(issuer.rsa, issuer.ec));
    for (int i = 0; i < 5; i++) {
      keys.add(new ECKeyGenerator(Curve.P_384).keyID("384-" + i).generate());
      keys.add(new ECKeyGenerator(Curve.P_256).keyID("256-" + i).generate());
    }
    Path file = folder.resolve("many.json");
    Files.writeString(file, new JWKSet(keys.subList(0, 8)).toString());
    BearerTokens some = new BearerTokens(issuer.options(file.toString()));
    String unnamed = TokenIssuer.sign(issuer.ec, new JWSHeader(JWSAlgorithm.ES256), claims);
    assertEquals("ann", some.verify(unnamed).name(), "one of four of its curve");
    Files.writeString(file, new JWKSet(keys).toString());
    BearerTokens many = new BearerTokens(issuer.options(file.toString()));
    String reason = assertThrows(RefusedTokenException.class, () -> many.verify(unnamed)).reason();
    assertTrue(reason.contains("(kid)"), reason);
    assertEquals("ann", many.verify(issuer.token("ann")).name());
    String rsa = TokenIssuer.sign(issuer.rsa, new JWSHeader(JWSAlgorithm.RS256), claims);
    assertEquals("ann", many.verify(rsa).name());
  }

  private static void refusedKeys(String source, String part) {
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> new BearerTokens(issuer.options(source)));
    assertEquals(ErrorCode.SERVER_REFUSED, error.code());
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  @Test
  void setsWithoutKeysOfUseAreRefused() throws Exception {
    Path file = folder.resolve("wrong.json");
    refusedKeys(folder.resolve("missing").toString(), "missing");
    Files.writeString(file, "no JSON");
    refusedKeys(file.toString(), "no JWK set");
    Files.writeString(file, "{\"keys\": []}");
    refusedKeys(file.toString(), "no public key");
    RSAKey small = new RSAKeyGenerator(1024, true).generate();
    JWK octets = new OctetSequenceKeyGenerator(256).generate();
    Files.writeString(file, new JWKSet(List.of(small, octets)).toString(false));
    refusedKeys(file.toString(), "no public key");
    Files.writeString(file, " ".repeat(2 << 20));
    refusedKeys(file.toString(), "bytes");
    refusedKeys("http://issuer.example/keys?secret=x", "https://");
    refusedKeys("http://127.0.0.1:1/keys", "/keys");
  }

  @Test
  void aChangedFileIsReadAgain() throws Exception {
    Path file = Files.writeString(folder.resolve("changing.json"), issuer.keys());
    BearerTokens read = new BearerTokens(issuer.options(file.toString()));
    assertEquals("ann", read.verify(issuer.token("ann")).name());
    Files.writeString(file, "no keys");
    Thread.sleep(1_200);
    assertEquals("ann", read.verify(issuer.token("ann")).name());
    Files.writeString(file, other.keys());
    Thread.sleep(1_200);
    assertEquals("bob", read.verify(other.token("bob")).name());
    assertThrows(RefusedTokenException.class, () -> read.verify(issuer.token("ann")));
  }

  /** Answers with a set, or an error. */
  private static HttpServer serve(AtomicReference<String> body, AtomicInteger asked)
      throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/keys",
        exchange -> {
          asked.incrementAndGet();
          byte[] answer = body.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(
              answer.length == 0 ? 503 : 200, answer.length == 0 ? -1 : answer.length);
          try (exchange) {
            exchange.getResponseBody().write(answer);
          }
        });
    http.start();
    return http;
  }

  @Test
  void keysOfAUrlAreAskedForAgain() throws Exception {
    AtomicReference<String> body = new AtomicReference<>(issuer.keys());
    AtomicInteger asked = new AtomicInteger();
    HttpServer http = serve(body, asked);
    try {
      SigningKeys keys =
          SigningKeys.of(
              "http://127.0.0.1:%d/keys".formatted(http.getAddress().getPort()),
              new SigningKeys.Times(
                  Duration.ofMinutes(5), Duration.ofMillis(500), Duration.ofSeconds(4)));
      BearerTokens read = new BearerTokens(issuer.options("of the URL"), keys);
      assertEquals("ann", read.verify(issuer.token("ann")).name());
      assertEquals(1, asked.get());
      body.set(other.keys());
      Thread.sleep(600);
      assertEquals("bob", read.verify(other.token("bob")).name());
      assertEquals(2, asked.get());
      // Anybody can name keys that are not there; the issuer is not asked each time.
      for (int i = 0; i < 200; i++) {
        assertThrows(RefusedTokenException.class, () -> read.verify(issuer.token("ann")));
      }
      assertTrue(asked.get() <= 6, () -> asked + " requests");
      body.set("");
      Thread.sleep(600);
      assertEquals("bob", read.verify(other.token("bob")).name());
      Thread.sleep(4_000);
      String reason =
          assertThrows(RefusedTokenException.class, () -> read.verify(other.token("bob"))).reason();
      assertTrue(reason.contains("not known now"), reason);
      body.set(other.keys());
      Thread.sleep(600);
      assertEquals("bob", read.verify(other.token("bob")).name());
    } finally {
      http.stop(0);
    }
  }

  @Test
  void passwordsAreNoTokens() {
    for (String password : List.of("", "secret", "ey", "eyes", "eye.lid.s ", "a.b.c")) {
      assertFalse(BearerTokens.isToken(password), password);
    }
  }
}
