import {
  formatYaml,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  parseYaml,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ReleaseManifest } from '../../release/index.ts';
import { annotationOf, applyAnnotations } from './desired-object.ts';

/** What servers of the cluster offer, as configurations name it. */
export interface TlsSettings {
  readonly minTLSVersion: string;
  /** IANA names. */
  readonly cipherSuites: readonly string[];
}

const suitesOf13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** IANA names by those of OpenSSL, which profiles use; other suites are left out, for programs in Go do not have them. */
const ianaNames: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(suitesOf13.map((name) => [name, name])),
  'ECDHE-ECDSA-AES128-GCM-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256': 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384': 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384': 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305': 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'ECDHE-RSA-CHACHA20-POLY1305': 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'ECDHE-RSA-AES128-SHA256': 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
  'ECDHE-ECDSA-AES128-SHA': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'ECDHE-RSA-AES128-SHA': 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'ECDHE-ECDSA-AES256-SHA': 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'ECDHE-RSA-AES256-SHA': 'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'AES128-GCM-SHA256': 'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'AES256-GCM-SHA384': 'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'AES128-SHA256': 'TLS_RSA_WITH_AES_128_CBC_SHA256',
  'AES128-SHA': 'TLS_RSA_WITH_AES_128_CBC_SHA',
  'AES256-SHA': 'TLS_RSA_WITH_AES_256_CBC_SHA',
  'DES-CBC3-SHA': 'TLS_RSA_WITH_3DES_EDE_CBC_SHA',
  'ECDHE-RSA-DES-CBC3-SHA': 'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
};

const intermediateSuites = Object.keys(ianaNames).slice(0, 9);

const intermediate: TlsSettings = {
  minTLSVersion: 'VersionTLS12',
  cipherSuites: intermediateSuites.flatMap((name) => ianaNames[name] ?? []),
};

/** Profiles of a name, of those that `APIServer` knows. */
const profiles: Readonly<Record<string, TlsSettings | undefined>> = {
  Old: {
    minTLSVersion: 'VersionTLS10',
    // The order of the profile; the last of the table is in none.
    cipherSuites: Object.values(ianaNames)
      .slice(0, -1)
      .flatMap((name) => name ?? []),
  },
  Intermediate: intermediate,
  Modern: { minTLSVersion: 'VersionTLS13', cipherSuites: suitesOf13 },
};

/** The settings of an APIServer of `config.openshift.io`; the profile Intermediate without one. */
export function tlsSettings(apiServer: KubeObject | undefined): TlsSettings {
  const profile = objectAt(apiServer as JsonObject | undefined, 'spec', 'tlsSecurityProfile');
  const type = textAt(profile, 'type');
  if (type !== 'Custom') return (Object.hasOwn(profiles, type) ? profiles[type] : undefined) ?? intermediate;
  const custom = objectAt(profile, 'custom');
  if (custom === undefined) return intermediate;
  const ciphers = Array.isArray(custom['ciphers']) ? custom['ciphers'] : [];
  const known = ciphers.filter((name): name is string => typeof name === 'string' && Object.hasOwn(ianaNames, name));
  return {
    minTLSVersion: textAt(custom, 'minTLSVersion'),
    cipherSuites: known.flatMap((name) => ianaNames[name] ?? []),
  };
}

/** Whether the settings are part of the object. */
export function takesTls(manifest: ReleaseManifest): boolean {
  const { group, kind } = manifest.key;
  const isConfigMap = group === '' && kind === 'ConfigMap';
  return isConfigMap && annotationOf(manifest, applyAnnotations.injectTls) === 'true';
}

const configurations = [
  { apiVersion: 'operator.openshift.io/v1alpha1', kind: 'GenericOperatorConfig' },
  { apiVersion: 'config.openshift.io/v1', kind: 'GenericControllerConfig' },
];

/** The configuration in an entry of a ConfigMap. Undefined for any other text. */
function configurationIn(text: string): JsonObject | undefined {
  let value: JsonValue;
  try {
    value = parseYaml('entry', text);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
  if (!isJsonObject(value)) return undefined;
  const isKnown = configurations.some(
    ({ apiVersion, kind }) => value['apiVersion'] === apiVersion && value['kind'] === kind,
  );
  return isKnown ? value : undefined;
}

/** The entry with the settings; as it stands when it has them, or is no configuration. */
function withTls(text: JsonValue | undefined, { minTLSVersion, cipherSuites }: TlsSettings): JsonValue | undefined {
  const configuration = typeof text === 'string' ? configurationIn(text) : undefined;
  if (configuration === undefined) return text;
  const servingInfo = { ...objectAt(configuration, 'servingInfo'), cipherSuites: [...cipherSuites], minTLSVersion };
  const injected: JsonObject = { ...configuration, servingInfo };
  return isJsonEqual(configuration, injected) ? text : formatYaml(injected);
}

/** Sets minimal version and cipher suites of the cluster in the configurations of operators that a ConfigMap has; its annotation asks for it. Comments of an
 *  entry that changes are lost.
 *  @see docs/spec/cluster-version.md#other-annotations */
export function injectTls(
  object: KubeObject,
  manifest: ReleaseManifest,
  settings: TlsSettings | undefined,
): KubeObject {
  const data = objectAt(object as JsonObject, 'data');
  if (settings === undefined || data === undefined || !takesTls(manifest)) return object;
  const entries = Object.entries(data).map(([name, text]) => [name, withTls(text, settings)]);
  return { ...object, data: Object.fromEntries(entries) as JsonObject };
}
