/** What a program needs to be an extension API server: which user a request is from, and what the user may do.
 *  Main types: `RequestAuthenticator`, `AccessReviews`. Serves nothing itself, and knows no kinds.
 *  @imports src/kube, src/base */
export { AccessReviews } from './access-reviews.ts';
export { type RequestAttributes, requestAttributes } from './request-attributes.ts';
export { RequestAuthenticator } from './request-authenticator.ts';
export { type RequestTrust, readRequestTrust, requestTrustTarget } from './request-trust.ts';
export type { RequestUser } from './request-user.ts';
