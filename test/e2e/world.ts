import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseOptions } from '../../cli/command/options.ts';
import { readConfig, upOptions } from '../../cli/settings/up.ts';
import { type Platform, startPlatform } from '../../cli/up/platform.ts';
import { templateHash } from '../../provisioners/hash.ts';
import type { BundleTemplate } from '../../src/api/index.ts';
import { type CertifiedKey, createLogger } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { Connection } from '../conformance/connection.ts';
import {
  asksBasicAuthentication,
  eventually,
  type GitServer,
  loopbackCertificate,
  type Registry,
  startGitServer,
  startRegistry,
} from '../support/index.ts';
import type { Files } from './contents.ts';
import { type ClusterNetwork, openTestCluster } from './test-cluster.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const plainClass = 'core-rukpak-io-plain';
/** Who may pull from, and push to, the registry of a world. */
export const account = { username: 'puller', password: 'secret-word-of-the-registry' };

/** The whole platform, a registry with TLS and basic authentication, and a git server, for one file of tests. */
export interface World extends AsyncDisposable {
  readonly platform: Platform;
  readonly kube: KubeClient;
  readonly registry: Registry;
  readonly git: GitServer;
  /** What the platform trusts: a server with it may speak TLS to the platform. */
  readonly tls: CertifiedKey;
  /** PEM file of the authority behind `tls` and the registry. */
  readonly caPath: string;
  /** A token of a service account in the namespace default. */
  tokenOf(serviceAccount: string): Promise<string>;
  /** Puts an image of one layer; the answer is a source that may pull it. */
  imageSource(name: string, files: Files): { type: string; image: { ref: string; pullSecret: string } };
  get(kind: string, name: string, namespace?: string): Promise<KubeObject>;
  bundleWithPhase(name: string, phase: string): Promise<KubeObject>;
  /** The deployment once its condition is as asked and speaks of its current generation. */
  deploymentWith(name: string, condition: ExpectedCondition): Promise<KubeObject>;
  ownedBundles(deployment: string): Promise<readonly KubeObject[]>;
}

export interface ExpectedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** Builds a Bundle. */
export function bundle(
  name: string,
  source: Readonly<Record<string, unknown>>,
  options: { readonly provisionerClassName?: string } = {},
): KubeObject {
  const provisionerClassName = options.provisionerClassName ?? plainClass;
  return { apiVersion, kind: 'Bundle', metadata: { name }, spec: { provisionerClassName, source } } as KubeObject;
}

/** Builds a BundleDeployment. */
export function bundleDeployment(
  name: string,
  source: Readonly<Record<string, unknown>>,
  options: {
    readonly provisionerClassName?: string;
    readonly templateClassName?: string;
    readonly labels?: Readonly<Record<string, string>>;
  } = {},
): KubeObject {
  const template = {
    ...(options.labels === undefined ? {} : { metadata: { labels: options.labels } }),
    spec: { provisionerClassName: options.templateClassName ?? plainClass, source },
  };
  const spec = { provisionerClassName: options.provisionerClassName ?? plainClass, template };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec } as unknown as KubeObject;
}

/** The hash that the Bundle of the deployment's template has. */
export function templateHashOf(deployment: KubeObject): string {
  return templateHash((deployment['spec'] as { template: BundleTemplate }).template);
}

/** What a promise fails with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error('expected a failure, and there was none');
}

export function statusOf(object: KubeObject): Record<string, unknown> {
  return (object['status'] ?? {}) as Record<string, unknown>;
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  const conditions = (statusOf(object)['conditions'] ?? []) as Condition[];
  return conditions.find((condition) => condition.type === type);
}

/** What a Bundle that failed reports of its content, without when it is tried again. */
export function problemOf(failing: KubeObject): string {
  const condition = conditionOf(failing, 'Unpacked');
  if (condition?.status !== 'False' || condition.reason !== 'UnpackFailed') throw new Error(JSON.stringify(condition));
  const [, problem] = /^(.*) \((?:next try at [^ ]+|not tried again before .+)\)$/s.exec(condition.message) ?? [];
  if (problem === undefined) throw new Error(`no retry is reported: ${condition.message}`);
  return problem;
}

async function createPullSecret(kube: KubeClient, host: string): Promise<void> {
  const auth = Buffer.from(`${account.username}:${account.password}`).toString('base64');
  const config = JSON.stringify({ auths: { [host]: { auth } } });
  await kube.create(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'registrysecret', namespace: 'rukpak-system' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
    },
    { fieldManager: 'test' },
  );
}

/** Settings as `longshore up` would read them from `args`. */
export function configOf(args: readonly string[]): ReturnType<typeof readConfig> {
  return readConfig(parseOptions(upOptions, ['--log-level', 'silent', ...args], {}).values);
}

async function tokenOf(kubeconfigPath: string, serviceAccount: string): Promise<string> {
  using connection = new Connection(await readFile(kubeconfigPath, 'utf8'));
  const path = `/api/v1/namespaces/default/serviceaccounts/${serviceAccount}/token`;
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} });
  const answer = await connection.ask({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
  return (answer.body as { status: { token: string } }).status.token;
}

/** Starts a world; `args` are options of `longshore up`. Services lead nowhere without a network. */
export async function startWorld(args: readonly string[] = [], network?: ClusterNetwork): Promise<World> {
  const stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-e2e-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const { caPem, tls } = await loopbackCertificate();
  const registry = stack.use(
    await startRegistry({ tls, intercept: asksBasicAuthentication(account.username, account.password) }),
  );
  const git = stack.use(await startGitServer());
  const caPath = join(dir, 'ca.pem');
  await writeFile(caPath, caPem);
  const cluster = stack.use(await openTestCluster(dir, network));
  // Few stories are about Operator Lifecycle Manager.
  const olm = args.includes('--olm') ? [] : ['--no-olm'];
  const config = configOf(['--registry-ca', caPath, ...cluster.args, ...olm, ...args]);
  const platform = stack.use(await startPlatform(config, { log: await createLogger({ level: config.logLevel }) }));
  const { kube } = platform;
  await cluster.whenGuarded(kube);
  await createPullSecret(kube, registry.host);
  const get = (kind: string, name: string, namespace?: string): Promise<KubeObject> => {
    const version = kind.startsWith('Bundle') ? apiVersion : 'v1';
    return kube.get({ apiVersion: version, kind, name, namespace });
  };
  return {
    platform,
    kube,
    registry,
    git,
    tls,
    caPath,
    get,
    tokenOf: (serviceAccount) => tokenOf(platform.kubeconfigPath, serviceAccount),
    imageSource: (name, files) => {
      registry.putImage(name, [{ files }]);
      return { type: 'image', image: { ref: `${registry.host}/${name}`, pullSecret: 'registrysecret' } };
    },
    bundleWithPhase: (name, phase) =>
      eventually(async () => {
        const found = await get('Bundle', name);
        if (statusOf(found)['phase'] !== phase) throw new Error(`${name}: ${JSON.stringify(statusOf(found))}`);
        return found;
      }),
    deploymentWith: (name, expected) =>
      eventually(async () => {
        const found = await get('BundleDeployment', name);
        const condition = conditionOf(found, expected.type);
        const isMet =
          condition?.status === expected.status &&
          (expected.reason === undefined || condition.reason === expected.reason) &&
          statusOf(found)['observedGeneration'] === found.metadata.generation;
        if (!isMet) throw new Error(`${name}: ${JSON.stringify(statusOf(found))}`);
        return found;
      }),
    ownedBundles: async (deployment) =>
      (await kube.list({ apiVersion, kind: 'Bundle', labelSelector: `core.rukpak.io/owner-name=${deployment}` })).items,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
