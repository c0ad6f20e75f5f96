import { endWhenHung, runProcess } from '@weir/kit/process';
import { processorSettings, querySettings } from './config.js';
import { startProcessor, startQuery } from './service.js';

/** No processor is taken for hung sooner, in milliseconds: on a busy machine one that works may stand still for a second. */
const hungMsMin = 5000;

const role = process.argv[2];
if (role === 'processor') {
  await runProcess({
    name: 'processor',
    settings: processorSettings,
    start: (config, log) => {
      // before its messages go to another one, which would then hang as well
      endWhenHung(Math.max(config.ackWaitMs / 2, hungMsMin));
      return startProcessor(config, log);
    },
  });
} else if (role === 'query') {
  await runProcess({ name: 'observations', settings: querySettings, start: startQuery });
} else {
  process.stderr.write('usage: main.js processor|query\n');
  process.exit(64);
}
