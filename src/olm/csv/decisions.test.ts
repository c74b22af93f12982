import { describe, expect, test } from 'vitest';
import type { ClusterServiceVersion, OperatorCondition, OperatorGroup } from '../../api/index.ts';
import { ApiSet } from '../../operators/index.ts';
import { chainOf, hasForeignDefinition, isReplacementInstalled, replacementsOf, type Versions } from './chain.ts';
import { upgradeGate } from './gate.ts';
import { isLoop, nextStatus } from './status.ts';
import { type ApiDecision, decideApis, memberAnnotations, membershipOf, modeProblem } from './tenancy.ts';

interface Drawn {
  readonly name: string;
  readonly replaces?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly created?: string;
  readonly history?: readonly string[];
}

function versionOf({ name, replaces, phase, reason, created = '', history = [] }: Drawn): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name, namespace: 'a', uid: `uid-${name}`, creationTimestamp: created },
    spec: { displayName: name, install: { strategy: 'deployment' }, ...(replaces !== undefined && { replaces }) },
    status: {
      ...(phase !== undefined && { phase }),
      ...(reason !== undefined && { reason }),
      conditions: history.map((one) => ({ phase: one })),
    },
  };
}

function versionsOf(...drawn: readonly Drawn[]): Versions & { of(name: string): ClusterServiceVersion } {
  const all = new Map(drawn.map((one) => [one.name, versionOf(one)]));
  return {
    get: (name) => all.get(name),
    replacing: (name) => [...all.values()].filter(({ spec }) => spec.replaces === name),
    of: (name) => all.get(name) ?? versionOf({ name }),
  };
}

describe('chains', () => {
  const chain = versionsOf({ name: 'a' }, { name: 'b', replaces: 'a' }, { name: 'c', replaces: 'b' });

  test('each one belongs to the chain of the others', () => {
    for (const name of ['a', 'b', 'c']) {
      expect([...chainOf(chain.of(name), chain)].toSorted()).toEqual(['a', 'b', 'c']);
    }
  });

  test('a circle ends, and one that replaces itself replaces nothing', () => {
    const circle = versionsOf({ name: 'a', replaces: 'b' }, { name: 'b', replaces: 'a' }, { name: 'c', replaces: 'c' });
    expect([...chainOf(circle.of('a'), circle)].toSorted()).toEqual(['a', 'b']);
    expect(replacementsOf(circle.of('c'), circle)).toEqual([]);
    expect(isReplacementInstalled(circle.of('a'), circle, true)).toBe(false);
  });

  test('the newest of several replacements counts', () => {
    const versions = versionsOf(
      { name: 'a' },
      { name: 'b', replaces: 'a', created: '2026-01-01T00:00:00Z' },
      { name: 'c', replaces: 'a', created: '2026-01-02T00:00:00Z' },
    );
    expect(replacementsOf(versions.of('a'), versions)[0]?.metadata.name).toBe('c');
  });

  test.each([
    { name: 'the replacement succeeded', b: { phase: 'Succeeded' }, c: {}, failForward: false, expected: true },
    { name: 'it is being installed', b: { phase: 'Installing' }, c: {}, failForward: false, expected: false },
    {
      name: 'it gave way after it succeeded',
      b: { phase: 'Replacing', history: ['Succeeded', 'Replacing'] },
      c: { phase: 'Failed' },
      failForward: false,
      expected: true,
    },
    {
      name: 'the end succeeded, what is between failed',
      b: { phase: 'Replacing', history: ['Failed', 'Replacing'] },
      c: { phase: 'Succeeded' },
      failForward: true,
      expected: true,
    },
    {
      name: 'with fail-forward the end counts',
      b: { phase: 'Succeeded' },
      c: { phase: 'Failed' },
      failForward: true,
      expected: false,
    },
  ])('T37 $name: $expected', ({ b, c, failForward, expected }) => {
    const versions = versionsOf({ name: 'a' }, { name: 'b', replaces: 'a', ...b }, { name: 'c', replaces: 'b', ...c });
    expect(isReplacementInstalled(versions.of('a'), versions, failForward)).toBe(expected);
  });

  test.each([
    { name: 'installed', other: { phase: 'Succeeded', created: '3' }, expected: true },
    { name: 'older', other: { phase: 'Pending', created: '1' }, expected: true },
    { name: 'younger', other: { phase: 'Pending', created: '3' }, expected: false },
    { name: 'in conflict itself', other: { phase: 'Failed', reason: 'OwnerConflict', created: '1' }, expected: false },
  ])('T7 another owner that is $name counts: $expected', ({ other, expected }) => {
    const versions = versionsOf({ name: 'x', created: '2' }, { name: 'y', ...other });
    expect(hasForeignDefinition(versions.of('x'), [versions.of('x'), versions.of('y')], versions)).toBe(expected);
  });
});

describe('the gate', () => {
  const condition = (parts: Pick<OperatorCondition, 'spec' | 'status'>, generation = 1): OperatorCondition => ({
    apiVersion: 'operators.coreos.com/v2',
    kind: 'OperatorCondition',
    metadata: { name: 'a', generation },
    ...parts,
  });
  const upgradeable = (status: 'True' | 'False', observedGeneration = 1) => ({
    type: 'Upgradeable',
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    status,
    observedGeneration,
  });

  test.each([
    ['without an OperatorCondition', undefined, undefined],
    ['without a condition', condition({}), undefined],
    ['reported True', condition({ status: { conditions: [upgradeable('True')] } }), undefined],
    [
      'reported False',
      condition({ status: { conditions: [upgradeable('False')] } }),
      'the operator is not upgradeable: m',
    ],
    [
      'written by the operator, and not in the status yet',
      condition({ spec: { conditions: [upgradeable('False')] } }),
      'the operator is not upgradeable: m',
    ],
    [
      'reported for an older generation',
      condition({ status: { conditions: [upgradeable('True')] } }, 2),
      'the operatorcondition status "Upgradeable"="True" is outdated',
    ],
    [
      'overridden',
      condition({ spec: { overrides: [upgradeable('True')] }, status: { conditions: [upgradeable('False')] } }),
      undefined,
    ],
  ])('%s', (_, found, expected) => {
    expect(upgradeGate(found)).toBe(expected);
  });
});

const boat = { group: 'example.com', version: 'v1', kind: 'Boat' };
const boatText = 'Boat.v1.example.com';

function groupOf(
  namespace: string,
  targets: readonly string[] | undefined,
  more: Partial<Drawn> & { apis?: string } = {},
) {
  const { apis, created = '' } = more;
  return {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: {
      name: 'group',
      namespace,
      ...(apis !== undefined && { annotations: { 'olm.providedAPIs': apis } }),
    },
    spec: {},
    ...(targets !== undefined && { status: { lastUpdated: created, namespaces: targets } }),
  } satisfies OperatorGroup as OperatorGroup;
}

/** With the APIs as text. */
function shown(decision: ApiDecision): object {
  return decision.state === 'Annotate' ? { ...decision, apis: String(decision.apis) } : decision;
}

describe('groups', () => {
  test('T42 and T43: exactly one is needed, and its targets', () => {
    const one = groupOf('a', ['b', 'a']);
    expect(membershipOf([])).toMatchObject({ move: { reason: 'NoOperatorGroup' } });
    expect(membershipOf([one, one])).toMatchObject({ move: { reason: 'TooManyOperatorGroups' } });
    expect(membershipOf([groupOf('a', undefined)])).toMatchObject({ state: 'Unresolved' });
    expect(membershipOf([one])).toMatchObject({ state: 'Member', targets: ['a', 'b'] });
  });

  test('T44: without targets there is no annotation of targets, which would mean all', () => {
    expect(memberAnnotations(groupOf('a', []), [])['olm.targetNamespaces']).toBeNull();
    expect(memberAnnotations(groupOf('a', ['']), [''])['olm.targetNamespaces']).toBe('');
    expect(modeProblem(versionOf({ name: 'x' }), [])).toMatchObject({ reason: 'NoTargetNamespaces' });
  });

  test('install modes that are listed twice are invalid', () => {
    const csv = versionOf({ name: 'x' });
    const mode = { type: 'OwnNamespace', supported: true };
    expect(modeProblem({ ...csv, spec: { ...csv.spec, installModes: [mode, mode] } }, ['a'])).toMatchObject({
      reason: 'InvalidInstallModes',
      message: 'InstallMode list contains duplicates, cannot make set: [{OwnNamespace true} {OwnNamespace true}]',
    });
  });

  const provided = new ApiSet([boat]);

  test('APIs are added to the annotation, unless the group is static', () => {
    expect(shown(decideApis(groupOf('a', ['a']), provided, []))).toEqual({
      state: 'Annotate',
      apis: boatText,
      isAddition: true,
    });
    const fixed = { ...groupOf('a', ['a']), spec: { staticProvidedAPIs: true } };
    expect(decideApis(fixed, provided, [])).toMatchObject({
      move: { reason: 'CannotModifyStaticOperatorGroupProvidedAPIs' },
    });
  });

  test('an API that cannot be read back is written once', () => {
    const odd = new ApiSet([{ group: '', version: 'v1', kind: 'Odd' }]);
    const first = decideApis(groupOf('a', ['a']), odd, []);
    expect(shown(first)).toEqual({ state: 'Annotate', apis: 'Odd.v1.', isAddition: true });
    expect(decideApis(groupOf('a', ['a'], { apis: 'Odd.v1.' }), odd, [])).toEqual({ state: 'Continue' });
  });

  test('the API of another group with a common target is a conflict', () => {
    const other = groupOf('b', ['a'], { apis: boatText });
    expect(decideApis(groupOf('a', ['a']), provided, [other])).toMatchObject({
      move: { reason: 'InterOperatorGroupOwnerConflict' },
    });
    const apart = groupOf('b', ['b'], { apis: boatText });
    expect(decideApis(groupOf('a', ['a']), provided, [apart])).toMatchObject({ state: 'Annotate' });
  });

  test('of two groups that provide the API, the one that came to the target later gives way', () => {
    const early = groupOf('a', ['x'], { apis: boatText, created: '2026-01-01T00:00:00Z' });
    const late = groupOf('b', ['x'], { apis: boatText, created: '2026-01-02T00:00:00Z' });
    expect(decideApis(early, provided, [late])).toEqual({ state: 'Continue' });
    expect(shown(decideApis(late, provided, [early]))).toEqual({ state: 'Annotate', apis: '', isAddition: false });
  });
});

describe('status', () => {
  const nowMs = Date.parse('2026-01-01T00:01:00Z');
  const standing = { phase: 'Pending', reason: 'RequirementsNotMet', message: 'm' } as const;
  const before = { ...standing, lastTransitionTime: '2026-01-01T00:00:00Z' };

  test('nothing is written where nothing changes', () => {
    expect(nextStatus(before, standing, nowMs)).toBeUndefined();
  });

  test('another message changes no history, another reason not the time of the phase', () => {
    const conditions = [{ phase: 'Pending', reason: 'RequirementsNotMet' }];
    const message = nextStatus({ ...before, conditions }, { ...standing, message: 'n' }, nowMs);
    expect(message).toMatchObject({ message: 'n', conditions, lastUpdateTime: '2026-01-01T00:01:00Z' });
    const reason = nextStatus({ ...before, conditions }, { ...standing, reason: 'NeedsReinstall' }, nowMs);
    expect(reason).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:00Z', conditions: [{}, {}] });
  });

  test('the history has twenty entries', () => {
    const conditions = Array.from({ length: 20 }, (_, index) => ({ phase: `p${index}` }));
    const next = nextStatus({ ...before, conditions }, { ...standing, phase: 'Failed' }, nowMs);
    expect(next?.['conditions']).toHaveLength(20);
    expect(next?.['conditions']).toMatchObject([{ phase: 'p1' }, ...conditions.slice(2), { phase: 'Failed' }]);
  });

  test('what is reached six times within a minute is a loop', () => {
    const entry = { phase: 'Pending', reason: 'RequirementsNotMet', lastUpdateTime: '2026-01-01T00:00:30Z' };
    expect(isLoop({ conditions: Array.from({ length: 6 }, () => entry) }, standing, nowMs)).toBe(true);
    expect(isLoop({ conditions: Array.from({ length: 6 }, () => entry) }, standing, nowMs + 60_000)).toBe(false);
  });
});
