import type { ApiServer, ClusterClient } from '../../apiserver/index.ts';
import {
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parseYamlDocuments,
  textAt,
} from '../../src/base/index.ts';
import type { OperatorReport, Payload, Scenario } from './scenario.ts';

const lastTransitionTime = '2026-01-01T00:00:00Z';
const operators = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator' };

function conditionOf(type: string, isTrue: boolean): JsonObject {
  const reason = isTrue ? 'AsExpected' : 'NotSo';
  return { type, status: isTrue ? 'True' : 'False', reason, message: `${type} is ${isTrue}`, lastTransitionTime };
}

/** Writes what an operator reports. */
export async function reportHealth(client: ClusterClient, report: OperatorReport): Promise<void> {
  const { report: name, version, available = true, degraded = false, progressing = false, upgradeable = true } = report;
  const status = {
    conditions: [
      conditionOf('Available', available),
      conditionOf('Degraded', degraded),
      conditionOf('Progressing', progressing),
      conditionOf('Upgradeable', upgradeable),
    ],
    versions: Object.entries({ operator: version, ...report.versions }).map(([key, value]) => ({
      name: key,
      version: value,
    })),
  };
  await client.patch({ ...operators, name }, { status }, { subresource: 'status', fieldManager: 'operator' });
}

function documentsOf({ files }: Payload): JsonObject[] {
  return Object.values(files).flatMap((content) => {
    if (typeof content !== 'string') return [...content];
    if (!content.includes('ClusterOperator')) return [];
    return parseYamlDocuments('manifest', content).filter(isJsonObject);
  });
}

interface Expected {
  readonly versions: Readonly<Record<string, string>>;
  /** The engine copies them to the status first. */
  readonly hasRelatedObjects: boolean;
}

function expectedOf(operator: JsonObject): Expected {
  const status = objectAt(operator, 'status') ?? {};
  const versions = objectsAt(status, 'versions').map((one) => [textAt(one, 'name'), textAt(one, 'version')]);
  return {
    versions: Object.fromEntries(versions) as Record<string, string>,
    hasRelatedObjects: objectsAt(status, 'relatedObjects').length > 0,
  };
}

/** All ClusterOperators, by version of the payload and their name. */
function expectedOperators({ payloads }: Scenario): Map<string, Map<string, Expected>> {
  return new Map(
    Object.values(payloads).map((payload) => {
      const found = documentsOf(payload).filter((document) => document['kind'] === 'ClusterOperator');
      return [
        payload.version,
        new Map(found.map((operator) => [textAt(objectAt(operator, 'metadata'), 'name'), expectedOf(operator)])),
      ];
    }),
  );
}

/** Every operator reports at once that it is healthy and has the versions of the release that the cluster is to have. */
export function simulateOperators(server: ApiServer, scenario: Scenario): Disposable {
  const expected = expectedOperators(scenario);
  const reported = new Map<string, string>();
  let desired = Object.values(scenario.payloads)[0]?.version ?? '';
  let last: Promise<void> = Promise.resolve();
  const report = (name: string): void => {
    if (reported.get(name) === desired) return;
    reported.set(name, desired);
    const { operator = desired, ...versions } = expected.get(desired)?.get(name)?.versions ?? {};
    // An object that was deleted meanwhile is no matter.
    last = last.then(() => reportHealth(server.client, { report: name, version: operator, versions })).catch(() => {});
  };
  const takeOperator = (type: string, name: string, status: JsonObject): void => {
    const isComplete = objectsAt(status, 'relatedObjects').length > 0;
    if (type === 'DELETED') reported.delete(name);
    else if (isComplete || expected.get(desired)?.get(name)?.hasRelatedObjects !== true) report(name);
  };
  const takeVersion = (version: string): void => {
    if (version === '' || version === desired) return;
    desired = version;
    for (const known of reported.keys()) report(known);
  };
  return server.cluster.subscribe(({ type, object }) => {
    const status = objectAt(object as unknown as JsonObject, 'status') ?? {};
    if (object.kind === 'ClusterOperator') takeOperator(type, object.metadata.name ?? '', status);
    if (object.kind === 'ClusterVersion') takeVersion(textAt(objectAt(status, 'desired'), 'version'));
  });
}
