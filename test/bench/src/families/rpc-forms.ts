import { randomUUID } from 'node:crypto';
import { connect } from '@weir/kit/rpc';
import { PointsPacker } from '@weir/points';
import { type NestedPoint, PointFormsServiceDefinition } from '@weir/proto/bench';
import { type Family, quotient, type Sample } from '../ratio.js';
import { startServed } from '../served-process.js';

const count = 1000;
const siteId = randomUUID();
const concurrent = 4;
const durationMs = 2000;

/** With all that a point may have: as messages 82 bytes each. */
const points = Array.from(
  { length: count },
  (_, number): NestedPoint => ({
    atUs: Date.UTC(2026, 0, 1) * 1000 + Math.floor(number / 10) * 1_000_000,
    instrumentName: `logger ${number % 10}`,
    siteId,
    variables: [{ name: 'variable 0', value: ((number * 7919) % 1_000_003) / 1000 }],
  }),
);

function pack(): Buffer {
  const packer = new PointsPacker();
  for (const { atUs, instrumentName, variables } of points) {
    packer.beginPoint(atUs, siteId, instrumentName);
    for (const { name, value } of variables) packer.addValue(name, value);
  }
  const { buffer, byteOffset, byteLength } = packer.pack();
  return Buffer.from(buffer, byteOffset, byteLength);
}

async function openTrials() {
  await using opening = new AsyncDisposableStack();
  const { address } = opening.use(await startServed(new URL('../point-forms-process.js', import.meta.url)));
  const client = opening.use(connect(PointFormsServiceDefinition, address));
  const submission = { projectId: '', connectionId: '', idempotencyKey: '', provisioning: '' };
  const forms = {
    packed: () =>
      client.submitPacked({ submissions: [{ ...submission, body: pack(), traceparent: '', requestId: '' }] }),
    nested: () => client.submitNested({ points }),
  };
  const call = async (form: keyof typeof forms): Promise<Sample> => {
    let calls = 0;
    const startedMs = performance.now();
    const caller = async (): Promise<void> => {
      while (performance.now() - startedMs < durationMs) {
        const { count: arrived } = await forms[form]();
        if (arrived !== count) throw new Error(`${form}: ${arrived} of ${count} arrived`);
        calls++;
      }
    };
    await Promise.all(Array.from({ length: concurrent }, caller));
    return { callsPerSecond: (calls / (performance.now() - startedMs)) * 1000 };
  };
  const open = opening.move();
  return {
    trials: { packed: () => call('packed'), nested: () => call('nested') },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What the packed form of points is for: the same points between two processes, as bytes and as messages. */
export const rpcForms: Family = {
  name: 'points between processes',
  ratios: [
    {
      id: 'E2',
      what: 'calls with 1,000 packed points ÷ with as many nested messages, 4 at once',
      goal: 2.5,
      stretch: 3.5,
      of: (r) => quotient(r['packed']?.['callsPerSecond'], r['nested']?.['callsPerSecond']),
    },
  ],
  open: openTrials,
};
