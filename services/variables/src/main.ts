import { runProcess } from '@weir/kit/process';
import { settings } from './config.js';
import { startVariables } from './service.js';

await runProcess({ name: 'variables', settings, start: startVariables });
