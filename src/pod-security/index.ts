/** The Pod Security Standards: what each level forbids in a pod, and the strictest level that lets pods in. Pure.
 *  Main function: `podSecurityLevel`. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 *  @imports src/base */
export {
  isStricterLevel,
  type PodSecurityLevel,
  parsePodSecurityLevel,
  podSecurityFindings,
  podSecurityLevel,
  podSecurityObstacles,
} from './levels.ts';
export { type PodView, podViewOf } from './pod-view.ts';
