/** @module-tag long */
import { describeKubectls } from './kubectl-suite.ts';

await describeKubectls((minor) => minor < 31);
