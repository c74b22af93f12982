import type { BundleSource } from '../../api/index.ts';
import { goMembers, type JsonObject, objectAt, redactUrl, textAt } from '../../base/index.ts';
import {
  deny,
  denyAsRukPak,
  hashedAuth,
  noInputs,
  requireMember,
  type SourceDefinition,
  type SourceDescription,
  type SourceRule,
  warnOfMoving,
} from './definition.ts';
import { leavesRoot } from './leaves-root.ts';
import { secretHosts } from './secret-hosts.ts';
import { parseSshRemote, type SshRemote } from './ssh-address.ts';

const shortCommitLength = 7;
const defaultSshPort = 22;
const fullHash = /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

function describeRepository(
  { repository, ref }: NonNullable<BundleSource['git']>,
  commit = ref.commit,
): SourceDescription {
  const short = commit?.slice(0, shortCommitLength);
  const name = ref.tag ?? ref.branch;
  const at = [name, short === undefined || name === undefined ? short : `(${short})`].filter(
    (part) => part !== undefined,
  );
  // A branch alone identifies nothing: it moves.
  const version = ref.tag ?? (ref.branch === undefined ? short : `${ref.branch}@${short ?? ''}`);
  return { version, source: [redactUrl(repository), ...at].join(' ') };
}

function hashed({ git }: BundleSource): JsonObject | undefined {
  if (git === undefined) return undefined;
  const { branch, commit, tag } = git.ref;
  return {
    repository: git.repository,
    ...goMembers([['directory', git.directory]]),
    ref: goMembers([
      ['branch', branch],
      ['commit', commit],
      ['tag', tag],
    ]),
    auth: hashedAuth(git.auth),
  };
}

const gitDirectory: SourceRule = ({ git }) =>
  leavesRoot(git?.directory ?? '')
    ? denyAsRukPak(
        'bundle.spec.source.git.directory begins with "../": directory must define path within the repository',
      )
    : [];

const gitCommit: SourceRule = ({ git }) => {
  const commit = git?.ref.commit;
  if (commit === undefined || fullHash.test(commit)) return [];
  return deny(`bundle.spec.source.git.ref.commit "${commit}" must be a full commit hash`);
};

const movingReference: SourceRule = ({ git }) => {
  if (git === undefined || git.ref.commit !== undefined) return [];
  return warnOfMoving(git.ref.branch === undefined ? 'git.ref.tag' : 'git.ref.branch');
};

/** Undefined for what is fetched by HTTP, or not at all. */
function sshRemoteOf({ git }: BundleSource): SshRemote | undefined {
  try {
    return parseSshRemote(git?.repository ?? '');
  } catch {
    return undefined;
  }
}

export const gitDefinition: SourceDefinition<'git'> = {
  type: 'git',
  address: (source) => {
    const ssh = sshRemoteOf(source);
    // What follows the colon of `user@host:path` is no port.
    return ssh === undefined ? source.git?.repository : `ssh://${ssh.host}:${ssh.port ?? defaultSshPort}`;
  },
  runsProgram: (source) => sshRemoteOf(source) !== undefined,
  inputs: { ...noInputs, secretName: ({ git }) => git?.auth?.secret?.name },
  pin: (source, resolved) => {
    const commit = textAt(objectAt(resolved, 'git', 'ref'), 'commit');
    return commit === '' ? source : { ...source, git: { ...objectAt(source, 'git'), ref: { commit } } };
  },
  describe: ({ git }, resolved) => (git === undefined ? undefined : describeRepository(git, resolved?.git?.ref.commit)),
  hashed,
  rules: {
    'source-member': requireMember('git', denyAsRukPak),
    'git-directory': gitDirectory,
    'git-commit': gitCommit,
    'moving-reference': movingReference,
    'secret-hosts': ({ git }) => secretHosts(git?.repository, git?.auth),
  },
};
