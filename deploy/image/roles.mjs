/** What the image runs, by the command that it is given: the file, and what the file is told before further arguments. */
export const roles = {
  gateway: ['gateway/dist/main.js'],
  access: ['services/access/dist/main.js'],
  variables: ['services/variables/dist/main.js'],
  dashboards: ['services/dashboards/dist/main.js'],
  parsers: ['services/parsers/dist/main.js'],
  ingestion: ['services/ingestion/dist/main.js'],
  observations: ['services/observations/dist/main.js', 'query'],
  processor: ['services/observations/dist/main.js', 'processor'],
  migrate: ['cli/dist/main.js', 'migrate'],
  weir: ['cli/dist/main.js'],
  'smoke-test': ['deploy/image/smoke-test.mjs'],
};
