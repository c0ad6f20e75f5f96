/** What the variables service counts, beside what every process does. */
export const metrics = {
  provisioned: {
    name: 'weir.variables.provisioned',
    kind: 'counter',
    unit: '{record}',
    doc: 'Instruments and variables that points brought and that were created.',
    attributes: { 'weir.record': ['instrument', 'variable'] },
  },
} as const;
