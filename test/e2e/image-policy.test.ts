import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import {
  attachBundles,
  bundleOf,
  eventually,
  logged,
  momentAuthority,
  putSignatures,
  signatureOf,
  signingKey,
} from '../support/index.ts';
import { configMap, type Files } from './contents.ts';
import { bundle, bundleDeployment, conditionOf, startWorld, type World } from './world.ts';

const key = signingKey();
const log = signingKey();
const issuer = 'https://token.actions.example.com';
const subject = 'https://git.example.com/team/app@refs/heads/main';

let world: World;
let folder = '';
let policyPath = '';
let authority: Awaited<ReturnType<typeof momentAuthority>>;

function policyFor(host: string, allowed: readonly string[] = ['free/**']): unknown {
  return {
    otherSources: 'deny',
    rules: [
      { images: [`${host}/denied/*`], deny: true },
      { images: [`${host}/signed/*`], signedBy: [{ key: key.publicPem }] },
      {
        images: [`${host}/keyless/*`],
        signedBy: [{ keyless: { issuer, subject, roots: authority.pem }, rekorKey: log.publicPem }],
      },
      { images: [`${host}/pinned/*`], requireDigest: true },
      { images: allowed.map((images) => `${host}/${images}`) },
    ],
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-policy-'));
  policyPath = join(folder, 'policy.yaml');
  authority = await momentAuthority();
  await writeFile(policyPath, 'default: deny\n');
  world = await startWorld(['--image-policy', policyPath]);
  await writeFile(policyPath, JSON.stringify(policyFor(world.registry.host)));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const files = (name: string): Files => ({ 'manifests/a.yaml': configMap(name, 'default', { from: name }) });

function put(repository: string): string {
  const name = repository.replaceAll('/', '-');
  return world.registry.putImage(`${repository}:v1`, [{ files: files(name) }]);
}

async function create(name: string, ref: string): Promise<void> {
  const source = { type: 'image', image: { ref: `${world.registry.host}/${ref}`, pullSecret: 'registrysecret' } };
  await world.kube.create(bundle(name, source), { fieldManager: 'test' });
}

async function refusalOf(name: string): Promise<string> {
  return await eventually(async () => {
    const found: KubeObject = await world.get('Bundle', name);
    const { status, reason, message = '' } = conditionOf(found, 'Unpacked') ?? {};
    expect({ status, reason }).toEqual({ status: 'False', reason: 'UnpackFailed' });
    return message;
  });
}

test('an image that no rule allows is refused, and its registry is not asked for it', async () => {
  put('elsewhere/app');
  await create('elsewhere', 'elsewhere/app:v1');
  expect(await refusalOf('elsewhere')).toContain(
    `image policy: no rule allows ${world.registry.host}/elsewhere/app: use an allowed image`,
  );
  expect(world.registry.requests.join(' ')).not.toContain('/elsewhere/app/');
  await create('denied', 'denied/app:v1');
  expect(await refusalOf('denied')).toContain(`image policy: ${world.registry.host}/denied/app is denied`);
});

test('an image that must be named by digest is refused by tag, and accepted by digest', async () => {
  const digest = put('pinned/app');
  await create('by-tag', 'pinned/app:v1');
  expect(await refusalOf('by-tag')).toContain('must be named by digest');
  await create('by-digest', `pinned/app@${digest}`);
  await world.bundleWithPhase('by-digest', 'Unpacked');
});

test('content that is not an image is refused if the policy requires it', async () => {
  await world.kube.create(bundle('web', { type: 'http', http: { url: 'https://127.0.0.1:9/x.tgz' } }), {
    fieldManager: 'test',
  });
  expect(await refusalOf('web')).toContain('image policy: sources of type "http" are denied, and no rule allows');
});

test('an image whose signature is added later is accepted then; one with another signer is not', async () => {
  const repository = 'signed/app';
  const digest = put(repository);
  await create('signed', `${repository}:v1`);
  expect(await refusalOf('signed')).toContain(
    `image policy: ${world.registry.host}/${repository}@${digest} is not signed: there is no tag ${digest.replace(':', '-')}.sig, and no sigstore bundle is attached`,
  );
  putSignatures(world.registry, { repository, digest }, [signatureOf(digest, signingKey())]);
  await eventually(async () => {
    expect(await refusalOf('signed')).toContain(
      'is not signed by a required signer: signature 1: it does not match the key',
    );
  });
  putSignatures(world.registry, { repository, digest }, [signatureOf(digest, signingKey()), signatureOf(digest, key)]);
  await world.bundleWithPhase('signed', 'Unpacked');
});

test.each(['subject', 'tag'] as const)('a bundle that is attached by %s counts as a signature', async (by) => {
  const repository = `signed/attached-${by}`;
  const digest = put(repository);
  const name = `attached-${by}`;
  attachBundles(world.registry, { repository, digest, by }, [bundleOf(digest, signingKey())]);
  await create(name, `${repository}:v1`);
  expect(await refusalOf(name)).toContain('required signer: signature 1: it does not match the key');
  attachBundles(world.registry, { repository, digest, by }, [bundleOf(digest, signingKey()), bundleOf(digest, key)]);
  await world.bundleWithPhase(name, 'Unpacked');
});

test('a signature of another image does not count', async () => {
  const digest = put('signed/other');
  const another = put('signed/app-two');
  putSignatures(world.registry, { repository: 'signed/other', digest }, [signatureOf(another, key)]);
  await create('other', 'signed/other:v1');
  expect(await refusalOf('other')).toContain(`signature 1: it is for ${another}`);
});

test('the signature of an index is one of its images', async () => {
  const repository = 'signed/index';
  const manifest = put(repository);
  const platform = { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch };
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const index = world.registry.putManifest(`${repository}:all`, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ mediaType, digest: manifest, size: 1, platform }],
  });
  putSignatures(world.registry, { repository, digest: index }, [signatureOf(index, key)]);
  await create('index', `${repository}:all`);
  await world.bundleWithPhase('index', 'Unpacked');
});

test('a keyless signature is accepted for its identity', async () => {
  const repository = 'keyless/app';
  const digest = put(repository);
  const timeMs = Date.now() - 30 * 86_400_000;
  const by = async (who: string) => {
    const { certificatePem, privateKey } = await authority.certify({ subject: who, issuer, timeMs });
    const { payload, annotations } = signatureOf(digest, { privateKey });
    const certified = { payload, annotations: { ...annotations, 'dev.sigstore.cosign/certificate': certificatePem } };
    return logged(certified, log, { signerPem: certificatePem, timeMs });
  };
  putSignatures(world.registry, { repository, digest }, [await by('https://git.example.com/hostile')]);
  await create('keyless', `${repository}:v1`);
  expect(await refusalOf('keyless')).toContain('its certificate has the subject "https://git.example.com/hostile"');
  putSignatures(world.registry, { repository, digest }, [await by(subject)]);
  await world.bundleWithPhase('keyless', 'Unpacked');
});

test('a deployment reports why, and continues when the policy allows its image', async () => {
  put('later/app');
  const source = { type: 'image', image: { ref: `${world.registry.host}/later/app:v1`, pullSecret: 'registrysecret' } };
  await world.kube.create(bundleDeployment('later', source), { fieldManager: 'test' });
  const found = await world.deploymentWith('later', {
    type: 'HasValidBundle',
    status: 'False',
    reason: 'UnpackFailed',
  });
  expect(conditionOf(found, 'HasValidBundle')?.message).toContain('image policy: no rule allows');
  await writeFile(policyPath, JSON.stringify(policyFor(world.registry.host, ['free/**', 'later/*'])));
  await world.deploymentWith('later', { type: 'Installed', status: 'True' });
});
