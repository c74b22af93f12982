import { expect, test } from 'vitest';
import type { JsonObject } from '../src/base/index.ts';
import { silentLogger, WaitingError } from '../src/base/index.ts';
import { StatusWriter } from '../src/controller/index.ts';
import type { KubeClient, KubeObject } from '../src/kube/index.ts';
import { SteppedClock } from '../test/support/stepped-clock.ts';
import type { ProvisionerContext } from './context.ts';
import { skipUnserved } from './unserved.ts';
import { Unserved } from './unserved-objects.ts';

const started = Date.UTC(2026, 0, 1);

/** One object of an API server whose clock, and whose status writes, the test sees. */
class Scene {
  readonly clock = new SteppedClock(started);
  object: KubeObject;
  readonly #context: ProvisionerContext;

  constructor(object: object, foreignClasses: readonly string[] = []) {
    this.object = { ...object } as KubeObject;
    const patch = (_ref: unknown, { status }: JsonObject): Promise<KubeObject> => {
      this.object = { ...this.object, status: { ...(this.object['status'] as JsonObject), ...(status as JsonObject) } };
      return Promise.resolve(this.object);
    };
    this.#context = {
      clock: this.clock,
      kube: { patch } as unknown as KubeClient,
      classes: new Set(['core-rukpak-io-plain', 'core-rukpak-io-registry']),
      foreignClasses: new Set(foreignClasses),
      unserved: new Unserved(),
    } as unknown as ProvisionerContext;
  }

  async reconcile(): Promise<void> {
    const context = this.#context;
    const { signal } = new AbortController();
    const status = new StatusWriter(this.object, { ...context, fieldManager: 'test' });
    const run = { context, object: this.object, status };
    await skipUnserved('Unpacked')(run, { signal, log: silentLogger() });
    await status.flush(run, signal);
  }

  get conditions(): unknown {
    return (this.object['status'] as JsonObject | undefined)?.['conditions'];
  }
}

const bundle = (status?: object): object => ({
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'Bundle',
  metadata: { name: 'b', uid: 'u', generation: 1 },
  spec: { provisionerClassName: 'core-rukpak-io-plian', source: { type: 'upload', upload: {} } },
  ...(status === undefined ? {} : { status }),
});

test('a class that no one serves is reported after 30 seconds, and names those that are served', async () => {
  const scene = new Scene(bundle());
  await expect(scene.reconcile()).rejects.toMatchObject({ afterMs: 30_000, reason: 'NoProvisioner' });
  expect(scene.conditions).toBeUndefined();
  scene.clock.jump(29_000);
  await expect(scene.reconcile()).rejects.toBeInstanceOf(WaitingError);
  scene.clock.jump(1_000);
  await scene.reconcile();
  expect(scene.conditions).toMatchObject([
    {
      type: 'Unpacked',
      status: 'Unknown',
      reason: 'NoProvisioner',
      observedGeneration: 1,
    },
  ]);
  const [{ message = '' } = {}] = scene.conditions as { message?: string }[];
  expect(message).toMatch(
    /class "core-rukpak-io-plian".*serves core-rukpak-io-plain, core-rukpak-io-registry\. Correct/,
  );
});

test.each([
  { name: 'a class that is named as that of another provisioner', object: bundle(), foreign: ['core-rukpak-io-plian'] },
  { name: 'what another provisioner has reconciled', object: bundle({ observedGeneration: 1 }), foreign: [] },
  {
    name: 'what another provisioner speaks of',
    object: bundle({ conditions: [{ type: 'Unpacked', status: 'False', observedGeneration: 1 }] }),
    foreign: [],
  },
])('$name is left alone', async ({ object, foreign }) => {
  const scene = new Scene(object, foreign);
  const before = scene.conditions;
  await scene.reconcile();
  scene.clock.jump(60_000);
  await scene.reconcile();
  expect(scene.conditions).toBe(before);
});
