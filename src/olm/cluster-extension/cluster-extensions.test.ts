import { describe, expect, test } from 'vitest';
import {
  ask,
  clock,
  cluster,
  deploymentRef,
  extensionKind,
  extensionRef,
  find,
  halt,
  launch,
  minuteMs,
  offer,
  openExtensionCluster,
  progressing,
  provision,
  untilInstalled,
  user,
} from '../../../test/support/cluster-extension-cluster.ts';
import { cutOff, eventually } from '../../../test/support/index.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

openExtensionCluster();

test('what was written when a bundle was chosen is not written again once it is installed', async () => {
  offer('1.0.0');
  await launch();
  await ask();
  const made = await eventually(() => cluster.kube.get(deploymentRef));
  await untilInstalled('1.0.0');
  const { annotations, generation } = (await cluster.kube.get(deploymentRef)).metadata;
  expect([annotations, generation]).toEqual([made.metadata.annotations, made.metadata.generation]);
  expect(annotations?.['olm.operatorframework.io/choice']).toContain('"channel":"stable"');
});

test('an update that its user withdraws is not installed later, though no catalog has what is installed', async () => {
  offer('1.0.0');
  await launch();
  await ask({}, { version: '1.0.0' });
  await untilInstalled('1.0.0');
  const request = async (version: string): Promise<void> => {
    const spec = { source: { catalog: { version, upgradeConstraintPolicy: 'SelfCertified' } } };
    await cluster.kube.patch(extensionRef, { spec }, user);
  };
  const imageOf = async (): Promise<JsonObject | undefined> =>
    objectAt((await cluster.kube.get(deploymentRef)) as JsonObject, 'spec', 'template', 'spec', 'source', 'image');
  const before = await imageOf();
  offer('2.0.0');
  await request('2.0.0');
  await eventually(async () => expect(await imageOf()).not.toEqual(before));
  const update = await imageOf();
  await request('>=2.0.0, <2.0.1');
  await eventually(async () => expect(await progressing()).toMatchObject({ observedGeneration: 3 }));
  expect(await imageOf()).toEqual(update);
  await request('1.0.0');
  await eventually(async () => expect(await imageOf()).toEqual(before));
  await untilInstalled('1.0.0');
});

describe('a progress deadline', () => {
  test('is reported when it has passed, and forgotten once the version is installed', async () => {
    offer('1.0.0');
    await launch();
    await ask({ progressDeadlineMinutes: 10 });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'RollingOut' }));
    clock.move(9 * minuteMs);
    await provision(false);
    await eventually(async () =>
      expect(await progressing()).toMatchObject({ reason: 'RollingOut', message: 'Deployment "tide" has no pod' }),
    );
    clock.move(2 * minuteMs);
    await eventually(async () => {
      // The sleep may have begun behind the move.
      clock.move(0);
      expect(await progressing()).toMatchObject({
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: 'Revision has not rolled out for 10 minute(s). Last status: Deployment "tide" has no pod',
      });
    });
    await untilInstalled('1.0.0');
    // What happens to an installed version later is no matter of the deadline.
    await provision(false);
    clock.move(60 * minuteMs);
    await cluster.kube.patch(extensionRef, { spec: { progressDeadlineMinutes: 11 } }, user);
    await eventually(async () =>
      expect(await progressing()).toMatchObject({ reason: 'Succeeded', observedGeneration: 2 }),
    );
  });

  test('counts from the choice, over a restart', async () => {
    offer('1.0.0');
    await launch();
    await ask({ progressDeadlineMinutes: 10 });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'RollingOut' }));
    await halt();
    clock.move(11 * minuteMs);
    await launch();
    await eventually(async () =>
      expect(await progressing()).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' }),
    );
  });
});

/** Runs until the client is cut off, or all is done. */
async function interrupted(count: number, begin: () => Promise<unknown>, version: string): Promise<void> {
  const cut = Promise.withResolvers<void>();
  let isCut = false;
  await launch(
    cutOff(cluster.kube, count, () => {
      isCut = true;
      cut.resolve();
    }),
  );
  await begin();
  const done = untilInstalled(version).catch((thrown: unknown) => {
    if (!isCut) throw thrown;
  });
  await Promise.race([cut.promise, done]);
  await halt();
}

async function madeFor(object: KubeObject): Promise<readonly KubeObject[]> {
  const { items } = await cluster.kube.list(deploymentRef);
  return items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid));
}

describe('a controller that is killed', () => {
  test.each([0, 1, 2, 3, 4, 5])('behind write %i of an installation is continued by the next one', async (count) => {
    offer('1.0.0');
    await interrupted(count, ask, '1.0.0');
    const before = await find(deploymentRef);
    await launch();
    await untilInstalled('1.0.0');
    const made = await madeFor(await cluster.kube.get(extensionRef));
    expect(made.map(({ metadata }) => [metadata.name, metadata.generation])).toEqual([['tide', 1]]);
    if (before !== undefined) expect(made[0]?.metadata.uid).toBe(before.metadata.uid);
  });

  test.each([0, 1, 2, 3, 4])('behind write %i of an upgrade is continued by the next one', async (count) => {
    offer('1.0.0');
    await launch();
    const object = await ask();
    await untilInstalled('1.0.0');
    const before = await cluster.kube.get(deploymentRef);
    await halt();
    offer('1.0.0; 1.1.0 <1.0.0');
    await interrupted(count, () => Promise.resolve(), '1.1.0');
    await launch();
    await untilInstalled('1.1.0');
    const made = await madeFor(object);
    expect(made.map(({ metadata }) => [metadata.uid, metadata.generation])).toEqual([[before.metadata.uid, 2]]);
  });
});

describe('what asks for much', () => {
  const message = async (): Promise<string> => (await progressing())?.message ?? '';

  test('more channels than the field takes are refused, and as many as it takes are answered in a bounded message', async () => {
    offer('1.0.0');
    await launch();
    const channels = Array.from({ length: 257 }, (_, index) => `${'c'.repeat(240)}-${index}`);
    await expect(ask({}, { channels })).rejects.toThrow(/channels/);
    await ask({}, { channels: channels.slice(0, 256) });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'Retrying' }));
    expect((await message()).length).toBeLessThanOrEqual(32_768);
    expect(await find(deploymentRef)).toBeUndefined();
  });

  test('a selector of thousands of requirements selects nothing, which a bounded message reports', async () => {
    offer('1.0.0');
    await launch();
    const values = Array.from({ length: 4000 }, (_, index) => `value-${index}`);
    const matchExpressions = Array.from({ length: 20 }, (_, index) => ({
      key: `key-${index}`,
      operator: 'In',
      values,
    }));
    await ask({}, { selector: { matchExpressions } });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'Retrying' }));
    expect((await message()).length).toBeLessThanOrEqual(32_768);
    expect(await find(deploymentRef)).toBeUndefined();
  });

  test('a configuration of a megabyte is taken or refused, and other extensions are not held up', async () => {
    offer('1.0.0');
    await launch();
    const inline = {
      env: Array.from({ length: 1000 }, (_, index) => ({ name: `E${index}`, value: 'x'.repeat(1000) })),
    };
    await ask({ config: { configType: 'Inline', inline } });
    await eventually(async () =>
      expect((await progressing())?.reason).toMatch(/^(RollingOut|Retrying|InvalidConfiguration)$/),
    );
    expect((await message()).length).toBeLessThanOrEqual(32_768);
    const source = { sourceType: 'Catalog', catalog: { packageName: 'tide' } };
    const other = { ...extensionKind, name: 'other' };
    await cluster.kube.create(
      { ...extensionKind, metadata: { name: 'other' }, spec: { namespace: 'office', source } },
      user,
    );
    await eventually(async () => expect(await find({ ...deploymentRef, name: 'other' })).toBeDefined());
    await cluster.kube.delete(other);
    await eventually(async () => expect(await find(other)).toBeUndefined());
  });
});
