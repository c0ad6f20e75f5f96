import { newId } from '@weir/kit/ids';
import { connect } from '@weir/kit/rpc';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { type Bench, openBench } from '../bench.js';
import { type Family, quotient, type Round, type Trial } from '../ratio.js';
import { timeQueries } from '../timed-queries.js';

const sizes = [10, 10_000, 1_000_000] as const;
type Size = (typeof sizes)[number];
const [least, , most] = sizes;
const variablesEach = 10;

const names = Array.from({ length: variablesEach }, (_, i) => `variable ${i}`);

/** One instrument that a point creates, and SQL makes as many more like it as the size wants. */
async function fillCatalog({ origin, ingestionHeaders, drained, sql }: Bench, size: Size): Promise<void> {
  const point = {
    instrument_timestamp: '2026-01-01T00:00:00Z',
    instrument_name: 'logger 1',
    ingested_variables: names.map((name) => ({ name, value: 0 })),
  };
  const body = JSON.stringify({ data: [point] });
  const answer = await fetch(`${origin}/v1/ingest`, { method: 'POST', headers: ingestionHeaders, body });
  if (answer.status !== 200) throw new Error(`the first point: ${answer.status} ${await answer.text()}`);
  await drained();
  const more = [size / variablesEach];
  await sql.query(
    `insert into variables.instruments (project_id, id, name, created_by, updated_by)
     select project_id, gen_random_uuid(), 'logger ' || number, created_by, updated_by
     from variables.instruments, generate_series(2, $1::int) as number`,
    more,
  );
  await sql.query(
    `insert into variables.variables
       (project_id, id, instrument_id, name, alias, variable_type, value_type, view_options, created_by, updated_by)
     select instrument.project_id, gen_random_uuid(), instrument.id, variable.name, alias, variable_type, value_type,
       view_options, variable.created_by, variable.updated_by
     from variables.instruments as instrument, variables.variables as variable
     where instrument.name <> 'logger 1'`,
  );
  await sql.query('vacuum analyze variables.instruments');
  await sql.query('vacuum analyze variables.variables');
}

async function openSize(size: Size, opening: AsyncDisposableStack): Promise<Record<string, Trial>> {
  const bench = opening.use(await openBench());
  await fillCatalog(bench, size);
  const client = opening.use(connect(VariablesServiceDefinition, bench.stack.addresses.variables));
  const { projectId, sql } = bench;
  const connectionId = newId();
  const loggers = size / variablesEach;
  const { rows } = await sql.query<{ id: string; instrument_id: string }>(
    'select id, instrument_id from variables.variables order by id limit 10',
  );
  const variableIds = rows.map(({ id }) => id);
  const instrumentId = rows[0]?.instrument_id ?? '';
  const requireTen = (found: number): void => {
    if (found !== variablesEach) throw new Error(`${found} variables are found among ${size}`);
  };
  return {
    [`resolve, ${size}`]: () =>
      timeQueries(async (i) => {
        const instrumentName = `logger ${((i * 7919) % loggers) + 1}`;
        const asked = { instrumentName, siteId: '', variableNames: names };
        const answer = await client.resolve({ projectId, connectionId, provisioning: 'strict', instruments: [asked] });
        requireTen(answer.instruments[0]?.variables.filter(({ errorCode }) => errorCode === '').length ?? 0);
      }),
    [`by id, ${size}`]: () =>
      timeQueries(async () => requireTen((await client.listVariables({ projectId, variableIds })).variables.length)),
    [`of an instrument, ${size}`]: () =>
      timeQueries(async () => requireTen((await client.listVariables({ projectId, instrumentId })).variables.length)),
  };
}

const ratioOf = (what: string) => (round: Round) =>
  quotient(round[`${what}, ${most}`]?.['queriesPerSecond'], round[`${what}, ${least}`]?.['queriesPerSecond']);

/** What a large catalog costs those that look something up in it. */
export const catalog: Family = {
  name: 'catalog',
  isLong: true,
  ratios: [
    { id: 'K1', what: 'names of 10 variables resolved among 1,000,000 ÷ among 10', goal: 0.5, of: ratioOf('resolve') },
    { id: 'K2', what: '10 variables by id among 1,000,000 ÷ among 10', goal: 0.5, of: ratioOf('by id') },
    {
      id: 'K3',
      what: '10 variables of an instrument among 1,000,000 ÷ among 10',
      goal: 0.5,
      of: ratioOf('of an instrument'),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const trials: Record<string, Trial> = {};
    for (const size of sizes) Object.assign(trials, await openSize(size, opening));
    const open = opening.move();
    return { trials, [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
