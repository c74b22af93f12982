import type { Clock } from '../../../src/base/index.ts';
import { type ClusterAccess, createKubeClient, isKubeError } from '../../../src/kube/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { SignedIn } from '../sessions.ts';
import type { SignInMethod } from '../wire.ts';

/** The API server that users sign in to, without credentials. */
export interface ClusterAddress {
  readonly server: string;
  readonly tls: ClusterAccess['tls'];
}

const maxTokenLength = 16 * 1024;

/** A cluster as a user with a bearer token. */
export function accessWithToken(cluster: ClusterAddress, token: () => Promise<string>): ClusterAccess {
  return {
    server: cluster.server,
    // A certificate of the process that serves the console is not that of the user.
    tls: async () => {
      const { ca, servername, rejectUnauthorized } = await cluster.tls();
      return {
        ...(ca === undefined ? {} : { ca }),
        ...(servername === undefined ? {} : { servername }),
        ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      };
    },
    headers: async () => ({ authorization: `Bearer ${await token()}` }),
  };
}

/** Who the API server takes a user for.
 *  @throws ConsoleProblem 401 when it refuses the credentials */
export async function identify(access: ClusterAccess, clock: Clock): Promise<Pick<SignedIn, 'user' | 'groups'>> {
  const kube = createKubeClient({ access, clock, deadlineMs: 10_000 });
  try {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const { status } = (await kube.create(review, { fieldManager: 'longshore' })) as {
      status?: { userInfo?: { username?: string; groups?: readonly string[] } };
    };
    const { username = 'unknown', groups = [] } = status?.userInfo ?? {};
    return { user: username, groups };
  } catch (thrown) {
    if (!isKubeError(thrown) || thrown.failure.status !== 401) throw thrown;
    throw new ConsoleProblem(401, 'CredentialsRefused', {
      message: 'the API server does not accept the credentials',
      advice: 'check that the token is for this cluster, and has not expired',
    });
  } finally {
    kube.close();
  }
}

/** Signs in with a bearer token.
 *  @throws ConsoleProblem 400 for a text that is no token, 401 for one that the API server refuses */
export async function signInWithToken(
  cluster: ClusterAddress,
  given: { readonly token: string; readonly method: SignInMethod },
  clock: Clock,
): Promise<SignedIn> {
  const token = given.token.trim();
  if (token === '' || token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConsoleProblem(400, 'NoToken', {
      message: 'expected a bearer token: one word, as "kubectl create token" prints it',
    });
  }
  const access = accessWithToken(cluster, () => Promise.resolve(token));
  return { ...(await identify(access, clock)), access, method: given.method };
}
