/** API aggregation: the condition `Available` of APIServices, and the forwarding of requests to the extension servers behind them.
 *  Main type: `Aggregation`. Decides nothing about who may do what, follows no redirect and passes on no credential of a client.
 *  @imports apiserver/admission, apiserver/auth, apiserver/controllers, apiserver/discovery, apiserver/http,
 *    apiserver/registry, apiserver/core, src/base */
export { Aggregation, type AggregationDeps } from './aggregation.ts';
export { authenticationData } from './authentication-data.ts';
