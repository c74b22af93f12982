import { errorMessage, type JsonObject, TerminalError, TransientError } from '../../base/index.ts';
import {
  compileDefaults,
  compileListTypes,
  compileSchema,
  type FieldError,
  maxDefaultedCharacters,
  PatternBudget,
  patternSizeErrors,
  type Schema,
  tooManyChecks,
} from '../../schema/index.ts';
import type { CheckInfo } from '../check.ts';
import { type Crd, versionOf } from '../crd.ts';
import { aboutExistingObjects, isSameDemand } from '../wording.ts';

/** All objects of a kind in one version, page by page; a page's objects belong to the caller.
 *  @throws TransientError, TerminalError when the cluster does not answer · TransientError Http500 when it fails without a reason, as it
 *  does where a conversion webhook fails */
export type ReadObjects = (
  target: { readonly apiVersion: string; readonly kind: string },
  options: { readonly signal: AbortSignal },
) => AsyncIterable<readonly JsonObject[]>;

/** Existing objects satisfy the schemas that they would be read by. */
export const existingObjects: CheckInfo = {
  name: 'existingObjects',
  refuses:
    'an existing object does not satisfy the new schema of its version, or that of a new version where objects are not converted by a webhook.',
};

interface Target {
  readonly version: string;
  readonly schema: Schema;
}

/** A version in which all objects are read, and the new schemas that they must satisfy. */
interface Listing {
  readonly version: string;
  readonly against: readonly Target[];
}

function byName(a: Target, b: Target): number {
  return a.version < b.version ? -1 : 1;
}

function isChanged(before: Schema, after: Schema): boolean {
  return !isSameDemand(before as unknown as JsonObject, after as unknown as JsonObject);
}

/** What has to be read; empty when no schema that objects are read by changes. */
function listingsOf(before: Crd, after: Crd): readonly Listing[] {
  if (!before.isEstablished) return [];
  const shared = before.versions
    .filter(({ name, isServed }) => isServed && versionOf(after, name) !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const added = after.versions
    .filter(({ name }) => after.isConvertedAlike && versionOf(before, name) === undefined)
    .map(({ name, schema }) => ({ version: name, schema }))
    .toSorted(byName);
  return shared.flatMap(({ name, schema }, index) => {
    const now = versionOf(after, name)?.schema ?? {};
    const own = isChanged(schema, now) ? [{ version: name, schema: now }] : [];
    // Objects that are converted alike are the same in each version: once is enough.
    const against = [...own, ...(index === 0 || !before.isConvertedAlike ? added : [])];
    return against.length === 0 ? [] : [{ version: name, against }];
  });
}

const maxShown = 10;
const maxErrorCharacters = 1000;

class InvalidSchema extends TerminalError {
  constructor(message: string, cause: unknown) {
    super('InvalidSchema', message, { cause });
  }
}

type ObjectCheck = (object: JsonObject) => string | undefined;

function joined(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const text = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  return text.length <= maxErrorCharacters ? text : `${text.slice(0, maxErrorCharacters)}…`;
}

/** The check of one object against a schema, read as the API server would read it: with the schema's defaults, which it gets.
 *  @throws InvalidSchema */
function compileObjectCheck({ version, schema }: Target): ObjectCheck {
  const [tooLarge] = patternSizeErrors(schema as unknown as JsonObject, 'openAPIV3Schema', new PatternBudget());
  try {
    if (tooLarge !== undefined) throw new TerminalError('InvalidSchema', `${tooLarge.field}: ${tooLarge.message}`);
    const setDefaults = compileDefaults(schema);
    const compiled = compileSchema(schema);
    const listTypes = compileListTypes(schema);
    return (object) => {
      if (setDefaults(object) > maxDefaultedCharacters) return 'the defaults of the schema make it larger than 3 MiB';
      const errors = compiled.validate(object);
      if (!errors.includes(tooManyChecks)) errors.push(...(listTypes?.(object, '') ?? []));
      return errors.length === 0 ? undefined : joined(errors);
    };
  } catch (thrown) {
    const why = `error creating validator for the schema of version "${version}": ${errorMessage(thrown)}`;
    throw new InvalidSchema(why, thrown);
  }
}

function nameOf({ metadata }: JsonObject): string {
  const { namespace = '', name = '' } = (metadata ?? {}) as { namespace?: string; name?: string };
  return `${namespace}/${name}`;
}

/** An object that does not satisfy a new schema. */
export interface InvalidObject {
  readonly object: JsonObject;
  /** Of the schema. */
  readonly version: string;
  /** `field: message`, in brackets if there are several. */
  readonly errors: string;
}

/** In the words of RukPak's webhook. */
function describeInvalid({ object, version, errors }: InvalidObject): string {
  return `existing custom object ${nameOf(object)} failed validation for new schema version ${version}: ${errors}`;
}

/** What was seen of all objects. */
class Tally {
  readonly #describe: (invalid: InvalidObject) => string;
  readonly #shown: string[] = [];
  #failed = 0;
  seen = 0;

  constructor(describe: (invalid: InvalidObject) => string = describeInvalid) {
    this.#describe = describe;
  }

  look(object: JsonObject, checks: readonly { readonly version: string; readonly check: ObjectCheck }[]): void {
    this.seen += 1;
    const texts = checks.flatMap(({ version, check }) => {
      // A check sets its schema's defaults: others are not to see them.
      const errors = check(checks.length === 1 ? object : structuredClone(object));
      return errors === undefined ? [] : [this.#describe({ object, version, errors })];
    });
    if (texts.length > 0) this.#failed += 1;
    this.#shown.push(...texts.slice(0, maxShown - this.#shown.length));
  }

  text(): string | undefined {
    if (this.#failed === 0) return undefined;
    const more = `${this.#failed} of ${this.seen} objects fail, the first are shown`;
    return [...this.#shown, ...(this.#failed > this.#shown.length ? [more] : [])].join('\n');
  }
}

/** How objects are read: `deadlineMs` is for all of them, `signal` ends it without a finding. */
export interface ObjectReading {
  readonly read: ReadObjects;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The text of a finding about one object. Default: in the words of RukPak's webhook. */
  readonly describeInvalid?: ((invalid: InvalidObject) => string) | undefined;
}

interface Reader {
  readonly describeInvalid: ObjectReading['describeInvalid'];
  readonly open: (version: string) => AsyncIterable<readonly JsonObject[]>;
  /** Why reading broke off. */
  readonly why: (thrown: unknown, seen: number) => string;
}

function createReader(crd: Crd, { read, deadlineMs, signal, describeInvalid: describe }: ObjectReading): Reader {
  const timeout = AbortSignal.timeout(deadlineMs);
  const bounded = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  return {
    describeInvalid: describe,
    open: async function* pages(version) {
      for await (const page of read({ apiVersion: `${crd.group}/${version}`, kind: crd.kind }, { signal: bounded })) {
        bounded.throwIfAborted();
        yield page;
      }
    },
    why: (thrown, seen) => {
      signal?.throwIfAborted();
      return timeout.aborted
        ? `no more than ${seen} could be read within ${deadlineMs / 1000} s`
        : errorMessage(thrown);
    },
  };
}

/** Objects that their webhook does not convert cannot be read, and only a change fixes that. */
function isUnconverted(crd: Crd, thrown: unknown): boolean {
  return !crd.isConvertedAlike && thrown instanceof TransientError && thrown.reason === 'Http500';
}

async function checkListing(crd: Crd, { version, against }: Listing, reader: Reader): Promise<string | undefined> {
  const tally = new Tally(reader.describeInvalid);
  try {
    const checks = against.map((target) => ({ version: target.version, check: compileObjectCheck(target) }));
    for await (const page of reader.open(version)) for (const object of page) tally.look(object, checks);
  } catch (thrown) {
    if (thrown instanceof InvalidSchema) return thrown.message;
    if (isUnconverted(crd, thrown)) return tally.text();
    const problem = `error listing objects for ${crd.group}/${version}, Kind=${crd.kind}: ${reader.why(thrown, tally.seen)}`;
    return [tally.text(), problem].filter((text) => text !== undefined).join('\n');
  }
  return tally.text();
}

/** Reads all objects, a page at a time, and reports those that do not satisfy the new schemas: the first ten of a version and the number of all.
 *  Objects that cannot be read count as a finding, unless it is their conversion webhook that fails. */
export async function findInvalidObjects(before: Crd, after: Crd, reading: ObjectReading): Promise<readonly string[]> {
  const reader = createReader(before, reading);
  const texts: string[] = [];
  for (const listing of listingsOf(before, after)) {
    const text = await checkListing(before, listing, reader);
    if (text !== undefined) texts.push(text);
  }
  return texts.length === 0 ? [] : [aboutExistingObjects(before.name, texts.join('\n'))];
}
