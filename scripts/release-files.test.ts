import { generateKeyPairSync, verify } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { list } from 'tar';
import { expect, test } from 'vitest';
import { overlays } from '../cli/install/overlays.ts';
import { manifestsText, notesOf, packChart, signText } from './release-files.ts';

test('the notes are the newest section of the changelog, which is that of the version', () => {
  const changelog = '# Changelog\n\n## 1.1.0 (2026-01-02)\n\n- New.\n- More.\n\n## 1.0.0 (2025-01-01)\n\n- Old.\n';
  expect(notesOf(changelog, '1.1.0')).toEqual({ text: '- New.\n- More.', state: '2026-01-02' });
  expect(notesOf('## 1.0.0 (unreleased)\n\n- One.\n', '1.0.0')).toEqual({ text: '- One.', state: 'unreleased' });
  expect(() => notesOf(changelog, '1.2.0')).toThrow('expected the section 1.2.0 first, found "1.1.0"');
});

test('the changelog has the section of the version that package.json names', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(notesOf(readFileSync('CHANGELOG.md', 'utf8'), version).text).toMatch(/^### (?:Added|Changed|Fixed)$/m);
});

test('a signature is one that openssl and cosign verify, of an encrypted key as well; other kinds of keys are refused', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const plain = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' }) as string;
  for (const signature of [signText('sums', plain, undefined), signText('sums', locked, 'p')]) {
    expect(verify('sha256', Buffer.from('sums'), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  }
  const rsa = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  expect(() => signText('sums', rsa, undefined)).toThrow('expected an ECDSA key, found ed25519');
});

test('the archive of the chart has the CustomResourceDefinitions as files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-chart-'));
  try {
    const file = join(folder, 'chart.tgz');
    await packChart(file);
    const entries = new Map<string, string>();
    await list({ file, onReadEntry: ({ path, type }) => entries.set(path, type) });
    // With `olm` and `machines.actuator` the chart installs these as well.
    for (const definition of globSync('crds/{,olm/,machines/}*.yaml')) {
      expect(entries.get(definition.replace('crds/', 'longshore/definitions/')), definition).toBe('File');
    }
    expect([...entries.values()]).not.toContain('SymbolicLink');
    expect([...entries.keys()].filter((path) => path.includes('/cluster-version/'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(overlays)(
  'the file of the overlay %s has its CustomResourceDefinitions and everything else',
  async (overlay) => {
    const text = await manifestsText(overlay);
    const definitions = globSync('crds/*.yaml').length - (overlay === 'openshift' ? 1 : 0);
    expect(text.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(definitions);
    expect(text.match(/^kind: Deployment$/gm)).toHaveLength(2);
  },
);
