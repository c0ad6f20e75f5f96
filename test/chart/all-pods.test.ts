import { expect, test } from 'vitest';
import { render } from './helm.js';
import { podsOf } from './pods.js';
import { readValues } from './values-source.js';
import { variants } from './variants.js';

/** What each value of `pods` that is one of all pods is set to here, and what a pod has of it then. */
const ofAllPods: Readonly<Record<string, { readonly value: unknown; readonly pod: object }>> = {
  annotations: { value: { mesh: 'off' }, pod: { annotations: { mesh: 'off' } } },
  labels: { value: { team: 'water' }, pod: { labels: { team: 'water' } } },
  securityContext: {
    value: { supplementalGroups: [7] },
    pod: { spec: { securityContext: { runAsNonRoot: true, supplementalGroups: [7] } } },
  },
  priorityClassName: { value: 'high', pod: { spec: { priorityClassName: 'high' } } },
};

test('what values say of all pods is so of each, the bundled servers and those of hooks included', () => {
  const told = readValues().filter(
    ({ path, description }) => path[0] === 'pods' && /\ball pods(?! of)/.test(description),
  );
  expect(told.map(({ path }) => path[1])).toEqual(Object.keys(ofAllPods));
  const pods = Object.fromEntries(Object.entries(ofAllPods).map(([name, { value }]) => [name, value]));
  // a label that all objects have too is told once, as pods have it
  const given = ['--set-json', `pods=${JSON.stringify(pods)}`, '--set', 'commonLabels.team=all'];
  for (const { name, args } of variants) {
    for (const pod of podsOf(render(...args, ...given))) {
      for (const one of Object.values(ofAllPods)) expect(pod, `${name}: ${pod.owner}`).toMatchObject(one.pod);
      expect(pod.labels, `${name}: ${pod.owner}`).toHaveProperty(['app.kubernetes.io/component'], pod.component);
    }
  }
});
