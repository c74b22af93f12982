import { leavesRoot } from './path.ts';
import { allowed, deny, type SourceRule } from './rule.ts';

/** The directory is inside the repository. */
export const gitDirectory: SourceRule = ({ type, git }) =>
  type === 'git' && leavesRoot(git?.directory ?? '')
    ? deny('bundle.spec.source.git.directory begins with "../": directory must define path within the repository')
    : allowed;
