import { expect, test } from 'vitest';
import { refusalOf } from './proxy-rules.ts';

test.each([
  ['GET', '/api/v1/namespaces'],
  ['GET', '/apis/core.rukpak.io/v1alpha1/bundledeployments/combo'],
  ['GET', '/api/v1/namespaces/combo/pods/web/log'],
  ['GET', '/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests/tide-gauge'],
  ['POST', '/api/v1/namespaces'],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
  ['POST', '/apis/tide.example.com/v1/namespaces/default/gauges'],
  ['POST', '/apis/cluster.x-k8s.io/v1beta1/namespaces/default/clusters'],
  ['PATCH', '/apis/core.rukpak.io/v1alpha1/bundledeployments/combo'],
  ['DELETE', '/apis/operators.coreos.com/v1alpha1/namespaces/operators/subscriptions/tide-gauge'],
])('%s %s is forwarded', (method, path) => {
  expect(refusalOf({ method, path })).toBeUndefined();
});

test.each([
  ['GET', '/api/v1/secrets'],
  ['GET', '/api/v1/namespaces/kube-system/secrets/token'],
  ['GET', '/api/v1/namespaces/kube-system/secrets'],
  ['GET', '/api/v1/namespaces/a/pods/b/exec'],
  ['GET', '/api/v1/namespaces/a/pods/b/proxy'],
  ['GET', '/api/v1/namespaces/a/pods/b/proxy/etc/passwd'],
  ['GET', '/api/v1/nodes/n/proxy'],
  ['GET', '/api/v1/watch/secrets'],
  ['GET', '/api/v1/watch/namespaces/a/secrets'],
  ['GET', '/api/v1/namespaces/a/../../secrets'],
  ['GET', '/api/v1/namespaces/%2e%2e/secrets'],
  ['GET', '//api/v1/pods'],
  ['GET', '/metrics'],
  ['GET', '/apis'],
  ['GET', '/openapi/v3'],
  ['POST', '/api/v1/namespaces/a/serviceaccounts/b/token'],
  ['POST', '/api/v1/namespaces/a/pods'],
  ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
  ['POST', '/apis/apps/v1/namespaces/a/deployments'],
  ['POST', '/apis/oauth.openshift.io/v1/oauthclients'],
  ['POST', '/apis/security.openshift.io/v1/securitycontextconstraints'],
  ['POST', '/apis/operators.coreos.com/v1alpha2/namespaces/a/others'],
  ['POST', '/apis/tide.example.com/v1/namespaces/default/gauges/north/scale'],
  ['POST', '/apis/tide.example.com/v1/namespaces/default/secrets/x'],
  ['PATCH', '/apis/tide.example.com/v1/namespaces/default/gauges/north'],
  ['DELETE', '/apis/tide.example.com/v1/namespaces/default/gauges/north'],
  ['PATCH', '/apis/core.rukpak.io/v1alpha1/bundledeployments/combo/status'],
  ['DELETE', '/apis/core.rukpak.io/v1alpha1/bundledeployments'],
  ['DELETE', '/api/v1/namespaces/a/configmaps/b'],
  ['PUT', '/apis/core.rukpak.io/v1alpha1/bundledeployments/combo'],
  ['CONNECT', '/api/v1/pods'],
])('%s %s is refused', (method, path) => {
  expect(refusalOf({ method, path })).toMatch(/console does not|no path/);
});
