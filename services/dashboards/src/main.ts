import { runProcess } from '@weir/kit/process';
import { settings } from './config.js';
import { startDashboards } from './service.js';

await runProcess({ name: 'dashboards', settings, start: startDashboards });
