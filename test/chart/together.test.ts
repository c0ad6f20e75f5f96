import { describe, expect, test } from 'vitest';
import { declaredSettings, isMadeByChart, roles } from './declared-settings.js';
import { chart, helm, type Manifest } from './helm.js';
import { containersOf, podsOf } from './pods.js';
import { manifestsOf, variants } from './variants.js';

interface Scaler {
  readonly scaleTargetRef: { readonly name: string };
  readonly maxReplicas?: number;
  readonly maxReplicaCount?: number;
  readonly triggers?: readonly { readonly type: string }[];
}
interface Deployed {
  readonly replicas?: number;
  readonly strategy: { readonly rollingUpdate: { readonly maxSurge: number } };
}

describe('H2: settings that say of themselves that two roles have them together', () => {
  const ofTwo = roles.flatMap((role) =>
    Object.values(declaredSettings[role] ?? {})
      .filter((setting) => /the same for|setting of this name/i.test(setting.doc) && !isMadeByChart(setting))
      .map(({ env, default: usual }) => ({ role, env, usual: Number(usual) })),
  );
  /** What helm says against settings; nothing when it takes them. */
  const refused = (...settings: readonly string[]): string =>
    helm('template', 'weir', chart, ...settings.flatMap((setting) => ['--set', setting])).stderr;

  test.each(ofTwo)('$env of $role', ({ role, env, usual }) => {
    const others = ofTwo.filter((one) => one.env === env && one.role !== role);
    expect(others).toHaveLength(1);
    const other = others[0]?.role;
    const by = (change: number): string => refused(`${role}.settings.${env}=${usual + change}`);
    const refusals = [by(-1), by(1)].filter((refusal) => refusal !== '');
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) expect(refusal).toContain(`${other}.settings.${env}`);
    const both = [role, other].map((one) => `${one}.settings.${env}=${usual + 1}`);
    expect(refused(...both)).toBe('');
  });

  test('EXPORT_TIMEOUT_MS of the gateway may be less than that of observations, not more', () => {
    expect(refused('gateway.settings.EXPORT_TIMEOUT_MS=3599999')).toBe('');
    expect(refused('observations.settings.EXPORT_TIMEOUT_MS=3600001')).toBe('');
    expect(refused('gateway.settings.EXPORT_TIMEOUT_MS=3600001')).toContain('lower the one or raise the other');
  });

  test('a number is the same however it is given', () => {
    const [gateway, observations] = ['gateway', 'observations'].map(
      (role) => `${role}.settings.QUERY_OBSERVATIONS_MAX=100000000`,
    );
    const { stderr } = helm('template', 'weir', chart, '--set', gateway ?? '', '--set-json', observations ?? '');
    expect(stderr).toBe('');
  });
});

/** Connections to PostgreSQL that objects may come to: those of pods as they are configured, a Job's one, and KEDA's two. */
function connectionsOf(manifests: readonly Manifest[]): number {
  const scalers = manifests.flatMap(({ kind, ...rest }) =>
    /^(HorizontalPodAutoscaler|ScaledObject)$/.test(kind) ? [rest['spec'] as Scaler] : [],
  );
  const triggers = scalers.flatMap((scaler) => scaler.triggers ?? []).filter(({ type }) => type === 'postgresql');
  const ofPods = podsOf(manifests).map(({ owner, component, spec }) => {
    const env = Object.fromEntries(containersOf(spec).flatMap((one) => (one.env ?? []).map((it) => [it.name, it])));
    if (env['DATABASE_URL'] === undefined) return 0;
    if (owner.startsWith('Job/')) return 1;
    const { databasePoolMax, exportsMax } = declaredSettings[component] ?? {};
    const perPod = [databasePoolMax, exportsMax].flatMap((setting) =>
      setting === undefined ? [] : [Number(env[setting.env]?.value ?? setting.default)],
    );
    const name = owner.slice('Deployment/'.length);
    const deployment = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
    if (deployment === undefined) throw new Error(`${owner} connects to PostgreSQL, and nobody knows how often`);
    const { replicas, strategy } = deployment['spec'] as Deployed;
    const scaler = scalers.find(({ scaleTargetRef }) => scaleTargetRef.name === name);
    const pods = scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? replicas ?? Number.NaN;
    return (pods + strategy.rollingUpdate.maxSurge) * perPod.reduce((sum, each) => sum + each, 0);
  });
  return ofPods.reduce((sum, each) => sum + each, 2 * triggers.length);
}

test.each(variants)(
  'H2: values $name: more connections than PostgreSQL has are refused, whoever opens them',
  (variant) => {
    const connections = connectionsOf(manifestsOf(variant));
    expect(connections).toBeGreaterThan(80);
    const given = (max: number) =>
      helm('template', 'weir', chart, ...variant.args, '--set', `database.connectionsMax=${max}`);
    expect(given(connections - 1).stderr).toContain(
      `may open ${connections} connections to PostgreSQL (replicas and one for updates, times DATABASE_POOL_MAX; `,
    );
    expect(given(connections).stderr).toBe('');
  },
);
