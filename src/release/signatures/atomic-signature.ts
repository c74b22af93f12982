import { errorMessage, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';

const signatureType = 'atomic container signature';

type Check = (value: JsonValue, path: string) => void;

function refuse(why: string): never {
  throw new Error(`the signature is not valid JSON: ${why}`);
}

const text: Check = (value, path) => {
  if (typeof value !== 'string') refuse(`${path}: expected a string`);
};

const integer: Check = (value, path) => {
  if (!Number.isSafeInteger(value)) refuse(`${path}: expected an integer`);
};

/** An object with these members alone; each may be absent. */
function members(checks: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isJsonObject(value)) return refuse(`${path}: expected an object`);
    for (const [name, member] of Object.entries(value)) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check === undefined) refuse(`unknown field "${name.slice(0, 100)}"`);
      if (member !== null && member !== undefined) check(member, `${path}.${name}`);
    }
  };
}

const checkSignature = members({
  critical: members({
    type: text,
    image: members({ 'docker-manifest-digest': text }),
    identity: members({ 'docker-reference': text }),
  }),
  optional: members({ creator: text, timestamp: integer }),
});

interface Critical {
  readonly type?: string;
  readonly image?: { readonly 'docker-manifest-digest'?: string };
  readonly identity?: { readonly 'docker-reference'?: string };
}

function readContent(content: Buffer): JsonObject {
  try {
    const document = parseJson('signature', content.toString('utf8'));
    return isJsonObject(document) ? document : refuse('expected an object');
  } catch (thrown) {
    return refuse(errorMessage(thrown));
  }
}

/** The statement about an image that is signed. `reference` names it for people: mirrors have other names. */
export function atomicSignature(digest: string, reference: string): Buffer {
  const identity = { 'docker-reference': reference };
  const image = { 'docker-manifest-digest': digest };
  return Buffer.from(JSON.stringify({ critical: { type: signatureType, image, identity } }));
}

/** What was signed is a statement about the image of this digest, and nothing else.
 *  @throws Error with the texts of the reference
 *  @see docs/spec/cluster-version.md#signature-content */
export function assertAtomicSignature(content: Buffer, digest: string): void {
  const document = readContent(content);
  checkSignature(document, 'signature');
  const critical = (document['critical'] ?? {}) as Critical;
  if (critical.type !== signatureType) throw new Error('signature is not the correct type');
  if ((critical.identity?.['docker-reference'] ?? '') === '') throw new Error('signature must have an identity');
  if (critical.image?.['docker-manifest-digest'] !== digest) throw new Error('signature digest does not match');
}
