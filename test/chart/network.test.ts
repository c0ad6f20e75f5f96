import { describe, expect, test } from 'vitest';
import { declaredSettings, roles } from './declared-settings.js';
import type { Manifest } from './helm.js';
import { podsOf, type RenderedPod } from './pods.js';
import { manifestsOf, variantOf } from './variants.js';

interface Peer {
  readonly podSelector?: { readonly matchLabels?: Record<string, string> };
  readonly namespaceSelector?: object;
}
interface Rule {
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
}
interface Policy {
  readonly podSelector: { readonly matchLabels: Record<string, string> };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

const grpcPort = 50051;
const storePorts: Readonly<Record<string, readonly [string, number]>> = {
  DATABASE_URL: ['postgresql', 5432],
  REDIS_URL: ['redis', 6379],
  NATS_URL: ['nats', 4222],
};

function isSelected(labels: Record<string, string>, pod: RenderedPod): boolean {
  return Object.entries(labels).every(([key, value]) => pod.labels[key] === value);
}

function allows(peers: readonly Peer[] | undefined, pod: RenderedPod): boolean {
  return (
    peers === undefined ||
    peers.some((peer) => peer.namespaceSelector === undefined && isSelected(peer.podSelector?.matchLabels ?? {}, pod))
  );
}

/** Connections between pods of a release that policies allow, as "from to port". */
function allowedConnections(manifests: readonly Manifest[]): string[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as Policy);
  const pods = podsOf(manifests);
  const rulesOf = (pod: RenderedPod, type: 'ingress' | 'egress'): Rule[] =>
    policies
      .filter(({ podSelector }) => isSelected(podSelector.matchLabels, pod))
      .flatMap((policy) => policy[type] ?? []);
  const portsOf = (rule: Rule): number[] =>
    (rule.ports ?? []).filter(({ port }) => port !== 53).map(({ port }) => port);
  return pods.flatMap((from) =>
    pods.flatMap((to) => {
      const out = rulesOf(from, 'egress')
        .filter((rule) => allows(rule.to, to))
        .flatMap(portsOf);
      const into = rulesOf(to, 'ingress')
        .filter((rule) => allows(rule.from, from))
        .flatMap(portsOf);
      return [...new Set(out)]
        .filter((port) => into.includes(port))
        .map((port) => `${from.component} ${to.component} ${port}`);
    }),
  );
}

/** Connections that the settings of the processes say they make. */
function declaredConnections(): string[] {
  const own = roles.flatMap((role) =>
    Object.values(declaredSettings[role] ?? {}).flatMap(({ env }) => {
      const service = /^([A-Z]+)_ADDRESS$/.exec(env)?.[1]?.toLowerCase();
      if (service !== undefined && roles.includes(service)) return [`${role} ${service} ${grpcPort}`];
      const store = storePorts[env];
      return store === undefined ? [] : [`${role} ${store[0]} ${store[1]}`];
    }),
  );
  return [...own, 'migrations postgresql 5432', 'test gateway 8080'];
}

describe('H16: policies allow the connections that the code makes, and no other', () => {
  test('within a release with servers of its own', () => {
    const allowed = allowedConnections(manifestsOf(variantOf('bundled')));
    expect(allowed.toSorted()).toEqual(declaredConnections().toSorted());
  });

  test('every pod is under a policy for both directions', () => {
    for (const name of ['defaults', 'bundled', 'production', 'keda']) {
      const manifests = manifestsOf(variantOf(name));
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as Policy);
      for (const pod of podsOf(manifests)) {
        const own = policies.filter(({ podSelector }) => isSelected(podSelector.matchLabels, pod));
        expect(
          own.map(({ policyTypes }) => policyTypes),
          pod.owner,
        ).toEqual([['Ingress', 'Egress']]);
      }
    }
  });

  test('external servers are reached at the given places alone, and names at the given DNS', () => {
    const policies = manifestsOf(variantOf('production')).filter(({ kind }) => kind === 'NetworkPolicy');
    for (const { metadata, spec } of policies) {
      for (const rule of (spec as Policy).egress ?? []) expect(rule.to, metadata.name).toBeDefined();
    }
    const processor = policies.find(({ metadata }) => metadata.name === 'weir-processor')?.['spec'] as Policy;
    const ports = (processor.egress ?? []).flatMap((rule) => (rule.ports ?? []).map(({ port }) => port));
    expect(ports.toSorted((a, b) => a - b)).toEqual([53, 53, 4222, 4318, 5353, 5353, 5432, grpcPort]);
  });
});
