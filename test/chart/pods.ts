import type { Manifest } from './helm.js';

/** One entry of a container's environment. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

/** As much of a container as is asked about. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext?: Record<string, unknown>;
  readonly resources?: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> };
}

/** As much of a pod's specification as is asked about. */
export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly securityContext?: Record<string, unknown>;
  readonly volumes?: readonly Record<string, unknown>[];
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
}

/** A pod that an object makes, hooks and tests included. */
export interface RenderedPod {
  readonly owner: string;
  readonly component: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly spec: PodSpec;
}

interface Workload {
  readonly template: { readonly metadata: Partial<Manifest['metadata']>; readonly spec: PodSpec };
}

/** All pods that objects make. */
export function podsOf(manifests: readonly Manifest[]): RenderedPod[] {
  return manifests.flatMap((manifest) => {
    const isPod = manifest.kind === 'Pod';
    if (!isPod && !['Deployment', 'StatefulSet', 'Job', 'DaemonSet', 'ReplicaSet'].includes(manifest.kind)) return [];
    const { metadata, spec } = isPod
      ? { metadata: manifest.metadata, spec: manifest['spec'] as PodSpec }
      : (manifest['spec'] as Workload).template;
    const { labels = {}, annotations = {} } = metadata;
    const owner = `${manifest.kind}/${manifest.metadata.name}`;
    return [{ owner, component: labels['app.kubernetes.io/component'] ?? '', labels, annotations, spec }];
  });
}

/** All containers of a pod, those that only begin it included. */
export function containersOf(spec: PodSpec): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}
