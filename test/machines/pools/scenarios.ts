import { choiceScenarios } from './choice-scenarios.ts';
import { drainScenarios } from './drain-scenarios.ts';
import { renderingScenarios } from './rendering-scenarios.ts';
import type { PoolScenario } from './scenario.ts';

/** What is played on both. */
export const poolScenarios: readonly PoolScenario[] = [...choiceScenarios, ...renderingScenarios, ...drainScenarios];
