import type { Explanation } from '../support/explanation.ts';

const progress = /\.Progressing$/;

/** All reasons why Longshore differs from operator-controller. The first that fits counts. */
export const explanations: readonly Explanation[] = [
  {
    kind: 'deliberate',
    reason:
      'The service account is honored: one that does not exist installs nothing. operator-controller ignores it and installs with all permissions.',
    scenarios: ['I24', 'I25'],
  },
  {
    kind: 'deliberate',
    reason: 'Dependencies are resolved and installed; where that is not possible, the conflict is explained.',
    scenarios: ['N01', 'N02', 'N03', 'N04'],
  },
  {
    kind: 'deliberate',
    reason: 'Operators with webhooks are installed on clusters without cert-manager, with certificates of Longshore.',
    scenarios: ['I23'],
  },
  {
    kind: 'deliberate',
    reason:
      'An operator that watches another namespace gets the roles of its own namespace as well, which it needs for leader election (an amendment of the renderer).',
    scenarios: ['F04', 'F17'],
    path: /objects\[Role(?:Binding)? /,
  },
  {
    kind: 'deliberate',
    reason:
      'A version is tried as a whole before the first write: objects of one that the API server refuses are not created, and those of the version before are not deleted.',
    scenarios: ['I32', 'U22'],
    path: /objects\[(?!ClusterExtension)/,
  },
  {
    kind: 'deliberate',
    reason:
      'Problems of installing are reported in the words of Longshore: all of them at once, with the other owner of an object, and what to do.',
    scenarios: ['D14', 'I20', 'I21', 'I22', 'I29', 'I30', 'I31', 'I32', 'O01', 'O02', 'O08', 'U18', 'U22'],
    path: progress,
    shows: /^"True Retrying: error for resolved bundle .*"True Retrying: error for resolved bundle /s,
  },
  {
    kind: 'deliberate',
    reason: 'Problems of a configuration name each field once, and a field that does not fit has advice.',
    scenarios: ['F08', 'F10', 'F13'],
    path: progress,
    shows: /^"False InvalidConfiguration: .*"False InvalidConfiguration: /s,
  },
  {
    kind: 'deliberate',
    reason:
      'A field of a definition that is removed is one problem, not two; what the API server refuses by itself is reported in its words.',
    scenarios: ['K02', 'K06', 'K07', 'K10', 'K12'],
    path: progress,
    shows: /^"True Retrying: error for resolved bundle .*"True Retrying: error for resolved bundle /s,
  },
  {
    kind: 'deliberate',
    reason: 'Deprecations of channels are in the order of their names.',
    scenarios: ['D08'],
    path: /\.(?:Channel)?Deprecated$/,
  },
  {
    kind: 'deliberate',
    reason:
      'Definitions with objects that users have made, and their objects, are not deleted with an extension. operator-controller deletes them.',
    scenarios: ['O13'],
  },
  {
    kind: 'deliberate',
    reason:
      'Objects that stay, because the extension was deleted with the policy Orphan, belong to its BundleDeployment.',
    scenarios: ['O10'],
  },
  {
    kind: 'defect',
    reason:
      'operator-controller writes no status where the name of the bundle has build metadata, because its own schema refuses that name; Longshore leaves `status.install` out.',
    scenarios: ['I19'],
  },
  {
    kind: 'defect',
    reason: 'operator-controller crashes on an extension without a source, and writes no status.',
    scenarios: ['I34'],
  },
];
