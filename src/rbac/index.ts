/** Rules of role-based access control as sets: what one list of rules allows of another, and rules put together.
 *  Main type: `PolicyRule`. Pure; never asks a server, and decides no request.
 *  @imports nothing */
export { HeldRules, withoutStars } from './held-rules.ts';
export { combineRules, type PolicyRule } from './rules.ts';
