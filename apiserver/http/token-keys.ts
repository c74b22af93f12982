import { type ServiceAccountTokens, tokenIssuer } from '../auth/index.ts';
import { jsonReply, type Reply } from './exchange.ts';

const headers = { 'cache-control': 'public, max-age=3600' };

/** Answers the paths by which others learn to check service account tokens; undefined for any other path.
 *  @see OpenID Connect Discovery 1.0; RFC 7517 */
export function tokenKeyPaths(tokens: ServiceAccountTokens): (path: string) => Reply | undefined {
  const configuration = {
    issuer: tokenIssuer,
    jwks_uri: `${tokenIssuer}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
  return (path) => {
    if (path === '/.well-known/openid-configuration') return { ...jsonReply(200, configuration), headers };
    if (path !== '/openid/v1/jwks') return undefined;
    const reply = jsonReply(200, { keys: [tokens.publicKey] });
    return { ...reply, contentType: 'application/jwk-set+json', headers };
  };
}
