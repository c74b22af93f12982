/** Scenarios whose differences are not explained yet, and in what they differ. Each is a defect of Longshore until it is. */
export const openScenarios: Readonly<Record<string, string>> = {
  'E-012b': 'a Warning about a ClusterRole that is about to be collected',
  'E-014': 'an APIService whose owner never existed is not deleted',
  'E-023': 'Events are missing when many operators are installed at once',
  'E-025': 'a Deployment that is scaled leaves Succeeded for a moment',
  'E-030': 'the message of a failed step lacks what was done to which object',
  'E-039a': 'the reference to the service account of a plan lacks its uid',
  'E-039b': 'the reference to the service account of a plan lacks its uid',
  'E-051': 'what an operator of another package took over stays a component of the first',
  'E-067b': 'an upgrade is not held when the operator reports its condition at the same moment',
  I4: 'an operator with an APIService whose Deployment was scaled to zero stays Installing',
  'I9a-E021': 'Events are missing when many operators are installed at once',
  'T36-E020': 'Events are missing when many operators are installed at once',
  'T42-T27': 'Events are missing when many operators are installed at once',
  T07c: 'the condition of a Subscription that cannot be resolved',
};
