import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Manifest, parseManifests, renderText } from '../helm.js';
import { podsOf } from '../pods.js';
import { variantOf, variants } from '../variants.js';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  const level = (mode: string): string => `pod-security.kubernetes.io/${mode}=restricted`;
  cluster.kubectl(['create', 'namespace', 'weir']);
  cluster.kubectl(['label', 'namespace', 'weir', level('enforce'), level('warn')]);
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

/** What the server says to objects, without keeping them. */
function offer(text: string): Answer {
  return cluster.kubectl(['apply', '--server-side', '--dry-run=server', '--filename', '-'], text);
}

describe('H12: a real API server takes every object, in a namespace that enforces the restricted profile', () => {
  test.each(variants)('values $name', (variant) => {
    const text = renderText(...variant.args);
    const { code, stdout, stderr } = offer(text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(parseManifests(text).length);
  });

  test('an object that the profile forbids would be told', () => {
    const manifests = parseManifests(renderText());
    const deployment = manifests.find(({ kind }) => kind === 'Deployment') as Manifest;
    const text = JSON.stringify(deployment).replaceAll(
      '"allowPrivilegeEscalation":false',
      '"allowPrivilegeEscalation":true',
    );
    expect(offer(text).stderr).toMatch(/Warning: would violate PodSecurity "restricted:latest"/);
    const [pod] = podsOf(parseManifests(text));
    const alone = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'alone', namespace: 'weir' }, spec: pod?.spec };
    const refused = offer(JSON.stringify(alone));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/violates PodSecurity "restricted:latest"/);
  });
});

describe('H26: the ways in from outside are valid to the server', () => {
  test.each(['gateway-api', 'production'])('values %s', (name) => {
    const { stdout } = offer(renderText(...variantOf(name).args));
    expect(stdout).toMatch(/^(httproute|ingress)\.\S+\/weir-gateway serverside-applied \(server dry run\)$/m);
  });

  test('a route that the Gateway API does not know would be refused', () => {
    const text = renderText(...variantOf('gateway-api').args).replace('type: PathPrefix', 'type: Anything');
    expect(offer(text).stderr).toContain('Unsupported value: "Anything"');
  });
});
