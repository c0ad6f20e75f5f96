import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import {
  fromNewParser,
  fromParserPatch,
  newParser,
  newParserExample,
  parserMembers,
  parserShape,
  toParserJson,
} from '../schemas/parsers.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

/** The operations on parsers. */
export function parsersOperations(
  dependencies: FamilyDependencies & { readonly parsers: Clients['parsers'] },
): readonly Operation[] {
  const { parsers: client } = dependencies;
  const parsers = recordFamily(
    {
      name: 'parsers',
      tag: 'Parsers',
      one: 'a parser',
      many: 'parsers',
      collection: '/parsers',
      id: 'parser_id',
      record: parserShape,
      written: parserShape,
    },
    dependencies,
  );
  return [
    parsers.list({ filters: {} }, async ({ key, options }, page) => {
      const { parsers: found, nextAfter } = await client.listParsers({ ...key, ...page }, options);
      return { items: found.map(toParserJson), nextAfter };
    }),
    parsers.create(
      {
        body: newParser,
        example: newParserExample,
        description:
          '`name` and `configuration` are required. Members with a default may be left out, and are answered.',
      },
      async ({ key, actor, options }, parser) =>
        toParserJson(present((await client.createParser({ ...key, ...fromNewParser(parser), actor }, options)).parser)),
    ),
    parsers.read(async ({ key, options }, includeArchived) =>
      toParserJson(present((await client.getParser({ ...key, includeArchived }, options)).parser)),
    ),
    parsers.update(
      {
        members: parserMembers,
        example: { expected_revision: 1, configuration: newParserExample.configuration },
        description: 'A configuration that differs from the saved one raises the version.',
      },
      async ({ key, actor, options }, patch) => {
        const request = { ...key, expectedRevision: patch.expectedRevision, patch: fromParserPatch(patch), actor };
        return toParserJson(present((await client.updateParser(request, options)).parser));
      },
    ),
    parsers.archive(async ({ key, actor, options }) =>
      toParserJson(present((await client.archiveParser({ ...key, actor }, options)).parser)),
    ),
    parsers.restore(async ({ key, actor, options }) =>
      toParserJson(present((await client.restoreParser({ ...key, actor }, options)).parser)),
    ),
  ];
}
