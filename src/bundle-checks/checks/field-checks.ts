import {
  errorMessage,
  formatPath,
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  parseJson,
  TerminalError,
  textAt,
  valueAt,
} from '../../base/index.ts';
import { parseTolerantVersion, parseVersionRange } from '../../constraints/index.ts';
import { inspectCsv, webhookMembers } from '../../formats/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, CheckContext, Hit } from '../check.ts';
import { csvHit, csvParts, csvSpec, deploymentParts, type Part, placeIn } from '../csv-parts.ts';
import { parseField } from '../field-path.ts';
import { nameProblems } from './csv-checks.ts';

const csv = { suite: 'default', stage: 'csv', severity: 'error' } as const;
const warning = { ...csv, severity: 'warning' } as const;
const warnedAnnotationBytes = 200 * 1024;
const modes = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'];

function reasonOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (thrown) {
    return errorMessage(thrown);
  }
}

function* typeHits(bundle: BundleUnderCheck, isUnknown: boolean): Iterable<Hit> {
  for (const object of bundle.csvs) {
    for (const { path, expected, found } of inspectCsv(object.object)) {
      if ((expected === undefined) !== isUnknown) continue;
      const place = placeIn(object, path);
      if (expected === undefined) {
        yield { message: `unknown field "${formatPath(path)}"`, place };
        continue;
      }
      const written = object.file.positions.source(object.document, place.path ?? []);
      const shown = written === undefined || found.endsWith(` ${written}`) ? found : `${found} (written ${written})`;
      const message = `unable to parse CSV ${object.file.path}: ${formatPath(path)}: expected ${expected}, found ${shown}`;
      yield { message, place };
    }
  }
}

function releaseProblem(release: string): string | undefined {
  if (release.length > 20) return 'release version must be no more than 20 characters';
  if (!/^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/.test(release)) {
    return 'release version must be composed of dot-separated identifiers containing only alphanumerics and hyphens';
  }
  const hasZeros = release.split('.').some((part) => /^0\d+$/.test(part));
  return hasZeros ? 'numeric identifiers in release version must not have leading zeros' : undefined;
}

/** Errors of a cluster about an object built from a part; places are those of the part. */
function* partHits(
  bundle: BundleUnderCheck,
  { rules }: CheckContext,
  target: { readonly object: JsonObject; readonly prefix: string; readonly part: Part },
): Iterable<Hit> {
  const { object, prefix, part } = target;
  for (const { field, message } of rules.validate(object).errors) {
    // Wrong types are reported by L6, names of the rest of the object by other checks.
    if (!field.startsWith(prefix)) continue;
    const below = field.slice(prefix.length).replace(/^\./, '');
    const path = [...part.path, ...parseField(below)];
    const text = `${formatPath(part.path)}${below === '' || below.startsWith('[') ? '' : '.'}${below}: ${message}`;
    yield csvHit(bundle, path, text.length > 2000 ? `${text.slice(0, 2000)}…` : text);
  }
}

/** Deployments to which the installation adds volumes with certificates. */
function servingDeployments(bundle: BundleUnderCheck): ReadonlySet<string> {
  const served = [
    ...csvParts(bundle, 'spec', 'webhookdefinitions'),
    ...csvParts(bundle, 'spec', 'apiservicedefinitions', 'owned'),
  ];
  return new Set(served.map(({ value }) => textAt(value, 'deploymentName')));
}

/** A mount of a volume that the Deployment lacks, and has as soon as it is installed. */
const aboutInstalledVolume = /\.volumeMounts\[\d+\]\.name: Not found: "(?:webhook|apiservice)-cert"$/;

function* deploymentHits(bundle: BundleUnderCheck, context: CheckContext): Iterable<Hit> {
  for (const { value, path } of deploymentParts(bundle)) {
    const spec = objectAt(value, 'spec');
    if (spec === undefined) continue;
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: 'x' }, spec };
    const hits = partHits(bundle, context, {
      object,
      prefix: 'spec',
      part: { value: spec, path: [...path, 'spec'] },
    });
    const isServing = servingDeployments(bundle).has(textAt(value, 'name'));
    for (const hit of hits) if (!isServing || !aboutInstalledVolume.test(hit.message)) yield hit;
  }
}

function* ruleHits(bundle: BundleUnderCheck, context: CheckContext): Iterable<Hit> {
  for (const [key, kind] of [
    ['permissions', 'Role'],
    ['clusterPermissions', 'ClusterRole'],
  ] as const) {
    for (const { value, path } of csvParts(bundle, 'spec', 'install', 'spec', key)) {
      const rules = listAt(value, 'rules');
      const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name: 'x' }, rules };
      yield* partHits(bundle, context, { object, prefix: 'rules', part: { value, path: [...path, 'rules'] } });
    }
  }
}

const webhookKinds: Readonly<Record<string, string>> = {
  ValidatingAdmissionWebhook: 'ValidatingWebhookConfiguration',
  MutatingAdmissionWebhook: 'MutatingWebhookConfiguration',
};

function* webhookHits(bundle: BundleUnderCheck, context: CheckContext): Iterable<Hit> {
  for (const part of csvParts(bundle, 'spec', 'webhookdefinitions')) {
    const kind = webhookKinds[textAt(part.value, 'type')];
    if (kind === undefined) continue;
    const given = webhookMembers.filter((key) => (part.value[key] ?? null) !== null);
    const members = Object.fromEntries(given.map((key) => [key, part.value[key]]));
    const clientConfig = { service: { name: 'x', namespace: 'x', path: '/' } };
    const webhook = { name: 'a.b.c', clientConfig, ...members };
    const object = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'x' },
      webhooks: [webhook],
    };
    yield* partHits(bundle, context, { object, prefix: 'webhooks[0]', part });
  }
}

/** What the established tools do not look at although users expect it. @see docs/spec/bundle-format.md#csv, docs/spec/bundle-format.md#corner-cases-from-the-field */
export const fieldChecks: readonly Check[] = [
  {
    ...csv,
    id: 'L6',
    stage: 'loading',
    title: 'a field of the ClusterServiceVersion has the wrong type',
    whatToDo: 'Write the value as the expected type; numbers and words such as yes need quotes to be strings.',
    find: (bundle) => typeHits(bundle, false),
  },
  {
    ...warning,
    id: 'CSV25',
    title: 'a field of the ClusterServiceVersion is unknown',
    whatToDo: 'Remove the field, or correct its name: tools drop it silently.',
    find: (bundle) => typeHits(bundle, true),
  },
  {
    ...csv,
    id: 'CSV26',
    title: 'an entry of `spec.skips` is not a name',
    whatToDo: 'Write names of ClusterServiceVersions.',
    *find(bundle) {
      for (const [index, name] of listAt(csvSpec(bundle), 'skips').entries()) {
        if (typeof name !== 'string') continue;
        const problems = nameProblems(name);
        if (problems.length === 0) continue;
        const text = `spec.skips[${index}] "${name.slice(0, 300)}" is invalid: ${problems.join(',')}`;
        yield csvHit(bundle, ['spec', 'skips', index], text);
      }
    },
  },
  {
    ...csv,
    id: 'CSV27',
    title: 'the annotation `olm.skipRange` is not a range of versions',
    whatToDo: 'Write a range such as ">=1.0.0 <1.2.0": no v in front, no commas.',
    find: (bundle) => {
      const range = valueAt(objectAt(bundle.csv?.object, 'metadata', 'annotations'), 'olm.skipRange');
      if (typeof range !== 'string') return [];
      const reason = reasonOf(() => parseVersionRange(range));
      if (reason === undefined) return [];
      const text = `olm.skipRange "${range.slice(0, 300)}" is invalid: ${reason}`;
      return [csvHit(bundle, ['metadata', 'annotations', 'olm.skipRange'], text)];
    },
  },
  {
    ...csv,
    id: 'CSV28',
    title: 'an install mode is unknown',
    whatToDo: `Use ${modes.join(', ')}.`,
    *find(bundle) {
      for (const { value, path } of csvParts(bundle, 'spec', 'installModes')) {
        const type = textAt(value, 'type');
        if (type === '' || modes.includes(type)) continue;
        yield csvHit(bundle, [...path, 'type'], `install mode "${type}" is unknown: expected ${modes.join(', ')}`);
      }
    },
  },
  {
    ...csv,
    id: 'CSV29',
    title: '`spec.version` is not a version',
    whatToDo: 'Write MAJOR.MINOR.PATCH.',
    find: (bundle) => {
      const version = textAt(csvSpec(bundle), 'version');
      const reason = version === '' ? undefined : reasonOf(() => parseTolerantVersion(version));
      if (reason === undefined) return [];
      return [csvHit(bundle, ['spec', 'version'], `spec.version "${version.slice(0, 300)}" is invalid: ${reason}`)];
    },
  },
  {
    ...csv,
    id: 'CSV30',
    title: '`spec.release` is not a release',
    whatToDo: 'Write identifiers with dots between them, such as 2 or 2.rc1.',
    find: (bundle) => {
      const release = textAt(csvSpec(bundle), 'release');
      const problem = release === '' ? undefined : releaseProblem(release);
      return problem === undefined ? [] : [csvHit(bundle, ['spec', 'release'], problem)];
    },
  },
  {
    ...warning,
    id: 'CSV31',
    title: 'the annotations exceed 200 KiB in total; clusters accept 256 KiB',
    whatToDo: 'Shorten the examples in alm-examples.',
    find: (bundle) => {
      const annotations = objectAt(bundle.csv?.object, 'metadata', 'annotations') ?? {};
      const texts = Object.entries(annotations).map(([key, value]) => key + (typeof value === 'string' ? value : ''));
      const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      if (size <= warnedAnnotationBytes || size > 262_144) return [];
      const text = `metadata.annotations: ${size} bytes, near the limit of 262144 bytes`;
      return [csvHit(bundle, ['metadata', 'annotations'], text)];
    },
  },
  {
    ...csv,
    id: 'CSV32',
    title: 'a cluster would refuse a deployment: containers, environment, selectors and everything else in its spec',
    whatToDo: 'Fix the field: the installation fails otherwise.',
    find: deploymentHits,
  },
  {
    ...csv,
    id: 'CSV33',
    title: 'a cluster would refuse a rule of the permissions',
    whatToDo: 'Fix the rule: the installation fails otherwise.',
    find: ruleHits,
  },
  {
    ...csv,
    id: 'CSV34',
    title: 'a cluster would refuse a webhook definition',
    whatToDo: 'Fix the definition: the installation fails otherwise.',
    find: webhookHits,
  },
  {
    ...csv,
    id: 'CSV35',
    title: 'the port of a webhook is outside 1 to 65535',
    whatToDo: 'Write a port from 1 to 65535, or leave it out for 443.',
    *find(bundle) {
      for (const { value, path } of csvParts(bundle, 'spec', 'webhookdefinitions')) {
        const port = valueAt(value, 'containerPort');
        if (typeof port !== 'number' || port === 0 || (port >= 1 && port <= 65_535)) continue;
        yield csvHit(bundle, [...path, 'containerPort'], `containerPort: ${port} is not between 1 and 65535`);
      }
    },
  },
  {
    ...csv,
    id: 'CSV36',
    title: 'the annotation `olm.properties` is not a list of `{type, value}`',
    whatToDo: 'Fix the JSON, or move the properties to metadata/properties.yaml.',
    find: (bundle) => {
      const text = valueAt(objectAt(bundle.csv?.object, 'metadata', 'annotations'), 'olm.properties');
      if (typeof text !== 'string') return [];
      const reason = reasonOf(() => {
        const value = parseJson('olm.properties', text);
        const isList = Array.isArray(value) && value.every((item) => isJsonObject(item) && textAt(item, 'type') !== '');
        if (!isList && value !== null) {
          throw new TerminalError(
            'InvalidProperties',
            'olm.properties: expected a list of objects with type and value',
          );
        }
      });
      if (reason === undefined) return [];
      return [csvHit(bundle, ['metadata', 'annotations', 'olm.properties'], reason)];
    },
  },
];
