import { testLinks } from './links.js';

testLinks([
  { far: ['postgres'], reads: ['/variables?limit=1', '/parsers?limit=1', '/dashboards?limit=1'] },
  { far: ['nats', 'redis'], reads: ['/variables?limit=1'] },
  { far: ['access'], reads: ['/variables?limit=1'] },
]);
