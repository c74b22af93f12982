import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parseImageReference } from '../../../src/api/index.ts';
import {
  defaultContentLimits,
  formatYaml,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  parseYamlDocuments,
  silentLogger,
  TerminalError,
} from '../../../src/base/index.ts';
import { parseVersionRange, readDependencies, unmetDependencies } from '../../../src/constraints/index.ts';
import { extractArchive, Staging } from '../../../src/content/index.ts';
import {
  configProblems,
  explainBundle,
  findCertificateProvider,
  readManifestFile,
  readRegistryBundle,
  renderBundle,
} from '../../../src/formats/index.ts';
import { parseSshRemote } from '../../../src/sources/definitions/index.ts';
import { parseImageDocument, readPlatforms } from '../../../src/sources/image-manifest.ts';
import { parsePlatform, parseRegistryConfig } from '../../../src/sources/index.ts';
import { buildWebhook } from '../../../webhook/index.ts';
import { testBundle, tideFiles, validateBundle } from '../../support/checked-bundle.ts';
import { acmeCsv, registryFiles, tarFile } from '../../support/index.ts';
import { catalogs } from './catalogs.ts';
import { gitDeltas, gitPacks, gitServers } from './git-servers.ts';
import { graphData, releasePayloads, signedMessages, updateGraphs } from './releases.ts';
import { BrokenPromise, type FuzzTarget, promised, pureTarget, type Result } from './target.ts';
import { uploadRequests } from './upload-requests.ts';
import { validatedBundles } from './validated-bundles.ts';
import { registries, webArchives } from './web-servers.ts';

const signal = new AbortController().signal;
const json = (value: JsonValue): Buffer => Buffer.from(JSON.stringify(value));
const yamlWords = [
  '&a ',
  '*a',
  '<<: ',
  '- ',
  '? ',
  ': ',
  '!!binary ',
  '|2\n',
  '"',
  "'",
  '{',
  '[',
  '\t',
  '---\n',
  '0o7',
  '~',
  '\u2028',
];
const jsonWords = ['{', '[', '"', '\\u0000', '\\ud800', '1e999', '-0', '__proto__', 'null', ',', ' '];

/** A refusal is an error of ours that explains the problem. */
function attempt(work: () => void): Result {
  try {
    work();
    return 'accepted';
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.message.trim() === '') throw thrown;
    promised(thrown.message.length < 20_000, `a message of ${thrown.message.length} characters`);
    return 'refused';
  }
}

function archives(): FuzzTarget {
  const tar = tarFile([
    { path: 'manifests/a.yaml', content: 'a: b\n' },
    { path: `${'long/'.repeat(30)}name`, content: 'x' },
    { path: 'manifests/link', typeFlag: '2', linkPath: 'a.yaml' },
    { path: '.wh.gone', content: '' },
  ]);
  const limits = { ...defaultContentLimits, unpackedBytes: 1024 * 1024, entries: 100 };
  return pureTarget(
    {
      name: 'archives',
      seeds: [tar, gzipSync(tar), zstdCompressSync(tar)],
      words: ['../', '/', 'ustar', '\0', '0000644', 'path='],
    },
    async (input) => {
      await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, limits);
      try {
        const pieces = Readable.from([input.subarray(0, 700), input.subarray(700)].filter(({ length }) => length > 0));
        await extractArchive(pieces, staging, { what: 'archive', hasWhiteouts: true, signal });
        staging.assertLinksInside('archive');
      } catch (thrown) {
        if (thrown instanceof TerminalError) return 'refused';
        throw thrown;
      }
      for (const { path, node } of staging.tree.entries()) {
        promised(!path.startsWith('/') && !path.split('/').includes('..'), `an entry ${JSON.stringify(path)}`);
        if (node.kind === 'file') await staging.readFile(path, node, limits.unpackedBytes);
      }
      return 'accepted';
    },
  );
}

const digest = `sha256:${'a'.repeat(64)}`;

function imageDocuments(): FuzzTarget {
  const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size: 100 };
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest, size: 2 };
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: [layer],
  };
  const platform = { os: 'linux', architecture: 'amd64' };
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ mediaType: manifest.mediaType, digest, size: 5, platform, annotations: { a: 'b' } }],
  };
  return pureTarget({ name: 'image manifests', seeds: [json(manifest), json(index)], words: jsonWords }, (input) =>
    attempt(() => {
      const document = parseJson('manifest', input.toString());
      parseImageDocument('manifest', document, { contentType: undefined, platform });
      readPlatforms('manifest', document, undefined);
    }),
  );
}

function yamlTexts(): FuzzTarget {
  const seeds = Object.values(tideFiles).map((text) => Buffer.from(text));
  return pureTarget({ name: 'yaml', seeds, words: yamlWords }, (input) =>
    attempt(() => {
      const documents = parseYamlDocuments('file', input.toString());
      const again = documents.map((document) => parseYamlDocuments('copy', formatYaml(document))[0] ?? null);
      promised(isJsonEqual(documents, again), 'what was read is not what is read from its own text');
    }),
  );
}

function manifests(): FuzzTarget {
  const seeds = [Buffer.from(tideFiles['manifests/tide.example_gauges.yaml']), json(acmeCsv())];
  return pureTarget({ name: 'manifests', seeds, words: [...yamlWords, 'kind: List\nitems:\n'] }, (input) =>
    attempt(() =>
      readManifestFile('manifests/a.yaml', input, {
        take: ({ kind }) => promised(kind !== '', 'an object of no kind'),
      }),
    ),
  );
}

/** Read, rendered, explained and validated. */
function operators(): FuzzTarget {
  const webhook = {
    type: 'MutatingAdmissionWebhook',
    generateName: 'm.acme.example',
    deploymentName: 'acme-widget-controller-manager',
    containerPort: 443,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    webhookPath: '/m',
  };
  const seeds = [json(acmeCsv()), json(acmeCsv({ webhookdefinitions: [webhook] }))];
  const provider = findCertificateProvider('cert-manager');
  const certificates = provider === undefined ? {} : { certificates: provider };
  return pureTarget({ name: 'operators', seeds, words: jsonWords }, (input) => {
    const bundle = testBundle({ ...tideFiles, 'manifests/tide-gauge.clusterserviceversion.yaml': input });
    for (const { message } of validateBundle(bundle)) promised(message !== '', 'a finding without a message');
    return attempt(() => {
      const read = readRegistryBundle(registryFiles([input.toString()]));
      const objects = renderBundle(read, { installNamespace: 'acme', ...certificates });
      for (const { kind, metadata } of objects)
        promised(kind !== '' && isJsonObject(metadata), 'an object without a name');
      explainBundle(read, objects);
    });
  });
}

function dependencies(): FuzzTarget {
  const all = [
    { type: 'olm.package', value: { packageName: 'core', version: '>=1.0.0 <2.0.0' } },
    { type: 'olm.gvk', value: { group: 'a.example', version: 'v1', kind: 'A' } },
    {
      type: 'olm.constraint',
      value: {
        failureMessage: 'no',
        all: { constraints: [{ package: { packageName: 'a', versionRange: '1.x' } }, { not: { constraints: [] } }] },
      },
    },
    { type: 'olm.constraint', value: { cel: { rule: 'properties.exists(p, p.type == "a" && p.value.b > 1)' } } },
  ];
  const words = [
    'properties',
    '.map(x, ',
    '.all(x, ',
    '"a"',
    '(',
    '?',
    ' + ',
    '||',
    '>=',
    '1.0.0-rc.1+b',
    '.matches("(a+)+$")',
    ...jsonWords,
  ];
  const properties = [{ type: 'a', value: { b: 2 } }];
  const surroundings = { hasPackage: () => false, hasApi: () => true, bundles: [properties] };
  return pureTarget({ name: 'dependencies', seeds: [json(all), json(all.slice(2))], words }, (input) => {
    let problems: readonly string[] = [];
    const result = attempt(() => {
      const read = readDependencies('dependencies', parseJson('dependencies', input.toString()));
      problems = [...read.problems, ...unmetDependencies(read.dependencies, surroundings)];
    });
    for (const problem of problems)
      promised(problem !== '' && problem.length < 20_000, `a problem of ${problem.length} characters`);
    return problems.length > 0 ? 'refused' : result;
  });
}

const referenceReaders: readonly ((text: string) => void)[] = [
  (text) => {
    const { repository } = parseImageReference(text);
    promised(repository !== '', 'an image of no repository');
  },
  (text) => {
    parsePlatform(text);
  },
  (text) => {
    parseVersionRange(text);
  },
  (text) => {
    parseSshRemote(text);
  },
  (text) => {
    parseRegistryConfig('registries.conf', text);
  },
];

function references(): FuzzTarget {
  const seeds = [
    `registry.example.com:5000/team/bundle:v1.2.3@${digest}`,
    'localhost/a_b/c-d.e',
    'linux/arm64/v8',
    '>=1.0.0 <2.0.0-rc.1 || 1.2.x',
    'ssh://git@git.example.com:22/team/bundle.git',
    'git@git.example.com:team/bundle.git',
    '[[registry]]\nprefix = "a.example/b"\nlocation = "c.example"\n[[registry.mirror]]\nlocation = "d.example"\ninsecure = true\n',
  ].map((text) => Buffer.from(text));
  const words = [':', '/', '@', 'sha256:', '..', '[', ']', '%2f', '-o', '\n', '\u00e4', '-----'];
  return pureTarget({ name: 'references', seeds, words }, (input) => {
    const results = referenceReaders.map((read) => attempt(() => read(input.toString())));
    return results.includes('accepted') ? 'accepted' : 'refused';
  });
}

function configurations(): FuzzTarget {
  const config = {
    installNamespace: 'a',
    watchNamespaces: ['b', 'c'],
    certProvider: 'cert-manager',
    amendments: 'none',
    deploymentConfig: {
      env: [{ name: 'A', value: 'b' }],
      resources: { limits: { cpu: '1' } },
      nodeSelector: { a: 'b' },
    },
  };
  return pureTarget({ name: 'configurations', seeds: [json(config)], words: jsonWords }, (input) => {
    let problems: readonly string[] = [];
    const result = attempt(() => {
      problems = configProblems(parseJson('config', input.toString()));
    });
    for (const problem of problems)
      promised(problem !== '' && problem.length < 5000, `a problem of ${problem.length} characters`);
    return problems.length > 0 ? 'refused' : result;
  });
}

/** Paths of the webhook, by the kind that is reviewed there. */
const reviewPaths: readonly (readonly [string, string])[] = [
  ['"kind":"BundleDeployment"', '/validate-core-rukpak-io-v1alpha1-bundledeployment'],
  ['"kind":"CustomResourceDefinition"', '/validate-crd'],
  ['"kind":"ConfigMap"', '/validate-core-v1-configmap'],
  ['', '/validate-core-rukpak-io-v1alpha1-bundle'],
];

function reviewSeeds(): readonly Buffer[] {
  const apiVersion = 'core.rukpak.io/v1alpha1';
  const provisionerClassName = 'core-rukpak-io-registry';
  const git = { repository: 'https://git.example.com/a', ref: { branch: 'main' }, directory: 'b' };
  const source = { type: 'git', git };
  const metadata = { name: 'a', annotations: { 'core.rukpak.io/paused': 'true' } };
  const spec = { provisionerClassName, source };
  const bundle = { apiVersion, kind: 'Bundle', metadata, spec };
  const template = { metadata: { labels: { a: 'b' } }, spec };
  const config = { installNamespace: 'x' };
  const deployment = {
    apiVersion,
    kind: 'BundleDeployment',
    metadata,
    spec: { provisionerClassName, config, template },
  };
  const crd = (parseYamlDocuments('crd', tideFiles['manifests/tide.example_gauges.yaml'])[0] ?? null) as JsonObject;
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace: 'rukpak-system' },
    immutable: true,
  };
  return [bundle, deployment, crd, configMap].flatMap((object) =>
    ['CREATE', 'UPDATE', 'DELETE'].map((operation) =>
      json({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid: 'u',
          operation,
          name: 'a',
          namespace: 'rukpak-system',
          object: operation === 'DELETE' ? null : object,
          oldObject: operation === 'CREATE' ? null : object,
        },
      }),
    ),
  );
}

function admissionReviews(): FuzzTarget {
  return {
    name: 'admission reviews',
    seeds: reviewSeeds(),
    words: [...jsonWords, 'CREATE', 'UPDATE', '"oldObject":'],
    open: async () => {
      const facts = {
        readConfigMap: () => Promise.resolve(undefined),
        readObjects: () => Readable.from([]),
        hasDependencies: () => Promise.resolve(true),
        listBundles: () => Readable.from([]),
        listDeployments: () => Readable.from([]),
        listPlatformOperators: () => Promise.resolve([]),
        offersFor: () => [],
        mayDo: () => Promise.resolve(true),
        isAbsent: () => Promise.resolve(false),
        servesApi: () => Promise.resolve(false),
      };
      const app = buildWebhook({ facts, systemNamespace: 'rukpak-system', log: silentLogger() });
      await app.ready();
      return {
        attempt: async (input) => {
          const text = input.toString();
          const [, url = ''] = reviewPaths.find(([kind]) => text.includes(kind)) ?? [];
          const headers = { 'content-type': 'application/json' };
          const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload: input });
          promised(statusCode === 200 || statusCode === 400, `an answer ${statusCode}: ${body.slice(0, 200)}`);
          if (statusCode === 400) return 'refused';
          const answer = parseJson('answer', body);
          const { response } = isJsonObject(answer) ? answer : {};
          if (!isJsonObject(response)) throw new BrokenPromise(`an answer without a response: ${body.slice(0, 200)}`);
          const { uid, allowed } = response;
          promised(
            typeof uid === 'string' && uid !== '' && typeof allowed === 'boolean',
            `an answer ${body.slice(0, 200)}`,
          );
          return allowed === true ? 'accepted' : 'refused';
        },
        [Symbol.asyncDispose]: () => app.close(),
      };
    },
  };
}

/** Everything that takes bytes from outside, but the embedded API server, which test/faults/mutated-requests has. */
export const fuzzTargets: readonly FuzzTarget[] = [
  archives(),
  imageDocuments(),
  yamlTexts(),
  manifests(),
  operators(),
  dependencies(),
  references(),
  configurations(),
  admissionReviews(),
  uploadRequests(),
  catalogs(),
  validatedBundles(),
  gitServers(),
  gitPacks(),
  gitDeltas(),
  webArchives(),
  registries(),
  signedMessages(),
  releasePayloads(),
  updateGraphs(),
  graphData(),
];

/** One that breaks in every way, so that a test can see that it is noticed. */
function brokenOnPurpose(): FuzzTarget {
  const seeds = ['fine', 'throw', 'hang', 'reject', 'refuse'].map((text) => Buffer.from(text));
  return pureTarget({ name: 'broken on purpose', seeds, words: [''] }, (input) => {
    const text = input.toString();
    if (text === 'throw') throw new RangeError('thrown on purpose');
    if (text === 'reject') void Promise.reject(new Error('rejected on purpose'));
    while (text === 'hang');
    return text === 'refuse' ? 'refused' : 'accepted';
  });
}

/** The target of a name.
 *  @throws Error when there is none */
export function findTarget(name: string): FuzzTarget {
  const found = [...fuzzTargets, brokenOnPurpose()].find((target) => target.name === name);
  if (found === undefined) throw new Error(`no target "${name}"`);
  return found;
}
