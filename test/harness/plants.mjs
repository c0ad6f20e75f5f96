// What plant.mjs makes of single lines of the build.

/** File of the build → lines of it, each with what stands there instead. */
export const changes = {
  'libs/kit/dist/rpc/answer-unary.js': [
    [
      'inProject(projectOf(request), () => call(request, { signal }))',
      'inProject(projectOf(request), () => failing(() => call(request, { signal })))',
    ],
  ],
  'gateway/dist/ingest/submitter.js': [
    [
      'const { admissions } = await this.#admit({ submissions }, { requestId });',
      `const { admissions } = await this.#admit({ submissions }, { requestId });
      if (admissions.some(({ replayed }) => !replayed)) dieAt('admission in hand');`,
    ],
  ],
  'services/ingestion/dist/events.js': [
    ['counted.runsAdmitted.add(runs);', "counted.runsAdmitted.add(planted('count-too-many') ? runs + 1 : runs);"],
  ],
  'services/ingestion/dist/rpc/admit.js': [
    [
      "publisher.publish('live', admitted.map(",
      "if (admitted.length > 0) dieAt('committed, not published');\n        publisher.publish('live', admitted.map(",
    ],
    [
      'events.answered(',
      `if (planted('published, not answered') && admissions.some(({ replayed }) => !replayed)) {
        // so that the stream has it
        await new Promise((resolve) => setTimeout(resolve, 50));
        dieAt('published, not answered');
      }
      events.answered(`,
    ],
    [
      'const rows = await insertAdmissions.all(pool, toColumns(batches, nowUs()));',
      `if (planted('answer-before-commit')) {
        const columns = toColumns(batches, nowUs());
        setTimeout(() => insertAdmissions.all(pool, columns).catch(() => undefined), 400);
        setTimeout(tellMoment, 50);
        return batches.map(({ publicId, count }) => ({ batchId: publicId, count, replayed: false, states: Buffer.alloc(0), untold: '' }));
      }
      const rows = await insertAdmissions.all(pool, toColumns(batches, nowUs()));`,
    ],
    [
      'keys: batches.map((batch) => batch.idempotencyKey || null),',
      `keys: batches.map(({ idempotencyKey: key }) => (planted('admit-twice') ? key + '~' + Math.random() : key || null)),`,
    ],
  ],
  'services/ingestion/dist/stream/publisher.js': [
    [
      '`${first.publicId}.${first.epoch}`',
      "planted('fixed-message-id') ? first.publicId : `${first.publicId}.${first.epoch}`",
    ],
  ],
  'services/ingestion/dist/stream/sweep.js': [
    [
      'const taken = await Promise.all(',
      "dieAt('taken by the sweeper, not published');\n        const taken = await Promise.all(",
    ],
  ],
  'services/observations/dist/rpc/list-observations.js': [
    [
      'const columns = toColumns(stored, limit);',
      `if (stored.some(({ count }) => count > 0)) dieAt('page read, not answered');
      const columns = toColumns(stored, limit).map((column) => {
        if (!planted('short-page')) return column;
        const half = Math.ceil(column.instantsUs.length / 2);
        const values = column.values.split(',').slice(0, half).join();
        return { ...column, instantsUs: column.instantsUs.subarray(0, half), values };
      });`,
    ],
  ],
  'services/observations/dist/rpc/export-observations.js': [
    [
      'isFirst = false;',
      `isFirst = false;
      if (planted('export begun, not ended')) {
        // so that the client has what was begun
        await new Promise((resolve) => setTimeout(resolve, 1000));
        dieAt('export begun, not ended');
      }`,
    ],
  ],
  'services/variables/dist/rpc/resolve.js': [
    ['events.provisioned(', "dieAt('names committed');\n        events.provisioned("],
  ],
  'services/observations/dist/stream/consume.js': [
    [
      'release(deliveries, (message) => message.ack());',
      "dieAt('runs completed, not acknowledged');\n        release(deliveries, (message) => message.ack());",
    ],
  ],
  'services/observations/dist/stream/process-runs.js': [
    [
      'const begun = isMarked',
      "if (settlement.rows.count > 0) dieAt('rows written, runs not completed');\n    const begun = isMarked",
    ],
    [
      'const { resolved, confirmed } = await resolveNames(',
      'poison(batches);\n    const { resolved, confirmed } = await resolveNames(',
    ],
    [
      'const written = await write(processing, settlement',
      `if (planted('complete-before-store') && !mayBeStored) {
        const told = toOutcomes(settlement, []).map(toOutcomeMessage);
        await processing.ingestion.completeRuns({ batches: told });
        tellMoment();
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      const written = await write(processing, settlement`,
    ],
  ],
  'services/observations/dist/stream/write-rows.js': [
    [
      'const { memory, mayBeStored } = writing;',
      `const { memory, mayBeStored } = writing;
      if (planted('lose-a-point')) rows = selectRows(rows, Array.from({ length: rows.count - 1 }, (_, row) => row));`,
    ],
    ['const isMarked = await markReaders(', "const isMarked = !planted('compute-nothing') && await markReaders("],
    ['if (unchanged !== undefined) {', "if (unchanged !== undefined && !planted('compute-nothing')) {"],
  ],
};
