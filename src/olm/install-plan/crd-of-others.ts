import {
  cutText,
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  textAt,
} from '../../base/index.ts';
import { checkCrdChange } from '../../crd-safety/index.ts';
import { isConditionTrue, isKubeError, type KubeObject, type ListTarget } from '../../kube/index.ts';
import type { StepRun } from './step-run.ts';

const maxShown = 5;
const maxCharacters = 1_000;

function versionsOf(crd: JsonObject): readonly JsonObject[] {
  return objectsAt(objectAt(crd, 'spec'), 'versions');
}

/** A version in which all objects are read, that in which they are stored first: most of them need not be converted. Undefined where none is served. */
function readableTarget(crd: JsonObject): ListTarget | undefined {
  const served = versionsOf(crd).filter(({ served: isServed }) => isServed === true);
  const version = served.find(({ storage }) => storage === true) ?? served[0];
  if (version === undefined) return undefined;
  const spec = objectAt(crd, 'spec');
  const apiVersion = `${textAt(spec, 'group')}/${textAt(version, 'name')}`;
  return { apiVersion, kind: textAt(objectAt(spec, 'names'), 'kind'), isMetadataOnly: true };
}

/** The namespaces that the OperatorGroup of the plan lists. */
function namespacesOf({ run: { context }, namespace }: StepRun): ReadonlySet<string> {
  const groups = context.groups.inNamespace(namespace) as unknown as readonly JsonObject[];
  const targets = groups.flatMap((one) => objectAt(one, 'status')?.['namespaces'] ?? []);
  return new Set([namespace, ...targets.filter((target) => typeof target === 'string' && target !== '')] as string[]);
}

/** Whether objects of a definition exist outside of the namespaces that the plan is for. True as well where they cannot be read.
 *  @throws what listing them throws, but for what is the fault of the definition */
export async function hasObjectsOfOthers(given: StepRun, live: KubeObject): Promise<boolean> {
  const crd = live as unknown as JsonObject;
  if (!isConditionTrue(live, 'Established')) return false;
  const target = readableTarget(crd);
  if (target === undefined) return true;
  const own = namespacesOf(given);
  try {
    for await (const { items } of given.run.context.kube.listPages(target, { signal: given.signal })) {
      if (items.some(({ metadata }) => !own.has(metadata.namespace ?? ''))) return true;
    }
    return false;
  } catch (thrown) {
    // Its conversion webhook fails.
    if (isKubeError(thrown) && thrown.failure.status === 500) return true;
    throw thrown;
  }
}

function storageOf(crd: JsonObject): string {
  return textAt(
    versionsOf(crd).find(({ storage }) => storage === true),
    'name',
  );
}

/** A version that is not served any more, or has lost a subresource: what its status was protected by. */
function lostParts(before: JsonObject, after: JsonObject): readonly string[] {
  const now = new Map(versionsOf(after).map((version) => [textAt(version, 'name'), version]));
  return versionsOf(before)
    .filter(({ served }) => served === true)
    .flatMap((version) => {
      const name = textAt(version, 'name');
      const kept = now.get(name);
      if (kept?.['served'] !== true) return [`version ${name} is not served any more`];
      const subresources = Object.keys(objectAt(version, 'subresources') ?? {});
      const left = objectAt(kept, 'subresources') ?? {};
      return subresources.filter((key) => !(key in left)).map((key) => `version ${name} loses the subresource ${key}`);
    });
}

function renamed(before: JsonObject, after: JsonObject): readonly string[] {
  const [old, now] = [before, after].map((crd) => objectAt(crd, 'spec', 'names'));
  const keys = ['kind', 'listKind', 'plural', 'singular'];
  return keys.filter((key) => textAt(old, key) !== textAt(now, key)).map((key) => `spec.names.${key} changes`);
}

/** What of a change may harm objects that exist, or those who use them; undefined if nothing does. Which objects there are does not matter, nor are they
 *  read: nothing of them is shown. */
export async function harmfulChanges(before: JsonObject, after: JsonObject): Promise<string | undefined> {
  const [old, now] = [before, after].map((crd) => (objectAt(crd, 'spec') ?? {}) as JsonValue);
  if (isJsonEqual(old ?? null, now ?? null)) return undefined;
  const findings = await checkCrdChange(
    { before, after },
    {
      switches: { isOff: false, ignored: new Set(['existingObjects']), warnings: [] },
      read: () => {
        throw new Error('no object is read');
      },
      deadlineMs: 1_000,
    },
  );
  const isMoved = storageOf(before) !== storageOf(after);
  const [isKept, isKeptNow] = [before, after].map((crd) => objectAt(crd, 'spec')?.['preserveUnknownFields'] === true);
  const texts = [
    ...renamed(before, after),
    ...lostParts(before, after),
    ...(isKept === true && isKeptNow === false ? ['fields that no schema has are not kept any more'] : []),
    ...(isMoved ? [`objects are stored as version ${storageOf(after)}`] : []),
    ...findings.map(({ text }) => text),
  ];
  if (texts.length === 0) return undefined;
  const more = texts.length > maxShown ? [`and ${texts.length - maxShown} more`] : [];
  return cutText([...texts.slice(0, maxShown), ...more].join('; '), maxCharacters);
}
