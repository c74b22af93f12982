/** Who may do what: certificates and tokens in, users and decisions out. Main types: `Authenticator`, `Authorizer`.
 *  Never answers a request itself.
 *  @imports apiserver/core, src/rbac, src/base */
export { Authenticator, type Identity } from './authenticator.ts';
export type { AccessDecision, AccessRequest, Authorizer } from './authorizer.ts';
export { type Credentials, frontProxyName, loadCredentials } from './credentials.ts';
export { missingPermissions } from './escalation.ts';
export { formatKubeconfig } from './kubeconfig.ts';
export { RbacAuthorizer, type RbacObjects } from './rbac.ts';
export { type BoundObject, ServiceAccountTokens, tokenIssuer } from './service-account-token.ts';
