/** On a ReplicaSet: the replicas of its Deployment when the set was last sized. */
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
/** On a ReplicaSet: how many pods its Deployment could have at most then. */
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
