import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { type AppliedKind, applying, kinds } from '../applying.ts';
import { SeededRandom } from '../random.ts';
import { mergePatch, withoutControllers } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const managers = ['ann', 'bob', 'cid'] as const;
const stepCount = 30;

function configMap(random: SeededRandom): JsonObject {
  const data = Object.fromEntries(random.some(['a', 'b', 'c', 'd'], 0.5).map((key) => [key, String(random.below(3))]));
  const labels = Object.fromEntries(random.some(['l', 'm'], 0.4).map((key) => [key, String(random.below(2))]));
  const finalizers = random.some(['a/a', 'b/b', 'c/c'], 0.3);
  return {
    metadata: { ...(random.happens(0.5) ? { labels } : {}), ...(random.happens(0.4) ? { finalizers } : {}) },
    ...(random.happens(0.85) ? { data } : {}),
  };
}

function container(random: SeededRandom, name: string): JsonObject {
  const env = random.some(['E', 'F'], 0.5).map((key) => ({ name: key, value: String(random.below(2)) }));
  const ports = random
    .some([80, 81], 0.5)
    .map((containerPort) => ({ containerPort: containerPort + 10 * name.charCodeAt(0) }));
  const limits = Object.fromEntries(
    random.some(['cpu', 'memory'], 0.5).map((key) => [key, String(1 + random.below(2))]),
  );
  return {
    name,
    image: `i:${random.below(2)}`,
    ...(random.happens(0.5) ? { env } : {}),
    ...(random.happens(0.5) ? { ports } : {}),
    ...(random.happens(0.3) ? { args: random.some(['x', 'y'], 0.6) } : {}),
    ...(random.happens(0.4) ? { resources: { limits } } : {}),
  };
}

function template(random: SeededRandom): JsonObject {
  const containers = ['base', ...random.some(['a', 'b', 'c'], 0.5)].map((name) => container(random, name));
  const nodeSelector = Object.fromEntries(random.some(['n', 'o'], 0.5).map((key) => [key, String(random.below(2))]));
  return {
    metadata: { labels: { app: 'x' } },
    spec: {
      containers,
      ...(random.happens(0.4) ? { nodeSelector } : {}),
      ...(random.happens(0.3) ? { hostNetwork: random.happens(0.5) } : {}),
      ...(random.happens(0.3) ? { tolerations: [{ key: String(random.below(2)), operator: 'Exists' }] } : {}),
    },
  };
}

function deployment(random: SeededRandom): JsonObject {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: random.below(3) + 1 } };
  return {
    spec: {
      paused: true,
      replicas: 0,
      selector: { matchLabels: { app: 'x' } },
      template: template(random),
      ...(random.happens(0.3) ? { minReadySeconds: random.below(2) } : {}),
      ...(random.happens(0.3) ? { strategy } : {}),
    },
  };
}

function service(random: SeededRandom): JsonObject {
  const ports = [79, ...random.some([80, 81, 82], 0.6)].map((port) => ({
    name: `p${port}`,
    port,
    ...(random.happens(0.5) ? { targetPort: 8000 + random.below(2) } : {}),
    ...(random.happens(0.2) ? { protocol: 'TCP' } : {}),
  }));
  const selector = Object.fromEntries(random.some(['s', 't'], 0.6).map((key) => [key, 'x']));
  return {
    spec: {
      clusterIP: 'None',
      ports,
      ...(random.happens(0.5) ? { selector } : {}),
      ...(random.happens(0.3) ? { externalIPs: random.some(['1.2.3.4', '2.3.4.5'], 0.6) } : {}),
    },
  };
}

interface Walk {
  readonly kind: AppliedKind;
  readonly body: (random: SeededRandom) => JsonObject;
  readonly keep?: (body: JsonValue) => unknown;
}

const walks: readonly Walk[] = [
  { kind: kinds.configMap, body: configMap },
  { kind: kinds.podTemplate, body: (random) => ({ template: template(random) }) },
  { kind: kinds.deployment, body: deployment, keep: withoutControllers },
  { kind: kinds.service, body: service },
];

/** Three managers who apply, force, update and pretend, by chance of a fixed seed. */
export const cases: Area = area('Server-side apply, by chance', (it) => {
  for (const { kind, body, keep } of walks) {
    for (const seed of [1, 2, 3, 4]) {
      it(`${stepCount} writes of three managers to a ${kind.kind}, seed ${seed}`, async (api) => {
        const random = new SeededRandom(seed * 7919);
        const { apply, patch, path } = applying(api, kind, keep);
        for (let step = 0; step < stepCount; step += 1) {
          const manager = random.pick(managers);
          const desired = body(random);
          const kindOfWrite = random.below(10);
          if (kindOfWrite < 5) await apply(manager, desired);
          else if (kindOfWrite < 8) await apply(manager, desired, '?force=true');
          else if (kindOfWrite === 8) await apply(manager, desired, '?dryRun=All&force=true');
          else await patch(manager, desired);
        }
        if (kind === kinds.configMap)
          await api.setUp('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: mergePatch });
      });
    }
  }
});
