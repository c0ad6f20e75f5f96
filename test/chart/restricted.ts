import { containersOf, type RenderedPod } from './pods.js';

const volumes = new Set(['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim']);
for (const kind of ['projected', 'secret']) volumes.add(kind);

interface Context {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly seccompProfile?: { readonly type: string };
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
}

/**
 * What of a pod the Kubernetes profile "restricted" refuses, and two things more that this chart promises: a root file
 * system that cannot be written to, and no token. Nothing when it is all right.
 */
export function faultsOfRestricted({ owner, spec }: RenderedPod): string[] {
  const faults: string[] = [];
  const say = (is: boolean, what: string): void => {
    if (!is) faults.push(`${owner}: ${what}`);
  };
  const pod = (spec.securityContext ?? {}) as Context;
  say(spec.automountServiceAccountToken === false, 'mounts a token');
  say(spec.hostNetwork !== true && spec.hostPID !== true && spec.hostIPC !== true, 'enters a namespace of the host');
  for (const { name, ...volume } of spec.volumes ?? []) {
    for (const kind of Object.keys(volume)) say(volumes.has(kind), `volume ${String(name)} is of kind ${kind}`);
  }
  for (const container of containersOf(spec)) {
    const context = (container.securityContext ?? {}) as Context;
    const seccomp = (context.seccompProfile ?? pod.seccompProfile)?.type ?? '';
    say((context.runAsNonRoot ?? pod.runAsNonRoot) === true, `${container.name} may run as root`);
    say((context.runAsUser ?? pod.runAsUser) !== 0, `${container.name} runs as root`);
    say(context.allowPrivilegeEscalation === false, `${container.name} may escalate privileges`);
    say(context.privileged !== true, `${container.name} is privileged`);
    say(['RuntimeDefault', 'Localhost'].includes(seccomp), `${container.name} has no seccomp profile`);
    say(context.capabilities?.drop?.includes('ALL') === true, `${container.name} keeps capabilities`);
    say(
      (context.capabilities?.add ?? []).every((added) => added === 'NET_BIND_SERVICE'),
      `${container.name} adds some`,
    );
    say(context.readOnlyRootFilesystem === true, `${container.name} may write to its root file system`);
  }
  return faults;
}
