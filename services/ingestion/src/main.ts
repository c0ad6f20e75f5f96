import { runProcess } from '@weir/kit/process';
import { settings } from './config.js';
import { startIngestion } from './service.js';

await runProcess({ name: 'ingestion', settings, start: startIngestion });
