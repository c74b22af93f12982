import { describe, expect, test } from 'vitest';
import { type JsonObject, objectAt, parseYaml, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { manifestOf, type ReleaseManifest } from '../../release/index.ts';
import { injectTls, type TlsSettings, tlsSettings } from './inject-tls.ts';

const apiServer = (tlsSecurityProfile: JsonObject): KubeObject => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'APIServer',
  metadata: { name: 'cluster' },
  spec: { tlsSecurityProfile },
});

const settings: TlsSettings = { minTLSVersion: 'VersionTLS13', cipherSuites: ['TLS_AES_128_GCM_SHA256'] };
const operatorConfig = 'apiVersion: operator.openshift.io/v1alpha1\nkind: GenericOperatorConfig\n';

function manifest(data: JsonObject, value = 'true', kind = 'ConfigMap'): ReleaseManifest {
  const annotations = { 'config.openshift.io/inject-tls': value };
  const object = { apiVersion: 'v1', kind, metadata: { name: 'x', namespace: 'y', annotations }, data };
  const file = { directory: 'release-manifests', name: '0000_10_a_x.yaml' } as const;
  return manifestOf(file, object, '');
}

function injected(one: ReleaseManifest, given: TlsSettings | undefined = settings): JsonObject | undefined {
  return objectAt(injectTls(one.object as unknown as KubeObject, one, given) as JsonObject, 'data');
}

describe('the TLS profile of the cluster', () => {
  test('is Intermediate without an APIServer, without a profile and for a type that is none', () => {
    const { minTLSVersion, cipherSuites } = tlsSettings(undefined);
    expect(minTLSVersion).toBe('VersionTLS12');
    expect(cipherSuites).toEqual([
      'TLS_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
      'TLS_CHACHA20_POLY1305_SHA256',
      'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
      'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
      'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
    ]);
    for (const profile of [{}, { type: 'constructor' }, { type: 'Custom' }, { type: 'Intermediate' }]) {
      expect(tlsSettings(apiServer(profile))).toEqual({ minTLSVersion, cipherSuites });
    }
  });

  test('has the suites that programs in Go have, in the order of the profile', () => {
    const ciphers = ['AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'toString', 1, 'ECDHE-RSA-AES128-GCM-SHA256'];
    expect(tlsSettings(apiServer({ type: 'Custom', custom: { ciphers, minTLSVersion: 'VersionTLS11' } }))).toEqual({
      minTLSVersion: 'VersionTLS11',
      cipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
    });
    expect(tlsSettings(apiServer({ type: 'Modern' }))).toMatchObject({ minTLSVersion: 'VersionTLS13' });
    const old = tlsSettings(apiServer({ type: 'Old' }));
    expect(old.minTLSVersion).toBe('VersionTLS10');
    expect(old.cipherSuites).toHaveLength(21);
    expect(old.cipherSuites.at(-1)).toBe('TLS_RSA_WITH_3DES_EDE_CBC_SHA');
  });
});

describe('a ConfigMap with the annotation', () => {
  test('has the settings in its configurations, and other members stay', () => {
    const text = `${operatorConfig}servingInfo:\n  bindAddress: 0.0.0.0:8443\n  minTLSVersion: VersionTLS10\n`;
    const data = injected(manifest({ 'config.yaml': text, 'other.yaml': 'kind: Pod\n', text: '{{' }));
    expect(parseYaml('entry', textAt(data, 'config.yaml'))).toEqual({
      apiVersion: 'operator.openshift.io/v1alpha1',
      kind: 'GenericOperatorConfig',
      servingInfo: { bindAddress: '0.0.0.0:8443', ...settings },
    });
    expect(data).toMatchObject({ 'other.yaml': 'kind: Pod\n', text: '{{' });
  });

  test('keeps the text of a configuration that has them', () => {
    const text = `# a comment\n${operatorConfig}servingInfo: {minTLSVersion: VersionTLS13, cipherSuites: [TLS_AES_128_GCM_SHA256]}\n`;
    expect(injected(manifest({ 'config.yaml': text }))).toEqual({ 'config.yaml': text });
  });

  test.each([
    ['another value', manifest({ 'config.yaml': operatorConfig }, 'yes')],
    ['another kind', manifest({ 'config.yaml': operatorConfig }, 'true', 'Secret')],
    ['aliases that multiply', manifest({ 'config.yaml': `${operatorConfig}a: &a [1,1,1,1,1,1,1,1]\n${bomb()}` })],
  ])('is left alone for %s', (_, one) => {
    expect(injected(one)).toEqual(one.object['data']);
  });
});

/** Each line is eight times the one before. */
function bomb(): string {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
  const line = (name: string, index: number): string =>
    index === 0 ? '' : `${name}: &${name} [${Array.from({ length: 8 }, () => `*${names[index - 1]}`).join(',')}]\n`;
  return names.map(line).join('');
}
