import { runProcess } from '@weir/kit/process';
import { settings } from './config.js';
import { startAccess } from './service.js';

await runProcess({ name: 'access', settings, start: startAccess });
