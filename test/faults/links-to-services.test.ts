import { testLinks } from './links.js';

testLinks([
  { far: ['variables'], reads: ['/variables?limit=1'] },
  { far: ['ingestion'], reads: ['/runs?limit=1'] },
  {
    far: ['observations', 'parsers', 'dashboards'],
    reads: [
      '/observations?limit=1&variable_id=',
      '/observations/export?variable_id=',
      '/parsers?limit=1',
      '/dashboards?limit=1',
    ],
  },
]);
