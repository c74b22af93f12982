import { TerminalError } from '../../src/base/index.ts';

export function up(): number {
  throw new TerminalError('NotThereYet', 'up');
}
