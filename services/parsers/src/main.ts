import { runProcess } from '@weir/kit/process';
import { settings } from './config.js';
import { startParsers } from './service.js';

await runProcess({ name: 'parsers', settings, start: startParsers });
