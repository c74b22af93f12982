import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { type Group, groupOf } from './groups.ts';
import { areaFiles, loadArea, type NamedArea, runCase, type Subject, subjectOf } from './runner.ts';
import { differencesOf, readSightings, type Sightings } from './seen.ts';
import type { ConformanceCase } from './suite.ts';

let server: ApiServer;
let subject: Subject & Disposable;

async function assertAsSeen(conformanceCase: ConformanceCase, sightings: Sightings): Promise<void> {
  const sighting = sightings[conformanceCase.name];
  if (sighting === undefined) throw new Error('not recorded yet: npm run conformance:kube -- --record');
  const steps = await runCase(subject, conformanceCase);
  expect(differencesOf(sighting.embedded ?? sighting.kube, steps)).toEqual([]);
  expect(sighting.embedded === undefined, '`differs` and a sighting of its own go together').toBe(
    conformanceCase.differs === undefined,
  );
}

function describeArea({ area }: NamedArea, sightings: Sightings): void {
  describe(area.title, { concurrent: !area.serial }, () => {
    for (const one of area.cases) test(one.name, () => assertAsSeen(one, sightings));

    test('has no recorded response without a case', () => {
      const names = new Set(area.cases.map(({ name }) => name));
      expect(Object.keys(sightings).filter((name) => !names.has(name))).toEqual([]);
    });
  });
}

/** Declares the tests of a group's areas, on an embedded server that they share. */
export async function testGroup(group: Group): Promise<void> {
  beforeAll(async () => {
    server = await startApiServer();
    subject = subjectOf(server.kubeconfig, { hasControllers: true, hasCaches: false });
  });
  afterAll(async () => {
    subject[Symbol.dispose]();
    await server.stop();
  });
  const files = (await areaFiles()).filter((file) => groupOf(file) === group);
  for (const file of files) describeArea(await loadArea(file), await readSightings(file));
}
