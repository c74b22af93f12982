import { TerminalError } from '../../src/base/index.ts';

export function demo(): number {
  throw new TerminalError('NotThereYet', 'demo');
}
