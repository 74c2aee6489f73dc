package io.aragonite.adapter.server;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.factories.DefaultJWSSignerFactory;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.function.UnaryOperator;

/** Signs tokens, as an issuer does. */
final class TokenIssuer {
  static final String ISSUER = "https://issuer.example/realm";
  static final String AUDIENCE = "aragonite";

  final JWK rsa;
  final JWK ec;

  TokenIssuer(String name) throws JOSEException {
    rsa = new RSAKeyGenerator(2048).keyID(name + "-rsa").generate();
    ec = new ECKeyGenerator(Curve.P_256).keyID(name + "-ec").generate();
  }

  /** Its public keys. */
  String keys() {
    return new JWKSet(List.of(rsa, ec)).toString();
  }

  TokenOptions options(String source) {
    return new TokenOptions(ISSUER, AUDIENCE, source, "sub", "realm_access.roles");
  }

  static JWTClaimsSet.Builder claims(String user) {
    return new JWTClaimsSet.Builder()
        .issuer(ISSUER)
        .audience(AUDIENCE)
        .subject(user)
        .expirationTime(Date.from(Instant.now().plusSeconds(300)));
  }

  static String sign(JWK key, JWSHeader header, JWTClaimsSet claims) throws JOSEException {
    JWSSigner signer = new DefaultJWSSignerFactory().createJWSSigner(key, header.getAlgorithm());
    SignedJWT jwt = new SignedJWT(header, claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  /** A token of a user, with other claims. */
  String token(String user, UnaryOperator<JWTClaimsSet.Builder> more) throws JOSEException {
    return sign(
        ec,
        new JWSHeader.Builder(JWSAlgorithm.ES256)
            .type(JOSEObjectType.JWT)
            .keyID(ec.getKeyID())
            .build(),
        more.apply(claims(user)).build());
  }

  /** A token that is good for five minutes. */
  String token(String user) throws JOSEException {
    return token(user, claims -> claims);
  }
}
