import { runProcess } from '@weir/kit/process';
import { settings } from './config.js';
import { startGateway } from './gateway.js';

await runProcess({ name: 'gateway', settings, start: startGateway });
