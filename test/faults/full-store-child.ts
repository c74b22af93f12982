/** Unpacks images into the content store of its first argument, whose disk has a file `ballast` and no room for all of them; prints as JSON what came of it,
 *  before and after the ballast was removed. `manifests` as the second argument: what fills the disk is parsed, and stored in that form as well. */
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { createUnpacker } from '../../provisioners/unpacker/index.ts';
import { errorMessage, TransientError } from '../../src/base/index.ts';
import { startRegistry } from '../support/index.ts';

const [disk = '', what] = process.argv.slice(2);
const { signal } = new AbortController();
const storeDir = `${disk}/store`;
const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
const image = (): Record<string, string> =>
  what === 'manifests'
    ? { 'manifests/a.yaml': `${manifest}data: {text: ${randomBytes(1_000_000).toString('hex')}}\n` }
    : { 'manifests/a.yaml': manifest, 'other/filling': randomBytes(1_000_000).toString('latin1') };

await using registry = await startRegistry();
await using unpacker = await createUnpacker({ storeDir, answerDeadlineMs: 30_000, storeBytes: 1024 ** 3, threads: 1 });
const unpack = async (name: string): Promise<string> => {
  registry.putImage(`app:${name}`, [{ files: image() }]);
  const source = { type: 'image', image: { ref: `${registry.host}/app:${name}` } };
  const request = { bundle: { name, uid: 'u1' }, provisionerClassName: 'core-rukpak-io-plain', source };
  try {
    await unpacker.unpack(request, { signal });
    return 'stored';
  } catch (thrown) {
    return `${thrown instanceof TransientError ? thrown.reason : 'a defect'}: ${errorMessage(thrown)}`;
  }
};
const full: string[] = [];
while (full.at(-1) === undefined || (full.at(-1) === 'stored' && full.length < 50)) {
  full.push(await unpack(`bundle-${full.length}`));
}
const stored = (await readdir(storeDir)).filter((name) => name.endsWith('.tgz')).length;
await rm(`${disk}/ballast`);
process.stdout.write(`${JSON.stringify({ full, stored, after: await unpack('after') })}\n`);
