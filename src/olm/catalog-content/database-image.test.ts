import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../../cli/examples/registry.ts';
import { defaultContentLimits } from '../../base/index.ts';
import { databaseLabel, openCatalogIndex } from '../../catalog/index.ts';
import { unpackCatalog } from './unpack-catalog.ts';
import type { UnpackJob } from './unpack-job.ts';

const { signal } = new AbortController();
let dir: string;
let registry: Registry;

const tables = `
  CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, bundle TEXT, bundlepath TEXT, version TEXT, skiprange TEXT);
  CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
  CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT);
  CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT, operatorbundle_name TEXT, replaces INTEGER,
    depth INTEGER);
  CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT);
  CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT);
  INSERT INTO package VALUES ('boat', 'stable');
  INSERT INTO channel VALUES ('stable', 'boat', 'boat.v1.0.0');
  INSERT INTO operatorbundle VALUES ('boat.v1.0.0', '', 'registry.example/boat:v1', '1.0.0', '');
  INSERT INTO channel_entry VALUES (1, 'stable', 'boat', 'boat.v1.0.0', NULL, 0);
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-database-image-'));
  registry = await startRegistry();
  const path = join(dir, 'made.db');
  const database = new DatabaseSync(path);
  database.exec(tables);
  database.close();
  const layer = { files: { 'database/index.db': await readFile(path), 'bin/opm': 'a program that is never run' } };
  registry.putImage('old:v1', [layer], { [databaseLabel]: '/database/index.db' });
  registry.putImage('elsewhere:v1', [layer], { [databaseLabel]: '/database/other.db' });
  registry.putImage('outside:v1', [layer], { [databaseLabel]: '../../etc/passwd' });
  registry.putImage('none:v1', [layer]);
});

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function jobOf(image: string): UnpackJob {
  const settings = {
    limits: defaultContentLimits,
    insecureRegistries: [],
    registryCaPem: [],
    answerDeadlineMs: 10_000,
    platform: 'linux/amd64',
    deadlineMs: 60_000,
  };
  const terms = { pullSecrets: undefined, mirrors: undefined, policy: undefined };
  const ref = `${registry.host}/${image}`;
  const place = { workDir: join(dir, image.replace(':', '-')), file: join(dir, `${image.replace(':', '-')}.index`) };
  return { ...terms, ...place, settings, ref, askedRef: ref, isKnown: false, group: '' };
}

test('an image that has a database instead of documents is read, and nothing of it is left or run', async () => {
  const job = jobOf('old:v1');
  const unpacked = await unpackCatalog(job, signal);
  expect(unpacked).toMatchObject({ packageCount: 1, faults: [] });
  expect(await readdir(job.workDir)).not.toContain('database');
  using index = openCatalogIndex(job.file);
  expect(index.packageNames()).toEqual(['boat']);
});

test.each([
  ['elsewhere:v1', /the image has no file other\.db, which label "[\w.]+" names/],
  ['outside:v1', /there is no directory "\/etc"/],
  ['none:v1', /missing the required label "operators\.operatorframework\.io\.index\.configs\.v1"/],
])('%s is refused with what it lacks', async (image, message) => {
  await expect(unpackCatalog(jobOf(image), signal)).rejects.toThrow(message);
});
