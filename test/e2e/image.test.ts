/** @module-tag long */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { helmForTests } from '../clients/helm-program.ts';

const run = promisify(execFile);
const patienceMs = 15 * 60_000;

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean } | undefined>>;
}

test(
  'the steps of the Dockerfile make something that runs, and a bill of what is in it',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-sbom-'));
    try {
      const file = join(folder, 'sbom.json');
      const options = { timeout: patienceMs, maxBuffer: 64 * 1024 * 1024 };
      const helm = await helmForTests();
      const withHelm = helm.why === '' ? ['--helm', helm.path] : [];
      const args = ['scripts/build-image.ts', '--sbom', file, '--modules', 'node_modules', ...withHelm];
      const { stdout } = await run(process.execPath, args, options);
      expect(stdout).toMatch(/\nthe image runs; above its base and the programs node and helm it has \d+ MB\n$/);
      if (helm.why === '') expect(stdout).toMatch(/\ncharts are rendered by helm v3\./);
      const bill = JSON.parse(await readFile(file, 'utf8')) as Bill;
      const { dependencies, devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
      const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
      const required = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
      expect(required.filter((name) => !named.has(name))).toEqual([]);
      const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
      const dev = Object.entries(devDependencies)
        .filter(([name]) => lock.packages[`node_modules/${name}`]?.dev === true)
        .map(([name, version]) => `${name}@${version}`);
      expect(dev.length).toBeGreaterThan(10);
      expect(dev.filter((name) => named.has(name))).toEqual([]);
      // What is shared with tools for development, too.
      expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['semver', 'tslib']));
      expect([bill.serialNumber, bill.metadata.timestamp]).toEqual([undefined, undefined]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  patienceMs,
);
