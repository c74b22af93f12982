import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { oracleVersion } from '../control-plane/index.ts';
import { conformanceDocument } from './document.ts';
import { areaFiles, loadArea, runCase, subjectOf } from './runner.ts';
import { differencesOf, readSightings } from './seen.ts';

const server = await startApiServer();
const subject = subjectOf(server.kubeconfig, true);
const areas = await Promise.all((await areaFiles()).map((file) => loadArea(file)));

afterAll(async () => {
  subject[Symbol.dispose]();
  await server.stop();
});

for (const { file, area } of areas) {
  const sightings = await readSightings(file);
  describe(area.title, { concurrent: !area.serial }, () => {
    for (const conformanceCase of area.cases) {
      test(conformanceCase.name, async () => {
        const sighting = sightings[conformanceCase.name];
        if (sighting === undefined) throw new Error('not recorded yet: npm run conformance:kube -- --record');
        const steps = await runCase(subject, conformanceCase);
        expect(differencesOf(sighting.embedded ?? sighting.kube, steps)).toEqual([]);
        expect(sighting.embedded === undefined, '`differs` and a sighting of its own go together').toBe(
          conformanceCase.differs === undefined,
        );
      });
    }

    test('has no recorded response without a case', () => {
      const names = new Set(area.cases.map(({ name }) => name));
      expect(Object.keys(sightings).filter((name) => !names.has(name))).toEqual([]);
    });
  });
}

test('docs/api-conformance.md is generated from the cases', async () => {
  const written = await readFile(new URL('../../docs/api-conformance.md', import.meta.url), 'utf8');
  expect(written, 'npm run generate writes it').toBe(conformanceDocument(areas, oracleVersion));
});
