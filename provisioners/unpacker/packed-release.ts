import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  errorMessage,
  isJsonObject,
  type JobHandlers,
  type JsonObject,
  objectAt,
  parseJson,
  parseYamlDocuments,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import type { UnpackerJobs } from './messages.ts';
import { cutObjects } from './object-pieces.ts';
import type { PackedRelease } from './unpacker.ts';

/** A Secret has at most a megabyte, which may be compressed a thousandfold. */
const maxReleaseBytes = 32 * 1024 * 1024;
/** Of its manifest, and of all beside that: both are texts, or have few values. */
const maxValues = 500_000;
const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** A release as the value of `data.release`: base64 of JSON, compressed, base64 again as all data of Secrets. */
export async function packRelease(release: JsonObject): Promise<string> {
  const text = (await zip(JSON.stringify(release))).toString('base64');
  return Buffer.from(text).toString('base64');
}

/** Nearly always compressed.
 *  @throws TerminalError UnreadableRelease */
async function unpackRelease({ what, data }: PackedRelease): Promise<JsonObject> {
  const packed = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64');
  try {
    const isZipped = packed[0] === 0x1f && packed[1] === 0x8b;
    const text = isZipped ? await unzip(packed, { maxOutputLength: maxReleaseBytes }) : packed;
    const release = parseJson(what, text.toString('utf8'), { maxValues });
    if (isJsonObject(release)) return release;
  } catch (thrown) {
    throw new TerminalError('UnreadableRelease', `${what}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  throw new TerminalError('UnreadableRelease', `${what}: expected a release of Helm, found something else`);
}

/** The objects of the manifest of a release.
 *  @throws TerminalError UnreadableRelease, and as `parseYamlDocuments` */
async function objectsOf(packed: PackedRelease): Promise<readonly JsonObject[]> {
  const { manifest } = await unpackRelease(packed);
  if (typeof manifest === 'string') {
    return parseYamlDocuments('manifest of the release', manifest, { maxNodes: maxValues }).filter(isJsonObject);
  }
  const text = `${packed.what}: expected a release of Helm with a manifest, found none`;
  throw new TerminalError('UnreadableRelease', text);
}

/** What threads do with releases. */
export const releaseHandlers: Pick<
  JobHandlers<UnpackerJobs>,
  'releaseObjects' | 'releaseStart' | 'supersedeRelease'
> = {
  releaseObjects: async (packed) => cutObjects(await objectsOf(packed)),
  releaseStart: async (packed) => textAt(objectAt(await unpackRelease(packed), 'info'), 'first_deployed'),
  supersedeRelease: async (packed) => {
    const release = await unpackRelease(packed);
    return await packRelease({ ...release, info: { ...objectAt(release, 'info'), status: 'superseded' } });
  },
};
