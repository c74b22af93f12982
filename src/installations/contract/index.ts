/** The types of what is installed, for programs that show it: no code, and nothing of Kubernetes.
 *  @imports nothing */
export type { Installation, InstallationStep, StatusWord, StepState } from './installation.ts';
