import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey } from 'openpgp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signaturesConfigMap } from '../../src/release/signatures/index.ts';
import { putSignatures, type Registry, signatureOf, signingKey, startRegistry } from '../support/index.ts';
import { createOpenpgpSigner, type OpenpgpSigner } from '../support/openpgp-signer.ts';
import { runLongshore, writeFolder } from './program.ts';

const include = 'include.release.openshift.io/self-managed-high-availability: "true"';
const annotation = 'release.openshift.io/verification-config-map: ""';

let dir = '';
let signer: OpenpgpSigner;
let stranger: OpenpgpSigner;
let digest = '';
let signature: Buffer;
let registry: Registry;

const run = (...args: readonly string[]): ReturnType<typeof runLongshore> =>
  runLongshore(['release', ...args], { cwd: dir });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-release-signatures-'));
  registry = await startRegistry();
  [signer, stranger] = await Promise.all([createOpenpgpSigner(), createOpenpgpSigner()]);
  await writeFolder(dir, { 'release.asc': signer.publicKey, 'stranger.asc': stranger.publicKey });
  const keys = { 'verifier-public-key-release': signer.publicKey, 'store-web': `file://${dir}/signatures` };
  const configMap = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: keys\n  namespace: default\n  annotations: {${include}, ${annotation}}\ndata: ${JSON.stringify(keys)}\n`;
  await writeFolder(join(dir, 'components'), { 'keys/0000_90_keys.yaml': configMap });
  const built = await run(
    'build',
    'components',
    '--version',
    '1.0.0',
    '-o',
    'one.tar',
    '--push',
    `${registry.host}/r:1`,
  );
  digest = /sha256:[0-9a-f]{64}/.exec(built.stdout)?.[0] ?? '';
  const statement = {
    critical: {
      type: 'atomic container signature',
      image: { 'docker-manifest-digest': digest },
      identity: { 'docker-reference': 'example.com/release:1.0.0' },
    },
  };
  signature = await signer.sign(JSON.stringify(statement));
  const folder = join(dir, 'signatures', digest.replace(':', '='));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'signature-1'), signature);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('a release is verified with keys and a store, or with those of a release that is trusted', async () => {
  const verified = `${digest} is verified\n  release.asc: signed by ${signer.fingerprint}\n`;
  expect(await run('verify', 'one.tar', '--key', 'release.asc', '--store', 'signatures')).toMatchObject({
    code: 0,
    stdout: verified,
  });
  const byTag = await run('verify', `${registry.host}/r:1`, '--from-payload', 'one.tar', '-o', 'json');
  expect(JSON.parse(byTag.stdout)).toEqual({
    digest,
    signers: [{ keyring: 'verifier-public-key-release', fingerprint: signer.fingerprint }],
  });
});

test('a signature in a ConfigMap counts without any store', async () => {
  const configMap = signaturesConfigMap({ namespace: 'a', name: 'offline' }, new Map([[digest, [signature]]]));
  await writeFile(join(dir, 'offline.json'), JSON.stringify(configMap));
  const args = ['verify', `example.com/r@${digest}`, '--key', 'release.asc', '--signature-config-map', 'offline.json'];
  expect(await run(...args)).toMatchObject({ code: 0 });
});

test('CV-20: a release without a sufficient signature is refused, and each place that was searched is named', async () => {
  const args = ['verify', 'one.tar', '--key', 'stranger.asc', '--store', 'signatures'];
  const refused = await run(...args);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `The update cannot be verified: unable to verify ${digest} against keyrings: stranger.asc\n`,
  );
  expect(refused.stderr).toContain(': invalid signature\n');
  expect(refused.stderr).toContain('signature-2: no more signatures to check');
  const forced = await run(...args, '--force');
  expect(forced).toMatchObject({ code: 0, stdout: `${digest} is not verified\n` });
  expect(forced.stderr).toContain('continuing anyway because the update was forced');
  expect((await run('verify', 'one.tar')).stderr).toContain('expected --key FILE, --from-payload RELEASE or --policy');
  expect((await run('verify', 'components', '--key', 'release.asc')).code).toBe(1);
});

test('an image policy asks for a signature of cosign', async () => {
  const key = signingKey();
  await writeFile(
    join(dir, 'policy.yaml'),
    JSON.stringify({ rules: [{ images: [`${registry.host}/r`], signedBy: [{ key: key.publicPem }] }] }),
  );
  const args = ['verify', `${registry.host}/r:1`, '--policy', 'policy.yaml'];
  expect((await run(...args)).stderr).toContain('is not signed');
  putSignatures(registry, { repository: 'r', digest }, [signatureOf(digest, key)]);
  expect(await run(...args)).toMatchObject({
    code: 0,
    stdout: `${digest} is verified\n  policy.yaml: signed as it requires\n`,
  });
});

test('sign writes what verify accepts, for a registry, a layout and a digest that is named; each key adds a signature', async () => {
  const userIDs = [{ name: 'Release', email: 'release@example.com' }];
  const [first, second] = await Promise.all([
    generateKey({ type: 'ecc', curve: 'ed25519Legacy', userIDs, format: 'armored' }),
    generateKey({ type: 'rsa', rsaBits: 2048, userIDs, format: 'armored', passphrase: 'correct horse' }),
  ]);
  await writeFolder(dir, {
    'first.asc': first.privateKey,
    'first.pub': first.publicKey,
    'second.asc': second.privateKey,
    'second.pub': second.publicKey,
    passphrase: 'correct horse\n',
  });
  const signed = await run(
    'sign',
    `${registry.host}/r:1`,
    '--key',
    'first.asc',
    '--to',
    'store',
    '--signatures-to',
    'maps',
  );
  const [folder, map] = [`store/${digest.replace(':', '=')}`, `maps/${digest.replace(':', '-')}.yaml`];
  expect(signed).toMatchObject({ code: 0, stdout: `signed ${digest}\nwrote ${folder}/signature-1\nwrote ${map}\n` });
  const locked = ['sign', 'one.tar', '--key', 'second.asc', '--to', 'store'];
  expect(await run(...locked)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the key has a passphrase') as string,
  });
  expect(await run(...locked, '--passphrase-file', 'passphrase')).toMatchObject({
    code: 0,
    stdout: `signed ${digest}\nwrote ${folder}/signature-2\n`,
  });
  const byBoth = ['verify', 'one.tar', '--key', 'first.pub', '--key', 'second.pub', '--store', 'store'];
  expect(await run(...byBoth)).toMatchObject({ code: 0 });
  const offline = ['verify', `example.com/r@${digest}`, '--key', 'first.pub', '--signature-config-map', map];
  expect(await run(...offline)).toMatchObject({ code: 0 });
});

test('sign refuses what is no private key without printing it, and asks for a place', async () => {
  const byPublic = await run('sign', 'one.tar', '--key', 'release.asc', '--to', 'store');
  expect(byPublic).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('expected an OpenPGP private key') as string,
  });
  await writeFile(join(dir, 'no-key'), 'hunter2');
  const byText = await run('sign', 'one.tar', '--key', 'no-key', '--to', 'store');
  expect(byText.code).toBe(1);
  expect(byText.stderr).not.toContain('hunter2');
  expect((await run('sign', 'one.tar', '--key', 'release.asc')).stderr).toContain(
    'expected --to DIR or --signatures-to DIR',
  );
});
