import {
  configMap,
  keys,
  quickRelease,
  release,
  signatureMap,
  signatures,
  signedSecond,
  updateToSecond,
  verification,
} from '../objects.ts';
import type { Payload, Rest, Scenario } from '../scenario.ts';

const version = '4.22.0';
const installed: Rest = { rest: 'installed', until: { history: `Completed ${version}` } };
const refused: Rest = { rest: 'refused', until: { condition: 'ReleaseAccepted', is: 'False' } };
const invalid: Rest = { rest: 'invalid', until: { condition: 'Invalid', is: 'True' } };
const first = quickRelease(version);
const forced = (name: string, of?: string) => ({
  spec: { desiredUpdate: { image: `$image/${name}`, force: true, ...(of === undefined ? {} : { version: of }) } },
});
const cleared = { spec: { desiredUpdate: null } };

/** A release that is asked for and cannot be loaded. */
function broken(id: string, title: string, second: Payload): Scenario {
  return {
    id: `broken-${id}`,
    title,
    payloads: { first, second },
    objects: [signedSecond],
    actions: [
      installed,
      updateToSecond(),
      refused,
      cleared,
      { rest: 'withdrawn', until: { condition: 'ReleaseAccepted', is: 'True' } },
    ],
  };
}

/** A release with these signatures. */
function signed(id: string, title: string, ...texts: readonly string[]): Scenario {
  return {
    id: `signed-${id}`,
    title,
    payloads: { first, second: quickRelease('4.22.1') },
    objects: texts.length === 0 ? [] : [signatureMap(...texts)],
    actions: [
      installed,
      updateToSecond(),
      {
        rest: 'asked for',
        until: { condition: 'ReleaseAccepted', is: texts.includes(signatures.second) ? 'True' : 'False' },
      },
    ],
  };
}

/** A release of this version is asked for on a cluster whose operator is, or is not, upgradeable. */
function precondition(
  id: string,
  title: string,
  target: { readonly version: string; readonly upgradeable?: boolean; readonly force?: boolean },
): Scenario {
  const { version: to, upgradeable = true, force = false } = target;
  return {
    id: `precondition-${id}`,
    title,
    payloads: { first: release(version), second: quickRelease(to) },
    objects: [signedSecond],
    actions: [
      { report: 'alpha', version },
      { report: 'beta', version, upgradeable },
      installed,
      force ? forced('second', to) : updateToSecond(to),
      { rest: 'asked for' },
    ],
  };
}

/** A spec with errors. */
function wrong(id: string, title: string, spec: Scenario['spec'] & object): Scenario {
  return {
    id: `invalid-${id}`,
    title,
    payloads: { first },
    actions: [
      installed,
      { spec },
      invalid,
      { spec: { desiredUpdate: null, upstream: null } },
      { rest: 'corrected', until: { condition: 'Invalid', is: 'absent' } },
    ],
  };
}

/** Releases that are asked for, accepted and refused. */
export const scenarios: readonly Scenario[] = [
  signed('once', 'a release has a signature', signatures.second),
  signed('not', 'a release has no signature'),
  signed('by-another', 'a release is signed by another key', signatures['second by other']),
  signed('another-digest', 'the signature is that of another release', signatures.first),
  signed('no-identity', 'the signature names no image', signatures['without identity']),
  signed('wrong-type', 'the signature has another type', signatures['wrong type']),
  signed('unknown-member', 'the signature has a member that is not known', signatures['unknown member']),
  signed('no-json', 'a text is signed that is no JSON', signatures['no json']),
  signed('expired', 'the signature has expired', signatures.expired),
  signed('twice', 'the second signature is the right one', signatures['second by other'], signatures.second),
  signed('garbage', 'the signature is no OpenPGP message', Buffer.from('garbage').toString('base64')),
  {
    id: 'two-keys',
    title: 'two keys are required, and one has signed',
    rows: ['CV-103'],
    payloads: {
      first: quickRelease(version, { '0000_05_engine_01_verification.yaml': [verification(keys)] }),
      second: quickRelease('4.22.1'),
    },
    objects: [signedSecond],
    actions: [
      installed,
      updateToSecond(),
      refused,
      { apply: signatureMap(signatures.second, signatures['second by other']) },
      cleared,
      { rest: 'withdrawn' },
      updateToSecond(),
      { rest: 'both have signed', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'no-verification',
    title: 'the release configures no verification',
    payloads: {
      first: quickRelease(version, { '0000_05_engine_01_verification.yaml': [] }),
      second: quickRelease('4.22.1'),
    },
    actions: [
      installed,
      updateToSecond(),
      refused,
      forced('second', '4.22.1'),
      { rest: 'forced', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'forced',
    title: 'a release without a signature is forced',
    payloads: { first, second: quickRelease('4.22.1') },
    actions: [installed, forced('second'), { rest: 'forced', until: { history: 'Completed 4.22.1' } }],
  },
  {
    id: 'by-tag',
    title: 'a release is named by a tag, then forced',
    payloads: { first, second: quickRelease('4.22.1', {}, { hasTag: true }) },
    actions: [
      installed,
      updateToSecond(),
      refused,
      forced('second'),
      { rest: 'forced', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'by-image',
    title: 'a release is named by its image alone',
    payloads: { first, second: quickRelease('4.22.1') },
    objects: [signedSecond],
    actions: [
      installed,
      { spec: { desiredUpdate: { image: '$image/second' } } },
      { rest: 'updated', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'force-changed',
    title: 'the release that is installed is forced',
    payloads: { first },
    actions: [installed, forced('first', version), { rest: 'forced' }],
  },
  broken('version', 'the release has another version than is asked for', quickRelease('4.22.9')),
  broken('yaml', 'a manifest is no YAML', quickRelease('4.22.1', { '0000_20_beta_01_config.yaml': 'a: [' })),
  broken(
    'no-kind',
    'a manifest has no kind',
    quickRelease('4.22.1', { '0000_20_beta_01_config.yaml': 'metadata: {name: x}\n' }),
  ),
  broken(
    'json',
    'a JSON manifest has no name',
    quickRelease('4.22.1', { '0000_20_beta_01_config.json': '{"kind":"ConfigMap","apiVersion":"v1"}' }),
  ),
  broken(
    'list',
    'a manifest is a List',
    quickRelease('4.22.1', {
      '0000_20_beta_01_config.yaml': [{ apiVersion: 'v1', kind: 'List', items: [configMap('x', {})] }],
    }),
  ),
  broken(
    'several',
    'two files are broken',
    quickRelease('4.22.1', {
      '0000_20_beta_01_config.yaml': 'metadata: {name: x}\n',
      '0000_20_beta_02_config.yaml': 'metadata: {name: y}\n',
    }),
  ),
  broken(
    'duplicate',
    'a file holds an object twice',
    quickRelease('4.22.1', { '0000_20_beta_01_config.yaml': [configMap('twice', {}), configMap('twice', {})] }),
  ),
  broken(
    'metadata-kind',
    'release-metadata has another kind',
    quickRelease('4.22.1', {}, { metadata: { kind: 'another' } }),
  ),
  broken(
    'metadata-version',
    'release-metadata has no version',
    quickRelease('4.22.1', {}, { metadata: { version: '' } }),
  ),
  broken(
    'metadata-semver',
    'release-metadata has a version that is none',
    quickRelease('4.22.1', {}, { metadata: { version: 'one' } }),
  ),
  broken(
    'image-references',
    'image-references has another version',
    quickRelease('4.22.1', {}, { imageReferencesName: '4.22.2' }),
  ),
  {
    id: 'metadata-channels',
    title: 'release-metadata has a URL, channels and an architecture that is not known',
    payloads: {
      first,
      second: quickRelease(
        '4.22.1',
        {},
        {
          metadata: {
            metadata: {
              url: 'https://example.com/4.22.1',
              'io.openshift.upgrades.graph.release.channels': 'stable-4.22,candidate-4.22,fast-4.22',
              'release.openshift.io/architecture': 'amd64',
            },
          },
        },
      ),
    },
    objects: [signedSecond],
    actions: [installed, updateToSecond(), { rest: 'updated', until: { history: 'Completed 4.22.1' } }],
  },
  precondition('patch', 'a patch release, operators are upgradeable', { version: '4.22.1' }),
  precondition('patch-not-upgradeable', 'a patch release, an operator is not upgradeable', {
    version: '4.22.1',
    upgradeable: false,
  }),
  precondition('minor', 'a minor release, operators are upgradeable', { version: '4.23.0' }),
  precondition('minor-not-upgradeable', 'a minor release, an operator is not upgradeable', {
    version: '4.23.0',
    upgradeable: false,
  }),
  precondition('minor-forced', 'a minor release is forced, an operator is not upgradeable', {
    version: '4.23.0',
    upgradeable: false,
    force: true,
  }),
  precondition('two-minors', 'a release two minor versions ahead', { version: '4.24.0' }),
  precondition('major', 'a release of the next major version', { version: '5.0.0' }),
  precondition('two-majors', 'a release two major versions ahead', { version: '6.0.0' }),
  precondition('older-patch', 'an older patch release', { version: '4.21.9' }),
  {
    id: 'precondition-rollback',
    title: 'back to the patch release before',
    rows: ['CV-97'],
    payloads: { first: quickRelease('4.22.1'), second: quickRelease('4.22.0'), third: quickRelease('4.22.2') },
    objects: [signedSecond],
    actions: [
      { rest: 'installed', until: { history: 'Completed 4.22.1' } },
      forced('third', '4.22.2'),
      { rest: 'updated', until: { history: 'Completed 4.22.2' } },
      updateToSecond('4.22.0'),
      { rest: 'an older one is asked for', until: { condition: 'ReleaseAccepted', is: 'False' } },
      { spec: { desiredUpdate: { version: '4.22.1', image: '$image/first', force: null } } },
      { rest: 'that before is asked for', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'precondition-overrides',
    title: 'a minor and a patch release with overrides',
    spec: { overrides: [{ kind: 'ConfigMap', group: '', namespace: 'test', name: 'none', unmanaged: true }] },
    payloads: { first, second: quickRelease('4.23.0') },
    objects: [signedSecond],
    actions: [installed, updateToSecond('4.23.0'), refused],
  },
  wrong('upstream', 'the upstream is no URL', { upstream: ':no url' }),
  wrong('version', 'the version is none', { desiredUpdate: { version: 'one' } }),
  wrong('unavailable', 'the version is not available', { desiredUpdate: { version: '4.22.1' } }),
  wrong('empty', 'the update names nothing', { desiredUpdate: { force: true } }),
  wrong('several', 'two members are wrong', { upstream: ':no url', desiredUpdate: { version: 'one' } }),
  {
    id: 'invalid-at-first',
    title: 'the spec is wrong before the installation',
    spec: { upstream: ':no url' },
    payloads: { first },
    actions: [{ rest: 'installed', until: { history: `Completed ${version}` } }],
  },
];
